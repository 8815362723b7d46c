"""`tacit play`: a person against a solved policy, or against search with a trained network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import memory
from tacit.cli.walk import read_line

if TYPE_CHECKING:
    import numpy as np

    from tacit.agents.agent import Agent
    from tacit.games import State
    from tacit.solvers import Solution
    from tacit.tree import Builder, PublicState

TARGET, SECONDS = 1e-3, 20.0
"""How well a game is solved when no solution is given."""


@click.command()
@click.argument("game")
@click.option("--solution", "file", type=click.Path(path_type=Path), help="Play against this file.")
@click.option(
    "--agent",
    "name",
    help="Play against this run of `tacit train`, or an agent such as mcts:1000 or gnugo:10.",
)
@click.option("--solve", "solving", is_flag=True, help="Solve the game first.")
@click.option("--seat", type=click.IntRange(1, 2), default=1, show_default=True, help="Your seat.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the deals and the opponent.")
@memory
def play(
    game: str,
    *,
    file: Path | None,
    name: str | None,
    solving: bool,
    seat: int,
    seed: int | None,
    memory: int,
) -> None:
    """Play GAME against search with the network that comes with tacit, or another opponent.

    A game without such a network is solved first, as with --solve; it is given as to `tacit solve`.
    Go and connect four are too large for that: the opponent is then puct:400, a tree search with
    random playouts.

    Moves are typed as they are listed; `quit`, or the end of the input, ends the match.
    """
    import numpy as np

    from tacit.games.registry import family_of
    from tacit.learn.shipped import shipped

    random = np.random.default_rng(seed)
    if (file is not None) + (name is not None) + solving > 1:
        raise click.UsageError("name one opponent: --solution, --agent or --solve")
    if name is None and file is None and not solving:
        large = (family := family_of(game)) is not None and not family.countable
        name = game if game in shipped() else "puct:400" if large else None
    builder, opponent = _named(game, name) if name else _solved(game, file, memory)
    rules = builder.game
    click.echo(f"{rules.title}. You are player {seat}; type a move, or quit.")
    person = seat - 1
    score, number = 0.0, 0
    while True:
        number += 1
        click.echo(f"\nGame {number}")
        payoff = _play_once(builder, opponent, person, random)
        if payoff is None:
            number -= 1
            break
        score += payoff
        click.echo(
            f"You get {payoff:+g} {rules.unit}. "
            f"Score after {_games(number)}: {score:+g} {rules.unit}."
        )
        answer = read_line("Another game? [yes] ")
        if answer is None or answer.lower() in ("n", "no", "q", "quit"):
            break
    click.echo(f"Final score after {_games(number)}: {score:+g} {rules.unit}.")


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def _named(game: str, name: str) -> tuple[Builder, Agent]:
    from tacit.agents.named import find_agent
    from tacit.games import load_game
    from tacit.tree import Builder

    builder = Builder(load_game(game))
    return builder, find_agent(name, builder)


def _solved(name: str, file: Path | None, memory: int) -> tuple[Builder, Agent]:
    from tacit.agents.agent import PolicyAgent

    solution = _solution(name, file, memory)
    return solution.tree.game_builder, PolicyAgent(solution.tree, solution.policy)


def _solution(name: str, file: Path | None, memory: int) -> Solution:
    from tacit.cli.progress import SolveProgress
    from tacit.formats.solution import load_solution
    from tacit.games import GameError, load_game
    from tacit.solvers import Limits, Stop, solve_tree
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


def _play_once(
    builder: Builder, opponent: Agent, person: int, random: np.random.Generator
) -> float | None:
    """One game; the person's payoff, or None if they quit."""
    import numpy as np

    from tacit.games import CHANCE, TERMINAL
    from tacit.tree.playing import deal, draw, follow, world

    [memory] = opponent.begin([1 - person], random)
    state = builder.root
    pair = deal(state, (np.ones(state.counts[0]), np.ones(state.counts[1])), random)
    while (mover := state.mover) != TERMINAL:
        action = None
        if mover == person:
            action = _ask_move(state, world(state, pair, random), person)
            if action is None:
                return None
        elif mover != CHANCE:
            [policy] = opponent.policies([memory])
            action = draw(policy[:, pair[mover]], random)
        number, pair = follow(state, pair, action, random)
        transition = state.expansion.transitions[number]
        if mover != person:
            chosen = "" if action is None else state.expansion.labels[action]
            who = "chance" if mover == CHANCE else "the opponent"
            _announce(chosen or transition.label, transition.label, who)
        state = transition.child
        if state.mover != TERMINAL:
            [memory] = opponent.after([memory], [number])
    end = world(state, pair, random)
    click.echo(f"{end.render()}")
    return end.payoff() if person == 0 else -end.payoff()


def _announce(move: str, seen: str, who: str) -> None:
    """Print a move, as far as the public sees it."""
    if "|" not in seen:
        click.echo(f"{who.capitalize()}: {move}")
    elif who != "chance":
        click.echo("The opponent moves in secret.")


def _ask_move(state: PublicState, world: State, person: int) -> int | None:
    """The index of the person's action; None if they leave."""
    from tacit.games import GameError, find_action

    click.echo(world.render(person))
    labels = [world.label(action) for action in world.actions()]
    while True:
        answer = read_line(f"Your move ({', '.join(labels)}): ")
        if answer is None or answer == "quit":
            return None
        try:
            return state.expansion.actions.index(find_action(world, answer))
        except GameError as error:
            click.echo(str(error))
