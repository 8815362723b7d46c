"""Kernels of growing-tree CFR: simulations down the tree, and the values at its leaves.

tree: TreeArrays of an unfolded tree (one copy a node); stats: `SearchArrays`; sums: [slots] of the
average policy; luck: [1] uint64, the state of a generator of random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.array_record import ArrayRecord, Float32, Float64, Int8, Int32, Int64
from tacit.games import TERMINAL
from tacit.kernel import inner_kernel, kernel
from tacit.tree.arrays import IDENTITY, LEAF


@dataclass(frozen=True, eq=False)
class SearchArrays(ArrayRecord):
    """What growing-tree CFR keeps beside the solver, in the layouts of the tree."""

    priors: Float32
    """[slots] the evaluator's policy"""
    visits: Int32
    """[slots] simulations that chose the action"""
    pending: Int32
    """[slots] those of the current expansion phase: virtual losses"""
    choices: Int32
    """[N] actions that the node may have, of which the first `action_count` have children"""
    chance: Float32
    """[.] chance weights of pairs of infostates"""
    chance_start: Int64
    """[N] where the node's weights [K0, K1] begin, or its margins [K0] and [K1]"""
    apart: Int8
    """[N] 1 for margins, whose product the weights are"""
    values0: Float64
    """[value entries of player 0] sums of cfvs over iterations, weighted as policies are"""
    values1: Float64
    reach0: Float64
    """[reach entries of player 0] likewise of reaches; `values1` was computed with them"""
    reach1: Float64
    scale: Float64
    """[1] the largest action value met, by which values are divided"""


@kernel
def simulate(tree, stats, sums, starts, count, exploration, share, luck, found):
    """Run `count` simulations from each of `starts`; virtual losses keep them apart.

    found: [starts * count] the leaf, or the node whose next move is to be added, at which each
    simulation ended; -1 at the end of the game. An action is chosen by the average policy with
    probability `share`, else by PUCT.
    """
    path = np.empty(256, dtype=np.int64)
    length = 0
    for number in range(len(starts) * count):
        node = np.int64(starts[number // count])
        first, second = _sample_pair(tree, stats, node, luck)
        while True:
            mover = tree.player[node]
            if mover == LEAF:
                found[number] = node
                break
            if mover == TERMINAL:
                found[number] = -1
                break
            action = -1
            if mover < 2:
                own = first if mover == 0 else second
                if _uniform(luck) < share:
                    action = _sample_average(tree, sums, node, mover, own, luck)
                else:
                    action = _best_by_puct(tree, stats, node, mover, own, exploration)
                entry = tree.slot_start[node] + action * tree.info_count[mover, node] + own
                stats.visits[entry] += 1
                stats.pending[entry] += 1
                if length == len(path):
                    longer = np.empty(2 * length, dtype=np.int64)
                    longer[:length] = path
                    path = longer
                path[length] = entry
                length += 1
                if action >= tree.action_count[node]:
                    found[number] = node
                    break
            edge, first, second = _follow(tree, stats, node, mover, action, first, second, luck)
            node = np.int64(tree.edge_child[edge])
    for step in range(length):
        stats.pending[path[step]] = 0


@inner_kernel
def _uniform(luck):
    """A random number from 0 up to 1 (splitmix64)."""
    luck[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = luck[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return np.float64(mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inner_kernel
def _weight(tree, stats, node, first, second):
    """The chance weight of a pair of infostates at a node."""
    begin = stats.chance_start[node]
    if stats.apart[node] == 1:
        others = tree.info_count[0, node]
        return np.float64(stats.chance[begin + first]) * stats.chance[begin + others + second]
    return np.float64(stats.chance[begin + first * tree.info_count[1, node] + second])


@inner_kernel
def _sample_pair(tree, stats, node, luck):
    """A pair of infostates by chance and the average reaches, or by chance where these are zero."""
    rows, columns = tree.info_count[0, node], tree.info_count[1, node]
    if rows == 1 and columns == 1:
        return 0, 0
    for attempt in range(2):
        total, chosen = 0.0, -1
        for i in range(rows):
            for j in range(columns):
                weight = _weight(tree, stats, node, i, j)
                if attempt == 0:
                    weight *= stats.reach0[tree.reach_start[0, node] + i]
                    weight *= stats.reach1[tree.reach_start[1, node] + j]
                if weight > 0:
                    total += weight
                    if _uniform(luck) * total < weight:
                        chosen = i * columns + j
        if chosen >= 0:
            return chosen // columns, chosen % columns
    return 0, 0


@inner_kernel
def _allowed(tree, node, action, count, own):
    legal = tree.legal_start[node]
    return legal < 0 or tree.legal[legal + action * count + own] == 1


@inner_kernel
def _sample_average(tree, sums, node, mover, own, luck):
    """An action by the average policy at one infostate; uniform if that has no weight yet."""
    count, slot = tree.info_count[mover, node], tree.slot_start[node]
    for attempt in range(2):
        total, chosen = 0.0, -1
        for action in range(tree.action_count[node]):
            if _allowed(tree, node, action, count, own):
                weight = 1.0 if attempt == 1 else np.float64(sums[slot + action * count + own])
                if weight > 0:
                    total += weight
                    if _uniform(luck) * total < weight:
                        chosen = action
        if chosen >= 0:
            return chosen
    return 0


@inner_kernel
def _best_by_puct(tree, stats, node, mover, own, exploration):
    """The action with the largest q + exploration * prior * sqrt(N) / (1 + n) at one infostate.

    q: the mean cfv of the action over the opponent's mean compatible reach, as a share of the
    largest one met; a virtual loss counts as a visit that lost this. A move that is not in the tree
    yet has q = 0; the next one has the largest prior of them.
    """
    count, slot = tree.info_count[mover, node], tree.slot_start[node]
    actions = tree.action_count[node]
    values = stats.values0 if mover == 0 else stats.values1
    reached = _compatible(tree, stats, node, mover, own)
    gains = np.zeros(actions)
    if reached > 0:
        for edge in range(tree.edge_start[node], tree.edge_start[node] + tree.edge_count[node]):
            at = tree.edge_value[mover, edge]
            if tree.simple[node] == 1:
                gains[edge - tree.edge_start[node]] = values[at + own]
            else:
                begin = tree.map_start[mover, edge]
                for m in range(begin, begin + tree.map_count[mover, edge]):
                    action, infostate = divmod(tree.map_source[m], count)
                    if infostate == own:
                        gains[action] += tree.edge_factor[edge] * values[at + tree.map_target[m]]
        for action in range(actions):
            gains[action] /= reached
            stats.scale[0] = max(stats.scale[0], abs(gains[action]))
    total = 1.0
    options = min(actions + 1, stats.choices[node])
    for action in range(options):
        total += stats.visits[slot + action * count + own]
    best, chosen = -np.inf, 0
    for action in range(options):
        entry = slot + action * count + own
        if action < actions and not _allowed(tree, node, action, count, own):
            continue
        seen, lost = stats.visits[entry], stats.pending[entry]
        value = gains[action] / stats.scale[0] if action < actions and stats.scale[0] > 0 else 0.0
        if lost > 0:
            value = (value * (seen - lost) - lost) / seen
        score = value + exploration * stats.priors[entry] * np.sqrt(total) / (1 + seen)
        if score > best:
            best, chosen = score, action
    return chosen


@inner_kernel
def _compatible(tree, stats, node, player, own):
    """The sum of the opponent's reach, weighed by chance, at one infostate of `player`."""
    others = tree.info_count[1 - player, node]
    at = tree.reach_start[1 - player, node]
    total = 0.0
    for other in range(others):
        if player == 0:
            total += _weight(tree, stats, node, own, other) * stats.reach1[at + other]
        else:
            total += _weight(tree, stats, node, other, own) * stats.reach0[at + other]
    return total


@inner_kernel
def _follow(tree, stats, node, mover, action, first, second, luck):
    """The edge and infostates after a move of a player, or of chance, drawn by chance weights."""
    begin = tree.edge_start[node]
    if tree.simple[node] == 1:
        return np.int64(begin + action), first, second
    row = first + action * tree.info_count[0, node] if mover == 0 else first
    column = second + action * tree.info_count[1, node] if mover == 1 else second
    total = 0.0
    edge_chosen, row_chosen, column_chosen = np.int64(begin), first, second
    for edge in range(begin, begin + tree.edge_count[node]):
        child = tree.edge_child[edge]
        rows = max(tree.map_count[0, edge], 1)
        columns = max(tree.map_count[1, edge], 1)
        for m in range(rows):
            i = _target(tree, 0, edge, m, row)
            if i < 0:
                continue
            for n in range(columns):
                j = _target(tree, 1, edge, n, column)
                if j < 0:
                    continue
                weight = tree.edge_factor[edge] * _weight(tree, stats, child, i, j)
                if weight > 0:
                    total += weight
                    if _uniform(luck) * total < weight:
                        edge_chosen, row_chosen, column_chosen = np.int64(edge), i, j
    return edge_chosen, row_chosen, column_chosen


@inner_kernel
def _target(tree, player, edge, entry, source):
    """The infostate that entry `entry` of an edge's map gives to `source`; -1: none."""
    if tree.map_count[player, edge] == IDENTITY:
        return np.int64(source)
    at = tree.map_start[player, edge] + entry
    if tree.map_count[player, edge] > 0 and tree.map_source[at] == source:
        return np.int64(tree.map_target[at])
    return np.int64(-1)


@kernel
def add_iteration(stats, weight, values0, values1, reach0, reach1):
    """Add an iteration's cfvs, and the reaches with which they were computed, to the sums."""
    for s in range(len(stats.values0)):
        stats.values0[s] += weight * values0[s]
    for s in range(len(stats.values1)):
        stats.values1[s] += weight * values1[s]
    for s in range(len(stats.reach0)):
        stats.reach0[s] += weight * reach0[s]
    for s in range(len(stats.reach1)):
        stats.reach1[s] += weight * reach1[s]


@kernel
def weigh_leaves(tree, stats, player, expected, reach, values):
    """Write `player`'s counterfactual values at all leaves: expected value * compatible reach.

    expected: [value entries] of `player`; reach: the opponent's.
    """
    for node in range(len(tree.player)):
        if tree.player[node] != LEAF:
            continue
        count, others = tree.info_count[player, node], tree.info_count[1 - player, node]
        at, source = tree.value_start[player, node], tree.reach_start[1 - player, node]
        begin = stats.chance_start[node]
        if count == 1 and others == 1 and stats.apart[node] == 1:
            weight = stats.chance[begin] * stats.chance[begin + 1]
            values[at] = reach[source] * weight * expected[at]
        elif stats.apart[node] == 1:
            mine = begin if player == 0 else begin + others
            theirs = begin + count if player == 0 else begin
            total = values.dtype.type(0)
            for o in range(others):
                total += stats.chance[theirs + o] * reach[source + o]
            for s in range(count):
                values[at + s] = total * stats.chance[mine + s] * expected[at + s]
        else:
            along = others if player == 0 else 1
            across = 1 if player == 0 else count
            for s in range(count):
                total = values.dtype.type(0)
                for o in range(others):
                    total += stats.chance[begin + s * along + o * across] * reach[source + o]
                values[at + s] = total * expected[at + s]


@kernel
def gather_questions(tree, nodes, fresh, static, columns, start, reach0, reach1, inputs, asked):
    """Write an input row for each leaf that is new, or that a player reaches; returns their number.

    nodes: [n]; fresh: [n]; static: [n, features]; columns: flat, player p's at question q from
    start[q, p]; asked: [n] the questions of the rows.
    """
    used = 0
    for number in range(len(nodes)):
        node = nodes[number]
        if tree.player[node] != LEAF:
            continue
        count0, count1 = tree.info_count[0, node], tree.info_count[1, node]
        at0, at1 = tree.reach_start[0, node], tree.reach_start[1, node]
        total0, total1 = reach0[at0 : at0 + count0].sum(), reach1[at1 : at1 + count1].sum()
        if not (fresh[number] or total0 > 0 or total1 > 0):
            continue
        row = inputs[used]
        row[: static.shape[1]] = static[number]
        row[static.shape[1] :] = 0
        _write_beliefs(reach0, at0, count0, total0, columns, start[number, 0], row)
        _write_beliefs(reach1, at1, count1, total1, columns, start[number, 1], row)
        asked[used] = number
        used += 1
    return used


@inner_kernel
def _write_beliefs(reach, at, count, total, columns, start, row):
    for s in range(count):
        if columns[start + s] >= 0:
            row[columns[start + s]] = reach[at + s] / total if total > 0 else 1 / count


@kernel
def scatter_answers(tree, nodes, asked, player, columns, start, outputs, expected):
    """Write the evaluator's outputs [rows, .] as `player`'s expected values at the leaves asked."""
    for row in range(len(asked)):
        number = asked[row]
        node = nodes[number]
        at = tree.value_start[player, node]
        for s in range(tree.info_count[player, node]):
            expected[at + s] = outputs[row, columns[start[number, player] + s]]
