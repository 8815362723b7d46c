"""A depth-limited turn with exact rivers at its leaves, beside the whole tree.

Each iteration the rivers are solved for the beliefs of the current policy (CFR-D). What is played
is the average: on the turn that of the solver, on the rivers that of all their solutions, each
weighted by its iteration and by the player's reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.report.experiment import SILENT, Experiment, Progress, option
from tacit.report.table import Row

if TYPE_CHECKING:
    from tacit.tree import PublicTree

ALGORITHM = "dcfr"


@dataclass(frozen=True, kw_only=True)
class DepthLimitedTurn(Experiment):
    """Exploitability of a depth-limited turn with exact rivers, beside the whole tree.

    The turn 2c7dJhQs with small ranges, a pot of 100 and 200 behind. Both are solved by discounted
    CFR; the policy on the turn and on every river is measured in the whole tree.

    Columns: iterations, whole and depth_limited (exploitability in chips), ratio.
    """

    iterations: int = option(40, "Iterations of both.", least=1)
    river_iterations: int = option(100, "Iterations of each river.", least=1)
    threads: int = option(1, "Threads.", least=1, most=1024)

    title = "Exploitability of a turn, chips"
    columns: ClassVar = {
        "iterations": "{iterations}",
        "whole tree": "{whole:.2f}",
        "depth-limited": "{depth_limited:.2f}",
        "ratio": "{ratio:.2f}",
    }
    text_columns = 0

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """One row."""
        from tacit.games.holdem.spot import Spot
        from tacit.solvers import Solver, evaluate, find_algorithm
        from tacit.tree.builder import before_chance
        from tacit.tree.cards.builder import build_spot

        progress.stage("a turn with exact rivers", 0.0)
        ranges = ("AA,KQs,65s", "KK,AJs,T8s")
        spot = Spot.of("2c7dJhQs", ranges=ranges, pot=100, behind=200, bets="75%/a")
        tree = build_spot(spot)
        plain = Solver(tree, find_algorithm(ALGORITHM), threads=self.threads)
        plain.run(self.iterations)
        policy = self.limited_policy(tree, build_spot(spot, stop=before_chance))
        whole, limited = (
            evaluate(tree, each, threads=self.threads).exploitability
            for each in (plain.average_policy(), policy)
        )
        figures = {"whole": whole, "depth_limited": limited, "ratio": limited / whole}
        return [{"iterations": self.iterations, **figures}]

    def limited_policy(self, whole: PublicTree, top: PublicTree) -> NDArray[np.float64]:
        """[slots] of `whole`: what is played above the leaves of `top`, and below them."""
        from tacit.solvers import Solver, find_algorithm, normalise
        from tacit.solvers.depth_limited import way_down
        from tacit.solvers.oracle import PBSOracle
        from tacit.tree import PLAYERS

        minimiser = find_algorithm(ALGORITHM)
        oracle = PBSOracle(top.builder, iterations=self.river_iterations, threads=self.threads)
        solver = Solver(top, minimiser, leaves=oracle)
        nodes = top.leaves.tolist()
        states = [top.state(node) for node in nodes]
        below: list[Solver] = []

        def each(iteration: int) -> None:
            """Add the rivers' solutions for this iteration's beliefs to their average."""
            reach = solver.believed_reach()
            beliefs = [
                tuple(
                    top.vectors(reach[p], p, n, values=False)[0].astype(np.float64) for p in PLAYERS
                )
                for n in nodes
            ]
            forest, policy = oracle.solve(states, beliefs)
            if not below:
                below.append(Solver(forest, minimiser, storage=64))
            rivers = below[0]
            rivers.policy[:] = policy
            for player in PLAYERS:
                for root, pair in zip(forest.roots, beliefs, strict=True):
                    at = forest.vectors(rivers.work.reach[player], player, root.node, values=False)
                    at[root.copy] = pair[player]
                schedule = np.array([[0, 0, 0, 0, minimiser.weight(iteration), 0]])
                rivers.visit(way_down(forest.order), 1 - player, schedule, alternating=True)

        solver.run(self.iterations, each=each)
        written = whole.uniform_policy()
        numbers = {whole.state(node).key: node for node in range(whole.nodes)}
        parts = [(top, solver.average_policy())]
        parts += [(rivers.tree, normalise(rivers.tree, rivers.sums)) for rivers in below]
        for tree, policy in parts:
            for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
                there = numbers[tree.state(node).key]
                whole.block(written, there)[:] = tree.block(policy, node)
        return written
