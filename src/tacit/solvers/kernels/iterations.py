"""Whole iterations as kernels: the two passes in each algorithm's order.

tree: TreeArrays; slots, vectors: records of `tacit.tree.kernels.buffers`; order: [S, 7] of
`tacit.tree.arrays`; thread: whose shared vectors are used; schedule: [T, 6], a step's four numbers,
the weight in the average, and how often fictitious play counts the response once more; turn: which
turn of each iteration is run, -1: all; root_gadgets: None, or the `GadgetArrays` of
`tacit.solvers.kernels.gadgets`, updated at the end of a turn.
"""

from __future__ import annotations

import numpy as np

from tacit.kernel import inlined_kernel, inner_kernel, kernel
from tacit.solvers.kernels.gadgets import match_gadgets, mix_gadgets, respond_gadgets
from tacit.tree.arrays import DOWN
from tacit.tree.kernels.open_passes import ascend_open, descend_open, is_open
from tacit.tree.kernels.passes import (
    RECORD_BEST,
    UPDATE,
    ascend_range,
    descend_node,
    descend_range,
    evaluate_node,
    place,
    update_node,
)
from tacit.tree.kernels.storage16 import descend_node_short, update_node_short


@kernel
def match_regrets(
    tree, slots, vectors, order, thread, schedule, turn, alternating, root_gadgets
):  # fmt: skip
    """Iterations of regret matching; each pass down adds a policy to the average.

    An iteration has two turns if updates alternate and one if they are simultaneous.
    """
    if thread == 0 and not alternating and is_open(tree, vectors):
        _match_open(tree, slots, vectors, order, schedule, root_gadgets)
        return
    _match(
        tree, vectors, order, thread, schedule, turn, alternating, root_gadgets,
        descend_node, update_node, 0, slots.policy, slots.regrets, slots.sums,
    )  # fmt: skip


@kernel
def match_short_regrets(
    tree, slots, vectors, order, thread, schedule, turn, alternating, root_gadgets
):  # fmt: skip
    """As `match_regrets`, with numbers of 16 bits; slots: `ShortSlots`."""
    _match(
        tree, vectors, order, thread, schedule, turn, alternating, root_gadgets,
        descend_node_short, update_node_short, slots, vectors.scratch[0], slots, vectors.scratch[1],
    )  # fmt: skip


@inlined_kernel
def _match_open(tree, slots, vectors, order, schedule, root_gadgets):
    """As `match_regrets`, with simultaneous updates, where `is_open` says so."""
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        for n in range(len(order)):
            begin, end = order[n, 1], order[n, 2]
            if order[n, 0] == DOWN:
                descend_open(tree, vectors, begin, end, slots.policy, slots.sums, weight)
            else:
                ascend_open(tree, vectors, begin, end, step, slots.policy, slots.regrets)
        if root_gadgets is not None:
            own, gained = own_vectors(vectors, root_gadgets.opponent[0])
            match_gadgets(root_gadgets, step, weight, gained, own)


@inlined_kernel
def _match(
    tree, vectors, order, thread, schedule, turn, alternating, root_gadgets,
    flow, act, kept, policy, regrets, sums,
):  # fmt: skip
    """The two kernels above; flow, act, kept: see `descend_range` and `ascend_range`."""
    turns = (0, 2 if alternating else 1) if turn < 0 else (turn, turn + 1)
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        for turn in range(turns[0], turns[1]):
            for n in range(len(order)):
                for player in range(2):
                    if alternating and player != turn:
                        continue
                    if order[n, 0] == DOWN:
                        reach = vectors.reach1 if player == 0 else vectors.reach0
                        descend_range(
                            tree, order[n], thread, 1 - player, flow, kept,
                            policy, reach, sums, weight,
                        )  # fmt: skip
                    else:
                        ascend_range(
                            tree, vectors, order[n], thread, player, act, UPDATE, step,
                            policy, regrets,
                        )  # fmt: skip
            if root_gadgets is not None:
                opponent = root_gadgets.opponent[0]
                if turn == opponent or not alternating:
                    own, gained = own_vectors(vectors, opponent)
                    match_gadgets(root_gadgets, step, weight, gained, own)


@kernel
def play_fictitiously(
    tree, slots, vectors, order, thread, schedule, turn, alternating, root_gadgets
):  # fmt: skip
    """Iterations of fictitious play: respond to the mixture, then mix the response in.

    The turns of an iteration are: player 0 responds, 0 mixes, 1 responds, 1 mixes; or both respond,
    both mix.
    """
    turns = (0, 4 if alternating else 2) if turn < 0 else (turn, turn + 1)
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        none = weight * 0  # a double: sums are added up in double precision, then rounded
        again = schedule[t, 5] + none
        for turn in range(turns[0], turns[1]):
            mixes = turn % 2 == 1
            for n in range(len(order)):
                for player in range(2):
                    if alternating and player != turn // 2:
                        continue
                    if order[n, 0] == DOWN:
                        mover = player if mixes else 1 - player
                        reach = vectors.reach0 if mover == 0 else vectors.reach1
                        descend_range(
                            tree, order[n], thread, mover, descend_node, 0,
                            slots.policy if mixes else slots.mixture, reach, slots.sums,
                            weight if mixes else none,
                        )  # fmt: skip
                        if mixes:
                            first, last = order[n, 1], order[n, 2]
                            _mix(tree, slots, first, last, thread, player, reach, again)
                    elif not mixes:
                        ascend_range(
                            tree, vectors, order[n], thread, player, evaluate_node, RECORD_BEST,
                            step, slots.policy, slots.sums,
                        )  # fmt: skip
            if root_gadgets is not None:
                opponent = root_gadgets.opponent[0]
                if turn // 2 == opponent or not alternating:
                    own, gained = own_vectors(vectors, opponent)
                    if mixes:
                        mix_gadgets(root_gadgets, weight, again, own)
                    else:
                        respond_gadgets(root_gadgets, gained, own)


@inlined_kernel
def own_vectors(vectors, player):
    """A player's own reach and values."""
    if player == 0:
        return vectors.reach0, vectors.values0
    return vectors.reach1, vectors.values1


@inner_kernel
def _mix(tree, slots, first, last, thread, player, reach, again):
    """Set the mixture: the average of the sums, with the response counted `again`."""
    policy, mixture, sums = slots.policy, slots.mixture, slots.sums
    for node in range(first, last):
        if tree.player[node] == player:
            width = tree.copies[node] * tree.info_count[player, node]
            slot = tree.slot_start[node]
            shared, shift = tree.shared_start[0, player], thread * tree.shared_size[0, player]
            at = place(tree.reach_start[player, node], shared, shift)
            for action in range(tree.action_count[node]):
                here = slot + action * width
                for s in range(width):
                    extra = again * reach[at + s] * policy[here + s]
                    mixture[here + s] = sums[here + s] + extra
    normalise_range(tree, first, last, player, mixture, mixture)


@kernel
def respond(tree, vectors, order, thread, player, mode, step, policy, response):
    """Carry the opponent's reach down and `player`'s values up along the steps of `order`.

    policy [slots]: what both play; response: where RECORD_BEST writes; mode: see
    `tacit.tree.kernels.passes`.
    """
    for n in range(len(order)):
        if order[n, 0] == DOWN:
            reach = vectors.reach1 if player == 0 else vectors.reach0
            descend_range(
                tree, order[n], thread, 1 - player, descend_node, 0, policy, reach,
                policy, reach.dtype.type(0),
            )  # fmt: skip
        else:
            ascend_range(
                tree, vectors, order[n], thread, player, evaluate_node, mode, step, response,
                response,
            )  # fmt: skip


@kernel
def normalise_sums(tree, player, sums, policy):
    """Normalise `sums` to a policy: uniform over legal actions where their total is zero."""
    normalise_range(tree, 0, len(tree.player), player, sums, policy)


@kernel
def normalise_nodes(tree, nodes, sums, policy):
    """As `normalise_sums`, for `nodes` only, whoever moves there."""
    for node in nodes:
        if tree.action_count[node] > 0:
            normalise_range(tree, node, node + 1, tree.player[node], sums, policy)


@inner_kernel
def normalise_range(tree, first, last, player, sums, policy):
    """As `normalise_sums`, for the nodes from `first` up to `last`."""
    for node in range(first, last):
        if tree.player[node] == player:
            count = tree.info_count[player, node]
            normalise_slots(
                tree.action_count[node], count, tree.copies[node] * count, tree.slot_start[node],
                tree.legal_start[node], tree.legal, sums, policy,
            )  # fmt: skip


@inlined_kernel
def normalise_slots(actions, count, width, slot, legal, mask, sums, policy):
    """Normalise the sums [A, width] from `slot` on; their mask [A, count] begins at `legal`."""
    total = np.zeros(width, dtype=sums.dtype)
    for action in range(actions):
        here = slot + action * width
        summed = sums[here : here + width]
        for s in range(width):
            total[s] += summed[s]
    uniform = sums.dtype.type(1 / actions)
    for action in range(actions):
        here = slot + action * width
        summed, chosen = sums[here : here + width], policy[here : here + width]
        for s in range(width):
            chosen[s] = summed[s] / total[s] if total[s] > 0 else uniform
    for s in range(width if legal >= 0 else 0):
        if not total[s] > 0:
            own = mask[legal + s % count : legal + actions * count : count]
            possible = own.sum()
            for action in range(actions):
                policy[slot + action * width + s] = own[action] / possible
