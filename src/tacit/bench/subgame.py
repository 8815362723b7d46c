"""What a gadget adds to an iteration: a river solved again, beside the plain solve."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.bench.measurement import Measurement
from tacit.report.experiment import SILENT, Progress, option
from tacit.report.table import Row, Table, table_of

SPOT = "river-bench"
ALGORITHM = "dcfr"
BLUEPRINT_ITERATIONS = 20
ROUNDS = 12
COLUMNS = {
    "method": "{method}",
    "plain ms": "{plain_ms_per_iteration:.3f}",
    "with gadget ms": "{ms_per_iteration:.3f}",
    "ratio": "{ratio:.3f}",
}


@dataclass(frozen=True, kw_only=True)
class Subgame(Measurement):
    """What a gadget adds to an iteration: the river of `tacit bench holdem` solved again.

    The same tree is solved by the same iterations without and with a gadget above it, in turn; the
    fastest of several rounds counts. One thread.

    Columns: spot, method, algorithm, iterations, plain_ms_per_iteration, ms_per_iteration, ratio.
    """

    methods: tuple[str, ...] = option(
        (), "Methods of `tacit subgame`, separated by commas.", shown_default="all"
    )
    iterations: int = option(50, "Iterations of a round.", least=1)

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each method."""
        return measure(self.methods, self.iterations)

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table."""
        return [table_of(rows, COLUMNS, title=f"Milliseconds per iteration on {SPOT}")]


def measure(methods: Sequence[str], iterations: int) -> list[Row]:
    """For each method a row: milliseconds per iteration with its gadget and without.

    Times are those of the working thread, which other programs do not lengthen.
    """
    from tacit.formats.spot_file import load_spot_file
    from tacit.solvers import Solver, find_algorithm
    from tacit.solvers.gadgets import RootGadgets
    from tacit.subgame.blueprint import Blueprint, BlueprintValues
    from tacit.subgame.methods import METHODS, SolveBudget, find_method, gadget_of
    from tacit.tree import Place
    from tacit.tree.cards.builder import build_spot

    chosen = [find_method(name) for name in methods or METHODS]
    tree = build_spot(load_spot_file(SPOT).spot())
    weak = Solver(tree, find_algorithm(ALGORITHM))
    weak.run(BLUEPRINT_ITERATIONS)
    blueprint = Blueprint(tree, weak.average_policy(), weak.policy)
    view = BlueprintValues(blueprint, 1).at(Place(*tree.roots[0]))
    rows = []
    for method in chosen:
        root_gadgets = RootGadgets(view.opponent, [gadget_of(view, method, SolveBudget())[0]])
        plain = Solver(tree, find_algorithm(ALGORITHM))
        with_gadget = Solver(tree, find_algorithm(ALGORITHM), root=root_gadgets)
        paces: tuple[list[float], list[float]] = ([], [])
        for solver in (plain, with_gadget):
            solver.run(1)
        for _ in range(ROUNDS):
            for solver, pace in zip((plain, with_gadget), paces, strict=True):
                start = time.thread_time()
                solver.run(iterations)
                pace.append((time.thread_time() - start) / iterations)
        rows.append(
            {
                "spot": SPOT,
                "method": method.name,
                "algorithm": ALGORITHM,
                "iterations": iterations,
                "plain_ms_per_iteration": 1e3 * min(paces[0]),
                "ms_per_iteration": 1e3 * min(paces[1]),
                "ratio": min(paces[1]) / min(paces[0]),
            }
        )
    return rows
