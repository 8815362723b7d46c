"""The two passes over a public tree: reach goes down, counterfactual value goes up.

Every algorithm in this package is made of these two kernels. `descend` carries one player's reach
from the roots to every node; `ascend` carries one player's counterfactual values from the terminals
to the roots; its mode says what happens at that player's nodes.
"""

from __future__ import annotations

import numpy as np

from tacit.games.game import TERMINAL
from tacit.kernel import inlined_kernel, inner_kernel, kernel
from tacit.simd import LANES
from tacit.tree.arrays import IDENTITY, LEAF
from tacit.tree.cards.terminals import FOLD, card_terminals

EXPECT = 0
"""The mover's value is that of its policy."""
BEST = 1
"""The mover's value is that of its best action."""
RECORD_BEST = 2
"""As BEST, and the policy becomes the best action (the first of equal ones), or those near it."""
UPDATE = 3
"""As EXPECT, then regrets are updated and the policy is matched to them."""

POSITIVE, NEGATIVE, FLOOR, PREDICTION = 0, 1, 2, 3
"""Entries of `step`: the factors of positive and negative regrets before the new ones are added,
the lower bound of a regret, and how often the latest regret is added again when the policy is
computed (predictive regret matching)."""
WITHIN = 0
"""Entry of `step` for RECORD_BEST: the largest distance from the best at which an action is also
played, as a share of the largest value among the actions; 0: only the best."""


TILE = 512
"""How many infostates are updated at a time, so that their data stays in the cache."""


@kernel
def descend(tree, player, policy, reach, sums, weight):
    """Carry `player`'s reach down from the roots, and add weight * reach * policy to `sums`.

    policy, sums: [slots]; reach: [reach entries of `player`], its root entries given. A weight of
    zero leaves `sums` alone.
    """
    descend_range(tree, _everything(tree), 0, player, descend_node, 0, policy, reach, sums, weight)


@inner_kernel
def place(start, shared, shift):
    """Where a vector begins for a thread: those from `shared` on are moved by `shift`."""
    return start + shift if start >= shared else start


@inlined_kernel
def descend_range(tree, visit, thread, player, flow, kept, policy, reach, sums, weight):
    """As `descend`, for the nodes of one range; `visit`: its step in `tacit.tree.arrays`.

    flow: the function for the player's simple nodes, called with `kept`: `descend_node`, or a
    variant for another storage of policies and sums, which uses `policy` and `sums` as scratch.
    """
    begin, end, entry, last_entry = visit[1], visit[2], visit[5], visit[6]
    shared, shift = tree.shared_start[0, player], thread * tree.shared_size[0, player]
    for number in range(entry, last_entry):
        edge = np.int64(tree.entry_edge[number])
        parent = np.int64(tree.edge_parent[edge])
        at = place(tree.reach_start[player, parent], shared, shift)
        to = place(tree.edge_reach[player, edge], shared, shift)
        _carry_down(tree, player, parent, edge, at, to, policy, reach)
    for node in range(begin, end):
        edges = tree.edge_count[node]
        if edges == 0:
            continue
        mover = tree.player[node]
        if mover == player and tree.simple[node] == 1:
            flow(tree, node, player, thread, kept, policy, reach, sums, weight)
            continue
        at = place(tree.reach_start[player, node], shared, shift)
        if mover == player and weight != 0:
            actions, copies, count, slot = shape_of(tree, node)
            add_to_sums(actions, copies * count, slot, at, policy, reach, sums, weight)
        first = tree.edge_start[node]
        for edge in range(first, first + edges):
            if tree.cross_value[player, edge] >= 0:
                continue
            to = place(tree.edge_reach[player, edge], shared, shift)
            _carry_down(tree, player, node, edge, at, to, policy, reach)


@inner_kernel
def descend_node(tree, node, player, thread, kept, policy, reach, sums, weight):
    """Carry the reach of the mover from a simple node to its children, and add to the sums."""
    shared, shift = tree.shared_start[0, player], thread * tree.shared_size[0, player]
    width = tree.copies[node] * tree.info_count[player, node]
    at = place(tree.reach_start[player, node], shared, shift)
    first, slot = tree.edge_start[node], tree.slot_start[node]
    if width == 1:
        for action in range(tree.edge_count[node]):
            below = reach[at] * policy[slot + action]
            reach[place(tree.edge_reach[player, first + action], shared, shift)] = below
            if weight != 0:
                sums[slot + action] += weight * below
        return
    for action in range(tree.edge_count[node]):
        to = place(tree.edge_reach[player, first + action], shared, shift)
        here = slot + action * width
        above, below = reach[at : at + width], reach[to : to + width]
        chosen, total = policy[here : here + width], sums[here : here + width]
        if weight != 0:
            for s in range(width):
                below[s] = above[s] * chosen[s]
                total[s] += weight * below[s]
        else:
            for s in range(width):
                below[s] = above[s] * chosen[s]


@inner_kernel
def add_to_sums(actions, width, slot, at, policy, reach, sums, weight):
    """Add weight * reach * policy to the sums [A, width] from `slot` on."""
    for action in range(actions):
        here = slot + action * width
        here_reach = reach[at : at + width]
        chosen, total = policy[here : here + width], sums[here : here + width]
        for s in range(width):
            total[s] += weight * here_reach[s] * chosen[s]


@inner_kernel
def _carry_down(tree, player, node, edge, at, to, policy, reach):
    """Carry reach along an edge; a map of infostates includes the mover's action."""
    if to == at:
        return
    count = tree.info_count[player, node]
    copies = tree.copies[node]
    if tree.map_count[player, edge] == IDENTITY:
        for s in range(copies * count):
            reach[to + s] = reach[at + s]
        return
    below = tree.info_count[player, tree.edge_child[edge]]
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
    elif copies == 1:
        above, flow = reach[at : at + count], reach[to : to + below]
        sources, targets = tree.map_source[start:stop], tree.map_target[start:stop]
        for m in range(len(sources)):
            flow[targets[m]] += above[sources[m]]
    else:
        for m in range(start, stop):
            source, target = tree.map_source[m], tree.map_target[m]
            for c in range(copies):
                reach[to + c * below + target] += reach[at + c * count + source]
    if tree.edge_share[edge] != 1:
        share = reach.dtype.type(tree.edge_share[edge])
        for s in range(copies * below):
            reach[to + s] *= share


@kernel
def ascend(tree, vectors, player, mode, step, policy, regrets):
    """Carry `player`'s counterfactual values up to the roots; see the modes above.

    Values at a node count chance from that node on: its own chance weights are normalised, except
    in card games, where they are one for hands that share no card.

    vectors: `Vectors`, with the opponent's reach and the player's values at leaves; step: [4];
    policy, regrets: [slots].
    """
    ascend_range(tree, vectors, _everything(tree), 0, player, decide, mode, step, policy, regrets)


@inner_kernel
def _everything(tree):
    """The step of `tacit.tree.arrays` that takes the whole tree as one range."""
    step = np.zeros(7, dtype=np.int64)
    step[2] = len(tree.player)
    step[4] = len(tree.cards.batch_kind)
    return step


@inlined_kernel
def ascend_range(tree, vectors, visit, thread, player, act, mode, step, policy, regrets):
    """As `ascend`, for the nodes of one range; `visit`: its step in `tacit.tree.arrays`.

    act: the function for the player's nodes: `decide`, or `update_node` or `evaluate_node` where
    only their modes occur.
    """
    scratch = vectors.scratch
    reach = vectors.reach1 if player == 0 else vectors.reach0
    values = vectors.values0 if player == 0 else vectors.values1
    begin, end, batch, last_batch = visit[1], visit[2], visit[3], visit[4]
    entry, last_entry = visit[5], visit[6]
    opponent = 1 - player
    shared, shift = tree.shared_start[1, player], thread * tree.shared_size[1, player]
    room = len(values) - scratch.shape[1]
    base = np.empty(scratch.shape[1], dtype=np.int64)
    alone = len(tree.entry_edge) == 0
    if batch < last_batch:
        _card_terminals(tree, batch, last_batch, thread, player, reach, values, room, scratch[0])
    for node in range(end - 1, begin - 1, -1):
        mover = tree.player[node]
        at = place(tree.value_start[player, node], shared, shift)
        width = tree.copies[node] * tree.info_count[player, node]
        if mover == TERMINAL:
            if tree.terminal_matrix[node] >= 0:
                start, shift_reach = tree.reach_start[opponent, node], tree.shared_size[0, opponent]
                source = place(start, tree.shared_start[0, opponent], thread * shift_reach)
                _terminal(tree, node, player, vectors.matrices, reach, source, values, at)
        elif mover == player:
            actions = tree.action_count[node]
            first = tree.edge_start[node]
            if tree.simple[node] == 1:
                for action in range(actions):
                    base[action] = place(tree.edge_value[player, first + action], shared, shift)
            else:
                for s in range(actions * width):
                    values[room + s] = 0
                for edge in range(first, first + tree.edge_count[node]):
                    start = place(tree.edge_value[player, edge], shared, shift)
                    _carry_up(tree, player, node, edge, start, room, values)
                for action in range(actions):
                    base[action] = room + action * width
            act(tree, node, at, base, mode, step, policy, regrets, values, scratch)
        elif mover != LEAF:
            first = tree.edge_start[node]
            if width == 1 and tree.simple[node] == 1 and alone:
                total = values.dtype.type(0)
                for edge in range(first, first + tree.edge_count[node]):
                    total += values[tree.edge_value[player, edge]]
                values[at] = total
                continue
            here = values[at : at + width]
            for s in range(width):
                here[s] = 0
            for edge in range(first, first + tree.edge_count[node]):
                crossed = tree.cross_value[player, edge]
                if crossed >= 0:
                    crossed = place(crossed, shared, shift)
                    below = values[crossed : crossed + width]
                    for s in range(width):
                        here[s] += below[s]
                else:
                    start = place(tree.edge_value[player, edge], shared, shift)
                    _carry_up(tree, player, node, edge, start, at, values)
    for number in range(entry, last_entry):
        edge = np.int64(tree.entry_edge[number])
        parent = np.int64(tree.edge_parent[edge])
        width = tree.copies[parent] * tree.info_count[player, parent]
        to = place(tree.cross_value[player, edge], shared, shift)
        for s in range(to, to + width):
            values[s] = 0
        start = place(tree.edge_value[player, edge], shared, shift)
        _carry_up(tree, player, parent, edge, start, to, values)


@inner_kernel
def decide(tree, node, at, base, mode, step, policy, regrets, values, scratch):
    """Apply a mode at a node of the player.

    Its values [copies, K] begin at `at`, those of action a at `base[a]`.
    """
    if mode == UPDATE:
        update_node(tree, node, at, base, mode, step, policy, regrets, values, scratch)
    else:
        evaluate_node(tree, node, at, base, mode, step, policy, regrets, values, scratch)


@inlined_kernel
def shape_of(tree, node):
    """The actions, copies, infostates of the mover, and first slot of a player's node."""
    count = tree.info_count[tree.player[node], node]
    return tree.action_count[node], tree.copies[node], count, tree.slot_start[node]


@inner_kernel
def update_node(tree, node, at, base, mode, step, policy, regrets, values, scratch):
    """As `decide`, for UPDATE alone."""
    actions, copies, count, slot = shape_of(tree, node)
    width = copies * count
    if width == 1 and tree.locked[node] == 0:
        _update_one(actions, slot, at, base, step, policy, regrets, values)
        return
    for tile in range(0, width, TILE):
        stop = min(tile + TILE, width)
        expect(actions, width, tile, stop, slot, at, base, policy, values)
        if tree.locked[node] == 0:
            update_regrets(
                actions, width, tile, stop, slot, at, base, step, policy, regrets, values, scratch
            )  # fmt: skip
    legal = tree.legal_start[node]
    if legal >= 0 and tree.locked[node] == 0:
        keep_legal(actions, copies, count, slot, legal, tree.legal, policy, regrets)


@inner_kernel
def _update_one(actions, slot, at, base, step, policy, regrets, values):
    """As `update_node`, for one infostate, whose actions are all legal; the same arithmetic."""
    positive, negative = step[POSITIVE], step[NEGATIVE]
    floor, prediction = step[FLOOR], step[PREDICTION]
    zero = total = value = values.dtype.type(0)
    for action in range(actions):
        value += policy[slot + action] * values[base[action]]
    values[at] = value
    for action in range(actions):
        gain = values[base[action]] - value
        kept = next_regret(regrets[slot + action], gain, positive, negative, floor)
        regrets[slot + action] = kept
        weight = max(kept + prediction * gain, zero)
        policy[slot + action] = weight
        total += weight
    if total > values.dtype.type(LEAST_TOTAL):
        scale = values.dtype.type(1) / total
        for action in range(actions):
            policy[slot + action] *= scale
    else:
        for action in range(actions):
            policy[slot + action] = values.dtype.type(1 / actions)


@inner_kernel
def evaluate_node(tree, node, at, base, mode, step, policy, regrets, values, scratch):
    """As `decide`, for all modes but UPDATE."""
    actions, copies, count, slot = shape_of(tree, node)
    width = copies * count
    if mode == EXPECT or tree.locked[node] == 1:
        expect(actions, width, 0, width, slot, at, base, policy, values)
        return
    legal = tree.legal_start[node]
    if legal >= 0:
        _bar_illegal(actions, copies, count, legal, tree.legal, base, values)
    _best(actions, width, slot, at, base, mode, policy, values, scratch)
    if mode == RECORD_BEST and step[WITHIN] > 0:
        _soften(actions, width, slot, at, base, step[WITHIN], policy, values)


@inner_kernel
def _card_terminals(tree, batch, last_batch, thread, player, reach, values, room, work):
    """Set the values of the terminals of these batches of `tree.cards`."""
    cards = tree.cards
    opponent = 1 - player
    sources = np.zeros(LANES, dtype=np.int64)
    targets = np.zeros(LANES, dtype=np.int64)
    scales = np.zeros(LANES, dtype=values.dtype)
    shared_reach, shift_reach = tree.shared_start[0, opponent], tree.shared_size[0, opponent]
    shared, shift = tree.shared_start[1, player], tree.shared_size[1, player]
    for number in range(batch, last_batch):
        kind, board = cards.batch_kind[number], cards.batch_board[number]
        stop = cards.batch_start[number + 1]
        for start in range(cards.batch_start[number], stop, LANES):
            node = cards.batch_node[start]
            counts = tree.info_count[player, node], tree.info_count[opponent, node]
            for lane in range(LANES):
                used = start + lane < stop
                node = cards.batch_node[start + lane if used else start]
                sources[lane] = place(
                    tree.reach_start[opponent, node], shared_reach, thread * shift_reach
                )
                target = place(tree.value_start[player, node], shared, thread * shift)
                targets[lane] = target if used else room
                scale = tree.terminal_scale[node]
                scales[lane] = -scale if player == 1 and kind == FOLD else scale
            card_terminals(
                kind, cards, board, player, counts, reach, sources, values, targets, scales, work
            )


@inner_kernel
def _carry_up(tree, player, node, edge, below, to, values):
    """Add an edge's values, from `below` on, to those of its parent, from `to` on.

    For the mover these are action values [A, copies, K], for the other player values [copies, K].
    """
    count = tree.info_count[player, node]
    copies = tree.copies[node]
    width = tree.info_count[player, tree.edge_child[edge]]
    factor = values.dtype.type(tree.edge_factor[edge])
    start = tree.map_start[player, edge]
    if tree.map_count[player, edge] == IDENTITY:
        here, there = values[to : to + copies * count], values[below : below + copies * count]
        for s in range(copies * count):
            here[s] += factor * there[s]
        return
    if copies == 1:
        stop = start + tree.map_count[player, edge]
        sources, targets = tree.map_source[start:stop], tree.map_target[start:stop]
        for m in range(len(sources)):
            values[to + sources[m]] += factor * values[below + targets[m]]
        return
    for m in range(start, start + tree.map_count[player, edge]):
        action, infostate = divmod(tree.map_source[m], count)
        target = tree.map_target[m]
        for c in range(copies):
            entry = (action * copies + c) * count + infostate
            values[to + entry] += factor * values[below + c * width + target]


@inner_kernel
def _terminal(tree, node, player, matrices, reach, source, values, at):
    """Set values = scale * U @ reach for player 0, -scale * U.T @ reach for player 1."""
    copies, scale = tree.copies[node], tree.terminal_scale[node]
    count, others = tree.info_count[player, node], tree.info_count[1 - player, node]
    start = tree.matrix_start[tree.terminal_matrix[node]]
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
"""How many copies of a terminal are transposed at a time, so that loops run over copies."""


@inner_kernel
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


@inner_kernel
def expect(actions, width, begin, end, slot, at, base, policy, values):
    """values[at + s] = sum over actions of policy * action value, for begin <= s < end."""
    length = end - begin
    value = values[at + begin : at + end]
    for action in range(actions):
        here = slot + action * width
        chosen = policy[here + begin : here + end]
        below = values[base[action] + begin : base[action] + end]
        if action == 0:
            for s in range(length):
                value[s] = chosen[s] * below[s]
        else:
            for s in range(length):
                value[s] += chosen[s] * below[s]


@inlined_kernel
def next_regret(regret, gain, positive, negative, floor):
    """A regret after an iteration in which the action would have gained `gain`; see `POSITIVE`."""
    return max(regret * (positive if regret > 0 else negative) + gain, floor)


@inner_kernel
def update_regrets(
    actions, width, begin, end, slot, at, base, step, policy, regrets, values, scratch
):  # fmt: skip
    """Discount regrets, add the new ones, and match the policy to them, for begin <= s < end."""
    zero = values.dtype.type(0)
    positive, negative = step[POSITIVE], step[NEGATIVE]
    floor, prediction = step[FLOOR], step[PREDICTION]
    length = end - begin
    value = values[at + begin : at + end]
    total, empty = scratch[0, :length], scratch[1, :length]
    for s in range(length):
        total[s] = 0
    for action in range(actions):
        here = slot + action * width
        regret, chosen = regrets[here + begin : here + end], policy[here + begin : here + end]
        below = values[base[action] + begin : base[action] + end]
        for s in range(length):
            gain = below[s] - value[s]
            kept = next_regret(regret[s], gain, positive, negative, floor)
            regret[s] = kept
            weight = max(kept + prediction * gain, zero)
            chosen[s] = weight
            total[s] += weight
    uniform = values.dtype.type(1 / actions)
    one = values.dtype.type(1)
    least = values.dtype.type(LEAST_TOTAL)
    for s in range(length):
        empty[s] = zero if total[s] > least else uniform
        total[s] = one / total[s] if total[s] > least else zero
    for action in range(actions):
        here = slot + action * width
        chosen = policy[here + begin : here + end]
        for s in range(length):
            chosen[s] = chosen[s] * total[s] + empty[s]


LEAST_TOTAL = 1e-30
"""Positive regrets with a smaller sum count as zero: the sum's inverse would overflow a float32."""


@inner_kernel
def keep_legal(actions, copies, count, slot, legal, mask, policy, regrets):
    """Remove the weight of illegal actions, where infostates differ in their legal actions.

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


@inner_kernel
def _bar_illegal(actions, copies, count, legal, mask, base, values):
    """Make the values of illegal actions less than all others."""
    for action in range(actions):
        for c in range(copies):
            for s in range(count):
                if mask[legal + action * count + s] == 0:
                    values[base[action] + c * count + s] = -np.inf


@inner_kernel
def _best(actions, width, slot, at, base, mode, policy, values, scratch):
    """values[at + s] = the best action's value; RECORD_BEST sets the policy to the action."""
    value, number = values[at : at + width], scratch[0, :width]
    below = values[base[0] : base[0] + width]
    for s in range(width):
        value[s] = below[s]
        number[s] = 0
    for action in range(1, actions):
        below = values[base[action] : base[action] + width]
        for s in range(width):
            better = below[s] > value[s]
            value[s] = below[s] if better else value[s]
            number[s] = action if better else number[s]
    if mode == RECORD_BEST:
        for action in range(actions):
            here = slot + action * width
            chosen = policy[here : here + width]
            for s in range(width):
                chosen[s] = 1 if number[s] == action else 0


@inner_kernel
def _soften(actions, width, slot, at, base, within, policy, values):
    """Play actions near the best in proportion to their excess over the threshold `least`.

    values[at + s]: the best action's value; it is replaced by the policy's value.
    """
    none = values.dtype.type(0)
    for s in range(width):
        best = values[at + s]
        largest = none
        for action in range(actions):
            value = values[base[action] + s]
            if value > -np.inf:
                largest = max(largest, abs(value))
        least = best - within * largest
        total = mean = none
        for action in range(actions):
            value = values[base[action] + s]
            if value > least:
                total += value - least
                mean += (value - least) * value
        if total > 0:
            for action in range(actions):
                share = values[base[action] + s] - least
                policy[slot + action * width + s] = share / total if share > 0 else none
            values[at + s] = mean / total
