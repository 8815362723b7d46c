"""`tacit match`: two agents play each other, with seats exchanged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import command
from tacit.report.experiment import option

if TYPE_CHECKING:
    from tacit.evaluation.aivat import ValueFunction
    from tacit.games import Game
    from tacit.tree import Builder

VALUE_ITERATIONS = 300
"""Iterations of the solve for AIVAT's value function."""


@command
def match(
    game: str,
    first: str,
    second: str,
    *,
    games: int = option(100, "", "--games", "--hands", least=2),
    seed: int = option(0, least=0),
    at_once: int | None = option(
        None, "Games played in parallel.  [2 with --record, else all]", least=2
    ),
    record: Path | None = option(
        None,
        "Keep the games that have ended in this file; a match that has stopped is resumed.",
    ),
    aivat: bool = option(False, "Also estimate the result by AIVAT, with less luck in it."),
    values: str | None = option(
        None,
        "AIVAT's value function: a solution file or a trained network.  [default: the game is "
        "solved]",
    ),
    workers: int = option(0, "Hold'em: processes that play; 0: this one.", least=0),
    out: Path | None = option(
        None, "Hold'em: write the hands as .log or .phhs.", "-o", metavar="FILE"
    ),
    memory: int,
    as_json: bool,
) -> None:
    """Let the agents FIRST and SECOND play GAME, each deal twice with the seats exchanged.

    An agent is a trained network, `uniform`, `puct:200` (our MCTS), `mcts:1000` and `is-mcts:1000`
    (OpenSpiel's, with this many simulations a move), `gnugo:10`, or 'gtp:COMMAND'.

    GAME `holdem` is whole heads-up no-limit hold'em, 200 big blinds deep. Its players are
    `always-fold`, `always-call` and others by name; as FIRST also `lbr:fold-call` and `lbr:fcpa`,
    the local best response to SECOND.
    """
    if game == "holdem":
        if at_once is not None or values is not None:
            raise click.UsageError("--at-once and --values are for other games than hold'em")
        _holdem(first, second, games, seed, record, workers, out, aivat=aivat, as_json=as_json)
        return
    if workers or out is not None:
        raise click.UsageError("--workers and --out are for hold'em; other games have --record")
    from dataclasses import asdict

    from tacit.cli.progress import counting
    from tacit.evaluation.match import play_match
    from tacit.games import GameError, load_game
    from tacit.report.output import show
    from tacit.report.table import table

    rules = load_game(game)
    if values is not None and not aivat:
        raise GameError("--values names the value function of AIVAT; give --aivat, too")
    builder, function = _value_function(rules, values, memory) if aivat else (rules, None)
    with counting(f"{first} against {second}", games, "games", visible=not as_json) as each:
        found = play_match(
            builder, first, second, games=games, seed=seed, at_once=at_once, record=record,
            aivat=function, each=each,
        )  # fmt: skip
    value = {"game": rules.name, "first": first, "second": second, **asdict(found)}
    title = f"{rules.title}: {first} against {second}, {games:,} games"
    shown = table("", f"{rules.unit} a game", "±", title=title)
    shown.add_row(f"{first}, as both players", f"{found.mean:+.3f}", f"{found.error:.3f}")
    for seat, mean in enumerate(found.seats, start=1):
        shown.add_row(f"as player {seat}", f"{mean:+.3f}", "")
    if found.aivat is not None:
        shown.add_row("by AIVAT", f"{found.aivat.mean:+.4f}", f"{found.aivat.error:.4f}")
    show(as_json, value, [shown])


def _holdem(
    first: str,
    second: str,
    hands: int,
    seed: int,
    record: Path | None,
    workers: int,
    out: Path | None,
    *,
    aivat: bool,
    as_json: bool,
) -> None:
    """A match of hold'em, in mbb/h."""
    from dataclasses import asdict

    from tacit.cli.progress import counting
    from tacit.evaluation.holdem.match import play_holdem
    from tacit.files import check_writable
    from tacit.formats.match_log import save_hands
    from tacit.formats.phh import HandHistory
    from tacit.games.holdem.betting import BettingRules
    from tacit.report.output import show
    from tacit.report.table import table

    check_writable(out)
    with counting(f"{first} against {second}", hands, "hands", visible=not as_json) as each:
        found = play_holdem(
            first, second, hands=hands, seed=seed, aivat=aivat, record=record, workers=workers,
            each=each,
        )  # fmt: skip
    if out is not None:
        names = [first, second]
        played = [
            HandHistory(
                rules=BettingRules(),
                holes=hand.holes,
                board=hand.board,
                actions=hand.actions,
                fields={
                    "players": names if number == 0 else names[::-1],
                    "hand": 2 * deal + number,
                },
            )
            for deal, pair in enumerate(found.played)
            for number, hand in enumerate(pair)
        ]
        save_hands(out, played)
    value = {
        "game": "holdem",
        "first": first,
        "second": second,
        "hands": hands,
        "seed": seed,
        "plain": asdict(found.plain),
        "aivat": None if found.aivat is None else asdict(found.aivat),
    }
    title = f"Hold'em: {first} against {second}, {hands:,} hands"
    note = "Winnings of the first player with their standard error; the 95 % interval is twice it."
    shown = table(
        "", "mbb/h", "±", "in the big blind", "in the small blind", title=title, note=note
    )
    for name, each_one in {"plain": found.plain, "by AIVAT": found.aivat}.items():
        if each_one is not None:
            numbers = each_one.mean, each_one.error, *each_one.seats
            shown.add_row(name, *(f"{number:,.0f}" for number in numbers))
    show(as_json, value, [shown])


def _value_function(rules: Game, name: str | None, memory: int) -> tuple[Builder, ValueFunction]:
    """AIVAT's value function, of a solution, a network, or the game solved now; its builder."""
    from tacit.api import load
    from tacit.evaluation.aivat import EvaluatorValues, PolicyValues
    from tacit.games import GameError
    from tacit.solvers import Solution, Solver, find_algorithm
    from tacit.solvers.spot import SpotSolution
    from tacit.tree import Builder, build_tree
    from tacit.tree.public_state import GameTooLargeError

    if name is None:
        try:
            tree = build_tree(rules, max_bytes=memory)
        except GameTooLargeError as error:
            raise GameError(f"{error}; name AIVAT's value function by --values") from None
        solver = Solver(tree, find_algorithm("dcfr"))
        solver.run(VALUE_ITERATIONS)
        return tree.game_builder, PolicyValues(tree, solver.average_policy())
    found = load(name)
    if isinstance(found, SpotSolution) or found.game.name != rules.name:
        raise GameError(f"{name} is not a solution or a network of {rules.name}")
    if isinstance(found, Solution):
        return found.tree.game_builder, PolicyValues(found.tree, found.policy)
    builder = Builder(rules)
    return builder, EvaluatorValues(builder, found.network)
