"""Kernels of depth-limited search: reaches to beliefs, expected to counterfactual values.

tree: TreeArrays; nodes: the leaf nodes; columns: flat, player p's at leaf node n from
start[2 * n + p]; row: [L] the row of each leaf public state, -1 if it has none.
"""

from __future__ import annotations

from tacit.kernel import inner_kernel, kernel


@kernel
def gather_beliefs(
    tree, nodes, player, every, static, columns, start, reach0, reach1, inputs, row
):  # fmt: skip
    """Write input rows for leaves that the opponent reaches (`every`: all); returns their number.

    static: [leaf nodes, features].
    """
    used = 0
    leaf = 0
    for number in range(len(nodes)):
        node = nodes[number]
        for copy in range(tree.copies[node]):
            row[leaf] = -1
            opponent = tree.info_count[1 - player, node]
            at = tree.reach_start[1 - player, node] + copy * opponent
            other = reach1 if player == 0 else reach0
            if every or other[at : at + opponent].sum() > 0:
                row[leaf] = used
                inputs[used, : static.shape[1]] = static[number]
                inputs[used, static.shape[1] :] = 0
                _normalise_into(
                    reach0, tree.reach_start[0, node], copy, tree.info_count[0, node], columns,
                    start[2 * number], inputs[used],
                )  # fmt: skip
                _normalise_into(
                    reach1, tree.reach_start[1, node], copy, tree.info_count[1, node], columns,
                    start[2 * number + 1], inputs[used],
                )  # fmt: skip
                used += 1
            leaf += 1
    return used


@inner_kernel
def _normalise_into(reach, begin, copy, count, columns, start, row):
    """Write one copy's normalised reach to its columns; uniform if the reach is zero."""
    at = begin + copy * count
    total = reach[at : at + count].sum()
    for s in range(count):
        if columns[start + s] >= 0:
            if total > 0:
                row[columns[start + s]] = reach[at + s] / total
            else:
                row[columns[start + s]] = 1 / count


@kernel
def scatter_values(
    tree, nodes, player, columns, start, apart, chance, chance_start, reach, row, outputs, values
):  # fmt: skip
    """Counterfactual value = expected value * compatible reach of the opponent.

    chance: for leaf node n from chance_start[n] its chance weights [K0, K1], or where apart[n] is 1
    their margins [K0] and [K1], whose product they are. outputs: [n, .] of the evaluator.
    """
    leaf = 0
    for number in range(len(nodes)):
        node = nodes[number]
        count = tree.info_count[player, node]
        others = tree.info_count[1 - player, node]
        along = others if player == 0 else 1
        across = 1 if player == 0 else count
        first = start[2 * number + player]
        begin = chance_start[number]
        mine = begin if player == 0 else begin + others
        theirs = begin + count if player == 0 else begin
        for copy in range(tree.copies[node]):
            to = tree.value_start[player, node] + copy * count
            source = tree.reach_start[1 - player, node] + copy * others
            here = row[leaf]
            leaf += 1
            if here < 0:
                values[to : to + count] = 0
            elif apart[number] == 1:
                total = values.dtype.type(0)
                for o in range(others):
                    total += chance[theirs + o] * reach[source + o]
                for s in range(count):
                    values[to + s] = total * chance[mine + s] * outputs[here, columns[first + s]]
            else:
                for s in range(count):
                    total = values.dtype.type(0)
                    for o in range(others):
                        total += chance[begin + s * along + o * across] * reach[source + o]
                    values[to + s] = total * outputs[here, columns[first + s]]


@kernel
def scatter_pairs(
    tree, nodes, player, columns, start, sign, apart, chance, chance_start, reach, row, outputs,
    values,
):  # fmt: skip
    """Counterfactual value = the sum over the opponent's infostates of reach * chance * payoff.

    columns: for leaf node n from start[n] the output's columns [K0, K1]; sign[n]: 1 if outputs are
    payoffs to player 0, -1 if to player 1; chance: see `scatter_values`.
    """
    leaf = 0
    for number in range(len(nodes)):
        node = nodes[number]
        count = tree.info_count[player, node]
        others = tree.info_count[1 - player, node]
        along = others if player == 0 else 1
        across = 1 if player == 0 else count
        first = start[number]
        begin = chance_start[number]
        mine = begin if player == 0 else begin + others
        theirs = begin + count if player == 0 else begin
        own = sign[number] if player == 0 else -sign[number]
        for copy in range(tree.copies[node]):
            to = tree.value_start[player, node] + copy * count
            source = tree.reach_start[1 - player, node] + copy * others
            here = row[leaf]
            leaf += 1
            for s in range(count):
                total = values.dtype.type(0)
                if here >= 0:
                    for o in range(others):
                        pair = s * along + o * across
                        if apart[number] == 1:
                            weight = chance[mine + s] * chance[theirs + o]
                        else:
                            weight = chance[begin + pair]
                        total += weight * reach[source + o] * outputs[here, columns[first + pair]]
                values[to + s] = own * total
