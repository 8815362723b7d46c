"""`tacit games`: what can be solved and played."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from tacit.cli.options import as_json

if TYPE_CHECKING:
    from tacit.games import Game
    from tacit.tree import PublicState


@dataclass(frozen=True)
class Facts:
    """A game and its size; `decisions` are the infostates in which a player chooses."""

    game: str
    title: str
    public_states: int
    decisions: int
    slots: int
    memory: int


def facts(game: Game) -> Facts:
    """The size of a game, counted without building its tree."""
    from tacit.tree import Builder

    builder = Builder(game)
    size = builder.size(builder.root)
    return Facts(
        game.name,
        game.title,
        size.public_states,
        count_decisions(builder.root, {}),
        size.slots,
        size.bytes(),
    )


def count_decisions(state: PublicState, known: dict[int, int]) -> int:
    """How many infostates of movers there are at `state` and below."""
    found = known.get(id(state))
    if found is None:
        own = state.counts[state.mover] if state.mover < 2 else 0
        below = (count_decisions(t.child, known) for t in state.expansion.transitions)
        found = known[id(state)] = own + sum(below)
    return found


@click.command()
@as_json
def games(*, as_json: bool) -> None:
    """List the games and their sizes."""
    from tacit.games import families, load_game
    from tacit.report.output import console, print_json, table

    listed = [
        facts(load_game(name))
        for family in families()
        if family.countable
        for name in family.examples
    ]
    if as_json:
        print_json([asdict(entry) for entry in listed])
        return
    shown = table("game", "title", "public states", "infostates", "slots", text_columns=2)
    for entry in listed:
        counts = (entry.public_states, entry.decisions, entry.slots)
        shown.add_row(entry.game, entry.title, *(f"{count:,}" for count in counts))
    console().print(shown)
    click.echo(
        "Infostates are those of the player to move, slots their actions. Liar's Dice takes any\n"
        "size: liars-dice-<dice>x<faces>. connect-four is too large to count.\n"
        "openspiel:<game string> is any game of OpenSpiel's that has two players and is zero-sum,\n"
        "<module>:<Class> is a game of your own."
    )
