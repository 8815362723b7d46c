"""ReBeL, Figure 5: tabular solvers on turn endgame hold'em."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tacit.archive import ArchiveError, read_arrays, write_arrays
from tacit.games import GameError
from tacit.report.experiment import Progress, option
from tacit.report.table import Row, Table, table
from tacit.reproduce.rebel.figure4 import convergence_cells, powers_of_two
from tacit.reproduce.row_store import Reproduction, RowStore

if TYPE_CHECKING:
    from tacit.games.holdem.spot import Spot
    from tacit.solvers import Solver
    from tacit.tree import PublicTree

SPOT = "turn-bench"
"""The paper's board, stacks and bet sizes; also a speed benchmark."""
ALGORITHMS = ("linear-cfr", "dcfr", "flop")


@dataclass(frozen=True, kw_only=True)
class TurnEndgame(Reproduction):
    """Turn endgame hold'em (ReBeL, Figure 5): exploitability after 1, 2, 4, … iterations.

    The whole tree of 3s7hTdKs with $20,000 stacks, without card abstraction, solved by linear CFR,
    discounted CFR and FLOP. It takes about ten minutes on two cores. With --out FILE each solver is
    saved beside FILE after every row, and a later run resumes it.

    Columns: spot, algorithm, iteration, exploitability (chips), exploitability_mbb,
    exploitability_percent_of_pot, seconds (of all iterations so far, without best responses).
    """

    iterations: int = option(1024, "Iterations of each algorithm.", least=1)
    threads: int | None = option(
        None, "Threads of a solve.", least=1, most=1024, shown_default="all cores"
    )
    spot: str = option(SPOT, "Another example or TOML file.")
    memory: int = option(8 << 30)

    key = ("spot", "algorithm", "iteration")
    quick: ClassVar = {"iterations": 64}

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each algorithm and power of two."""
        from tacit.formats.spot_file import load_spot_file
        from tacit.solvers.kernel_warm_up import cores, prepare
        from tacit.tree.cards.builder import build_spot

        spot = load_spot_file(self.spot).spot()

        @cache
        def tree() -> PublicTree:
            prepare(np.float64)
            return build_spot(spot, max_bytes=self.memory)

        for number, algorithm in enumerate(ALGORITHMS):
            path = None
            if store.path is not None:
                name = f"{store.path.stem}-{Path(self.spot).stem}-{algorithm}.npz"
                path = store.path.with_name(name)
            curve = _Curve(algorithm, path, self.threads or cores())
            for iteration in powers_of_two(self.iterations):
                head = {"spot": self.spot, "algorithm": algorithm, "iteration": iteration}
                row = store.add(head, partial(curve.row_after, iteration, tree, spot))
                left = self.iterations * (len(ALGORITHMS) - number) - iteration
                minutes = row["seconds"] / iteration * left / 60
                progress.line(
                    f"{algorithm}: {iteration:,} iterations, {row['seconds']:.1f} s, "
                    f"{row['exploitability_mbb']:.4g} mbb/h; about {minutes:.1f} min to go"
                )

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Iterations down, algorithms across."""
        title = f"{self.spot}: exploitability in mbb/h"
        made = table("iterations", *ALGORITHMS, text_columns=0, title=title)
        for cells in convergence_cells(rows, "{exploitability_mbb:,.4g}"):
            made.add_row(*cells)
        return [made]

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """One curve for each algorithm."""
        from tacit.report.plot import curves, plot_convergence

        panels = {"Turn endgame hold'em, tabular": curves(rows, "exploitability_mbb")}
        plot_convergence(panels, path, unit="mbb/h")


@dataclass
class _Curve:
    """One algorithm's solver, saved in `path` after each measurement and resumed from there."""

    algorithm: str
    path: Path | None
    threads: int
    seconds: float = 0.0
    _solver: Solver | None = None

    def row_after(self, iteration: int, tree: Callable[[], PublicTree], spot: Spot) -> Row:
        """Run up to `iteration`, from the saved state where there is an earlier one."""
        from tacit.solvers import Solver, exploitability, find_algorithm

        if self._solver is None:
            self._solver = Solver(tree(), find_algorithm(self.algorithm), threads=self.threads)
            if self.path is not None and self.path.exists():
                self._restore(self._solver, self.path, iteration)
        solver = self._solver
        began = time.perf_counter()
        solver.run(iteration - solver.iteration)
        self.seconds += time.perf_counter() - began
        found = exploitability(solver.tree, solver.average_policy(), threads=self.threads)
        if self.path is not None:
            state = {"iteration": np.array(solver.iteration), "seconds": np.array(self.seconds)}
            write_arrays(self.path, {**solver.memory, **state})
        return {
            "exploitability": found,
            "exploitability_mbb": 1000 * found / spot.rules.big_blind,
            "exploitability_percent_of_pot": 100 * found / spot.pot,
            "seconds": self.seconds,
        }

    def _restore(self, solver: Solver, path: Path, most: int) -> None:
        """Put `solver` in the saved state unless that is beyond iteration `most`."""
        try:
            state = read_arrays(path, "a solver's state")
            iteration, seconds = int(state.pop("iteration")), float(state.pop("seconds"))
            if iteration <= most:
                solver.restore(iteration, state)
                self.seconds = seconds
        except (ArchiveError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise GameError(
                f"{path} is damaged or of another spot ({error}); move it away to solve "
                f"{self.algorithm} again"
            ) from None
