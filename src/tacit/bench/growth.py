"""The cost of growing a public tree by one expansion, as GT-CFR does between iterations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.bench.measurement import Measurement
from tacit.report.experiment import SILENT, Progress, check_names, option
from tacit.report.table import Row, Table, table_of

GAMES = ("tic-tac-toe", "connect-four")
FIRST, LAST = 1_000, 10_000
"""The sizes, in expansions, at which the cost of an expansion is compared."""
WINDOW = 500
"""Expansions over which a cost is averaged."""
COLUMNS = {
    "game": "{game}",
    "expansions": "{expansions:,}",
    "a second": "{expansions_per_second:,.0f}",
    "slowdown": "{slowdown:.2f}",
}


@dataclass(frozen=True, kw_only=True)
class Growth(Measurement):
    """Expansions of a public tree a second, and how the cost of one grows with the tree.

    A tree of one public state grows leaf by leaf, each chosen uniformly. The evaluator at the
    leaves answers zero and no CFR iterations run between expansions, so the tree's own cost is
    measured. One core.

    Columns: game, expansions, expansions_per_second, slowdown (cost of an expansion at 10,000
    expansions over that at 1,000).
    """

    games: tuple[str, ...] = option(GAMES, "Games, separated by commas.")
    seed: int = option(0, "Seed of the choice of leaves.", least=0)

    def __post_init__(self) -> None:
        check_names(self.games, GAMES, "growth benchmark")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each game."""
        return [_row(name, self.seed, progress) for name in self.games]

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table."""
        return [table_of(rows, COLUMNS, title="Growing a public tree, one expansion at a time")]


def _row(name: str, seed: int, progress: Progress) -> Row:
    from tacit.games import load_game
    from tacit.tree import build_tree

    random = np.random.default_rng(seed)
    game = load_game(name)
    warm = build_tree(game, depth=1, fold=False)
    for _ in range(10):  # compile and load whatever growth uses
        warm.expand([warm.leaves[0]])
    tree = build_tree(game, depth=1, fold=False)
    seconds = np.zeros(LAST + WINDOW // 2)
    for number in range(len(seconds)):
        leaves = tree.leaves
        leaf = leaves[random.integers(len(leaves))]
        began = time.perf_counter()
        tree.expand([leaf])
        seconds[number] = time.perf_counter() - began
        if number % WINDOW == 0:
            progress.stage(name, number / len(seconds))
    early, late = (
        float(seconds[size - WINDOW // 2 : size + WINDOW // 2].mean()) for size in (FIRST, LAST)
    )
    return {
        "game": name,
        "expansions": LAST,
        "expansions_per_second": LAST / float(seconds[:LAST].sum()),
        "slowdown": late / early,
    }
