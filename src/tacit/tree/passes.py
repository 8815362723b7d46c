"""The two passes over a public tree: reach goes down, counterfactual value goes up.

Every algorithm in this package is made of these two kernels. `descend` carries one player's reach
from the roots to every node; `ascend` carries one player's counterfactual values from the terminals
to the roots and, at that player's nodes, does what its mode says.
"""

from __future__ import annotations

import numpy as np
from numba import njit

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


@njit(cache=True, error_model="numpy")
def descend(tree, player, policy, reach, sums, weight):
    """Carry `player`'s reach down from the roots, and add weight * reach * policy to `sums`.

    policy, sums: [slots]; reach: [reach entries of `player`], its root entries given. A weight of
    zero leaves `sums` alone.
    """
    for node in range(len(tree.player)):
        edges = tree.edge_count[node]
        mover = tree.player[node]
        if edges == 0 or (mover != player and tree.simple[node] == 1):
            continue
        count = tree.info_count[player, node]
        at = tree.reach_start[player, node]
        first = tree.edge_start[node]
        slot = tree.slot_start[node]
        if mover == player:
            if weight != 0:
                for action in range(tree.action_count[node]):
                    here = slot + action * count
                    for s in range(count):
                        sums[here + s] += weight * reach[at + s] * policy[here + s]
            if tree.simple[node] == 1:
                for action in range(edges):
                    to = tree.reach_start[player, tree.edge_child[first + action]]
                    here = slot + action * count
                    for s in range(count):
                        reach[to + s] = reach[at + s] * policy[here + s]
                continue
        for edge in range(first, first + edges):
            length = tree.map_count[player, edge]
            if length == IDENTITY:
                continue
            child = tree.edge_child[edge]
            to = tree.reach_start[player, child]
            for s in range(tree.info_count[player, child]):
                reach[to + s] = 0
            start = tree.map_start[player, edge]
            for m in range(start, start + length):
                source = tree.map_source[m]
                if mover == player:
                    flow = reach[at + source % count] * policy[slot + source]
                else:
                    flow = reach[at + source]
                reach[to + tree.map_target[m]] += flow


@njit(cache=True, error_model="numpy")
def ascend(tree, player, mode, step, matrices, reach, policy, regrets, values, scratch):
    """Carry `player`'s counterfactual values up to the roots; see the modes above.

    step: [4]; matrices: flat terminal matrices; reach: [reach entries of the *opponent*]; policy,
    regrets: [slots]; values: [value entries of `player` + room for one node's slots], its leaf
    entries given; scratch: [2, most infostates of a node].
    """
    opponent = 1 - player
    room = len(values) - scratch.shape[1]
    base = np.empty(scratch.shape[1], dtype=np.int64)
    for node in range(len(tree.player) - 1, -1, -1):
        mover = tree.player[node]
        at = tree.value_start[player, node]
        count = tree.info_count[player, node]
        if mover == TERMINAL:
            _terminal(
                player,
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
            continue
        if mover == LEAF:
            continue
        first = tree.edge_start[node]
        edges = tree.edge_count[node]
        if mover == player:
            actions = tree.action_count[node]
            slot = tree.slot_start[node]
            if tree.simple[node] == 1:
                for action in range(actions):
                    base[action] = tree.value_start[player, tree.edge_child[first + action]]
            else:
                for entry in range(actions * count):
                    values[room + entry] = 0
                for edge in range(first, first + edges):
                    below = tree.value_start[player, tree.edge_child[edge]]
                    start = tree.map_start[player, edge]
                    for m in range(start, start + tree.map_count[player, edge]):
                        values[room + tree.map_source[m]] += values[below + tree.map_target[m]]
                for action in range(actions):
                    base[action] = room + action * count
            legal = tree.legal_start[node]
            if mode == EXPECT:
                _expect(actions, count, slot, at, base, policy, values)
            elif mode == UPDATE:
                _expect(actions, count, slot, at, base, policy, values)
                _update(
                    actions, count, slot, at, base, step, legal, tree.legal, policy, regrets,
                    values, scratch,
                )  # fmt: skip
            else:
                _best(
                    actions, count, slot, at, base, mode, legal, tree.legal, policy, values,
                    scratch,
                )  # fmt: skip
        else:
            for s in range(count):
                values[at + s] = 0
            for edge in range(first, first + edges):
                below = tree.value_start[player, tree.edge_child[edge]]
                length = tree.map_count[player, edge]
                if length == IDENTITY:
                    for s in range(count):
                        values[at + s] += values[below + s]
                else:
                    start = tree.map_start[player, edge]
                    for m in range(start, start + length):
                        values[at + tree.map_source[m]] += values[below + tree.map_target[m]]


@njit(cache=True, error_model="numpy")
def _terminal(player, count, others, matrices, start, scale, reach, source, values, at):
    """values[at:] = scale * U @ reach for player 0, -scale * U.T @ reach for player 1."""
    if player == 0:
        factor = values.dtype.type(scale)
        for i in range(count):
            row = start + i * others
            total = values.dtype.type(0)
            for j in range(others):
                total += matrices[row + j] * reach[source + j]
            values[at + i] = factor * total
    else:
        for j in range(count):
            values[at + j] = 0
        for i in range(others):
            row = start + i * count
            factor = reach[source + i] * values.dtype.type(-scale)
            for j in range(count):
                values[at + j] += factor * matrices[row + j]


@njit(cache=True, error_model="numpy")
def _expect(actions, count, slot, at, base, policy, values):
    """values[at + s] = sum over actions of policy * action value."""
    for s in range(count):
        values[at + s] = policy[slot + s] * values[base[0] + s]
    for action in range(1, actions):
        here = slot + action * count
        below = base[action]
        for s in range(count):
            values[at + s] += policy[here + s] * values[below + s]


@njit(cache=True, error_model="numpy")
def _update(
    actions, count, slot, at, base, step, legal, mask, policy, regrets, values, scratch
):  # fmt: skip
    """Discount regrets, add the new ones, and match the policy to them."""
    zero = values.dtype.type(0)
    positive, negative = step[POSITIVE], step[NEGATIVE]
    floor, prediction = step[FLOOR], step[PREDICTION]
    for s in range(count):
        scratch[0, s] = 0
    for action in range(actions):
        here = slot + action * count
        below = base[action]
        for s in range(count):
            regret = regrets[here + s]
            regret *= positive if regret > zero else negative
            gain = values[below + s] - values[at + s]
            regret = max(regret + gain, floor)
            regrets[here + s] = regret
            weight = max(regret + prediction * gain, zero)
            policy[here + s] = weight
            scratch[0, s] += weight
    if legal >= 0:
        _match_legal(actions, count, slot, legal, mask, policy, regrets)
        return
    uniform = values.dtype.type(1 / actions)
    one = values.dtype.type(1)
    for s in range(count):
        total = scratch[0, s]
        scratch[1, s] = zero if total > zero else uniform
        scratch[0, s] = one / total if total > zero else zero
    for action in range(actions):
        here = slot + action * count
        for s in range(count):
            policy[here + s] = policy[here + s] * scratch[0, s] + scratch[1, s]


@njit(cache=True, error_model="numpy")
def _match_legal(actions, count, slot, legal, mask, policy, regrets):
    """Turn weights into a policy where infostates differ in their legal actions."""
    for s in range(count):
        total = policy.dtype.type(0)
        possible = 0
        for action in range(actions):
            entry = action * count + s
            if mask[legal + entry] == 1:
                total += policy[slot + entry]
                possible += 1
            else:
                policy[slot + entry] = 0
                regrets[slot + entry] = 0
        for action in range(actions):
            entry = action * count + s
            if mask[legal + entry] == 1:
                if total > 0:
                    policy[slot + entry] /= total
                else:
                    policy[slot + entry] = policy.dtype.type(1 / possible)


@njit(cache=True, error_model="numpy")
def _best(actions, count, slot, at, base, mode, legal, mask, policy, values, scratch):
    """values[at + s] = the best legal action's value; RECORD_BEST writes the action down."""
    for s in range(count):
        values[at + s] = -np.inf
        scratch[0, s] = 0
    for action in range(actions):
        for s in range(count):
            if legal >= 0 and mask[legal + action * count + s] == 0:
                continue
            value = values[base[action] + s]
            if value > values[at + s]:
                values[at + s] = value
                scratch[0, s] = action
    if mode == RECORD_BEST:
        for action in range(actions):
            here = slot + action * count
            for s in range(count):
                policy[here + s] = 1 if scratch[0, s] == action else 0
