"""Growing-tree CFR: GT-CFR(s, c) of Student of Games (Schmid et al. 2023).

A search starts from a public belief state and its children. It alternates between two phases:

1. the regret update phase: iterations of a CFR variant on the current tree, with an evaluator at
   its leaves;
2. the expansion phase: simulations from the root. Each draws a pair of infostates from the beliefs,
   goes down by half PUCT and half the average policy, and adds the children of the leaf that it
   reaches: all of them, or where nothing is hidden (one infostate each, and a child of its own for
   each action) the best one by the evaluator's prior.

A perfect-information game is the case in which all vectors have length one. Several searches run
as one forest, so that the evaluator is asked for all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.algorithms import RegretMatching, find_algorithm
from tacit.solvers.engine import Solver
from tacit.solvers.gadgets import RootGadgets
from tacit.solvers.growing_leaves import GrowingLeaves
from tacit.solvers.kernels.growing import SearchArrays, add_iteration, simulate
from tacit.solvers.leaves import Evaluator, lengthened
from tacit.tree import CHANCE, PublicState, build_forest
from tacit.tree.partial import PartialExpansion
from tacit.tree.pbs import PBS, cfv_to_value
from tacit.tree.public_tree import TreeBuilder

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class GrowingSettings:
    """GT-CFR(s, c): `simulations` is s and `expansions` c."""

    simulations: int = 100
    """Expansion simulations of a search."""
    expansions: float = 1.0
    """Simulations for each regret update; 0.1 is one simulation every ten updates."""
    exploration: float = 1.25
    """The constant of PUCT, for values divided by the largest one."""
    share: float = 0.5
    """How often a simulation follows the average policy instead of PUCT."""
    temperature: float = 1.0
    """Priors are the evaluator's policy to the power of 1 / temperature, normalised."""
    algorithm: str = "cfr+"
    """A regret minimiser of `tacit.solvers.ALGORITHMS`."""
    alternating: bool = False
    """Whether the players' updates alternate; GT-CFR's are simultaneous."""

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise GameError(f"a search has at least one simulation, not {self.simulations}")
        if not 0 < self.expansions < float("inf"):
            raise GameError(f"simulations for each update are more than 0, not {self.expansions}")
        if not 0 <= self.exploration < float("inf"):
            raise GameError(f"the constant of PUCT is at least 0, not {self.exploration}")
        if not 0 <= self.share <= 1:
            raise GameError(f"the share of the average policy is from 0 to 1, not {self.share}")
        if not 0 < self.temperature < float("inf"):
            raise GameError(f"the temperature of priors is more than 0, not {self.temperature}")
        self.minimiser  # noqa: B018 (an unknown algorithm is refused here)

    @property
    def minimiser(self) -> RegretMatching:
        """The algorithm of the regret update phase."""
        found = find_algorithm(self.algorithm, alternating=self.alternating)
        if not isinstance(found, RegretMatching):
            raise GameError(
                f"{self.algorithm} has no regrets, which a growing tree needs; use cfr+ or another "
                "algorithm that matches regrets"
            )
        return found


MOST_PAIRS = 1 << 18
"""Pairs of infostates of one public state whose chance weights a search holds."""

_VECTORS = ("values0", "values1", "reach0", "reach1")


class GrowingSearch:
    """Searches at PBSs as one forest; `run` runs them to the end.

    roots: their PBSs; if `gadgets` are given, they decide the opponent's reach there. branches: for
    each root the numbers of the transitions down to the public state that is searched, its *focus*;
    the tree grows only below it. questions: how many of the PBSs at which the evaluator is asked
    are kept, drawn uniformly.

    tree, solver: they hold the searches; focus: [R] the focus nodes; weight: the sum of the weights
    of the iterations so far.
    """

    def __init__(
        self,
        builder: TreeBuilder,
        roots: Sequence[PBS],
        evaluator: Evaluator,
        settings: GrowingSettings,
        *,
        random: np.random.Generator,
        gadgets: RootGadgets | None = None,
        branches: Sequence[Sequence[int]] | None = None,
        questions: int = 0,
    ) -> None:
        for first, second in (pbs.state.counts for pbs in roots):
            if first * second > MOST_PAIRS:
                raise GameError(
                    f"a growing tree weighs every pair of infostates; {first} x {second} are more "
                    f"than {MOST_PAIRS:,}: give smaller ranges, or solve the whole tree"
                )
        self.roots = list(roots)
        self.settings = settings
        self.weight = 0.0
        self._luck = random.integers(2**64, size=1, dtype=np.uint64)
        self.tree = build_forest(
            builder, [pbs.state for pbs in roots], depth=1, stop=_one_move, fold=False
        )
        self.focus = np.array([root.node for root in self.tree.roots], dtype=np.int64)
        for number, branch in enumerate(branches or ()):
            for transition in branch:
                edge = self.tree.edges(int(self.focus[number]))[transition]
                self.focus[number] = node = int(self.tree.arrays.edge_child[edge])
                self.tree.expand([node], stop=_one_move)
        decides = self.tree.arrays.player[self.focus]
        if np.any(decides > CHANCE):
            raise GameError("the game is over at a public state that is to be searched")
        self.stats = _no_statistics()
        self._born = np.zeros(0)
        self._averaged: tuple[Array, Array] | None = None
        self._extend()
        self.leaves = GrowingLeaves(
            self.tree, evaluator, self.stats, alternating=settings.alternating, sample=questions,
            random=random,
        )  # fmt: skip
        self.solver = Solver(
            self.tree, settings.minimiser, beliefs=[pbs.beliefs for pbs in roots],
            leaves=self.leaves, root=gadgets,
        )  # fmt: skip
        decided = [int(node) for node in self.focus if self.tree.arrays.player[node] < CHANCE]
        self.leaves.ask_policies(decided, self.solver.work.reach)
        for node in decided:
            self._set_priors(node)

    def run(self) -> GrowingSearch:
        """Both phases in turn until all simulations have run; returns itself."""
        settings = self.settings
        together, updates = ceil(settings.expansions), ceil(1 / settings.expansions)
        for first in range(0, settings.simulations, together):
            self.update(updates)
            self.expand(min(together, settings.simulations - first))
        self.solver.run(0)
        return self

    def update(self, iterations: int) -> None:
        """The regret update phase."""
        solver, self._averaged = self.solver, None
        for _ in range(iterations):
            solver.run(0)  # extends the arrays to the grown tree
            before = solver.work.reach[0].copy(), solver.work.reach[1].copy()
            solver.run(1)
            # Player 1's values were computed with player 0's reach, which an update changed before
            # if updates alternate.
            reach = solver.work.reach[0] if self.settings.alternating else before[0]
            weight = solver.minimiser.weight(solver.iteration)
            add_iteration(self.stats, weight, *solver.work.values, reach, before[1])
            self.weight += weight

    def expand(self, simulations: int) -> None:
        """The expansion phase: simulations from each focus, then the children that they add."""
        settings, arrays = self.settings, self.tree.arrays
        found = np.empty(simulations * len(self.focus), dtype=np.int64)
        simulate(
            arrays, self.stats, self.solver.sums, self.focus, simulations, settings.exploration,
            settings.share, self._luck, found,
        )  # fmt: skip
        whole: list[int] = []
        partly: dict[int, PartialExpansion] = {}
        more: list[int] = []
        priors: dict[int, Array] = {}
        for node in dict.fromkeys(found.tolist()):
            if node < 0:
                continue
            if arrays.player[node] < CHANCE:
                more.append(node)
                continue
            state = self.tree.state(node)
            if state.counts == (1, 1) and state.mover < CHANCE:
                expansion = state.expand()
                if expansion.simple:
                    weights = self._tempered(self.leaves.weights(node, expansion))[:, 0]
                    order = np.argsort(-weights, kind="stable")
                    priors[node] = weights[order]
                    partly[node] = PartialExpansion(state, expansion, order.tolist())
                    more.append(node)
                    continue
            whole.append(node)
        if more:
            self.tree.expand_partly(partly, more)
        if whole:
            self.tree.expand(whole, stop=_one_move)
        self._extend()
        self._averaged = None
        for node, weights in priors.items():
            start = int(arrays.slot_start[node])
            self.stats.priors[start : start + len(weights)] = weights
            self.stats.choices[node] = len(weights)
        for node in whole:
            self._set_priors(node)

    def policy(self, root: int = 0) -> NDArray[np.float64]:
        """[A, K] the average policy of the mover at the focus of a root."""
        node = int(self.focus[root])
        sums = self.tree.block(self.solver.sums, node)[:, 0].astype(np.float64)
        total, legal = sums.sum(axis=0), self.tree.legal(node)
        policy: NDArray[np.float64] = np.where(
            total > 0, sums / np.where(total > 0, total, 1), legal / legal.sum(axis=0)
        )
        return policy

    def values(self, player: int, node: int | None = None) -> NDArray[np.float64]:
        """[K] expected values at a node, by default the first focus, averaged over iterations."""
        node = int(self.focus[0]) if node is None else node
        values, reach = self._sums(player, node)
        return cfv_to_value(self.tree.state(node), player, values, reach)

    def cfvs(self, player: int, node: int | None = None) -> NDArray[np.float64]:
        """[K] counterfactual values at a node, averaged over the iterations that it was in."""
        node = int(self.focus[0]) if node is None else node
        weight = self.weight - self._born[node]
        values: NDArray[np.float64] = self._sums(player, node)[0] / (weight if weight > 0 else 1)
        return values

    def _sums(self, player: int, node: int) -> tuple[Array, Array]:
        """[K] sums of the player's cfvs at a node and [K'] of the opponent's reaches."""
        stats, tree = self.stats, self.tree
        values, reach = (stats.values0, stats.values1)[player], (stats.reach1, stats.reach0)[player]
        return (
            tree.vectors(values, player, node, values=True)[0],
            tree.vectors(reach, 1 - player, node, values=False)[0],
        )

    def average_reach(self, player: int, node: int) -> NDArray[np.float64]:
        """[K] the player's reach at a node by the average policy, and the gadget's average."""
        if self._averaged is None:
            first, second = self.solver.average_reach()
            self._averaged = first.astype(np.float64), second.astype(np.float64)
        reach: NDArray[np.float64] = self.tree.vectors(
            self._averaged[player], player, node, values=False
        )[0]
        return reach

    def child(self, node: int, transition: int) -> int | None:
        """The node after a transition, by its number in the state's whole expansion.

        None if it is not in the tree, or was added after the last update.
        """
        expansion, number = self.tree.expansion(node), transition
        if isinstance(expansion, PartialExpansion):
            number = expansion.order.index(transition)
        edges = self.tree.edges(node)
        if number >= len(edges):
            return None
        child = int(self.tree.arrays.edge_child[edges[number]])
        return child if self._born[child] < self.weight else None

    def questions(self) -> list[PBS]:
        """The PBSs, of those at which the evaluator was asked, that were drawn."""
        return [
            PBS(self.tree.state(node), beliefs, self.path(node))
            for _, node, beliefs in self.leaves.questions
        ]

    def path(self, node: int) -> tuple[int, ...]:
        """The numbers of the transitions from the game's first public state to a node."""
        numbers: list[int] = []
        while (edge := int(self.tree.parent_edge[node])) >= 0:
            node = int(self.tree.arrays.edge_parent[edge])
            number = edge - int(self.tree.arrays.edge_start[node])
            expansion = self.tree.expansion(node)
            if isinstance(expansion, PartialExpansion):
                number = expansion.order[number]
            numbers.append(number)
        root = next(n for n, place in enumerate(self.tree.roots) if place.node == node)
        return (*self.roots[root].path, *reversed(numbers))

    def _set_priors(self, node: int) -> None:
        """Set the priors of a node that has all its children, if a player moves there."""
        if self.tree.arrays.player[node] >= CHANCE:
            return
        self.stats.choices[node] = self.tree.arrays.action_count[node]
        legal = self.tree.legal(node)
        weights = self.leaves.weights(node, self.tree.expansion(node)) * legal
        weights = np.where(weights.sum(axis=0) > 0, weights, legal)
        self.tree.block(self.stats.priors, node)[:, 0] = self._tempered(weights)

    def _tempered(self, weights: Array) -> Array:
        if self.settings.temperature != 1:
            weights = weights ** (1 / self.settings.temperature)
        tempered: Array = weights / weights.sum(axis=0)
        return tempered

    def _extend(self) -> None:
        """Extend the statistics to the tree, and add what chance says of its new nodes."""
        tree, stats, first = self.tree, self.stats, len(self.stats.choices)
        sizes = tree.sizes
        stats.extend(("priors", "visits", "pending"), sizes.slots)
        stats.extend(("choices", "chance_start", "apart"), tree.nodes)
        for name, length in zip(_VECTORS, (*sizes.values, *sizes.reach), strict=True):
            stats.extend((name,), length)
        self._born = lengthened(self._born, tree.nodes)
        self._born[first:] = self.weight
        stats.apart[first:] = 1
        counts = tree.arrays.info_count[:, first : tree.nodes]
        for number in np.flatnonzero(counts[0] * counts[1] > 1).tolist():
            state = tree.state(first + number)
            margins = state.margins
            parts = [state.compatibility.ravel()] if margins is None else list(margins)
            start = len(stats.chance)
            stats.extend(("chance",), start + sum(map(len, parts)))
            stats.chance[start:] = np.concatenate(parts)
            stats.chance_start[first + number] = start
            stats.apart[first + number] = margins is not None


def _one_move(state: PublicState) -> bool:
    """The stop rule of a tree that grows by one move, chance's too."""
    return True


def _no_statistics() -> SearchArrays:
    empty = {name: np.zeros(0) for name in _VECTORS}
    return SearchArrays(
        priors=np.zeros(0, np.float32),
        visits=np.zeros(0, np.int32),
        pending=np.zeros(0, np.int32),
        choices=np.zeros(0, np.int32),
        chance=np.ones(2, np.float32),
        chance_start=np.zeros(0, np.int64),
        apart=np.zeros(0, np.int8),
        scale=np.zeros(1),
        **empty,
    )
