"""`tacit hands`: hands of hold'em in files, read, summed up and converted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import command
from tacit.report.experiment import option

if TYPE_CHECKING:
    from tacit.agents.holdem.seat import Decisions
    from tacit.formats.match_log import MatchRecord


@command
def hands(
    file: Path,
    *,
    game: Path | None = option(
        None,
        "The game definition of a log.  [blinds 50 and 100, stacks 20,000]",
        metavar="FILE",
    ),
    out: Path | None = option(
        None, "Write the hands as .log, .phhs, or .phh (one hand).", "-o", metavar="FILE"
    ),
    as_json: bool,
) -> None:
    """Read FILE, a dealer's log (.log) or PHH (.phh, .phhs), and say what the players have won.

    Every hand is played again by the rules; what a log says of its value and score is checked.
    """
    from dataclasses import asdict

    from tacit.formats.acpc.log import names_of
    from tacit.formats.acpc.protocol import load_game_definition
    from tacit.formats.match_log import load_hands, player_total, save_hands
    from tacit.report.output import show
    from tacit.report.table import table_of

    found = load_hands(file, load_game_definition(game))
    if out is not None:
        save_hands(out, found)
    names = sorted({name for hand in found for name in names_of(hand)})
    rows = [{"player": name, **asdict(player_total(found, name))} for name in names]
    columns = {
        "player": "{player}",
        "hands": "{hands:,}",
        "chips": "{chips:+,}",
        "mbb/h": "{mbb:+.0f}",
        "±": "{error:.0f}",
    }
    show(as_json, rows, [table_of(rows, columns, title=f"{file}: {len(found):,} hands")])


def show_match(record: MatchRecord, agent: str, decisions: Decisions, *, as_json: bool) -> None:
    """What a player has won in a match against others, and what its decisions took."""
    from dataclasses import asdict

    from tacit.formats.match_log import player_total
    from tacit.report.output import show
    from tacit.report.table import table

    won = player_total(record.hands, agent)
    value = {"agent": agent, **asdict(won), "decisions": asdict(decisions)}
    shown = table("", "", title=f"{agent}: {won.hands:,} hands")
    mean = decisions.seconds / max(decisions.count, 1)
    shown.add_row("chips", f"{won.chips:+,}")
    shown.add_row("mbb/h", f"{won.mbb:+.0f} ± {won.error:.0f}")
    shown.add_row("decisions", f"{decisions.count:,}")
    shown.add_row("s a decision, mean and most", f"{mean:.3f}, {decisions.slowest:.3f}")
    shown.add_row("choices made legal", f"{decisions.adjusted}")
    show(as_json, value, [shown])
    for path in record.paths:
        click.echo(f"the hands: {path}", err=True)
