"""The exact solution of small games: the sequence-form linear program (Koller et al. 1996).

It is built from the tree's transition maps and terminal matrices alone and shares no kernel with the
iterative solvers, so that each can check the other. Player p's variables are its realisation plan,
one per slot; a node's slots sum to the reach that flows into its infostates. Merged infostates take
the sum of what flows in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

from tacit.games import GameError
from tacit.solve.engine import normalise
from tacit.tree import PLAYERS, TERMINAL, PublicTree
from tacit.tree.arrays import IDENTITY


@dataclass(frozen=True)
class ExactSolution:
    """The game's value to player 0 and an equilibrium policy [slots]."""

    value: float
    policy: NDArray[np.float64]


def solve_exactly(tree: PublicTree) -> ExactSolution:
    """Solve a whole tree with one root by linear programming (SciPy's HiGHS)."""
    if len(tree.roots) != 1 or len(tree.leaves):
        raise ValueError("the linear program takes a whole tree with one root")
    flows = tuple(_Flow(tree, player) for player in PLAYERS)
    payoff = _payoff(tree, flows)
    value, plan0 = _maximin(flows[0], flows[1], payoff)
    opposite, plan1 = _maximin(flows[1], flows[0], csr_array(-payoff.T))
    if abs(value + opposite) > 1e-6 * max(1.0, abs(value)):
        raise GameError(f"the linear program is not solved: {value} against {-opposite}")
    sums = np.zeros(tree.sizes.slots)
    for flow, plan in zip(flows, (plan0, plan1), strict=True):
        sums[flow.slots] = np.maximum(plan[flow.roots :], 0)
    return ExactSolution(value, normalise(tree, sums))


class _Flow:
    """One player's realisation plans as variables x >= 0 with `constraint @ x = right`.

    Variable v < roots is the reach of root infostate v (fixed at one); the others are slots.
    `into[n]`: for node n, arrays (variable, infostate): what flows into the player's infostates.
    """

    def __init__(self, tree: PublicTree, player: int) -> None:
        arrays = tree.arrays
        root = int(tree.roots[0])
        self.roots = int(arrays.info_count[player, root])
        mine = arrays.player == player
        blocks = [
            int(arrays.slot_start[n]) + np.arange(arrays.action_count[n] * _count(tree, player, n))
            for n in np.flatnonzero(mine)
        ]
        self.slots = np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)
        variable = np.full(tree.sizes.slots, -1)
        variable[self.slots] = self.roots + np.arange(len(self.slots))
        self.variables = self.roots + len(self.slots)
        self.into: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = [
            (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        ] * tree.nodes
        self.into[root] = (np.arange(self.roots), np.arange(self.roots))
        rows, columns, entries, right = [], [], [], []
        for infostate in range(self.roots):
            rows.append(np.array([infostate]))
            columns.append(np.array([infostate]))
            entries.append(np.array([1.0]))
            right.append(1.0)
        for node in range(tree.nodes):
            count = _count(tree, player, node)
            come, to = self.into[node]
            if mine[node]:
                start, actions = int(arrays.slot_start[node]), int(arrays.action_count[node])
                own = variable[start + np.arange(actions * count)]
                first = len(right)
                rows += [first + np.arange(actions * count) % count, first + to]
                columns += [own, come]
                entries += [np.ones(len(own)), -np.ones(len(come))]
                right += [0.0] * count
                mask = int(arrays.legal_start[node])
                if mask >= 0:
                    for entry in np.flatnonzero(arrays.legal[mask : mask + len(own)] == 0):
                        rows.append(np.array([len(right)]))
                        columns.append(np.array([own[entry]]))
                        entries.append(np.array([1.0]))
                        right.append(0.0)
            edge = int(arrays.edge_start[node])
            for number, child in enumerate(tree.children(node)):
                length = int(arrays.map_count[player, edge + number])
                if mine[node] and arrays.simple[node]:
                    moved = own[number * count : (number + 1) * count]
                    self.into[child] = (moved, np.arange(count))
                elif length == IDENTITY:
                    self.into[child] = self.into[node]
                else:
                    at = int(arrays.map_start[player, edge + number])
                    source = arrays.map_source[at : at + length]
                    target = arrays.map_target[at : at + length]
                    if mine[node]:
                        self.into[child] = (own[source], target.astype(np.int64))
                    else:
                        self.into[child] = _compose(come, to, source, target)
        self.constraint = csr_array(
            coo_array(
                (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))),
                shape=(len(right), self.variables),
            )
        )
        self.right = np.array(right)


def _count(tree: PublicTree, player: int, node: int) -> int:
    return int(tree.arrays.info_count[player, node])


def _compose(
    come: NDArray[np.int64],
    to: NDArray[np.int64],
    source: NDArray[np.int32],
    target: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What flows into a child when the parent's infostates move along a map."""
    pairs = [(c, t) for s, t in zip(source, target, strict=True) for c in come[to == s]]
    joined = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return joined[:, 0], joined[:, 1]


def _payoff(tree: PublicTree, flows: tuple[_Flow, ...]) -> csr_array:
    """[variables of 0, variables of 1]: what player 0 gets for each pair."""
    rows, columns, entries = [], [], []
    arrays, matrices = tree.arrays, tree.builder.matrices.matrices
    for node in np.flatnonzero(arrays.player == TERMINAL):
        matrix = matrices[arrays.terminal_matrix[node]] * arrays.terminal_scale[node]
        (come0, to0), (come1, to1) = flows[0].into[node], flows[1].into[node]
        block = matrix[np.ix_(to0, to1)]
        i, j = np.nonzero(block)
        rows.append(come0[i])
        columns.append(come1[j])
        entries.append(block[i, j])
    shape = (flows[0].variables, flows[1].variables)
    return csr_array(
        coo_array(
            (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=shape
        )
    )


def _maximin(mine: _Flow, other: _Flow, payoff: csr_array) -> tuple[float, NDArray[np.float64]]:
    """Maximise over my plan the least value of the opponent's: max right.v, F'v <= A'x, Ex = e."""
    free = other.constraint.shape[0]
    objective = np.concatenate([np.zeros(mine.variables), -other.right])
    result = linprog(
        objective,
        A_ub=hstack([-payoff.T, other.constraint.T], format="csr"),
        b_ub=np.zeros(other.variables),
        A_eq=hstack([mine.constraint, csr_array((len(mine.right), free))], format="csr"),
        b_eq=mine.right,
        bounds=[(0, None)] * mine.variables + [(None, None)] * free,
        method="highs",
    )
    if not result.success:
        raise GameError(f"the linear program is not solved: {result.message}")
    return -float(result.fun), result.x[: mine.variables]
