"""The cost of growing a public tree by one expansion, as GT-CFR does between iterations."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row

GAMES = ("tic-tac-toe", "connect-four")
FIRST, LAST = 1_000, 10_000
"""The sizes, in expansions, at which the cost of an expansion is compared."""
WINDOW = 500
"""Expansions over which a cost is averaged."""


@dataclass(frozen=True, kw_only=True)
class Growth(Experiment):
    """Expansions of a public tree a second, and how the cost of one grows with the tree.

    A tree of one public state grows leaf by leaf, each chosen uniformly. The evaluator at the
    leaves answers zero and no CFR iterations run between expansions, so the tree's own cost is
    measured; then what it costs a solver of the tree to make room for what is new. One core.

    Columns: game, expansions, expansions_per_second, slowdown (cost of an expansion at 10,000
    expansions over that at 1,000); solver_ms, solver_slowdown: likewise of a solver's growth.
    """

    games: tuple[str, ...] = option(GAMES, "Games, separated by commas.")
    seed: int = option(0, "Seed of the choice of leaves.", least=0)

    title = "Growing a public tree, one expansion at a time"
    columns: ClassVar = {
        "game": "{game}",
        "expansions": "{expansions:,}",
        "a second": "{expansions_per_second:,.0f}",
        "slowdown": "{slowdown:.2f}",
        "solver ms": "{solver_ms:.2f}",
        "its slowdown": "{solver_slowdown:.2f}",
    }

    def __post_init__(self) -> None:
        check_names(self.games, GAMES, "growth benchmark")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each game."""
        return [_row(name, self.seed, progress) for name in self.games]


def _row(name: str, seed: int, progress: Progress) -> Row:
    seconds, _ = _grow(name, seed, progress, solved=False)
    _, solver_seconds = _grow(name, seed, progress, solved=True)
    return {
        "game": name,
        "expansions": LAST,
        "expansions_per_second": LAST / float(seconds[:LAST].sum()),
        "slowdown": _slowdown(seconds),
        "solver_ms": 1e3 * float(solver_seconds[:LAST].mean()),
        "solver_slowdown": _slowdown(solver_seconds),
    }


def _grow(
    name: str, seed: int, progress: Progress, *, solved: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The seconds that each expansion of a tree takes and, if `solved`, its solver's growth."""
    from tacit.games import load_game
    from tacit.solvers import Solver, find_algorithm
    from tacit.solvers.leaves import Zero
    from tacit.tree import build_tree

    random = np.random.default_rng(seed)
    game = load_game(name)
    for _ in range(2):  # the first compiles and loads whatever growth uses
        tree = build_tree(game, depth=1, fold=False)
        solver = Solver(tree, find_algorithm("cfr+"), leaves=Zero()) if solved else None
        tree.expand([tree.leaves[0]])
        if solver is not None:
            solver.run(0)
    seconds, solver_seconds = np.zeros((2, LAST + WINDOW // 2))
    for number in range(len(seconds)):
        leaves = tree.leaves
        leaf = leaves[random.integers(len(leaves))]
        began = time.perf_counter()
        tree.expand([leaf])
        grown = time.perf_counter()
        seconds[number] = grown - began
        if solver is not None:
            solver.run(0)
            solver_seconds[number] = time.perf_counter() - grown
        if number % WINDOW == 0:
            progress.stage(name, (number / len(seconds) + solved) / 2)
    return seconds, solver_seconds


def _slowdown(seconds: NDArray[np.float64]) -> float:
    early, late = (
        float(np.median(seconds[size - WINDOW // 2 : size + WINDOW // 2])) for size in (FIRST, LAST)
    )
    return late / early
