"""Regrets and policy sums in sixteen bits: less than half of the memory, for large trees.

A hand's regrets at a node are integers from -LARGEST to LARGEST times one float, their scale. Every
visit reads them as floats, updates them, and writes them back with the scale of the best regret. A
regret that is further below zero than the best one is above is stored as -LARGEST; otherwise the
resolution of nearly equal actions would be too coarse. Algorithms that drop all negative regrets
converge as well.

A policy sum is the upper half of a float32, without the sign: eight bits of exponent, eight of
mantissa. (Integers with a scale suffice only for regrets: the sum of a rare action would be rounded
to the same integer again, however small its share becomes.) No policy is stored: it follows from
the regrets. A locked node's regrets are its policy.

Nodes must be simple (see `TreeArrays`) and have one copy, as in hold'em, and policies must follow
from regrets alone. kept: `tacit.tree.kernels.buffers.ShortSlots`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.kernel import inner_kernel
from tacit.tree.kernels.passes import (
    FLOOR,
    LEAST_TOTAL,
    NEGATIVE,
    POSITIVE,
    next_regret,
    place,
    shape_of,
)

LARGEST = 32_767
SHIFT = 15
"""The low bits of a float32 that are dropped; the sign is not stored."""


@inner_kernel
def descend_node_short(tree, node, player, thread, kept, policy, reach, sums, weight):
    """As `passes.descend_node`; policy, sums: float32 [the most slots of a node]."""
    shared, shift = tree.shared_start[0, player], thread * tree.shared_size[0, player]
    at = place(tree.reach_start[player, node], shared, shift)
    width, first = tree.info_count[player, node], tree.edge_start[node]
    actions, slot = tree.edge_count[node], tree.slot_start[node]
    chosen, wide = policy[: actions * width], sums[: actions * width]
    short, scale = kept.regrets[slot : slot + actions * width], kept.scales[kept.starts[node] :]
    _match(actions, width, short, scale, chosen, wide)
    above = reach[at : at + width]
    for action in range(actions):
        to = place(tree.edge_reach[player, first + action], shared, shift)
        begin, end = action * width, (action + 1) * width
        below, part = reach[to : to + width], chosen[begin:end]
        for s in range(width):
            below[s] = above[s] * part[s]
        if weight != 0:
            total, summed = kept.sums[slot + begin : slot + end], wide[begin:end]
            bits = summed.view(np.uint32)
            for s in range(width):
                bits[s] = np.uint32(total[s]) << np.uint32(SHIFT)
            for s in range(width):
                summed[s] += weight * below[s]
            for s in range(width):
                total[s] = (bits[s] + np.uint32(1 << (SHIFT - 1))) >> np.uint32(SHIFT)


@inner_kernel
def update_node_short(tree, node, at, base, mode, step, policy, kept, values, scratch):
    """As `tacit.tree.kernels.passes.update_node`."""
    actions, _, count, slot = shape_of(tree, node)
    short = kept.regrets[slot : slot + actions * count]
    chosen, wide = scratch[0][: actions * count], scratch[1][: actions * count]
    scale = kept.scales[kept.starts[node] : kept.starts[node] + count]
    _match(actions, count, short, scale, chosen, wide)
    value = values[at : at + count]
    for action in range(actions):
        below = values[base[action] : base[action] + count]
        begin = action * count
        if action == 0:
            for s in range(count):
                value[s] = chosen[s] * below[s]
        else:
            for s in range(count):
                value[s] += chosen[begin + s] * below[s]
    if tree.locked[node] == 1:
        return
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    largest, least = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
    for action in range(actions):
        below = values[base[action] : base[action] + count]
        part = wide[action * count : (action + 1) * count]
        for s in range(count):
            regret = next_regret(part[s], below[s] - value[s], positive, negative, floor)
            part[s] = regret
            largest[s] = max(largest[s], regret)
            least[s] = min(least[s], regret)
    for s in range(count):
        largest[s] = largest[s] if largest[s] > np.float32(LEAST_TOTAL) else -least[s]
        known = largest[s] > np.float32(LEAST_TOTAL)
        scale[s] = largest[s] / np.float32(LARGEST) if known else np.float32(0)
        largest[s] = np.float32(LARGEST) / largest[s] if known else np.float32(0)
    for action in range(actions):
        part = wide[action * count : (action + 1) * count]
        kept_part = short[action * count : (action + 1) * count]
        for s in range(count):
            scaled = np.rint(part[s] * largest[s])
            kept_part[s] = np.int16(max(scaled, np.float32(-LARGEST)))


@inner_kernel
def _match(actions, width, short, scale, chosen, wide):
    """Read regrets [A, K] into `wide`, and the policy that matches them into `chosen`."""
    total = np.zeros(width, dtype=np.float32)
    for action in range(actions):
        begin, end = action * width, (action + 1) * width
        stored, part, float_part = short[begin:end], chosen[begin:end], wide[begin:end]
        for s in range(width):
            regret = scale[s] * np.float32(stored[s])
            float_part[s] = regret
            part[s] = max(regret, np.float32(0))
            total[s] += part[s]
    uniform, least = np.float32(1 / actions), np.float32(LEAST_TOTAL)
    for action in range(actions):
        part = chosen[action * width : (action + 1) * width]
        for s in range(width):
            part[s] = part[s] / total[s] if total[s] > least else uniform


def read_sums(short: NDArray[np.uint16]) -> NDArray[np.float32]:
    """[slots] policy sums as floats."""
    bits = short.astype(np.uint32)
    bits <<= SHIFT
    return bits.view(np.float32)
