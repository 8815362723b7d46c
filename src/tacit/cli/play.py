"""`tacit play`: a person against a solved policy, or against search with a trained network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import command, load_solution_of
from tacit.cli.show import read_line
from tacit.report.experiment import option

if TYPE_CHECKING:
    import numpy as np

    from tacit.agents.agent import Agent
    from tacit.games import State
    from tacit.learn.settings import Effort
    from tacit.tree import Builder, PublicState

TARGET, SECONDS = 1e-3, 20.0
"""How well a game is solved when no solution is given."""


@command
def play(
    game: str,
    *,
    solution: Path | None = option(None, "Play against this file."),
    agent: str | None = option(
        None, "Play against this run of `tacit train`, or an agent such as mcts:1000 or gnugo:10."
    ),
    solve: bool = option(False, "Solve the game first."),
    seat: int = option(
        1, "Your seat; in hold'em of the first hand, 1 is the big blind.", least=1, most=2
    ),
    seed: int | None = option(None, "Seed of the deals and the opponent.", least=0),
    stack: int = option(
        20_000, "Chips of both players in each hand of hold'em.", least=2_000, most=50_000
    ),
    log: Path | None = option(None, "Write the hands of hold'em to LOG.log and LOG.phhs."),
    memory: int,
) -> None:
    """Play GAME against search with the network that comes with tacit, or another opponent.

    GAME may be holdem: heads-up no-limit hold'em with blinds of 50 and 100; the opponent is then
    search, or another player of hold'em such as search:fast or always-call.

    A game without such a network is solved first, as with --solve; it is given as to `tacit solve`.
    Go and connect four are too large for that: the opponent is then puct:400, a tree search with
    random playouts.

    Moves are typed as they are listed; `quit`, or the end of the input, ends the match.
    """
    import numpy as np

    from tacit.games.registry import family_of
    from tacit.learn.settings import AS_TRAINED
    from tacit.learn.shipped import PLAYED, shipped

    random, effort = np.random.default_rng(seed), AS_TRAINED
    if (solution is not None) + (agent is not None) + solve > 1:
        raise click.UsageError("name one opponent: --solution, --agent or --solve")
    if game == "holdem":
        from tacit.cli.holdem.play_holdem import play_holdem

        if solution is not None or solve:
            raise click.UsageError("hold'em is not solved as a whole; name a player with --agent")
        play_holdem(agent or "search", seat=seat, stack=stack, seed=seed, log=log)
        return
    if agent is None and solution is None and not solve:
        large = (family := family_of(game)) is not None and not family.countable
        networks = [name for name in (game, f"{game}-sog") if name in shipped()]
        agent = networks[0] if networks else "puct:400" if large else None
        effort = PLAYED.get(game, AS_TRAINED)
    builder, opponent = _named(game, agent, effort) if agent else _solved(game, solution, memory)
    rules = builder.game
    click.echo(f"{rules.title}. You are player {seat}; type a move, or quit.")
    score, number = 0.0, 0
    while True:
        click.echo(f"\nGame {number + 1}")
        payoff = _play_once(builder, opponent, seat - 1, random)
        if payoff is None:
            break
        score += payoff
        number += 1
        click.echo(f"You get {payoff:+g} {rules.unit}. Score {_total(number, score, rules.unit)}")
        answer = read_line("Another game? [yes] ")
        if answer is None or answer.lower() in ("n", "no", "q", "quit"):
            break
    click.echo(f"Final score {_total(number, score, rules.unit)}")


def _total(number: int, score: float, unit: str) -> str:
    return f"after {number} game{'' if number == 1 else 's'}: {score:+g} {unit}."


def _named(game: str, name: str, effort: Effort) -> tuple[Builder, Agent]:
    from tacit.agents.named import find_agent
    from tacit.games import load_game
    from tacit.tree import Builder

    builder = Builder(load_game(game))
    return builder, find_agent(name, builder, effort=effort)


def _solved(name: str, file: Path | None, memory: int) -> tuple[Builder, Agent]:
    from tacit.agents.agent import PolicyAgent
    from tacit.cli.progress import SolveProgress
    from tacit.games import load_game
    from tacit.solvers import Limits, Stop, solve_tree
    from tacit.tree import build_tree

    if file is not None:
        solution = load_solution_of(name, file, memory)
    else:
        limits = Limits(target=TARGET, seconds=SECONDS)
        tree = build_tree(load_game(name), max_bytes=memory)
        with SolveProgress(limits, f"solving {name}", visible=True) as progress:
            solution = solve_tree(tree, limits, **progress.hooks)
        if solution.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
    return solution.tree.game_builder, PolicyAgent(solution.tree, solution.policy)


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
        if mover == CHANCE and "|" not in transition.label:
            click.echo(f"Chance: {transition.label}")
        elif action is not None and mover != person:
            secret = "|" in transition.label
            chosen = f"The opponent: {state.expansion.labels[action]}"
            click.echo("The opponent moves in secret." if secret else chosen)
        state = transition.child
        if state.mover != TERMINAL:
            [memory] = opponent.after([memory], [number])
    end = world(state, pair, random)
    click.echo(f"{end.render()}")
    return end.payoff() if person == 0 else -end.payoff()


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
