"""The exact solution of small games: the sequence-form linear program (Koller et al. 1996).

It is built from the tree's transitions and terminal matrices alone and shares no kernel with the
iterative solvers, so that each can check the other. Player p's variables are its realisation plan,
one per slot; a node's slots sum to the reach that flows into its infostates. The reach of a merged
infostate is the sum of all flows into it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.engine import normalise
from tacit.tree import TERMINAL, PublicTree

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class ExactSolution:
    """The game's value to player 0 and an equilibrium policy [slots]."""

    value: float
    policy: NDArray[np.float64]


def solve_exactly(tree: PublicTree) -> ExactSolution:
    """Solve a whole tree with one root by linear programming (SciPy's HiGHS)."""
    if len(tree.roots) != 1 or len(tree.leaves):
        raise ValueError("the linear program takes a whole tree with one root")
    flows = (Flow(tree, 0), Flow(tree, 1))
    payoff = payoff_matrix(tree, flows)
    value, plan0 = _maximin(flows[0], flows[1], payoff)
    opposite, plan1 = _maximin(flows[1], flows[0], -payoff.T)
    if abs(value + opposite) > 1e-6 * max(1.0, abs(value)):
        raise GameError(f"the linear program is not solved: {value} against {-opposite}")
    sums = np.zeros(tree.sizes.slots)
    for flow, plan in zip(flows, (plan0, plan1), strict=True):
        flow.write(plan, sums)
    return ExactSolution(value, normalise(tree, sums))


class Flow:
    """One player's realisation plans as variables x >= 0 with `constraint @ x = right`.

    Variable v < roots is the reach of root infostate v (fixed at `reach` [K], by default ones); the
    others are slots. `into[n]`: pairs (variables, entries [copies * K] of node n they flow into).
    """

    def __init__(
        self, tree: PublicTree, player: int, reach: NDArray[np.float64] | None = None
    ) -> None:
        arrays = tree.arrays
        root = tree.roots[0].node
        self.player = player
        self.roots = int(arrays.info_count[player, root])
        self.into: list[list[tuple[Indices, Indices]]] = [[] for _ in range(tree.nodes)]
        self.into[root].append((np.arange(self.roots), np.arange(self.roots)))
        self._matrix: list[tuple[Indices, Indices, float]] = [
            (np.arange(self.roots), np.arange(self.roots), 1.0)
        ]
        self.right = [1.0] * self.roots if reach is None else reach.tolist()
        self.slots: Indices = np.zeros(0, dtype=np.int64)
        self.variables = self.roots
        for node in range(tree.nodes):
            incoming, to = self.flow(node)
            own = self._decide(tree, node, incoming, to) if arrays.player[node] == player else None
            for number in tree.edges(node):
                self._follow(tree, number, incoming, to, own)
        parts = [(r, c, np.full(len(r), sign)) for r, c, sign in self._matrix]
        rows, columns, entries = zip(*parts, strict=True)
        self.constraint = _sparse(rows, columns, entries, (len(self.right), self.variables))

    def flow(self, node: int) -> tuple[Indices, Indices]:
        """Variables, and the entries (copy * K + infostate) that they flow into."""
        pairs = self.into[node]
        return np.concatenate([v for v, _ in pairs]), np.concatenate([e for _, e in pairs])

    def write(self, plan: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
        """Write a plan [variables] to the player's entries of `sums` [slots]."""
        sums[self.slots] = np.maximum(plan[self.roots :], 0)

    def _decide(self, tree: PublicTree, node: int, incoming: Indices, to: Indices) -> Indices:
        """Variables for the node's slots, which sum to the incoming flow."""
        arrays = tree.arrays
        actions, copies = int(arrays.action_count[node]), int(arrays.copies[node])
        count = int(arrays.info_count[self.player, node])
        own = self.variables + np.arange(actions * copies * count)
        self.variables += len(own)
        self.slots = np.concatenate([self.slots, int(arrays.slot_start[node]) + own - own[0]])
        first = len(self.right)
        self._matrix.append((first + np.arange(len(own)) % (copies * count), own, 1.0))
        self._matrix.append((first + to, incoming, -1.0))
        self.right += [0.0] * (copies * count)
        barred = own[~np.repeat(tree.legal(node)[:, None, :], copies, axis=1).ravel()]
        self._matrix.append((len(self.right) + np.arange(len(barred)), barred, 1.0))
        self.right += [0.0] * len(barred)
        return own

    def _follow(
        self, tree: PublicTree, number: int, incoming: Indices, to: Indices, own: Indices | None
    ) -> None:
        """Carry the flow along an edge."""
        arrays, transition = tree.arrays, tree.transition(number)
        node, child = int(arrays.edge_parent[number]), int(arrays.edge_child[number])
        first = int(arrays.edge_copy[number])
        copies, count = int(arrays.copies[node]), int(arrays.info_count[self.player, node])
        below = int(arrays.info_count[self.player, child])
        sources, targets = transition.sources[self.player], transition.targets[self.player]
        for source, target in zip(sources, targets, strict=True):
            if own is not None:
                action, infostate = divmod(int(source), count)
                taken = np.arange(copies)
                variables = own[(action * copies + taken) * count + infostate]
            else:
                here = to % count == source
                variables, taken = incoming[here], to[here] // count
            self.into[child].append((variables, (first + taken) * below + int(target)))


def _sparse(
    rows: Iterable[Indices],
    columns: Iterable[Indices],
    entries: Iterable[NDArray[np.float64]],
    shape: tuple[int, int],
) -> csr_array:
    from scipy.sparse import coo_array, csr_array  # SciPy takes a second to load

    places = (np.concatenate(list(rows)), np.concatenate(list(columns)))
    return csr_array(coo_array((np.concatenate(list(entries)), places), shape=shape))


def payoff_matrix(tree: PublicTree, flows: tuple[Flow, ...]) -> csr_array:
    """[variables of 0, variables of 1]: player 0's payoff for each pair, times chance."""
    rows, columns, entries = [], [], []
    scale = _chance_scales(tree)
    for node in np.flatnonzero(tree.arrays.player == TERMINAL).tolist():
        matrix = tree.state(node).payoffs
        (come0, to0), (come1, to1) = flows[0].flow(node), flows[1].flow(node)
        copy0, copy1 = to0 // matrix.shape[0], to1 // matrix.shape[1]
        for copy in range(int(tree.arrays.copies[node])):
            of0, of1 = np.flatnonzero(copy0 == copy), np.flatnonzero(copy1 == copy)
            block = matrix[np.ix_(to0[of0] % matrix.shape[0], to1[of1] % matrix.shape[1])]
            i, j = np.nonzero(block)
            rows.append(come0[of0[i]])
            columns.append(come1[of1[j]])
            entries.append(block[i, j] * scale[node][copy])
    return _sparse(rows, columns, entries, (flows[0].variables, flows[1].variables))


def _chance_scales(tree: PublicTree) -> list[NDArray[np.float64]]:
    """For each node [copies]: the chance factor of its normalised weights."""
    scale = [np.ones(int(copies)) for copies in tree.arrays.copies]
    arrays = tree.arrays
    for edge, factor in enumerate(arrays.edge_factor.tolist()):
        above, copy = scale[arrays.edge_parent[edge]], int(arrays.edge_copy[edge])
        scale[arrays.edge_child[edge]][copy : copy + len(above)] = above * factor
    return scale


def _maximin(mine: Flow, other: Flow, payoff: csr_array) -> tuple[float, NDArray[np.float64]]:
    """Maximise over my plan the least value of the opponent's: max right.v, F'v <= A'x, Ex = e."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    free = other.constraint.shape[0]
    objective = np.concatenate([np.zeros(mine.variables), -np.array(other.right)])
    result = linprog(
        objective,
        A_ub=hstack([-payoff.T, other.constraint.T], format="csr"),
        b_ub=np.zeros(other.variables),
        A_eq=hstack([mine.constraint, csr_array((len(mine.right), free))], format="csr"),
        b_eq=np.array(mine.right),
        bounds=[(0, None)] * mine.variables + [(None, None)] * free,
        method="highs",
    )
    if not result.success:
        raise GameError(f"the linear program is not solved: {result.message}")
    return -float(result.fun), result.x[: mine.variables]
