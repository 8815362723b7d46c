"""`tacit games`: what can be solved and played."""

from __future__ import annotations

import click

from tacit.cli.options import as_json

NOTE = """\
Infostates are those of the player to move, slots their actions. Liar's Dice takes any size:
liars-dice-<dice>x<faces>. openspiel:<game string> is any game of OpenSpiel's that has two players
and is zero-sum, <module>:<Class> a game of your own."""


@click.command()
@as_json
def games(*, as_json: bool) -> None:
    """List the games and their sizes."""
    from dataclasses import asdict

    from tacit.report.game_sizes import listed_sizes
    from tacit.report.output import console, print_json, print_table
    from tacit.report.table import table_of

    rows = [asdict(size) for size in listed_sizes()]
    if as_json:
        print_json(rows)
        return
    columns = {
        "game": "{game}",
        "title": "{title}",
        "public states": "{public_states:,}",
        "infostates": "{infostates:,}",
        "slots": "{slots:,}",
    }
    print_table(console(), table_of(rows, columns, text_columns=2, note=NOTE))
