"""The two passes for both players at once, on trees with one infostate of each at every node.

What a node is and where its numbers are is looked up once for both players. The arithmetic is that
of `tacit.tree.kernels.passes`, so results are the same to the bit. tree, vectors, step, policy,
regrets, sums, weight: as there.
"""

from __future__ import annotations

from tacit.games.game import TERMINAL
from tacit.kernel import inner_kernel
from tacit.tree.arrays import LEAF
from tacit.tree.kernels.passes import (
    FLOOR,
    LEAST_TOTAL,
    NEGATIVE,
    POSITIVE,
    PREDICTION,
    next_regret,
)


@inner_kernel
def is_open(tree, vectors):
    """Whether the passes below apply: at each node one infostate of each player and one copy.

    Moves are simple, no policy is locked, and the tree is one range. A node with one copy has one
    parent, so its reach of the player who did not move shares its place with the parent's. The
    values of a node are entry number `node`.
    """
    nodes, room = len(tree.player), vectors.scratch.shape[1]
    if len(vectors.values0) - room != nodes or len(vectors.values1) - room != nodes:
        return False
    if len(tree.entry_edge) > 0:
        return False
    other = 0  # counted, not returned at once, so that the loop is vectorised
    for node in range(nodes):
        moves = tree.edge_count[node] > 0
        other += moves and (tree.simple[node] == 0 or tree.locked[node] == 1)
        other += tree.value_start[0, node] != node or tree.value_start[1, node] != node
    return other == 0


@inner_kernel
def ascend_open(tree, vectors, begin, end, step, policy, regrets):
    """Carry both players' counterfactual values up through the nodes from `begin` to `end`.

    Each mover's regrets are updated and its policy is matched to them.
    """
    values0, values1 = vectors.values0, vectors.values1
    for node in range(end - 1, begin - 1, -1):
        mover = tree.player[node]
        if mover == 0:
            _update(tree, node, values0, values1, step, policy, regrets)
        elif mover == 1:
            _update(tree, node, values1, values0, step, policy, regrets)
        elif mover == TERMINAL:
            scale = tree.terminal_scale[node]
            unit = vectors.matrices[tree.matrix_start[tree.terminal_matrix[node]]]
            first = values0.dtype.type(scale) * unit
            second = values1.dtype.type(-scale) * unit
            values0[node] = first * vectors.reach1[tree.reach_start[1, node]]
            values1[node] = second * vectors.reach0[tree.reach_start[0, node]]
        elif mover != LEAF:
            first = second = values0.dtype.type(0)
            begun = tree.edge_start[node]
            for edge in range(begun, begun + tree.edge_count[node]):
                first += values0[tree.edge_child[edge]]
                second += values1[tree.edge_child[edge]]
            values0[node], values1[node] = first, second


@inner_kernel
def _update(tree, node, own, other, step, policy, regrets):
    """Update a node whose mover's values are `own`; the opponent's are `other`."""
    positive, negative = step[POSITIVE], step[NEGATIVE]
    floor, prediction = step[FLOOR], step[PREDICTION]
    first, slot, actions = tree.edge_start[node], tree.slot_start[node], tree.edge_count[node]
    zero = total = value = theirs = own.dtype.type(0)
    for action in range(actions):
        child = tree.edge_child[first + action]
        value += policy[slot + action] * own[child]
        theirs += other[child]
    own[node], other[node] = value, theirs
    for action in range(actions):
        gain = own[tree.edge_child[first + action]] - value
        kept = next_regret(regrets[slot + action], gain, positive, negative, floor)
        regrets[slot + action] = kept
        weight = max(kept + prediction * gain, zero)
        policy[slot + action] = weight
        total += weight
    if total > own.dtype.type(LEAST_TOTAL):
        scale = own.dtype.type(1) / total
        for action in range(actions):
            policy[slot + action] *= scale
    else:
        for action in range(actions):
            policy[slot + action] = own.dtype.type(1 / actions)


@inner_kernel
def descend_open(tree, vectors, begin, end, policy, sums, weight):
    """Carry both reaches down through the nodes from `begin` to `end`, and add to the sums.

    Only a mover's own reach changes at a node; that of the other player shares its place with the
    node below.
    """
    for node in range(begin, end):
        mover = tree.player[node]
        if mover == 0:
            _flow(tree, node, 0, vectors.reach0, policy, sums, weight)
        elif mover == 1:
            _flow(tree, node, 1, vectors.reach1, policy, sums, weight)


@inner_kernel
def _flow(tree, node, mover, reach, policy, sums, weight):
    above, first = reach[tree.reach_start[mover, node]], tree.edge_start[node]
    slot = tree.slot_start[node]
    for action in range(tree.edge_count[node]):
        below = above * policy[slot + action]
        reach[tree.edge_reach[mover, first + action]] = below
        if weight != 0:
            sums[slot + action] += weight * below
