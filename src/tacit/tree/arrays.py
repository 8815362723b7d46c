"""The arrays of a public tree, as the kernels take them.

Public states with the same game below them are **folded**: they are one node with several *copies*,
whose vectors are adjacent, so that the kernels' inner loops run over all of them at once. A tree of
many thousand public states may have a few dozen nodes; a forest of many subgames has hardly more
nodes than one of them. Parents precede children: a pass down is a loop forwards, a pass up a loop
backwards.

N nodes, E edges (parent to child), M terminal matrices; K_p is a node's number of infostates of
player p in each copy.

A pass goes down from the roots and up again. A small tree is one range of nodes: down through all
of it, then up. In a large tree the nodes after a public chance event are a range of their own. It
is visited, down and up, between its parent's way down and its parent's way up, so that its data
stays in the cache. Ranges below one parent are independent and may be visited by several threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import (
    ArrayRecord,
    Float64,
    Int8,
    Int32,
    Int32Rows,
    Int64,
    Int64Rows,
)
from tacit.tree.cards.terminals import CardTables

LEAF = 4
"""The mover of a node where a depth-limited tree ends and the game does not."""

IDENTITY = -1
"""In `map_count`: every infostate keeps its index along the edge."""

PLAYERS = (0, 1)


@dataclass(frozen=True, eq=False)
class TreeArrays(ArrayRecord):
    """A public tree, or a forest: many roots.

    Vectors over infostates live in flat buffers, copy-major: entry (copy c, infostate s) of player
    p's reach at node n is `reach[p][reach_start[p, n] + c * K_p + s]`, likewise values. Reaches
    that cannot differ between a node and its only parent share their place. Policies, regrets and
    sums share one layout, action-major: entry (action a, copy c, infostate s) of node n is
    `slot_start[n] + (a * copies[n] + c) * K + s` with K the mover's count.

    An edge leads from all copies of its parent to as many consecutive copies of its child.

    The passes visit a large tree range by range (`Order`). Ranges that are never in use
    at the same time keep their vectors in the same, *shared*, place. Each thread has its own, at a
    distance of `shared_size` from the previous thread's.
    """

    player: Int8
    """[N] who moves: 0, 1, CHANCE, TERMINAL or LEAF"""
    copies: Int32
    """[N] how many public states the node stands for"""
    edge_start: Int32
    """[N] the first of the node's edges, which are contiguous"""
    edge_count: Int32
    """[N] the number of children"""
    action_count: Int32
    """[N] the number of actions, 0 where nobody decides"""
    slot_start: Int64
    """[N] where the node's policy begins in the flat arrays"""
    info_count: Int32Rows
    """[2, N] infostates of each player in one copy"""
    reach_start: Int64Rows
    """[2, N] where each player's reach begins"""
    value_start: Int64Rows
    """[2, N] where each player's values begin"""
    simple: Int8
    """[N] 1 where every action is legal and has its own child, infostates keep their index, and
    chance has no part"""
    locked: Int8
    """[N] 1 where the policy is fixed"""
    legal_start: Int64
    """[N] where the node's mask [A, K] begins in `legal`, -1 if everything is legal"""
    legal: Int8
    """[.] masks of legal (action, infostate) entries"""
    edge_parent: Int32
    """[E] the parent's node"""
    edge_child: Int32
    """[E] the child's node"""
    edge_copy: Int32
    """[E] the child's copy that belongs to the parent's first copy; the others follow"""
    edge_factor: Float64
    """[E] factor of the child's normalised chance weights"""
    edge_share: Float64
    """[E] factor of the reach along a mapped edge: 1 / n where the child stands for n children that
    are equal up to names; values are not scaled"""
    edge_reach: Int64Rows
    """[2, E] where the reach of the edge's first copy begins"""
    edge_value: Int64Rows
    """[2, E] where the values of the edge's first copy begin"""
    map_start: Int64Rows
    """[2, E] where the edge's transition map begins"""
    map_count: Int32Rows
    """[2, E] its length, or IDENTITY"""
    map_source: Int32
    """[.] parent's entry: for the mover action * K + infostate, else the infostate"""
    map_target: Int32
    """[.] child's infostate"""
    entry_edge: Int32
    """[.] the edges that lead from one range of nodes into another, by the range they enter"""
    cross_value: Int64Rows
    """[2, E] for such an edge, where its values, mapped to the parent's infostates and multiplied
    by the factor, begin; -1 for others"""
    terminal_matrix: Int32
    """[N] the matrix of a terminal, -1 for other nodes and for terminals with their own kernel"""
    terminal_scale: Float64
    """[N] factor of the matrix; at a fold what player 0 gets, at a showdown what the winner gets"""
    matrix_start: Int64
    """[M] where each matrix begins"""
    shared_start: Int64Rows
    """[2 (reach, values), 2 (player)] where the shared place begins"""
    shared_size: Int64Rows
    """[2, 2] its length"""
    cards: CardTables
    """hands, boards and terminals of card games"""


@dataclass(frozen=True)
class Sizes:
    """Lengths of the flat buffers that a tree's passes need."""

    slots: int
    reach: tuple[int, int]
    values: tuple[int, int]
    scratch: int
    """Space after the values for one node's action values, and for the card kernels."""
    shared_reach: tuple[int, int] = (0, 0)
    """The entries of `reach` that each further thread needs."""
    shared_values: tuple[int, int] = (0, 0)
    """The entries of `values` that each further thread needs."""


DOWN, UP = 0, 1
"""Ways through a range."""

Steps = NDArray[np.int64]
"""[S, 7]: DOWN or UP, the first node and one past the last, likewise batches of cards, and likewise
the edges that enter the range, in `TreeArrays.entry_edge`."""


class Range(NamedTuple):
    """Nodes that the passes visit together, from `first` up to `last`.

    They are below nodes of one `parent` range (-1: none). Ranges of one level are never visited at
    the same time by one thread, so their vectors may share a place.
    """

    first: int
    last: int
    level: int
    parent: int


@dataclass(frozen=True)
class Order:
    """The steps of one visit: `head`, then `parts` in any order or in parallel, then `tail`."""

    head: Steps
    parts: tuple[Steps, ...]
    tail: Steps
    whole: Steps
    """All steps in sequence."""

    def path_to(self, node: int) -> Steps:
        """Down to the range of `node`, then that range and all ranges below it."""
        open_ranges: list[int] = []
        for row in range(len(self.whole)):
            way, first, last = self.whole[row, :3]
            if way == DOWN:
                open_ranges.append(row)
                if first <= node < last:
                    break
            else:
                open_ranges.pop()
        begin = open_ranges[-1]
        end = begin
        while not (self.whole[end, 0] == UP and self.whole[end, 1] == self.whole[begin, 1]):
            end += 1
        return np.concatenate([self.whole[open_ranges[:-1]], self.whole[begin : end + 1]])


def visiting_order(
    ranges: Sequence[Range], batch_starts: Sequence[int], entry_starts: Sequence[int]
) -> Order:
    """The order of visits to `ranges`, which are given parents first."""
    children: list[list[int]] = [[] for _ in ranges]
    for number, part in enumerate(ranges):
        if part.parent >= 0:
            children[part.parent].append(number)
    starts = batch_starts or [0] * (len(ranges) + 1)

    def step(way: int, number: int) -> list[int]:
        part = ranges[number]
        batches = starts[number : number + 2]
        return [way, part.first, part.last, *batches, *entry_starts[number : number + 2]]

    def visit(number: int) -> list[list[int]]:
        inner = [row for child in children[number] for row in visit(child)]
        return [step(DOWN, number), *inner, step(UP, number)]

    parts = [visit(child) for child in children[0]]
    head, tail = [step(DOWN, 0)], [step(UP, 0)]
    whole = [*head, *(row for part in parts for row in part), *tail]
    return Order(_steps(head), tuple(map(_steps, parts)), _steps(tail), _steps(whole))


def _steps(rows: list[list[int]]) -> Steps:
    return np.array(rows, dtype=np.int64).reshape(-1, 7)
