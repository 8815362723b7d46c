"""`tacit show`: walk through a solved game in the terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import memory, solution_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from tacit.solve import Solution
    from tacit.tree.layout import Place


@click.command()
@solution_file
@memory
def show(file: Path, *, memory: int) -> None:
    """Walk through a solution: type a move's label to follow it, or back, top, quit.

    At each public state a table shows what each infostate of the mover does, what it is worth to
    its player (value), and how likely that player is to come here with it (reach).
    """
    from tacit.formats.solution import load_solution
    from tacit.report.output import console
    from tacit.solve import infostate_values

    solution = load_solution(file, max_bytes=memory)
    values = [infostate_values(solution.tree, solution.policy, player) for player in (0, 1)]
    screen = console()
    path = [_start(solution)]
    shown = False
    while True:
        if not shown:
            _print(screen, solution, path, values)
            shown = True
        children = dict(solution.tree.children(path[-1].place))
        click.echo(f"Go to ({', '.join([*children, 'back', 'top', 'quit'])}): ", nl=False)
        line = sys.stdin.readline()
        word = line.strip()
        if not line or word == "quit":
            click.echo()
            return
        shown = False
        if word == "top":
            path = path[:1]
        elif word == "back":
            path = path[:-1] or path
        elif word in children:
            path = [*path, _follow(solution, path[-1], word)]
        else:
            options = ", ".join(children) or "none: the game is over"
            click.echo(f"{word!r} is not possible here; possible: {options}")
            shown = True


@dataclass(frozen=True)
class _Step:
    """A public state on the way: the label that led there, and both players' reaches [K]."""

    label: str
    place: Place
    reach: tuple[NDArray[np.float64], NDArray[np.float64]]


def _start(solution: Solution) -> _Step:
    import numpy as np

    place = solution.place()
    counts = solution.tree.state(place.node).counts
    return _Step("", place, (np.ones(counts[0]), np.ones(counts[1])))


def _follow(solution: Solution, step: _Step, word: str) -> _Step:
    """The child called `word`, with the reaches that the policy brings there."""
    import numpy as np

    state = solution.tree.state(step.place.node)
    children = solution.tree.children(step.place)
    number = [label for label, _ in children].index(word)
    transition = state.expansion.transitions[number]
    reach = []
    for player in (0, 1):
        sent = step.reach[player]
        if player == state.mover:
            sent = (solution.probabilities(step.place) * sent).ravel()
        arrived = np.zeros(transition.child.counts[player])
        np.add.at(arrived, transition.targets[player], sent[transition.sources[player]])
        reach.append(arrived)
    return _Step(word, children[number][1], (reach[0], reach[1]))


def _print(
    screen: Console, solution: Solution, path: Sequence[_Step], values: Sequence[Any]
) -> None:
    from rich.markup import escape

    from tacit.games import CHANCE, TERMINAL
    from tacit.report.output import print_policy, print_table, rows_in_order, table

    step = path[-1]
    node, copy = step.place
    state = solution.tree.state(node)
    moves = " ".join(taken.label for taken in path[1:]) or "the start"
    screen.print(f"\n[bold]{solution.game.title}[/]: {moves}", soft_wrap=True)

    def columns(player: int) -> list[tuple[str, list[str]]]:
        worth = values[player][node][copy]
        return [
            ("reach", [f"{reach:.3f}" for reach in step.reach[player]]),
            ("value", ["-" if value != value else f"{value:+.3f}" for value in worth]),
        ]

    if state.mover == CHANCE:
        chances = table("chance", "probability")
        for transition in state.expansion.transitions:
            chances.add_row(transition.label, f"{transition.factor:.3f}")
        screen.print(chances)
    elif state.mover == TERMINAL:
        screen.print("The game is over.")
    for player in (0, 1):
        title = f"Player {player + 1}"
        if player == state.mover:
            chosen = solution.probabilities(step.place)
            title += " moves"
            print_policy(screen, state, chosen, title=title, columns=columns(player))
            continue
        other = table("infostate", "reach", "value")
        names = state.names(player)
        for row in rows_in_order(state, player):
            other.add_row(
                escape(names[row]) or "any", *(texts[row] for _, texts in columns(player))
            )
        print_table(screen, other, title=title)
