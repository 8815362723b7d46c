"""Warm starts: a search that begins where a policy network thinks it will end (ReBeL, appendix J).

The guide's policy is taken to have been played for a number of iterations. Each infostate's regrets
are those that an exact best response to that policy shows, as often as that many iterations would
have added them, and the average holds the policy with those iterations' weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.solvers.algorithms import RegretMatching
from tacit.solvers.leaves import Guide, Rows
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.passes import RECORD_BEST, UPDATE, ascend, descend

if TYPE_CHECKING:
    from tacit.solvers.engine import Workspace

Array = NDArray[Any]


def propose(tree: PublicTree, guide: Guide, policy: Array, reach: tuple[Array, Array]) -> None:
    """Set `policy` [slots] to what the guide proposes at every decision, and `reach` to its reach.

    The beliefs that the guide is asked for follow from what it proposed before, so it is asked
    once for each level of the tree and player. Where the opponent cannot be, `policy` stays.
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
    answers = guide.policies(inputs)
    first = 0
    for node in nodes.tolist():
        block = tree.block(policy, node)
        here = row[first : first + block.shape[1]]
        first += block.shape[1]
        asked = np.flatnonzero(here >= 0)
        state = tree.state(node)
        columns = guide.action_columns(state)
        weights = answers[here[asked]][:, columns] * state.expansion.legal
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

    At each infostate an action's regret is what it is worth, with the best response played from
    there on, less what the policy's mixture of the actions is worth. Both reaches and the values at
    the leaves are given in `work`.
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
    """Turn one iteration's `regrets` [slots] into the sum of so many of them, discounts included.

    In CFR that is `iterations` times as much.
    """
    positive = negative = 0.0
    for iteration in range(1, iterations + 1):
        step = minimiser.step(iteration)
        positive = positive * step.positive + 1
        negative = negative * step.negative + 1
    floor = minimiser.step(1).floor
    regrets *= np.where(regrets > 0, positive, negative).astype(regrets.dtype)
    np.maximum(regrets, floor, out=regrets)
