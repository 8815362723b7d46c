"""What a gadget adds to an iteration: a river solved again, beside the plain solve."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tacit.bench.measurement import seconds_per_call
from tacit.report.experiment import SILENT, Experiment, Progress, option
from tacit.report.table import Row

if TYPE_CHECKING:
    from tacit.solvers import Solver

SPOT = "river-bench"
ALGORITHM = "dcfr"
BLUEPRINT_ITERATIONS = 20
ROUNDS = 12


@dataclass(frozen=True, kw_only=True)
class Subgame(Experiment):
    """What a gadget adds to an iteration: the river of `tacit bench holdem` solved again.

    The same tree is solved by the same iterations without and with a gadget above it, in turn; the
    fastest of several rounds counts. One thread.

    Columns: spot, method, algorithm, iterations, plain_ms_per_iteration, ms_per_iteration, ratio.
    """

    methods: tuple[str, ...] = option(
        (), "Methods of `tacit subgame`, separated by commas.", shown_default="all"
    )
    iterations: int = option(50, "Iterations of a round.", least=1)

    title = f"Milliseconds per iteration on {SPOT}"
    columns: ClassVar = {
        "method": "{method}",
        "plain ms": "{plain_ms_per_iteration:.3f}",
        "with gadget ms": "{ms_per_iteration:.3f}",
        "ratio": "{ratio:.3f}",
    }

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each method.

        Times are those of the working thread, which other programs do not lengthen.
        """
        from tacit.formats.spot_file import load_spot_file
        from tacit.solvers import Solver, find_algorithm
        from tacit.solvers.gadgets import RootGadgets
        from tacit.subgame.blueprint import Blueprint, BlueprintValues
        from tacit.subgame.methods import METHODS, SolveBudget, find_method, gadget_of
        from tacit.tree import Place
        from tacit.tree.cards.builder import build_spot

        methods = [find_method(name) for name in self.methods or METHODS]
        tree = build_spot(load_spot_file(SPOT).spot())
        weak = Solver(tree, find_algorithm(ALGORITHM))
        weak.run(BLUEPRINT_ITERATIONS)
        blueprint = Blueprint(tree, weak.average_policy(), weak.policy)
        view = BlueprintValues(blueprint, 1).at(Place(*tree.roots[0]))
        rows = []
        for method in methods:
            gadgets = RootGadgets(view.opponent, [gadget_of(view, method, SolveBudget())[0]])
            solvers = [
                Solver(tree, find_algorithm(ALGORITHM), root=root) for root in (None, gadgets)
            ]
            for solver in solvers:
                solver.run(1)
            paces = [[self._pace(solver) for solver in solvers] for _ in range(ROUNDS)]
            plain, with_gadget = map(min, zip(*paces, strict=True))
            rows.append(
                {
                    "spot": SPOT,
                    "method": method.name,
                    "algorithm": ALGORITHM,
                    "iterations": self.iterations,
                    "plain_ms_per_iteration": 1e3 * plain,
                    "ms_per_iteration": 1e3 * with_gadget,
                    "ratio": with_gadget / plain,
                }
            )
        return rows

    def _pace(self, solver: Solver) -> float:
        call = partial(solver.run, self.iterations)
        return seconds_per_call(call, clock=time.thread_time) / self.iterations
