"""An agent that plays by a blueprint and nested subgame solving.

From the opponent's first move that the blueprint does not have (with `always` from its first move),
the subgame after each of the opponent's moves is solved (safe and nested subgame solving, section
6). The agent plays either seat of any game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent
from tacit.subgame.blueprint import Blueprint
from tacit.subgame.nested import NestedState, Nesting
from tacit.tree import PLAYERS


class NestedAgent(Agent):
    """Plays by a blueprint and nested solving; `nesting.player` is set to the agent's seat."""

    def __init__(self, blueprint: Blueprint, nesting: Nesting) -> None:
        self.starts = [
            NestedState.start(blueprint, replace(nesting, player=player)) for player in PLAYERS
        ]

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[NestedState]:
        """At the root."""
        return [self.starts[seat] for seat in seats]

    def policies(self, memories: Sequence[NestedState]) -> list[NDArray[Any]]:
        """Of each game's plan."""
        return [memory.chosen() for memory in memories]

    def after(
        self, memories: Sequence[NestedState], transitions: Sequence[int]
    ) -> list[NestedState]:
        """The next states, with subgames solved; games with the same history share them."""
        known: dict[tuple[int, int], NestedState] = {}
        steps = list(zip(memories, transitions, strict=True))
        for memory, number in steps:
            if (id(memory), number) not in known:
                known[id(memory), number] = memory.after(number)
        return [known[id(memory), number] for memory, number in steps]
