"""A walk through a solved game: what is shown at each public state, and where words lead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.games import CHANCE, TERMINAL
from tacit.report.policy import infostate_table, policy_table
from tacit.report.table import Heading, table
from tacit.solvers import infostate_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.report.output import Block
    from tacit.solvers import Solution
    from tacit.tree.layout import Place


@dataclass(frozen=True)
class Step:
    """A public state on the path: the label that led there, and both players' reaches [K]."""

    label: str
    place: Place
    reach: tuple[NDArray[np.float64], NDArray[np.float64]]


class SolutionWalk:
    """A path from the start of the game that `enter` extends and shortens."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.values = [infostate_values(solution.tree, solution.policy, p) for p in (0, 1)]
        place = solution.place()
        counts = solution.tree.state(place.node).counts
        self.path = [Step("", place, (np.ones(counts[0]), np.ones(counts[1])))]

    def choices(self) -> list[str]:
        """The words that `enter` takes here."""
        return [*self._moves(), "back", "top", "quit"]

    def enter(self, line: str) -> list[Block] | None:
        """Follow a word and say what is there; None ends the walk."""
        word = line.strip()
        moves = self._moves()
        if word == "quit":
            return None
        if word == "top":
            self.path = self.path[:1]
        elif word == "back":
            self.path = self.path[:-1] or self.path
        elif word in moves:
            self.path.append(self._follow(moves.index(word), word))
        else:
            options = ", ".join(moves) or "none: the game is over"
            return [f"{word!r} is not possible here; possible: {options}"]
        return self.report()

    def report(self) -> list[Block]:
        """The public state at the end of the path: chances, policies, reaches and values."""
        step = self.path[-1]
        node, copy = step.place
        state = self.solution.tree.state(node)
        moves = " ".join(taken.label for taken in self.path[1:]) or "the start"
        blocks: list[Block] = ["", Heading(self.solution.game.title, f": {moves}")]
        if state.mover == CHANCE:
            chances = table("chance", "probability")
            for transition in state.expansion.transitions:
                chances.add_row(transition.label, f"{transition.factor:.3f}")
            blocks.append(chances)
        elif state.mover == TERMINAL:
            blocks.append("The game is over.")
        for player in (0, 1):
            values = self.values[player][node][copy]
            columns = {
                "reach": [f"{reach:.3f}" for reach in step.reach[player]],
                "value": ["-" if np.isnan(value) else f"{value:+.3f}" for value in values],
            }
            if player == state.mover:
                policy = self.solution.probabilities(step.place)
                title = f"Player {player + 1} moves"
                blocks.append(policy_table(state, policy, title=title, columns=columns))
            else:
                title = f"Player {player + 1}"
                blocks.append(infostate_table(state, player, columns, title=title))
        return blocks

    def _moves(self) -> list[str]:
        return [label for label, _ in self.solution.tree.children(self.path[-1].place)]

    def _follow(self, number: int, word: str) -> Step:
        """Child `number`, with the reaches that the policy carries there."""
        step = self.path[-1]
        state = self.solution.tree.state(step.place.node)
        transition = state.expansion.transitions[number]
        policy = self.solution.probabilities(step.place) if state.mover < CHANCE else None
        first, second = (
            transition.carry_reach(p, step.reach[p], policy if p == state.mover else None)
            for p in (0, 1)
        )
        place = self.solution.tree.children(step.place)[number][1]
        return Step(word, place, (first, second))
