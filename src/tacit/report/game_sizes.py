"""The sizes of the package's games, counted once and stored: `python -m tacit.report.game_sizes`.

Counting tic-tac-toe takes seconds and connect-four cannot be counted, so `game_sizes.json` keeps
the numbers; a test compares them with the rules.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.files import write_json_rows
from tacit.games import Game, families, load_game
from tacit.report.table import Row

if TYPE_CHECKING:
    from tacit.tree import PublicState

STORED = Path(__file__).with_suffix(".json")


def size_row(game: Game, *, countable: bool = True) -> Row:
    """A game and its size, counted on its tree; None if it cannot be counted.

    infostates: those in which a player chooses; slots: their actions; memory: the bytes of a solve.
    """
    from tacit.tree import build_tree

    row: Row = {"game": game.name, "title": game.title}
    if not countable:
        return row | dict.fromkeys(("public_states", "infostates", "slots", "memory"))
    tree = build_tree(game)
    return row | {
        "public_states": tree.public_states,
        "infostates": count_infostates(tree.game_builder.root),
        "slots": tree.sizes.slots,
        "memory": tree.memory().peak,
    }


def count_infostates(root: PublicState) -> int:
    """The number of the movers' infostates at `root` and below."""
    known: dict[Hashable, int] = {}

    def count(state: PublicState) -> int:
        if state.key not in known:
            own = state.counts[state.mover] if state.mover < 2 else 0
            known[state.key] = own + sum(count(t.child) for t in state.expansion.transitions)
        return known[state.key]

    return count(root)


def listed_sizes() -> Iterator[Row]:
    """The stored size of every game that the registry names, counted where none is stored."""
    stored = {row["game"]: row for row in json.loads(STORED.read_text())}
    for family in families():
        for name in family.examples:
            yield stored.get(name) or size_row(load_game(name), countable=family.countable)


if __name__ == "__main__":
    rows = [
        size_row(load_game(name), countable=family.countable)
        for family in families()
        for name in family.examples
    ]
    write_json_rows(STORED, rows)
