"""Whole iterations as kernels: the two passes in each algorithm's order.

tree: TreeArrays; schedule: [T, 5], a step's four numbers and the weight in the average; policy,
regrets, sums, mixture: [slots]; reach0, reach1, values0, values1, scratch: see `tacit.tree.passes`.
"""

from __future__ import annotations

from tacit.kernel import kernel
from tacit.tree.passes import RECORD_BEST, UPDATE, ascend, descend


@kernel
def match_regrets(
    tree, schedule, alternating, matrices, policy, regrets, sums,
    reach0, reach1, values0, values1, scratch,
):  # fmt: skip
    """Iterations of regret matching; each policy is averaged as the opponent meets it."""
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        descend(tree, 1, policy, reach1, sums, weight)
        if not alternating:
            descend(tree, 0, policy, reach0, sums, weight)
        ascend(tree, 0, UPDATE, step, matrices, reach1, policy, regrets, values0, scratch)
        if alternating:
            descend(tree, 0, policy, reach0, sums, weight)
        ascend(tree, 1, UPDATE, step, matrices, reach0, policy, regrets, values1, scratch)


@kernel
def play_fictitiously(
    tree, schedule, alternating, matrices, optimistic, policy, mixture, sums,
    reach0, reach1, spare0, spare1, values0, values1, scratch,
):  # fmt: skip
    """Iterations of fictitious play: answer the mixture, then mix the answer in.

    reach: of the mixture that the opponent answers; spare: of the latest response.
    """
    none = schedule.dtype.type(0)
    descend(tree, 0, mixture, reach0, sums, none)
    descend(tree, 1, mixture, reach1, sums, none)
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        again = weight if optimistic else none
        ascend(tree, 0, RECORD_BEST, step, matrices, reach1, policy, sums, values0, scratch)
        if alternating:
            _mix(tree, 0, policy, mixture, sums, reach0, spare0, weight, again)
        ascend(tree, 1, RECORD_BEST, step, matrices, reach0, policy, sums, values1, scratch)
        if not alternating:
            _mix(tree, 0, policy, mixture, sums, reach0, spare0, weight, again)
        _mix(tree, 1, policy, mixture, sums, reach1, spare1, weight, again)


@kernel
def _mix(tree, player, policy, mixture, sums, reach, spare, weight, again):
    """Add the response to the sums; the mixture is their average, the response counted `again`."""
    descend(tree, player, policy, spare, sums, weight)
    for node in range(len(tree.player)):
        if tree.player[node] == player:
            width = tree.copies[node] * tree.info_count[player, node]
            slot = tree.slot_start[node]
            at = tree.reach_start[player, node]
            for action in range(tree.action_count[node]):
                here = slot + action * width
                for s in range(width):
                    extra = again * spare[at + s] * policy[here + s]
                    mixture[here + s] = sums[here + s] + extra
    normalise_sums(tree, player, mixture, mixture)
    descend(tree, player, mixture, reach, sums, weight * 0)


@kernel
def normalise_sums(tree, player, sums, policy):
    """Make `sums` a policy: uniform over legal actions where their total is zero."""
    for node in range(len(tree.player)):
        if tree.player[node] != player:
            continue
        count = tree.info_count[player, node]
        width = tree.copies[node] * count
        actions = tree.action_count[node]
        slot = tree.slot_start[node]
        legal = tree.legal_start[node]
        for s in range(width):
            total = sums.dtype.type(0)
            possible = 0
            for action in range(actions):
                total += sums[slot + action * width + s]
                possible += legal < 0 or tree.legal[legal + action * count + s % count] == 1
            for action in range(actions):
                here = slot + action * width + s
                if total > 0:
                    policy[here] = sums[here] / total
                elif legal < 0 or tree.legal[legal + action * count + s % count] == 1:
                    policy[here] = 1 / possible
                else:
                    policy[here] = 0
