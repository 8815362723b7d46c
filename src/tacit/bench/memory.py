"""The estimated memory of solves beside their peaks: `python -m tacit.bench.memory NAME`.

Each solve runs in a process of its own. A small one of the same kind runs first, so that
interpreter, libraries and compiled kernels do not count. The solution is saved as well.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from tacit.bench.measurement import in_new_process, peak, restarted_peak
from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row, Table


@dataclass(frozen=True)
class GameSolve:
    """A few iterations on a whole game."""

    game: str
    algorithm: str = "dcfr"
    precision: str = "single"
    alternating: bool = True

    def run(self, folder: Path) -> int:
        """Solve and save; returns the estimate in bytes."""
        from tacit.formats.solution import save_solution
        from tacit.games import load_game
        from tacit.solvers import Limits, solve_kind, solve_tree
        from tacit.tree import build_tree

        kind = solve_kind(self.algorithm, self.precision)
        tree = build_tree(load_game(self.game), max_bytes=1 << 40, kind=kind)
        solution = solve_tree(
            tree,
            Limits(iterations=2),
            algorithm=self.algorithm,
            precision=self.precision,
            alternating=self.alternating,
        )
        save_solution(solution, folder / "solution.npz")
        return tree.memory().peak

    def smaller(self) -> GameSolve:
        """The small solve."""
        return replace(self, game="kuhn")


@dataclass(frozen=True)
class SpotSolve:
    """A few iterations on a spot of hold'em."""

    board: str
    ranges: tuple[str, str] = ("random", "random")
    behind: int = 300
    bets: str = "50%,100%,a/100%,a"
    storage: int = 32
    threads: int = 1

    def run(self, folder: Path) -> int:
        """Solve and save, to be resumed; returns the estimate in bytes."""
        from tacit.formats.spot_solution import save_spot_solution
        from tacit.games.holdem.spot import Spot
        from tacit.solvers.spot import SpotLimits, solve_spot
        from tacit.tree.cards.size import spot_size

        spot = Spot.of(self.board, ranges=self.ranges, pot=100, behind=self.behind, bets=self.bets)
        solution = solve_spot(
            spot,
            SpotLimits(iterations=2),
            storage=self.storage,
            threads=self.threads,
            resumable=True,
            max_bytes=1 << 40,
        )
        save_spot_solution(solution, folder / "spot.npz")
        return spot_size(spot, storage=self.storage, threads=self.threads).bytes

    def smaller(self) -> SpotSolve:
        """The small solve."""
        return replace(self, ranges=("AcAd,9s8s", "KsKd,Tc8c"), behind=100, bets="a")


@dataclass(frozen=True)
class BlueprintSolve:
    """A few iterations on an abstraction of a game, with merged infostates."""

    game: str
    labels: int

    def run(self, folder: Path) -> int:
        """Solve and save; returns the estimate in bytes."""
        from tacit.formats.solution import save_solution
        from tacit.games import load_game
        from tacit.subgame.abstraction import KIND, random_groups, solve_abstraction
        from tacit.tree import build_tree

        tree = build_tree(load_game(self.game), max_bytes=1 << 40, kind=KIND)
        groups = random_groups(tree, self.labels, np.random.default_rng(0))
        save_solution(solve_abstraction(tree, iterations=2, groups=groups), folder / "b.npz")
        return tree.memory().peak

    def smaller(self) -> BlueprintSolve:
        """The small solve."""
        return replace(self, game="kuhn")


Measured = GameSolve | SpotSolve | BlueprintSolve
SOLVES: dict[str, Measured] = {
    "liars-dice-2x4": GameSolve("liars-dice-2x4"),
    "liars-dice-2x4-double": GameSolve("liars-dice-2x4", "pcfr+", "double"),
    "liars-dice-1x8-fp": GameSolve("liars-dice-1x8", "fp"),
    "liars-dice-1x8-simultaneous": GameSolve("liars-dice-1x8", "pcfr+", alternating=False),
    "leduc-raises-1-2-4-8": GameSolve("leduc-raises-1-2-4-8"),
    "preflop43-30": GameSolve("preflop43-AsKsQhJdTc9c5h5d2s-30"),
    "tic-tac-toe": GameSolve("tic-tac-toe"),
    "liars-dice-1x5-lp": GameSolve("liars-dice-1x5", "lp"),
    "blueprint": BlueprintSolve("liars-dice-2x4", 3),
    "river": SpotSolve("2c7dJhQsKs", behind=5000, bets="33%,66%,100%,150%,a/50%,100%,200%,a"),
    "turn": SpotSolve("2c7dJhQs"),
    "turn-16-bits": SpotSolve("2c7dJhQs", storage=16),
    "turn-2-threads": SpotSolve("2c7dJhQs", threads=2),
    "flop": SpotSolve("2c7dJh", ("TT+,AKs,AQs", "KQs,JJ+,T9s"), 200, "75%/a"),
    "flop-16-bits": SpotSolve("7s8s9s", ("22+,A2s+", "KTo+,76s"), 100, "a", storage=16),
    "liars-dice-2x5": GameSolve("liars-dice-2x5"),
}
COMPILE = "compile:"
DEFAULT = tuple(name for name in SOLVES if name != "liars-dice-2x5")
"""Without the one that takes more than a gigabyte."""


@dataclass(frozen=True, kw_only=True)
class Memory(Experiment):
    """The memory that solves are estimated to take, beside the peak of what they take.

    The estimate is the one that --memory compares with. Each solve runs in a process of its own;
    its peak is without interpreter, libraries and compiled kernels.

    Columns: solve, estimate and peak in bytes, ratio of the two.
    """

    solves: tuple[str, ...] = option(
        DEFAULT,
        "Solves, separated by commas.",
        shown_default="all but liars-dice-2x5",
    )

    title = "Memory of solves: estimates and peaks"
    columns: ClassVar = {
        "solve": "{solve}",
        "estimate": "{estimate_mb:,.1f} MB",
        "peak": "{peak_mb:,.1f} MB",
        "ratio": "{ratio:.2f}",
    }

    def __post_init__(self) -> None:
        check_names(self.solves, SOLVES, "memory benchmark")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each solve, measured in a process of its own."""
        rows = []
        for name in self.solves:
            # A process that compiles kernels is left with memory that a solve can use.
            in_new_process("tacit.bench.memory", f"{COMPILE}{name}")
            rows.append(json.loads(in_new_process("tacit.bench.memory", name)))
        return rows

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table, in megabytes."""
        amounts = ("estimate", "peak")
        return super().tables(
            [{**row, **{f"{a}_mb": row[a] / 1e6 for a in amounts}} for row in rows]
        )


def measure(name: str) -> Row:
    """The row of one solve; after `COMPILE` only the small solve is run, and the row is empty."""
    solve = SOLVES[name.removeprefix(COMPILE)]
    with tempfile.TemporaryDirectory() as folder:
        solve.smaller().run(Path(folder))
        if name.startswith(COMPILE):
            return {}
        before = restarted_peak()
        estimate = solve.run(Path(folder))
        taken = round(1e6 * (peak() - before))
    return {"solve": name, "estimate": estimate, "peak": taken, "ratio": estimate / taken}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
