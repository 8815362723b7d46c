"""Kernels of depth-limited search: reaches to beliefs, expected to counterfactual values.

row: [L] the row of each leaf public state, -1 if it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import ArrayRecord, Float32, Int8, Int32, Int64, Real
from tacit.kernel import inner_kernel, kernel
from tacit.tree.arrays import TreeArrays


@dataclass(frozen=True, eq=False)
class Packed(ArrayRecord):
    """Concatenated arrays of numbers of the type `real`: array n begins at `flat[start[n]]`."""

    start: Int64
    flat: Real

    def put(self, numbers: Sequence[int], parts: Sequence[NDArray[Any]]) -> None:
        """Replace or append the arrays with these numbers."""
        sizes = np.array([len(part) for part in parts])
        length = len(self.flat)
        self.extend(["start"], max(len(self.start), max(numbers) + 1))
        self.extend(["flat"], length + int(sizes.sum()))
        self.start[numbers] = length + np.cumsum(sizes) - sizes
        self.flat[length:] = np.concatenate(parts)


class Columns(Packed):
    """Columns of an encoder's rows."""

    real = np.int32


class Chances(Packed):
    """Chance weights."""

    real = np.float32


@dataclass(frozen=True, eq=False)
class RowArrays(ArrayRecord):
    """Nodes of a tree whose PBSs are rows of an encoder."""

    tree: TreeArrays
    nodes: Int32
    columns: Columns
    """the input's columns for player p's beliefs at node n: array 2 * n + p"""


@dataclass(frozen=True, eq=False)
class LeafArrays(ArrayRecord):
    """The leaf nodes of a tree and the outputs of an evaluator."""

    rows: RowArrays
    columns: Columns
    """the output's columns for player p's values at leaf node n: array 2 * n + p; for values of
    pairs [K0, K1]: array n"""
    sign: Float32
    """[leaf nodes] 1 if outputs for pairs are payoffs to player 0, -1 if to player 1"""
    apart: Int8
    """[leaf nodes] 1 if chance weights are the product of margins"""
    chance: Chances
    """for each leaf node its chance weights [K0, K1], or the margins [K0] and [K1]"""


@kernel
def gather_beliefs(rows, player, every, static, reach0, reach1, inputs, row):
    """Write input rows for nodes that the opponent reaches (`every`: all); returns their number.

    rows: RowArrays; static: [nodes, features].
    """
    used = 0
    leaf = 0
    tree = rows.tree
    for number in range(len(rows.nodes)):
        node = rows.nodes[number]
        for copy in range(tree.copies[node]):
            row[leaf] = -1
            opponent = tree.info_count[1 - player, node]
            at = tree.reach_start[1 - player, node] + copy * opponent
            other = reach1 if player == 0 else reach0
            if every or other[at : at + opponent].sum() > 0:
                row[leaf] = used
                inputs[used, : static.shape[1]] = static[number]
                inputs[used, static.shape[1] :] = 0
                for p in range(2):
                    reach = reach0 if p == 0 else reach1
                    columns = rows.columns.flat[rows.columns.start[2 * number + p] :]
                    count = tree.info_count[p, node]
                    begin = tree.reach_start[p, node] + copy * count
                    _normalise_into(reach[begin : begin + count], columns, inputs[used])
                used += 1
            leaf += 1
    return used


@inner_kernel
def _normalise_into(reach, columns, row):
    """Write a normalised reach [K] to its columns; uniform if the reach is zero."""
    total = reach.sum()
    for s in range(len(reach)):
        if columns[s] >= 0:
            if total > 0:
                row[columns[s]] = reach[s] / total
            else:
                row[columns[s]] = 1 / len(reach)


@kernel
def scatter_values(leaves, player, pairs, row, reach, outputs, values):
    """Set `player`'s counterfactual values at the leaves, by the opponent's reach.

    They are the expected value times the compatible reach or, of values of `pairs`, the sum over
    the opponent's infostates of reach * chance * payoff. leaves: LeafArrays; outputs: [n, .] of the
    evaluator.
    """
    leaf = 0
    tree, chance, columns = leaves.rows.tree, leaves.chance.flat, leaves.columns.flat
    for number in range(len(leaves.rows.nodes)):
        node = leaves.rows.nodes[number]
        count = tree.info_count[player, node]
        others = tree.info_count[1 - player, node]
        along = others if player == 0 else 1
        across = 1 if player == 0 else count
        first = leaves.columns.start[number if pairs else 2 * number + player]
        begin = leaves.chance.start[number]
        mine = begin if player == 0 else begin + others
        theirs = begin + count if player == 0 else begin
        apart = leaves.apart[number] == 1
        own = leaves.sign[number] if player == 0 else -leaves.sign[number]
        for copy in range(tree.copies[node]):
            to = tree.value_start[player, node] + copy * count
            source = tree.reach_start[1 - player, node] + copy * others
            here = row[leaf]
            leaf += 1
            if here < 0:
                values[to : to + count] = 0
            elif pairs:
                for s in range(count):
                    total = values.dtype.type(0)
                    for o in range(others):
                        pair = s * along + o * across
                        if apart:
                            weight = chance[mine + s] * chance[theirs + o]
                        else:
                            weight = chance[begin + pair]
                        total += weight * reach[source + o] * outputs[here, columns[first + pair]]
                    values[to + s] = own * total
            elif apart:
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
