"""The sizes of the package's games, counted once and stored: `python -m tacit.report.game_sizes`.

Counting tic-tac-toe takes seconds; connect four and Go cannot be counted. `game_sizes.json` keeps
the numbers; a test compares them with the rules.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.files import write_json_rows
from tacit.games import Game, families, load_game
from tacit.games.registry import Family

if TYPE_CHECKING:
    from tacit.tree import PublicState

STORED = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class GameSize:
    """A game and its size; None where it cannot be counted.

    infostates: those in which a player chooses; slots: their actions; memory: bytes of a solver.
    """

    game: str
    title: str
    public_states: int | None = None
    infostates: int | None = None
    slots: int | None = None
    memory: int | None = None


def count_size(game: Game) -> GameSize:
    """The size of a game, counted without building its tree."""
    from tacit.tree import Builder

    builder = Builder(game)
    size = builder.size(builder.root)
    infostates = count_infostates(builder.root)
    return GameSize(game.name, game.title, size.public_states, infostates, size.slots, size.bytes())


def count_infostates(root: PublicState) -> int:
    """The number of the movers' infostates at `root` and below."""
    known: dict[Hashable, int] = {}

    def count(state: PublicState) -> int:
        if state.key not in known:
            own = state.counts[state.mover] if state.mover < 2 else 0
            known[state.key] = own + sum(count(t.child) for t in state.expansion.transitions)
        return known[state.key]

    return count(root)


def size_of(family: Family, game: Game) -> GameSize:
    """The size of a game of `family`, if it can be counted."""
    return count_size(game) if family.countable else GameSize(game.name, game.title)


def listed_sizes() -> Iterator[GameSize]:
    """The stored size of every game that the registry names, counted where none is stored."""
    stored = {row["game"]: GameSize(**row) for row in json.loads(STORED.read_text())}
    for family in families():
        for name in family.examples:
            yield stored.get(name) or size_of(family, load_game(name))


if __name__ == "__main__":
    rows = []
    for family in families():
        for game in map(load_game, family.examples):
            rows.append(asdict(size_of(family, game)))
    write_json_rows(STORED, rows)
