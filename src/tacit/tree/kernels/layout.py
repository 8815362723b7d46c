"""Kernels that place the nodes of a growing tree in the flat buffers.

tree: TreeArrays; cursor: [8] the numbers of nodes, edges, ..., increased by what is appended.
"""

from __future__ import annotations

import numpy as np

from tacit.games.game import CHANCE, TERMINAL
from tacit.kernel import inner_kernel, kernel
from tacit.tree.arrays import IDENTITY

NODES, EDGES, SLOTS, SCRATCH = 0, 1, 2, 3
REACH, VALUES = 4, 6
"""Entries of the cursor; those of reaches and values for each player."""


@kernel
def place_vectors(tree, first, first_edge, entering, cursor):
    """Place the reaches and values of the nodes from `first` on, parents first.

    entering: [new nodes] the one edge that leads to a node, or -1. Reaches that cannot differ
    between a node and its only parent share their place.
    """
    for node in range(first, len(tree.player)):
        edge = entering[node - first]
        for p in range(2):
            _place_node(tree, node, edge, p, cursor)
    for edge in range(first_edge, len(tree.edge_parent)):
        for p in range(2):
            _place_edge(tree, edge, p)


@inner_kernel
def _place_node(tree, node, edge, p, cursor):
    entries = np.int64(tree.info_count[p, node]) * tree.copies[node]
    tree.value_start[p, node] = cursor[VALUES + p]
    cursor[VALUES + p] += entries
    if edge >= 0 and tree.map_count[p, edge] == IDENTITY:
        parent = tree.edge_parent[edge]
        if tree.player[parent] != p:
            tree.reach_start[p, node] = tree.reach_start[p, parent]
            return
    tree.reach_start[p, node] = cursor[REACH + p]
    cursor[REACH + p] += entries


@inner_kernel
def _place_edge(tree, edge, p):
    child = tree.edge_child[edge]
    before = np.int64(tree.info_count[p, child]) * tree.edge_copy[edge]
    tree.edge_reach[p, edge] = tree.reach_start[p, child] + before
    tree.edge_value[p, edge] = tree.value_start[p, child] + before


@kernel
def append_children(tree, leaf, mover, players, payoffs, matrix, chances, cursor):
    """Give an open leaf its children, whose entries are the last of the arrays.

    players: [A] LEAF or TERMINAL; payoffs: [A] player 0's; matrix: that of terminals; chances: [A].
    """
    _reserve_moves(tree, leaf, mover, len(players), len(players), cursor)
    for number in range(len(players)):
        child = cursor[NODES]
        _append_child(tree, leaf, players[number], chances[number], cursor)
        if players[number] == TERMINAL:
            tree.terminal_matrix[child], tree.terminal_scale[child] = matrix, payoffs[number]


@kernel
def append_moves(tree, leaves, movers, counts, room, full, nodes, players, cursor):
    """Give open leaves moves that are added one by one; then add the next child of each node.

    leaves, movers, counts: [L] the leaves, who moves there, and their numbers of moves; room: edges
    reserved for each; full: nodes that have no edge left; nodes, players: [n] the nodes that get a
    child, and LEAF or TERMINAL for it. The entries of the children are the last of the arrays.
    """
    for number in range(len(leaves)):
        _reserve_moves(tree, leaves[number], movers[number], counts[number], room, cursor)
    for node in full:
        _move_edges(tree, node, cursor)
    for number in range(len(nodes)):
        _append_child(tree, nodes[number], players[number], 1.0, cursor)


@inner_kernel
def _reserve_moves(tree, leaf, mover, count, edges, cursor):
    """Reserve `edges` edges, and `count` slots if a player moves, for a leaf without moves yet.

    The edges are the last of the arrays.
    """
    tree.player[leaf] = mover
    tree.edge_start[leaf], tree.edge_count[leaf] = cursor[EDGES], 0
    cursor[EDGES] += edges
    if mover < CHANCE:
        tree.simple[leaf] = 1
        tree.slot_start[leaf], tree.action_count[leaf] = cursor[SLOTS], 0
        cursor[SLOTS] += count
        cursor[SCRATCH] = max(cursor[SCRATCH], count)


@inner_kernel
def _move_edges(tree, node, cursor):
    """Move the edges of a node with one infostate each to the end, with room for twice as many."""
    first, count, to = tree.edge_start[node], tree.edge_count[node], cursor[EDGES]
    for number in range(count):
        old = first + number
        _set_edge(tree, to + number, node, tree.edge_child[old], tree.edge_factor[old])
        tree.edge_parent[old] = tree.edge_child[old] = 0
    tree.edge_start[node] = to
    cursor[EDGES] += 2 * count


@inner_kernel
def _set_edge(tree, edge, node, child, chance):
    """Make an edge between nodes with one infostate each, whose vectors have their places."""
    tree.edge_parent[edge], tree.edge_child[edge] = node, child
    tree.edge_factor[edge], tree.edge_share[edge] = chance, 1.0
    for p in range(2):
        tree.map_count[p, edge] = IDENTITY
        tree.cross_value[p, edge] = -1
        _place_edge(tree, edge, p)


@inner_kernel
def _append_child(tree, node, player, chance, cursor):
    """Add the next child, LEAF or TERMINAL, of a node whose moves are reserved."""
    child = cursor[NODES]
    edge = tree.edge_start[node] + tree.edge_count[node]
    tree.edge_count[node] += 1
    tree.action_count[node] += 1 if tree.player[node] < CHANCE else 0
    tree.player[child] = player
    tree.copies[child] = 1
    tree.legal_start[child] = tree.terminal_matrix[child] = -1
    tree.edge_parent[edge] = node
    for p in range(2):
        tree.info_count[p, child] = 1
        tree.map_count[p, edge] = IDENTITY
        _place_node(tree, child, edge, p, cursor)
    _set_edge(tree, edge, node, child, chance)
    cursor[NODES] += 1
