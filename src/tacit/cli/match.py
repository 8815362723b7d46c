"""`tacit match`: two agents play each other, with seats exchanged."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli.options import as_json


@click.command()
@click.argument("game")
@click.argument("first")
@click.argument("second")
@click.option("--games", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--at-once",
    type=click.IntRange(min=2),
    help="Games played in parallel.  [2 with --record, else all]",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Keep the games that have ended in this file; a match that has stopped is resumed.",
)
@as_json
def match(
    game: str,
    first: str,
    second: str,
    *,
    games: int,
    seed: int,
    at_once: int | None,
    record: Path | None,
    as_json: bool,
) -> None:
    """Let the agents FIRST and SECOND play GAME, each deal twice with the seats exchanged.

    An agent is a trained network, `uniform`, `puct:200` (our MCTS), `mcts:1000` and `is-mcts:1000`
    (OpenSpiel's, with this many simulations a move), `gnugo:10`, or 'gtp:COMMAND'.
    """
    from dataclasses import asdict

    from tacit.cli.progress import counting
    from tacit.evaluation.match import play_match
    from tacit.games import load_game
    from tacit.report.output import console, print_json, print_table
    from tacit.report.table import table

    rules = load_game(game)
    with counting(f"{first} against {second}", games, "games", visible=not as_json) as each:
        found = play_match(
            rules, first, second, games=games, seed=seed, at_once=at_once, record=record, each=each
        )
    if as_json:
        print_json({"game": rules.name, "first": first, "second": second, **asdict(found)})
        return
    shown = table("", f"{rules.unit} a game", "±")
    shown.add_row(f"{first}, as both players", f"{found.mean:+.3f}", f"{found.error:.3f}")
    for seat, mean in enumerate(found.seats, start=1):
        shown.add_row(f"as player {seat}", f"{mean:+.3f}", "")
    shown.title = f"{rules.title}: {first} against {second}, {games:,} games"
    print_table(console(), shown)
