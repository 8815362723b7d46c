"""Kernels of shared regrets: infostates play their bucket's policy, which sums their gains.

Infostates that share regrets are a **bucket**. Flat arrays hold buckets in *rows* of the shape
[A, buckets], one row for all nodes whose infostates share. Policies and gains of infostates are
kept for one range of nodes at a time (`tacit.tree.arrays`): ranges of a level share their slots, so
that all of it stays in the cache.

shared: `BucketArrays`; rows: `BucketRows` of one player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.array_record import ArrayRecord, Float64, Int8, Int32, Int64
from tacit.kernel import inner_kernel, kernel
from tacit.solvers.kernels.iterations import normalise_slots
from tacit.tree.arrays import DOWN
from tacit.tree.kernels.passes import (
    EXPECT,
    UPDATE,
    add_to_sums,
    ascend_range,
    descend_node,
    descend_range,
    evaluate_node,
    keep_legal,
    shape_of,
    update_regrets,
)


@dataclass(frozen=True, eq=False)
class BucketArrays(ArrayRecord):
    """Which bucket each infostate of a tree of N nodes belongs to."""

    slot: Int64
    """[N] where the row of a node begins"""
    reach_slot: Int64
    """[N] likewise in arrays without the actions"""
    size: Int32
    """[N] how many buckets the row has"""
    start: Int64
    """[N] entry s of the mover, of [copies, K], is in bucket `member[start[n] + s]`"""
    member: Int32
    weight: Float64
    """[N] the number of public states, equal up to names, that the node stands for"""


@dataclass(frozen=True, eq=False)
class BucketRows(ArrayRecord):
    """The R rows of one player."""

    slot: Int64
    """[R] where it begins"""
    actions: Int64
    size: Int64
    """[R] how many buckets"""
    reach_slot: Int64
    legal_start: Int64
    """[R] where its mask [A, buckets] begins in `legal`, -1 if everything is legal"""
    legal: Int8


@kernel
def visit_shared(
    tree, vectors, order, shared, player, mode, bucket_policy, policy, regrets, gains, reaches
):  # fmt: skip
    """Carry the opponent's reach down and `player`'s values up; mode: as in `respond`, or UPDATE.

    UPDATE adds to gains [bucket slots], for the player's rows, and to reaches [reach slots], for
    the opponent's. policy, regrets: [slots of a range], of this visit alone; the others as in
    `tacit.tree.kernels.passes`.
    """
    reach = vectors.reach1 if player == 0 else vectors.reach0
    step = np.zeros(4)
    for n in range(len(order)):
        first, last = order[n, 1], order[n, 2]
        mover = 1 - player if order[n, 0] == DOWN else player
        spread(tree, shared, first, last, mover, bucket_policy, policy)
        if order[n, 0] == DOWN:
            descend_range(
                tree, order[n], 0, mover, descend_node, 0, policy, reach, policy,
                reach.dtype.type(0),
            )  # fmt: skip
            if mode == UPDATE:
                _gather_reaches(tree, shared, first, last, mover, reach, reaches)
        else:
            ascend_range(
                tree, vectors, order[n], 0, player, _record_gains, mode, step, policy, regrets
            )
            if mode == UPDATE:
                _gather_gains(tree, shared, first, last, player, regrets, gains)


@inner_kernel
def _record_gains(tree, node, at, base, mode, step, policy, regrets, values, scratch):
    """As `tacit.tree.kernels.passes.decide`; UPDATE sets regrets to what actions would have gained.

    Illegal actions included: buckets treat them as single infostates do.
    """
    evaluate_node(
        tree, node, at, base, EXPECT if mode == UPDATE else mode, step, policy, regrets, values,
        scratch,
    )  # fmt: skip
    actions, copies, count, slot = shape_of(tree, node)
    width = copies * count
    value = values[at : at + width]
    for action in range(actions if mode == UPDATE else 0):
        here = slot + action * width
        gained, below = regrets[here : here + width], values[base[action] : base[action] + width]
        for s in range(width):
            gained[s] = below[s] - value[s]


@inner_kernel
def _members(tree, shared, node):
    """The buckets of a node's entries [copies, K], and how many entries there are."""
    width = tree.copies[node] * tree.info_count[tree.player[node], node]
    return shared.member[shared.start[node] : shared.start[node] + width], width


@kernel
def spread(tree, shared, first, last, player, bucket_policy, policy):
    """Set the policy of `player`'s infostates at nodes `first` up to `last` to their buckets'."""
    for node in range(first, last):
        if tree.player[node] != player:
            continue
        own, width = _members(tree, shared, node)
        for action in range(tree.action_count[node]):
            here = tree.slot_start[node] + action * width
            start = shared.slot[node] + action * shared.size[node]
            chosen, given = policy[here : here + width], bucket_policy[start:]
            for s in range(width):
                chosen[s] = given[own[s]]


@inner_kernel
def _gather_gains(tree, shared, first, last, player, regrets, gains):
    for node in range(first, last):
        if tree.player[node] != player:
            continue
        own, width = _members(tree, shared, node)
        for action in range(tree.action_count[node]):
            here = tree.slot_start[node] + action * width
            gained = regrets[here : here + width]
            total = gains[shared.slot[node] + action * shared.size[node] :]
            for s in range(width):
                total[own[s]] += shared.weight[node] * gained[s]


@inner_kernel
def _gather_reaches(tree, shared, first, last, player, reach, reaches):
    for node in range(first, last):
        if tree.player[node] != player:
            continue
        own, width = _members(tree, shared, node)
        at = tree.reach_start[player, node]
        entering, total = reach[at : at + width], reaches[shared.reach_slot[node] :]
        for s in range(width):
            total[own[s]] += shared.weight[node] * entering[s]


@kernel
def match_buckets(rows, step, gains, regrets, policy, scratch):
    """Add `gains` to regrets and match policies to them, all [bucket slots].

    The gains are followed by zeros for the largest row; scratch: [2, the largest row].
    """
    nothing = len(gains) - scratch.shape[1]
    base = np.empty(scratch.shape[1], dtype=np.int64)
    for row in range(len(rows.slot)):
        slot, actions, count = rows.slot[row], rows.actions[row], rows.size[row]
        for action in range(actions):
            base[action] = slot + action * count
        update_regrets(
            actions, count, 0, count, slot, nothing, base, step, policy, regrets, gains, scratch
        )
        if rows.legal_start[row] >= 0:
            keep_legal(actions, 1, count, slot, rows.legal_start[row], rows.legal, policy, regrets)


@kernel
def average_buckets(rows, weight, reaches, policy, sums):
    """Add weight * reach * policy to `sums` [bucket slots]."""
    for row in range(len(rows.slot)):
        add_to_sums(
            rows.actions[row], rows.size[row], rows.slot[row], rows.reach_slot[row], policy,
            reaches, sums, weight,
        )  # fmt: skip


@kernel
def normalise_buckets(rows, sums, policy):
    """Normalise sums to policies, uniform where they are zero."""
    for row in range(len(rows.slot)):
        count = rows.size[row]
        normalise_slots(
            rows.actions[row], count, count, rows.slot[row], rows.legal_start[row], rows.legal,
            sums, policy,
        )  # fmt: skip
