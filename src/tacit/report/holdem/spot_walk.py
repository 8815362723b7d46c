"""A walk through a solved spot: what is shown at each node, and where words lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.games import CHANCE, GameError
from tacit.report.holdem.spot import hands_report, is_hand, node_report

if TYPE_CHECKING:
    from tacit.report.output import Block
    from tacit.solvers.spot import SpotNode, SpotSolution

ACTIONS = {"check": "k", "call": "c", "fold": "f"}


class SpotWalk:
    """A node of a solved spot that `enter` moves.

    An action or cards lead on, `back` and `top` lead up, a hand or class is shown in detail. A line
    may hold several words, which are taken one after the other.
    """

    def __init__(self, solution: SpotSolution, view: SpotNode) -> None:
        self.solution = solution
        self.view = view

    def choices(self) -> list[str]:
        """What may be entered here."""
        view = self.view
        if view.mover == CHANCE:
            return ["a card" if len(view.board) > 2 else "a flop", "back", "top", "quit"]
        return [*view.actions, "a hand", "back", "top", "quit"]

    def enter(self, line: str) -> list[Block] | None:
        """Follow a line and report where it leads; None ends the walk."""
        moves = list(self.view.target.moves)
        asked: list[str] = []
        try:
            for word in line.split():
                if word == "quit":
                    return None
                here = self.solution.view(moves)
                if word == "top":
                    moves = []
                elif word == "back":
                    moves = moves[:-1]
                elif here.mover != CHANCE and is_hand(word):
                    asked.append(word)
                else:
                    moves = [*moves, _move(here, word)]
                    self.solution.view(moves)
            moved = tuple(moves) != self.view.target.moves
            self.view = self.solution.view(moves)
            blocks = node_report(self.view) if moved or not line.strip() else []
            return blocks + [block for word in asked for block in hands_report(self.view, word)]
        except GameError as error:
            return [str(error)]


def _move(view: SpotNode, word: str) -> str:
    """The label that `word` means: a label, a word, `a` for all in, or ``b300`` for chips now."""
    label = ACTIONS.get(word.lower(), word)
    if view.mover >= CHANCE or label in view.actions:
        return label
    totals = [action for action in view.actions if action[0] == "r"]
    if label.lower() in ("a", "all-in", "allin") and totals:
        return totals[-1]
    if label[:1].lower() == "b" and label[1:].isdecimal():
        return f"r{view.betting.to_total(int(label[1:]))}"
    return label
