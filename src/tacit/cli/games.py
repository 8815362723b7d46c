"""`tacit games`: what can be solved and played."""

from __future__ import annotations

from tacit.cli.options import command

NOTE = """\
Infostates are those of the player to move, slots their actions. Liar's Dice takes any size:
liars-dice-<dice>x<faces>; Go is played from 5x5 to 9x9, with another komi as go-7x7-komi-9.
openspiel:<game string> is any game of OpenSpiel's that has two players and is zero-sum,
<module>:<Class> a game of your own."""
COLUMNS = {
    "game": "{game}",
    "title": "{title}",
    "public states": "{public_states:,}",
    "infostates": "{infostates:,}",
    "slots": "{slots:,}",
}


@command
def games(*, as_json: bool) -> None:
    """List the games and their sizes."""
    from tacit.report.game_sizes import listed_sizes
    from tacit.report.output import show
    from tacit.report.table import table_of

    rows = list(listed_sizes())
    show(as_json, rows, [table_of(rows, COLUMNS, text_columns=2, note=NOTE)])
