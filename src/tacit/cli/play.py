"""`tacit play`: a person against a solved policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import memory

if TYPE_CHECKING:
    import numpy as np

    from tacit.cli.position import Position
    from tacit.solve import Solution

TARGET, SECONDS = 1e-3, 20.0
"""How well a game is solved when no solution is given."""


@click.command()
@click.argument("game")
@click.option("--solution", "file", type=click.Path(path_type=Path), help="Play against this file.")
@click.option(
    "--seat", type=click.IntRange(1, 2), default=1, show_default=True, help="Who you are."
)
@click.option("--seed", type=click.IntRange(min=0), help="Deal the same again.")
@memory
def play(game: str, *, file: Path | None, seat: int, seed: int | None, memory: int) -> None:
    """Play GAME against its solution; without --solution it is solved first.

    Moves are typed as they are written; `quit`, or the end of the input, ends the match.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    solution = _opponent(game, file, memory)
    click.echo(f"{solution.game.title}. You are player {seat}; type a move, or quit.")
    person = seat - 1
    score, number = 0.0, 0
    while True:
        number += 1
        click.echo(f"\nGame {number}")
        payoff = _play_once(solution, person, random)
        if payoff is None:
            number -= 1
            break
        score += payoff
        click.echo(
            f"You get {payoff:+g} {solution.game.unit}. "
            f"Score after {_games(number)}: {score:+g} {solution.game.unit}."
        )
        answer = _ask("Another game? [yes] ")
        if answer is None or answer.lower() in ("n", "no", "q", "quit"):
            break
    click.echo(f"Final score after {_games(number)}: {score:+g} {solution.game.unit}.")


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def _opponent(name: str, file: Path | None, memory: int) -> Solution:
    from tacit.cli.progress import SolveProgress
    from tacit.formats.game_names import load_game
    from tacit.formats.solution import load_solution
    from tacit.games import GameError
    from tacit.solve import Limits, Stop, solve_tree
    from tacit.tree import build_tree

    if file is not None:
        solution = load_solution(file, max_bytes=memory)
        if solution.game.name != name:
            raise GameError(f"{file} is a solution of {solution.game.name}, not of {name}")
        return solution
    limits = Limits(target=TARGET, seconds=SECONDS)
    tree = build_tree(load_game(name), max_bytes=memory)
    with SolveProgress(limits, f"solving {name}", visible=True) as progress:
        solution = solve_tree(
            tree, limits, on_checkpoint=progress.on_checkpoint, on_chunk=progress.on_chunk
        )
    if solution.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return solution


def _play_once(solution: Solution, person: int, random: np.random.Generator) -> float | None:
    """One game; what the person gets, or None if they left."""
    from tacit.cli.position import Position
    from tacit.games import CHANCE, TERMINAL

    position = Position.start(solution, random)
    while (mover := position.world.player) != TERMINAL:
        if mover == person:
            action = _ask_move(position, person)
            if action is None:
                return None
        else:
            action = position.choose(random)
        before, position = position, position.after(action, random)
        if mover != person:
            _tell(before, action, position, "chance" if mover == CHANCE else "the opponent")
    click.echo(f"{position.world.render()}")
    payoff = position.world.payoff()
    return payoff if person == 0 else -payoff


def _tell(before: Position, action: int, after: Position, who: str) -> None:
    """Say what somebody did, but only as much of it as the public sees."""
    children = before.solution.tree.children(before.place)
    alike = next(label for label, place in children if place == after.place)
    if "|" not in alike:
        click.echo(f"{who.capitalize()}: {before.world.label(action)}")
    elif who != "chance":
        click.echo(f"{who.capitalize()} moves in secret.")


def _ask_move(position: Position, person: int) -> int | None:
    from tacit.games import GameError, find_action

    world = position.world
    click.echo(world.render(person))
    labels = [world.label(action) for action in world.actions()]
    while True:
        answer = _ask(f"Your move ({', '.join(labels)}): ")
        if answer is None or answer == "quit":
            return None
        try:
            return find_action(world, answer)
        except GameError as error:
            click.echo(str(error))


def _ask(prompt: str) -> str | None:
    """A line of input without its ends; None when there is no more."""
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        click.echo()
    return line.strip() if line else None
