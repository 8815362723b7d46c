"""Warm starts: a search that begins with the proposal of a policy network (ReBeL, appendix J).

The first iterations are assumed to have played the guide's policy. Each infostate's regrets are
those of that policy against an exact best response, times the weight that these iterations would
have given them. The average holds the policy with the weight of these iterations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.solvers.algorithms import RegretMatching
from tacit.solvers.leaves import Guide, Rows
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.kernels.passes import RECORD_BEST, UPDATE, ascend, descend

if TYPE_CHECKING:
    from tacit.solvers.engine import Workspace

Array = NDArray[Any]


def propose(tree: PublicTree, guide: Guide, policy: Array, reach: tuple[Array, Array]) -> None:
    """Set `policy` [slots] to the guide's proposal at every decision, and `reach` to its reach.

    The beliefs at a node follow from the proposals above it, so the guide is called once for each
    level of the tree and player. Where the opponent's reach is zero, `policy` is unchanged.
    """
    levels = _levels(tree)
    for level in range(int(levels.max()) + 1):
        for player in PLAYERS:
            nodes = np.flatnonzero((levels == level) & (tree.arrays.player == player))
            if len(nodes):
                rows = Rows(tree, nodes.astype(np.int32), guide)
                _write(tree, guide, nodes, policy, rows.gather(player, reach), rows.row)
        for player in PLAYERS:
            descend(tree.arrays, player, policy, reach[player], policy, reach[player].dtype.type(0))


def _write(
    tree: PublicTree, guide: Guide, nodes: Array, policy: Array, inputs: Array, row: Array
) -> None:
    outputs = guide.policies(inputs)
    first = 0
    for node in nodes.tolist():
        block = tree.block(policy, node)
        here = row[first : first + block.shape[1]]
        first += block.shape[1]
        asked = np.flatnonzero(here >= 0)
        state = tree.state(node)
        columns = guide.action_columns(state)
        weights = outputs[here[asked]][:, columns] * state.expansion.legal
        total = weights.sum(axis=1, keepdims=True)
        uniform = state.expansion.legal / state.expansion.legal.sum(axis=0)
        chosen = np.where(total > 0, weights / np.where(total > 0, total, 1), uniform)
        block[:, asked] = chosen.transpose(1, 0, 2)


def _levels(tree: PublicTree) -> NDArray[np.int64]:
    """[nodes] the length of the longest path from a root to each node; parents come first."""
    levels = np.zeros(tree.nodes, dtype=np.int64)
    for edge in np.argsort(tree.arrays.edge_parent, kind="stable").tolist():
        parent, child = tree.arrays.edge_parent[edge], tree.arrays.edge_child[edge]
        levels[child] = max(levels[child], levels[parent] + 1)
    return levels


def response_regrets(
    tree: PublicTree, player: int, policy: Array, work: Workspace, regrets: Array
) -> None:
    """Set `player`'s part of `regrets` [slots] to those of `policy` before a best response.

    At each infostate an action's regret is its value, with the best response played afterwards,
    less the mean of these values under the policy. Both reaches and the values at the leaves are
    given in `work`.
    """
    vectors = work.vectors[0]
    best, gains = policy.copy(), np.zeros_like(policy)
    none = np.zeros(4, dtype=policy.dtype)
    ascend(tree.arrays, vectors, player, RECORD_BEST, none, best, gains)
    step = np.array([1, 1, -np.inf, 0], dtype=policy.dtype)
    ascend(tree.arrays, vectors, player, UPDATE, step, best, gains)
    for node in np.flatnonzero(tree.arrays.player == player).tolist():
        gain = tree.block(gains, node)
        mean = (tree.block(policy, node) * gain).sum(axis=0)
        legal = tree.state(node).expansion.legal[:, None, :]
        tree.block(regrets, node)[:] = np.where(legal, gain - mean, 0)


def imitate(minimiser: RegretMatching, regrets: Array, iterations: int) -> None:
    """Turn one iteration's `regrets` [slots] into the discounted sum over `iterations`."""
    positive = negative = 0.0
    for iteration in range(1, iterations + 1):
        step = minimiser.step(iteration)
        positive = positive * step.positive + 1
        negative = negative * step.negative + 1
    floor = minimiser.step(1).floor
    regrets *= np.where(regrets > 0, positive, negative).astype(regrets.dtype)
    np.maximum(regrets, floor, out=regrets)
