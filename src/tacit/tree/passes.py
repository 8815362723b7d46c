"""The two passes over a public tree: reach goes down, counterfactual value goes up.

Every algorithm in this package is made of these two kernels. `descend` carries one player's reach
from the roots to every node; `ascend` carries one player's counterfactual values from the terminals
to the roots and, at that player's nodes, does what its mode says.
"""

from __future__ import annotations

import numpy as np

from tacit.kernel import kernel
from tacit.tree.arrays import IDENTITY, LEAF, TERMINAL

EXPECT = 0
"""The mover's value is that of its policy."""
BEST = 1
"""The mover's value is that of its best action."""
RECORD_BEST = 2
"""As BEST, and the policy becomes the best action (the first among equals)."""
UPDATE = 3
"""As EXPECT, then regrets are updated and the policy follows from them."""

POSITIVE, NEGATIVE, FLOOR, PREDICTION = 0, 1, 2, 3
"""Entries of `step`: what positive and negative regrets are multiplied by before the new ones are
added, the least that a regret may be, and how many times the latest regret counts again when the
policy is drawn from the sum (predictive regret matching)."""


@kernel
def descend(tree, player, policy, reach, sums, weight):
    """Carry `player`'s reach down from the roots, and add weight * reach * policy to `sums`.

    policy, sums: [slots]; reach: [reach entries of `player`], its root entries given. A weight of
    zero leaves `sums` alone.
    """
    for node in range(len(tree.player)):
        edges = tree.edge_count[node]
        if edges == 0:
            continue
        mover = tree.player[node]
        copies = tree.copies[node]
        width = copies * tree.info_count[player, node]
        at = tree.reach_start[player, node]
        first = tree.edge_start[node]
        slot = tree.slot_start[node]
        if mover == player and weight != 0:
            _add_to_sums(tree.action_count[node], width, slot, at, policy, reach, sums, weight)
        if mover == player and tree.simple[node] == 1:
            for action in range(edges):
                to = tree.edge_reach[player, first + action]
                here = slot + action * width
                for s in range(width):
                    reach[to + s] = reach[at + s] * policy[here + s]
            continue
        for edge in range(first, first + edges):
            to = tree.edge_reach[player, edge]
            if tree.map_count[player, edge] == IDENTITY:
                if to != at:
                    for s in range(width):
                        reach[to + s] = reach[at + s]
            else:
                _map_down(tree, player, node, edge, to, policy, reach)


@kernel
def _add_to_sums(actions, width, slot, at, policy, reach, sums, weight):
    for action in range(actions):
        here = slot + action * width
        for s in range(width):
            sums[here + s] += weight * reach[at + s] * policy[here + s]


@kernel
def _map_down(tree, player, node, edge, to, policy, reach):
    """The reach of an edge along which infostates move; the mover's choice is part of the map."""
    count = tree.info_count[player, node]
    copies = tree.copies[node]
    below = tree.info_count[player, tree.edge_child[edge]]
    at = tree.reach_start[player, node]
    slot = tree.slot_start[node]
    start = tree.map_start[player, edge]
    stop = start + tree.map_count[player, edge]
    for s in range(copies * below):
        reach[to + s] = 0
    if tree.player[node] == player:
        for m in range(start, stop):
            action, infostate = divmod(tree.map_source[m], count)
            target = tree.map_target[m]
            for c in range(copies):
                here = c * count + infostate
                flow = reach[at + here] * policy[slot + action * copies * count + here]
                reach[to + c * below + target] += flow
    else:
        for m in range(start, stop):
            source, target = tree.map_source[m], tree.map_target[m]
            for c in range(copies):
                reach[to + c * below + target] += reach[at + c * count + source]


@kernel
def ascend(tree, player, mode, step, matrices, reach, policy, regrets, values, scratch):
    """Carry `player`'s counterfactual values up to the roots; see the modes above.

    Values at a node count chance from that node on: its own chance weights are normalised.

    step: [4]; matrices: flat terminal matrices; reach: [reach entries of the *opponent*]; policy,
    regrets: [slots]; values: [value entries of `player` + room for one node's slots], its leaf
    entries given; scratch: [2, most slots of a node].
    """
    opponent = 1 - player
    room = len(values) - scratch.shape[1]
    base = np.empty(scratch.shape[1], dtype=np.int64)
    for node in range(len(tree.player) - 1, -1, -1):
        mover = tree.player[node]
        at = tree.value_start[player, node]
        copies = tree.copies[node]
        count = tree.info_count[player, node]
        width = copies * count
        if mover == TERMINAL:
            _terminal(
                player,
                copies,
                count,
                tree.info_count[opponent, node],
                matrices,
                tree.matrix_start[tree.terminal_matrix[node]],
                tree.terminal_scale[node],
                reach,
                tree.reach_start[opponent, node],
                values,
                at,
            )
        elif mover == player:
            actions = tree.action_count[node]
            slot = tree.slot_start[node]
            first = tree.edge_start[node]
            if tree.simple[node] == 1:
                for action in range(actions):
                    base[action] = tree.edge_value[player, first + action]
            else:
                for entry in range(actions * width):
                    values[room + entry] = 0
                for edge in range(first, first + tree.edge_count[node]):
                    _map_up(tree, player, node, edge, room, values)
                for action in range(actions):
                    base[action] = room + action * width
            legal = tree.legal_start[node]
            if mode in (EXPECT, UPDATE):
                _expect(actions, width, slot, at, base, policy, values)
                if mode == UPDATE:
                    _update(actions, width, slot, at, base, step, policy, regrets, values, scratch)
                    if legal >= 0:
                        _keep_legal(
                            actions, copies, count, slot, legal, tree.legal, policy, regrets
                        )
            else:
                if legal >= 0:
                    _bar_illegal(actions, copies, count, legal, tree.legal, base, values)
                _best(actions, width, slot, at, base, mode, policy, values, scratch)
        elif mover != LEAF:
            for s in range(width):
                values[at + s] = 0
            first = tree.edge_start[node]
            for edge in range(first, first + tree.edge_count[node]):
                if tree.map_count[player, edge] == IDENTITY:
                    below = tree.edge_value[player, edge]
                    factor = values.dtype.type(tree.edge_factor[edge])
                    for s in range(width):
                        values[at + s] += factor * values[below + s]
                else:
                    _map_up(tree, player, node, edge, at, values)


@kernel
def _map_up(tree, player, node, edge, to, values):
    """Add an edge's values to the entries at `to` that its map comes from.

    For the mover these are action values [A, copies, K], for the other player values [copies, K].
    """
    count = tree.info_count[player, node]
    copies = tree.copies[node]
    width = tree.info_count[player, tree.edge_child[edge]]
    below = tree.edge_value[player, edge]
    factor = values.dtype.type(tree.edge_factor[edge])
    start = tree.map_start[player, edge]
    for m in range(start, start + tree.map_count[player, edge]):
        action, infostate = divmod(tree.map_source[m], count)
        target = tree.map_target[m]
        for c in range(copies):
            entry = (action * copies + c) * count + infostate
            values[to + entry] += factor * values[below + c * width + target]


@kernel
def _terminal(player, copies, count, others, matrices, start, scale, reach, source, values, at):
    """Set values = scale * U @ reach for player 0, -scale * U.T @ reach for player 1."""
    factor = values.dtype.type(scale if player == 0 else -scale)
    across = 1 if player == 0 else count
    along = others if player == 0 else 1
    if count == 1 and others == 1:
        factor *= matrices[start]
        for c in range(copies):
            values[at + c] = factor * reach[source + c]
        return
    if copies >= 8:
        for first in range(0, copies, BLOCK):
            _terminal_block(
                min(BLOCK, copies - first), count, others, matrices, start, along, across, factor,
                reach, source + first * others, values, at + first * count,
            )  # fmt: skip
        return
    for c in range(copies):
        here = source + c * others
        to = at + c * count
        for i in range(count):
            values[to + i] = 0
        for j in range(others):
            weight = factor * reach[here + j]
            entry = start + j * across
            for i in range(count):
                values[to + i] += weight * matrices[entry + i * along]


BLOCK = 64
"""How many copies of a terminal are turned around at a time, so that loops run over copies."""


@kernel
def _terminal_block(
    copies, count, others, matrices, start, along, across, factor, reach, source, values, at
):  # fmt: skip
    turned = np.empty((others, BLOCK), dtype=values.dtype)
    sums = np.empty(BLOCK, dtype=values.dtype)
    for c in range(copies):
        for j in range(others):
            turned[j, c] = reach[source + c * others + j]
    for i in range(count):
        entry = start + i * along
        for c in range(copies):
            sums[c] = 0
        for j in range(others):
            weight = factor * matrices[entry + j * across]
            for c in range(copies):
                sums[c] += weight * turned[j, c]
        for c in range(copies):
            values[at + c * count + i] = sums[c]


@kernel
def _expect(actions, width, slot, at, base, policy, values):
    """values[at + s] = sum over actions of policy * action value."""
    for s in range(width):
        values[at + s] = policy[slot + s] * values[base[0] + s]
    for action in range(1, actions):
        here = slot + action * width
        below = base[action]
        for s in range(width):
            values[at + s] += policy[here + s] * values[below + s]


@kernel
def _update(actions, width, slot, at, base, step, policy, regrets, values, scratch):
    """Discount regrets, add the new ones, and match the policy to them."""
    zero = values.dtype.type(0)
    positive, negative = step[POSITIVE], step[NEGATIVE]
    floor, prediction = step[FLOOR], step[PREDICTION]
    for s in range(width):
        scratch[0, s] = 0
    for action in range(actions):
        here = slot + action * width
        below = base[action]
        for s in range(width):
            regret = regrets[here + s]
            regret *= positive if regret > zero else negative
            gain = values[below + s] - values[at + s]
            regret = max(regret + gain, floor)
            regrets[here + s] = regret
            weight = max(regret + prediction * gain, zero)
            policy[here + s] = weight
            scratch[0, s] += weight
    uniform = values.dtype.type(1 / actions)
    one = values.dtype.type(1)
    least = values.dtype.type(LEAST_TOTAL)
    for s in range(width):
        total = scratch[0, s]
        scratch[1, s] = zero if total > least else uniform
        scratch[0, s] = one / total if total > least else zero
    for action in range(actions):
        here = slot + action * width
        for s in range(width):
            policy[here + s] = policy[here + s] * scratch[0, s] + scratch[1, s]


LEAST_TOTAL = 1e-30
"""Positive regrets that sum to less count as none: their inverse would not fit a float32."""


@kernel
def _keep_legal(actions, copies, count, slot, legal, mask, policy, regrets):
    """Take the weight of illegal actions away, where infostates differ in what is legal.

    Their action values are zero, so their regrets may have been positive.
    """
    for c in range(copies):
        for s in range(count):
            total = policy.dtype.type(0)
            possible = 0
            for action in range(actions):
                entry = slot + (action * copies + c) * count + s
                if mask[legal + action * count + s] == 1:
                    total += policy[entry]
                    possible += 1
                else:
                    policy[entry] = 0
                    regrets[entry] = 0
            for action in range(actions):
                if mask[legal + action * count + s] == 1:
                    entry = slot + (action * copies + c) * count + s
                    if total > 0:
                        policy[entry] /= total
                    else:
                        policy[entry] = policy.dtype.type(1 / possible)


@kernel
def _bar_illegal(actions, copies, count, legal, mask, base, values):
    """Make illegal actions worth less than any other."""
    for action in range(actions):
        for c in range(copies):
            for s in range(count):
                if mask[legal + action * count + s] == 0:
                    values[base[action] + c * count + s] = -np.inf


@kernel
def _best(actions, width, slot, at, base, mode, policy, values, scratch):
    """values[at + s] = the best action's value; RECORD_BEST writes the action down."""
    for s in range(width):
        values[at + s] = values[base[0] + s]
        scratch[0, s] = 0
    for action in range(1, actions):
        below = base[action]
        for s in range(width):
            if values[below + s] > values[at + s]:
                values[at + s] = values[below + s]
                scratch[0, s] = action
    if mode == RECORD_BEST:
        for action in range(actions):
            here = slot + action * width
            for s in range(width):
                policy[here + s] = 1 if scratch[0, s] == action else 0
