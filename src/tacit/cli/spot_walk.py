"""The prompt that walks through a solved spot; it reads lines from a terminal or a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from tacit.games import CHANCE, GameError
from tacit.report.spot import is_hand, print_hands, print_point

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.solve.spot import SpotSolution
    from tacit.solve.spot_node import SpotNode

WORDS = {"check": "k", "call": "c", "fold": "f"}


def walk(screen: Console, solution: SpotSolution, view: SpotNode) -> None:
    """Ask where to go, from `view` on, until `quit` or the end of the input.

    An action or cards lead on, `back` and `top` lead up, a hand or class is shown in detail. A line
    may hold several words, which are taken one after the other.
    """
    while True:
        click.echo(f"Go to ({', '.join(_choices(view))}): ", nl=False)
        line = sys.stdin.readline()
        if not line.endswith("\n"):
            click.echo()
        if not line:
            return
        moves = list(view.found.moves)
        asked: list[str] = []
        try:
            for word in line.split():
                if word == "quit":
                    return
                here = solution.view(moves)
                if word == "top":
                    moves = []
                elif word == "back":
                    moves = moves[:-1]
                elif here.mover != CHANCE and is_hand(word):
                    asked.append(word)
                else:
                    moves = [*moves, _move(here, word)]
                    solution.view(moves)
            moved = tuple(moves) != view.found.moves
            view = solution.view(moves)
            if moved or not line.strip():
                print_point(screen, view)
            for word in asked:
                print_hands(screen, view, word)
        except GameError as error:
            click.echo(str(error))


def _choices(view: SpotNode) -> list[str]:
    own = ["a card" if len(view.board) > 2 else "a flop"] if view.mover == CHANCE else view.actions
    hand = [] if view.mover == CHANCE else ["a hand"]
    return [*own, *hand, "back", "top", "quit"]


def _move(view: SpotNode, word: str) -> str:
    """The label that `word` means: a label, a word, `a` for all in, or ``b300`` for chips now."""
    label = WORDS.get(word.lower(), word)
    if view.mover >= CHANCE or label in view.actions:
        return label
    totals = [action for action in view.actions if action[0] == "r"]
    if label.lower() in ("a", "all-in", "allin") and totals:
        return totals[-1]
    if label[:1].lower() == "b" and label[1:].isdecimal():
        return f"r{view.betting.to_total(int(label[1:]))}"
    return label
