"""The arrays of a public tree, as the kernels take them.

Nodes stand in an order where parents come before children: a pass down is a loop forwards, a pass
up a loop backwards. N nodes, E edges (parent to child), M terminal matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL

LEAF = 4
"""The mover of a node where a depth-limited tree ends and the game does not."""

IDENTITY = -1
"""In `map_count`: every infostate keeps its index along the edge."""

PLAYERS = (0, 1)

__all__ = ["CHANCE", "IDENTITY", "LEAF", "PLAYERS", "TERMINAL", "TreeArrays"]

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float = NDArray[np.float32] | NDArray[np.float64]


class TreeArrays(NamedTuple):
    """A public tree, or a forest: many roots.

    Vectors over infostates live in flat buffers: player p's reach at node n is
    `reach[p][reach_start[p, n] :][: info_count[p, n]]`, likewise values. Reaches that cannot differ
    between a node and its parent share their place. Policies, regrets and sums share one layout: at
    node n, entry (action a, infostate s) is `slot_start[n] + a * K + s` with K the mover's count.
    """

    player: Int8
    """[N] who moves: 0, 1, CHANCE, TERMINAL or LEAF"""
    parent: Int32
    """[N] the parent's index, -1 at a root"""
    edge_start: Int32
    """[N] the first of the node's edges, which are contiguous"""
    edge_count: Int32
    """[N] the number of children"""
    action_count: Int32
    """[N] the number of actions (slots), 0 where nobody decides"""
    slot_start: Int64
    """[N] where the node's policy stands in the flat arrays"""
    info_count: Int32
    """[2, N] infostates of each player"""
    reach_start: Int64
    """[2, N] where each player's reach stands; shared along edges that do not change it"""
    value_start: Int64
    """[2, N] where each player's values stand"""
    simple: Int8
    """[N] 1 where every action is legal, is its own child, and infostates keep their index"""
    legal_start: Int64
    """[N] where the node's [A * K] mask stands in `legal`, -1 if everything is legal"""
    legal: Int8
    """[.] masks of legal (action, infostate) entries"""
    edge_child: Int32
    """[E] the child's node"""
    map_start: Int64
    """[2, E] where the edge's transition map stands"""
    map_count: Int32
    """[2, E] its length, or IDENTITY"""
    map_source: Int32
    """[.] parent's entry: for the mover action * K + infostate, else the infostate"""
    map_target: Int32
    """[.] child's infostate"""
    terminal_matrix: Int32
    """[N] which matrix a terminal applies, -1 elsewhere"""
    terminal_scale: NDArray[np.float64]
    """[N] factor of the matrix"""
    matrix_start: Int64
    """[M] where each matrix stands"""
