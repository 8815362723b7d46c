"""`tacit match`: two agents play each other, with seats exchanged."""

from __future__ import annotations

from pathlib import Path

from tacit.cli.options import command
from tacit.report.experiment import option


@command
def match(
    game: str,
    first: str,
    second: str,
    *,
    games: int = option(100, least=2),
    seed: int = option(0, least=0),
    at_once: int | None = option(
        None, "Games played in parallel.  [2 with --record, else all]", least=2
    ),
    record: Path | None = option(
        None,
        "Keep the games that have ended in this file; a match that has stopped is resumed.",
    ),
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
    from tacit.report.output import show
    from tacit.report.table import table

    rules = load_game(game)
    with counting(f"{first} against {second}", games, "games", visible=not as_json) as each:
        found = play_match(
            rules, first, second, games=games, seed=seed, at_once=at_once, record=record, each=each
        )
    value = {"game": rules.name, "first": first, "second": second, **asdict(found)}
    title = f"{rules.title}: {first} against {second}, {games:,} games"
    shown = table("", f"{rules.unit} a game", "±", title=title)
    shown.add_row(f"{first}, as both players", f"{found.mean:+.3f}", f"{found.error:.3f}")
    for seat, mean in enumerate(found.seats, start=1):
        shown.add_row(f"as player {seat}", f"{mean:+.3f}", "")
    show(as_json, value, [shown])
