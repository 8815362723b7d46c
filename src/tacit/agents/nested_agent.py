"""An agent that plays by a blueprint and solves subgames safely as the game goes on.

From the first move of the opponent that the blueprint does not know, or with `always` from her
first move at all, the subgame that she has led into is solved after each of her moves (safe and
nested subgame solving, section 6). It plays either seat of any game.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.agents.agent import draw_action
from tacit.agents.position import Position
from tacit.subgame.blueprint import Blueprint
from tacit.subgame.nested import NestedState, Nesting
from tacit.tree import PLAYERS


class NestedAgent:
    """Plays by a blueprint and nested solving; `nesting.player` is set to the seat it is given."""

    def __init__(self, blueprint: Blueprint, nesting: Nesting) -> None:
        self.starts = [
            NestedState.start(blueprint, replace(nesting, player=player)) for player in PLAYERS
        ]
        self.random = np.random.default_rng()
        self.seen: list[int] = []
        self.courses: dict[int, tuple[int, NestedState]] = {}

    def begin(self, random: np.random.Generator) -> None:
        """Back to the root."""
        self.random = random
        self.seen = []
        self.courses = {}

    def act(self, position: Position) -> int:
        """Draw from the plan, once it has caught up with the game."""
        return draw_action(position, self._course(position.world.player).chosen(), self.random)

    def observe(self, transition: int, position: Position) -> None:
        """Note the move; what has to be solved is solved when it is this agent's turn."""
        self.seen.append(transition)

    def _course(self, player: int) -> NestedState:
        done, course = self.courses.get(player, (0, self.starts[player]))
        for transition in self.seen[done:]:
            course = course.after(transition)
        self.courses[player] = len(self.seen), course
        return course
