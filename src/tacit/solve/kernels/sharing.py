"""Kernels of the solver in buckets: what buckets play goes out to hands, what hands gain comes in.

Buckets of one point of the betting are a row of the flat arrays of buckets, of the shape
[A, buckets]. Policies and gains of hands are there for one range of nodes at a time
(`tacit.tree.order`): ranges of a level share their slots, so that all of it stays in the cache.

layout: `BucketLayout.kernel`, a tuple of
    bucket_slot [N]     where the row of a node begins
    reach_slot [N]      likewise in arrays without the actions
    bucket_count [N]    how many buckets the row has
    bucket_start [N]    infostate s of the mover is in bucket `bucket[bucket_start[n] + s]`
    bucket [.]
    boards [N]          how many boards the node stands for
rows: of each row of a player: first slot, actions, buckets, first reach slot; [R] each.
"""

from __future__ import annotations

from tacit.kernel import kernel
from tacit.tree.order import DOWN
from tacit.tree.passes import (
    FLOOR,
    LEAST_TOTAL,
    NEGATIVE,
    POSITIVE,
    PREDICTION,
    UPDATE,
    answer,
    ascend_range,
    descend_range,
    flow_on,
    improve,
)


@kernel
def visit_buckets(
    tree, order, layout, player, forget, matrices, bucket_policy, gains, reaches,
    policy, regrets, reach, values, scratch,
):  # fmt: skip
    """One turn: the opponent's reach goes down, what `player`'s hands would gain comes up.

    gains [bucket slots], reaches [reach slots]: to be added to, for the player's and for the
    opponent's rows; forget: the step after which `regrets` are the gains alone; policy, regrets:
    [slots of a range]; the others as in `tacit.tree.passes`.
    """
    opponent = 1 - player
    for n in range(len(order)):
        first, last = order[n, 1], order[n, 2]
        if order[n, 0] == DOWN:
            spread(tree, layout, first, last, opponent, bucket_policy, policy)
            descend_range(
                tree, order[n], 0, opponent, flow_on, 0, policy, reach, policy,
                values.dtype.type(0),
            )  # fmt: skip
            _gather_reaches(tree, layout, first, last, opponent, reach, reaches)
        else:
            spread(tree, layout, first, last, player, bucket_policy, policy)
            ascend_range(
                tree, order[n], 0, player, improve, UPDATE, forget, matrices, reach, policy,
                regrets, values, scratch,
            )  # fmt: skip
            _gather_gains(tree, layout, first, last, player, regrets, gains)


@kernel
def respond_to_buckets(
    tree, order, layout, player, mode, step, matrices, bucket_policy, policy, reach, values, scratch
):  # fmt: skip
    """The opponent's reach down and `player`'s values up; mode: see `tacit.tree.passes`."""
    for n in range(len(order)):
        first, last = order[n, 1], order[n, 2]
        mover = 1 - player if order[n, 0] == DOWN else player
        spread(tree, layout, first, last, mover, bucket_policy, policy)
        if order[n, 0] == DOWN:
            descend_range(
                tree, order[n], 0, mover, flow_on, 0, policy, reach, policy,
                values.dtype.type(0),
            )  # fmt: skip
        else:
            ascend_range(
                tree, order[n], 0, player, answer, mode, step, matrices, reach, policy, policy,
                values, scratch,
            )  # fmt: skip


@kernel
def spread(tree, layout, first, last, player, bucket_policy, policy):
    """Give `player`'s hands at the nodes from `first` up to `last` what their buckets play."""
    bucket_slot, _, bucket_count, bucket_start, bucket, _ = layout
    for node in range(first, last):
        if tree.player[node] != player:
            continue
        width, count = tree.info_count[player, node], bucket_count[node]
        begin = bucket_start[node]
        own = bucket[begin : begin + width]
        for action in range(tree.action_count[node]):
            here = tree.slot_start[node] + action * width
            start = bucket_slot[node] + action * count
            chosen, given = policy[here : here + width], bucket_policy[start : start + count]
            for s in range(width):
                chosen[s] = given[own[s]]


@kernel
def _gather_gains(tree, layout, first, last, player, regrets, gains):
    bucket_slot, _, bucket_count, bucket_start, bucket, boards = layout
    for node in range(first, last):
        if tree.player[node] != player:
            continue
        width, count = tree.info_count[player, node], bucket_count[node]
        begin = bucket_start[node]
        own = bucket[begin : begin + width]
        for action in range(tree.action_count[node]):
            here = tree.slot_start[node] + action * width
            to = bucket_slot[node] + action * count
            come, total = regrets[here : here + width], gains[to : to + count]
            for s in range(width):
                total[own[s]] += boards[node] * come[s]


@kernel
def _gather_reaches(tree, layout, first, last, player, reach, reaches):
    _, reach_slot, bucket_count, bucket_start, bucket, boards = layout
    for node in range(first, last):
        if tree.player[node] != player:
            continue
        width, count = tree.info_count[player, node], bucket_count[node]
        begin, at, to = bucket_start[node], tree.reach_start[player, node], reach_slot[node]
        own = bucket[begin : begin + width]
        come, total = reach[at : at + width], reaches[to : to + count]
        for s in range(width):
            total[own[s]] += boards[node] * come[s]


@kernel
def match_buckets(rows, step, gains, regrets, policy):
    """Add `gains` to regrets and match policies to them, all [bucket slots]."""
    firsts, actions, counts, _ = rows
    for row in range(len(firsts)):
        count = counts[row]
        for s in range(count):
            total = 0.0
            for action in range(actions[row]):
                here = firsts[row] + action * count + s
                kept = regrets[here] * (step[POSITIVE] if regrets[here] > 0 else step[NEGATIVE])
                kept = max(kept + gains[here], step[FLOOR])
                regrets[here] = kept
                weight = max(kept + step[PREDICTION] * gains[here], 0.0)
                policy[here] = weight
                total += weight
            for action in range(actions[row]):
                here = firsts[row] + action * count + s
                policy[here] = policy[here] / total if total > LEAST_TOTAL else 1 / actions[row]


@kernel
def add_to_bucket_sums(rows, weight, reaches, policy, sums):
    """Add weight * reach * policy to `sums` [bucket slots]."""
    firsts, actions, counts, reach_firsts = rows
    for row in range(len(firsts)):
        for action in range(actions[row]):
            here = firsts[row] + action * counts[row]
            for s in range(counts[row]):
                sums[here + s] += weight * reaches[reach_firsts[row] + s] * policy[here + s]


@kernel
def normalise_buckets(rows, sums, policy):
    """Make sums policies, uniform where they are zero."""
    firsts, actions, counts, _ = rows
    for row in range(len(firsts)):
        for s in range(counts[row]):
            total = 0.0
            for action in range(actions[row]):
                total += sums[firsts[row] + action * counts[row] + s]
            for action in range(actions[row]):
                here = firsts[row] + action * counts[row] + s
                policy[here] = sums[here] / total if total > 0 else 1 / actions[row]
