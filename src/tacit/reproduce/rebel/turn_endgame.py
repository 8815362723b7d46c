"""ReBeL, Figure 2: search with a learned value network in turn endgame hold'em.

The turn is searched with the network at its leaves, before the river card; the average policy is
played there. Every river is then solved to the end of the game at the beliefs of that policy. What
is measured, exactly, is this whole policy in the tree of the turn and all rivers.
Nothing is sampled, so there is no evaluation seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.report.experiment import SILENT, Progress, option
from tacit.report.table import Row
from tacit.reproduce.rebel.tabular_turn_endgame import SPOT
from tacit.reproduce.row_store import Reproduction, RowStore

if TYPE_CHECKING:
    from tacit.games.holdem.spot import Spot
    from tacit.solvers.depth_limited import Mode
    from tacit.solvers.leaves import Evaluator
    from tacit.tree import PublicTree

FEW, FACTOR = 16, 4
"""The iterations of the first row, and from row to row."""
TABULAR = "linear-cfr"
"""The algorithm of the whole tree, as in the paper."""
SEARCH = "dcfr"
"""The algorithm of searches and of rivers."""
MODE: Mode = "cfr-avg"
"""The paper's."""
RANDOM, RANDOM_CORRECTED = "random_beliefs", "random_corrected"
COLUMNS = ("tabular", "rebel", "corrected", "averaged", "perfect", RANDOM, RANDOM_CORRECTED)
"""What is compared, in mbb/h."""
BY_NETWORK = ("rebel", "corrected")
"""The columns that are measured for each network from self-play."""
LEAST = 1e-5
"""The least probability of an action when rivers are solved, so that no line is impossible."""


@dataclass(frozen=True, kw_only=True)
class RebelTurnEndgame(Reproduction):
    """ReBeL's Figure 2 in turn endgame hold'em: exploitability of search, in mbb/h.

    The paper's board 3s7hTdKs, pot of 2,000 and stacks of 20,000 before the hand. Each row is a
    number of iterations: of linear CFR on the whole tree (`tabular`), and of searches of the turn
    whose leaves are valued by the network from self-play (`rebel`, `corrected`), by exact solutions
    (`perfect`) and by the network that was trained on random beliefs with the same budget
    (`random_beliefs`).
    What is played on the rivers is solved at the beliefs of the search, for --river-iterations.

    Columns: spot, iterations, tabular, rebel (the mean over the networks), rebel_least, rebel_most,
    corrected (the same networks, corrected now and then by their own mean over 48 river cards),
    corrected_least, corrected_most, averaged (of the first network: that mean at every leaf in
    every iteration; None beyond --averaged), perfect (None beyond --perfect), random_beliefs,
    random_corrected (that network with the same corrections), trainings (the networks' commands and
    seconds), river_iterations, seconds. With --out each figure is kept.
    """

    iterations: int = option(256, "Iterations of the last row; the first has 16.", least=FEW)
    river_iterations: int = option(500, "Iterations of the rivers that are played.", least=1)
    perfect: int = option(16, "Most iterations of a search with exact values.", least=0)
    averaged: int = option(256, "Most iterations of a search that averages over cards.", least=0)
    perfect_iterations: int = option(30, "Iterations of the rivers at its leaves.", least=1)
    networks: tuple[str, ...] = option(
        ("holdem-turn", "holdem-turn-second"),
        "Networks from self-play: names, runs or files, split by commas.",
    )
    random_network: str = option("holdem-turn-random", "The one from random beliefs.")
    threads: int | None = option(
        None, "Threads of solves.", least=1, most=1024, shown_default="all cores"
    )

    spot: str = option(SPOT, "Another turn: an example or TOML file.")

    key = ("spot", "search", "iterations", "river_iterations", "network")
    quick: ClassVar = {"iterations": 16, "river_iterations": 60, "perfect": 0, "averaged": 0}
    title = "Turn endgame hold'em: exploitability in mbb/h"
    columns: ClassVar = {
        "iterations": "{iterations:,}",
        "tabular": "{tabular:,.0f}",
        "rebel": "{rebel:,.0f}",
        "range": "{rebel_least:,.0f} to {rebel_most:,.0f}",
        "corrected": "{corrected:,.0f}",
        "corrected range": "{corrected_least:,.0f} to {corrected_most:,.0f}",
        "averaged": "{averaged}",
        "perfect": "{perfect}",
        "random beliefs": "{random_beliefs:,.0f}",
        "random, corrected": "{random_corrected:,.0f}",
    }
    text_columns = 0

    def rows(self, progress: Progress = SILENT, out: Path | None = None) -> list[Row]:
        """A row for each number of iterations, made of the cells that `out` keeps."""
        made: dict[int, Row] = {}
        for cell in super().rows(progress, out):
            start = {"spot": self.spot, "iterations": cell["iterations"]}
            row = made.setdefault(cell["iterations"], start | dict.fromkeys(COLUMNS))
            row["seconds"] = row.get("seconds", 0.0) + cell["seconds"]
            if cell["search"] in BY_NETWORK:
                row.setdefault("all", {}).setdefault(cell["search"], []).append(cell["mbb"])
            else:
                row[cell["search"]] = cell["mbb"]
            trainings = row.setdefault("trainings", [])
            if cell["training"] and cell["training"] not in trainings:
                trainings.append(cell["training"])
        for row in made.values():
            for name, found in row.pop("all").items():
                row |= {name: float(np.mean(found)), f"{name}_least": min(found)}
                row |= {f"{name}_most": max(found)}
            row["river_iterations"] = self.river_iterations
        return list(made.values())

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each cell of the table: 16, 64, 256, … iterations of each search."""
        from tacit.learn.holdem.network import load_evaluator
        from tacit.learn.holdem.targets import CardAverage, CorrectedEvaluator
        from tacit.solvers.kernel_warm_up import cores

        turn = TurnEndgame(self.spot, self.river_iterations, self.threads or cores())
        names, first = [*self.networks, self.random_network], self.networks[0]
        networks = {name: load_evaluator(name) for name in names}

        def add(
            search: str, count: int, network: str | None, make: Callable[[], Evaluator] | None
        ) -> None:
            stage = f"{count:,} iterations, {search}"
            progress.stage(stage, 0.0)
            rivers = None if make is None else self.river_iterations
            origin = networks[network].origin if network in networks else None
            training = None
            if origin is not None:
                training = {"command": origin.command, "seconds": origin.seconds}
                network = f"{network}, {origin.examples:,} examples"
            head = {"spot": self.spot, "search": search, "iterations": count, "network": network}

            def compute() -> Row:
                told = partial(progress.stage, stage)
                found = turn.search(make(), count, told) if make else turn.tabular(count)
                return {"mbb": found, "training": training}

            row = store.add({**head, "river_iterations": rivers}, compute)
            progress.line(f"{stage}: {row['mbb']:.4g} mbb/h")

        count = FEW
        while count <= self.iterations:
            add("tabular", count, None, None)
            for name in self.networks:
                network = networks[name]
                add("rebel", count, name, partial(_itself, network))
                add("corrected", count, name, partial(CorrectedEvaluator, network))
            if count <= self.averaged:
                add("averaged", count, first, lambda: CardAverage(networks[first]))
            if count <= self.perfect:
                exact = f"exact, {self.perfect_iterations} iterations"
                add("perfect", count, exact, lambda: turn.oracle(self.perfect_iterations))
            by_chance = networks[self.random_network]
            add(RANDOM, count, self.random_network, partial(_itself, by_chance))
            add(
                RANDOM_CORRECTED,
                count,
                self.random_network,
                partial(CorrectedEvaluator, by_chance),
            )
            count *= FACTOR

    def tables(self, rows: Sequence[Row]) -> list[Any]:
        """One table."""

        def text(value: float | None) -> str:
            return "" if value is None else f"{value:,.0f}"

        return super().tables(
            [{**row, **{name: text(row[name]) for name in ("averaged", "perfect")}} for row in rows]
        )

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """A curve for each column."""
        from tacit.report.plot import plot_convergence

        names = {"tabular": "linear CFR, whole tree", "rebel": "learned network"}
        names |= {"corrected": "learned network, corrected"}
        names |= {"averaged": "network after the card", "perfect": "exact values"}
        names |= {RANDOM: "random beliefs", RANDOM_CORRECTED: "random beliefs, corrected"}
        curves = {
            label: [(row["iterations"], row[name]) for row in rows if row[name] is not None]
            for name, label in names.items()
        }
        panels = {"Turn endgame hold'em": {k: v for k, v in curves.items() if v}}
        plot_convergence(panels, path, unit="mbb/h")


def _itself(evaluator: Evaluator) -> Evaluator:
    return evaluator


@dataclass(frozen=True, eq=False)
class TurnEndgame:
    """A turn with all its rivers, and the turn alone, in which policies are measured."""

    name: str
    river_iterations: int
    threads: int

    @cached_property
    def spot(self) -> Spot:
        """The example's spot."""
        from tacit.formats.spot_file import load_spot_file

        return load_spot_file(self.name).spot()

    @cached_property
    def whole(self) -> PublicTree:
        """To the end of the game."""
        from tacit.tree.cards.builder import build_spot

        return build_spot(self.spot, isomorphism=False)

    @cached_property
    def top(self) -> PublicTree:
        """The turn alone."""
        from tacit.tree.builder import before_chance
        from tacit.tree.cards.builder import build_spot

        return build_spot(self.spot, stop=before_chance, isomorphism=False)

    def oracle(self, iterations: int) -> Evaluator:
        """Exact values at the leaves of the turn."""
        from tacit.solvers.oracle import PBSOracle

        return PBSOracle(self.top.builder, iterations=iterations, threads=self.threads)

    def tabular(self, iterations: int) -> float:
        """Linear CFR on the whole tree, in mbb/h."""
        from tacit.solvers import Solver, find_algorithm

        solver = Solver(self.whole, find_algorithm(TABULAR), threads=self.threads)
        solver.run(iterations)
        return self.measure(solver.average_policy())

    def search(self, evaluator: Evaluator, iterations: int, each: Callable[[float], None]) -> float:
        """A search of the turn with an evaluator at its leaves, and solved rivers, in mbb/h."""
        from tacit.solvers import Solver, find_algorithm

        solver = Solver(self.top, find_algorithm(SEARCH), leaves=evaluator, mode=MODE)
        solver.run(iterations, each=lambda number: each(number / iterations))
        return self.measure(self.with_rivers(solver.average_policy()))

    def with_rivers(self, policy: NDArray[np.float64]) -> NDArray[np.float64]:
        """[slots] of the whole tree: a policy of the turn, and its rivers solved.

        The turn's policy is locked while the rivers are solved, so they are solved for the beliefs
        that it leads to. `LEAST` is added to its probabilities then.
        """
        from tacit.solvers import Solver, find_algorithm

        played = {}
        for node in np.flatnonzero(self.top.arrays.action_count > 0).tolist():
            assert self.top.state(node).key == self.whole.state(node).key
            played[node] = self.top.block(policy, node)
        locks = {node: (p + LEAST) / (p + LEAST).sum(axis=0) for node, p in played.items()}
        solver = Solver(self.whole, find_algorithm(SEARCH), locks=locks, threads=self.threads)
        solver.run(self.river_iterations)
        whole = solver.average_policy()
        for node, p in played.items():
            self.whole.block(whole, node)[:] = p
        return whole

    def measure(self, policy: NDArray[np.float64]) -> float:
        """The exploitability of a policy of the whole tree, in mbb/h."""
        from tacit.solvers import exploitability

        chips = exploitability(self.whole, policy, threads=self.threads)
        return 1000 * chips / self.spot.rules.big_blind
