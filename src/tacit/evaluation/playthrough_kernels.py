"""Kernels of playthroughs: plans added to the whole game, leaves drawn and their reaches copied."""

from __future__ import annotations

import numpy as np

from tacit.kernel import kernel


@kernel
def add_plans(tree, start, subgame, slot, stride, factor, plans, sums):
    """Add the plans [slots] of a forest, times the `factor` [subgames] of each, to `sums`.

    tree: TreeArrays of the forest; start: [nodes] the number of a node's first copy; by this
    number, subgame: [C] the copy's subgame; slot, stride: [C] where its policy begins in `sums`,
    and how far apart its actions are.
    """
    for node in range(len(tree.player)):
        actions = tree.action_count[node]
        if actions == 0:
            continue
        copies = tree.copies[node]
        count = tree.info_count[tree.player[node], node]
        for action in range(actions):
            for copy in range(copies):
                number = start[node] + copy
                times = factor[subgame[number]]
                if times == 0:
                    continue
                here = tree.slot_start[node] + (action * copies + copy) * count
                to = slot[number] + action * stride[number]
                for s in range(count):
                    sums[to + s] += times * plans[here + s]


@kernel
def draw_leaves(
    tree, node, copy, subgame, share, rate, weight, reach0, reach1, waiting, number, times, weights
):
    """Draw leaves by systematic sampling over time; returns how many were drawn.

    tree: TreeArrays of the forest; node, copy, subgame: [L] of each leaf; rate, weight:
    [subgames] how often each subgame's leaves are due now, and the weight of what passes through
    it. A leaf that the players reach is kept with probability kept = min(1, weight * reach /
    share), with weight / kept: rate * kept is added to its `waiting` [L], of which every whole
    number is one draw. number, times, weights: [L] the leaves drawn, how often, and their weights.
    """
    drawn = 0
    for leaf in range(len(node)):
        due = rate[subgame[leaf]]
        if due == 0:
            continue
        here, reached = node[leaf], 0.0
        for player in range(2):
            reach = reach0 if player == 0 else reach1
            count = tree.info_count[player, here]
            at = tree.reach_start[player, here] + copy[leaf] * count
            reached = max(reached, np.float64(reach[at : at + count].sum()) / count)
        if reached <= 0:
            continue
        own = weight[subgame[leaf]]
        kept = 1.0 if own * reached >= share else own * reached / share
        waiting[leaf] += due * kept
        if waiting[leaf] >= 1:
            whole = np.int64(waiting[leaf])
            waiting[leaf] -= whole
            number[drawn], times[drawn], weights[drawn] = leaf, whole, own / kept
            drawn += 1
    return drawn


@kernel
def copy_reach(tree, player, node, copy, reach, rows):
    """Copy `player`'s reach at places [n] of a forest to `rows` [n, .]."""
    for number in range(len(node)):
        count = tree.info_count[player, node[number]]
        at = tree.reach_start[player, node[number]] + copy[number] * count
        for s in range(count):
            rows[number, s] = reach[at + s]


@kernel
def order_by_cells(rows, order, low, high, half, spread):
    """Reorder `order` [n], numbers of `rows` [n, .], so that near rows are near each other.

    The part from low to high is split at the median of the column with the largest variance, and
    so is each part in turn: neighbours in the order share a cell of a k-d tree. half, spread: [n]
    and [columns], scratch.
    """
    starts, ends = [low], [high]
    while len(starts) > 0:
        first, last = starts.pop(), ends.pop()
        count = last - first
        if count < 3:
            continue
        widest, most = -1, 0.0
        for column in range(rows.shape[1]):
            total, squares = 0.0, 0.0
            for place in range(first, last):
                value = np.float64(rows[order[place], column])
                total += value
                squares += value * value
            spread[column] = squares / count - (total / count) ** 2
            if spread[column] > most + 1e-12:
                widest, most = column, spread[column]
        if widest < 0:
            continue
        for place in range(first, last):
            half[place] = rows[order[place], widest]
        ranks = np.argsort(half[first:last], kind="mergesort")
        order[first:last] = order[first:last][ranks]
        middle = first + count // 2
        starts.append(first)
        ends.append(middle)
        starts.append(middle)
        ends.append(last)
