"""Search on one street of hold'em: ReBeL's (section 6), with a budget of work instead of time.

The number of iterations follows from the size of the tree and the cost of a leaf, so that a seed
gives the same play on any machine; a clock may end a search early where that matters more. What is
played is the policy of a sampled iteration, and ranges are updated with the average policy up to
it, as in CFR-AVG, or with its own, as in CFR-D; on the last street, with no search after it, the
average is played, which is the same in expectation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.betting import RIVER
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.spot import read_label
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.depth_limited import Mode
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import PBSEvaluator
from tacit.subgame.street import BetMenu, Decision, Ranges, StreetPBS, StreetPlan
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.pbs import cfv_to_value

SLOT_SECONDS = 4e-9
"""About the time of a slot (action, hand) in an iteration, on one core."""
LEAF_SECONDS = 4e-4
"""About the time in which an evaluator answers for one leaf."""
ITERATION_SECONDS = 1e-4
"""About the time that an iteration takes beside that."""


@dataclass(frozen=True, kw_only=True)
class SearchBudget:
    """How long a search runs: `seconds` of estimated work, within bounds of iterations.

    clock: seconds after which it ends early, so that results depend on the machine; None: never.
    """

    seconds: float
    least: int = 8
    most: int = 1000
    clock: float | None = None

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise GameError(f"a search takes {self.seconds} seconds; expected more than 0")
        if not 1 <= self.least <= self.most:
            raise GameError(
                f"a search has {self.least} to {self.most} iterations; expected 1 <= least <= most"
            )
        if self.clock is not None and not self.clock > 0:
            raise GameError(f"the clock is {self.clock}; expected more than 0 seconds, or None")

    def iterations(self, tree: PublicTree) -> int:
        """The iterations that the work allows on this tree."""
        leaves = 2 * len(tree.leaves) * LEAF_SECONDS
        each = ITERATION_SECONDS + tree.sizes.slots * SLOT_SECONDS + leaves
        return int(min(self.most, max(self.least, self.seconds / each)))


@dataclass(frozen=True, kw_only=True)
class StreetSearch:
    """How subgames on a street are solved.

    leaves: the evaluator before the next card; None: the subgame goes to the end of the game.
    sampled: play a sampled iteration; otherwise the average.
    """

    menu: BetMenu
    budget: SearchBudget
    leaves: PBSEvaluator | None = None
    mode: Mode = "cfr-avg"
    sampled: bool = True
    algorithm: str = "dcfr"
    threads: int = 1

    def solve(
        self, root: StreetPBS, random: np.random.Generator, *, line: tuple[int, ...] | None = None
    ) -> StreetPlan:
        """Solve the subgame at `root`, with the street's actions `line` in it."""
        tree = root.tree(self.menu, line=line, whole=self.leaves is None)
        algorithm = find_algorithm(self.algorithm)
        solver = Solver(
            tree,
            algorithm,
            beliefs=[root.beliefs(tree)],
            leaves=self.leaves if len(tree.leaves) else None,
            mode=self.mode,
            threads=self.threads,
        )
        count = self.budget.iterations(tree)
        last = root.street == RIVER
        sampled = self.sampled and not last
        weights = np.array([algorithm.weight(t) for t in range(1, count + 1)])
        played = 1 + int(random.choice(count, p=weights / weights.sum())) if sampled else count
        means = _RootValues(solver)
        stop = None if self.budget.clock is None else time.perf_counter() + self.budget.clock
        while solver.iteration < played and (stop is None or time.perf_counter() < stop):
            solver.run(1)
            means.add(algorithm.weight(solver.iteration))
        return StreetPlan(
            root=root,
            decisions=_decisions(solver, sampled=sampled, mode=self.mode),
            values=means.values(),
            iteration=solver.iteration,
            iterations=count,
            nodes=tree.nodes,
            leaves=len(tree.leaves),
        )


class _RootValues:
    """The mean over iterations of the values at the root."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.node = solver.tree.roots[0].node
        self.total = 0.0
        self.sums = [
            np.zeros(int(solver.tree.arrays.info_count[p, self.node]), np.float64) for p in PLAYERS
        ]

    def _at(self, player: int) -> NDArray[np.floating]:
        solver, tree = self.solver, self.solver.tree
        at: NDArray[np.floating] = tree.vectors(
            solver.work.values[player], player, self.node, values=True
        )[0]
        return at

    def add(self, weight: float) -> None:
        """Add those of the latest iteration."""
        self.total += weight
        for player in PLAYERS:
            self.sums[player] += weight * self._at(player)

    def values(self) -> Ranges:
        """[1326] each; NaN for hands that are impossible."""
        tree, reach = self.solver.tree, self.solver.work.reach
        state, results = tree.cards.state(self.node), []
        for player in PLAYERS:
            other = tree.vectors(reach[1 - player], 1 - player, self.node, values=False)[0]
            mean = self.sums[player] / max(self.total, 1e-30)
            spread = np.full(NUM_HANDS, np.nan)
            spread[state.deal.hands[player]] = cfv_to_value(
                state, player, mean, other.astype(np.float64)
            )
            results.append(spread)
        return results[0], results[1]


def _decisions(solver: Solver, *, sampled: bool, mode: Mode) -> dict[str, Decision]:
    """The decisions of the root's street; of the latest iteration if it is `sampled`."""
    tree, made = solver.tree, {}
    first, last = tree.ranges[0].first, tree.ranges[0].last
    for node in range(first, last):
        if not tree.arrays.action_count[node]:
            continue
        state = tree.cards.state(node)
        player, hands = state.mover, state.deal.hands[state.mover]
        actions = tuple(read_label(label) for label in tree.labels(node))
        sums = tree.block(solver.sums, node)[:, 0]
        total = sums.sum(axis=0)
        average = np.where(total > 0, sums / np.maximum(total, 1e-30), 1 / len(actions))
        current = tree.block(solver.policy, node)[:, 0]
        played, believed = _spread(current if sampled else average, hands), None
        if not sampled or mode == "cfr-avg":
            believed = _spread(average, hands) if sampled else played
        made[state.history] = Decision(
            player=player,
            actions=actions,
            played=played,
            believed=played if believed is None else believed,
        )
    return made


def _spread(policy: NDArray[np.floating], hands: NDArray[np.integer]) -> NDArray[np.float32]:
    """[A, K] over infostates to [A, 1326] over hands; uniform for those that are impossible."""
    full = np.full((len(policy), NUM_HANDS), 1 / len(policy), np.float32)
    full[:, hands] = policy
    return full
