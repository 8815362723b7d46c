"""The public tree: arrays for the kernels, and the public states behind them.

A tree starts at any public state, a forest at many; both are a `PublicTree`. Beliefs (the reaches at
the roots) are given to the passes, not stored here, so one tree serves any PBS with its public
state. A tree grows in place: `expand` turns leaves into decisions and appends their children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacit.games import Game
from tacit.tree.arrays import CHANCE, IDENTITY, LEAF, TERMINAL, Int32, Int64, TreeArrays
from tacit.tree.builder import Builder, Chunk, StopRule, concatenate
from tacit.tree.public_state import PublicState


@dataclass(frozen=True)
class Sizes:
    """Lengths of the flat buffers that a tree's passes need."""

    slots: int
    reach: tuple[int, int]
    values: tuple[int, int]
    scratch: int
    """The most slots of one node: room behind the values for its action values."""


class PublicTree:
    """A public tree or forest of one game; `roots` [R] are the nodes that have no parent."""

    def __init__(self, builder: Builder, chunk: Chunk) -> None:
        self.builder = builder
        self.state_number: Int32 = chunk.state
        self.arrays = _lay_out(chunk, builder)
        self.sizes = _sizes(self.arrays)

    @property
    def game(self) -> Game:
        """The game this tree is of."""
        return self.builder.game

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.arrays.player)

    @cached_property
    def roots(self) -> Int32:
        """[R] the roots' nodes."""
        return np.flatnonzero(self.arrays.parent < 0).astype(np.int32)

    @cached_property
    def leaves(self) -> Int32:
        """[L] the nodes where the tree ends and the game does not."""
        return np.flatnonzero(self.arrays.player == LEAF).astype(np.int32)

    @cached_property
    def matrices(self) -> NDArray[np.float64]:
        """[.] the terminal matrices one after the other; see `TreeArrays.matrix_start`."""
        return self.builder.matrices.packed()[1]

    def state(self, node: int) -> PublicState:
        """The public state at `node` (one with the same subgame key, if the key is shared)."""
        return self.builder.states[self.state_number[node]]

    def children(self, node: int) -> Int32:
        """The children of `node`."""
        start, count = self.arrays.edge_start[node], self.arrays.edge_count[node]
        return self.arrays.edge_child[start : start + count]

    def label(self, node: int) -> str:
        """The label of the move that leads to `node`, empty at a root."""
        parent = self.arrays.parent[node]
        if parent < 0:
            return ""
        number = int(np.flatnonzero(self.children(parent) == node)[0])
        return self.state(parent).expansion.transitions[number].label

    def path(self, node: int) -> list[int]:
        """The nodes from the root to `node`."""
        found = [node]
        while self.arrays.parent[found[-1]] >= 0:
            found.append(int(self.arrays.parent[found[-1]]))
        return found[::-1]

    def policy_block(self, flat: NDArray[np.float64], node: int) -> NDArray[np.float64]:
        """A view [A, K] of the node's part of a flat policy (or regrets, or sums)."""
        actions = int(self.arrays.action_count[node])
        count = int(self.arrays.info_count[self.arrays.player[node], node])
        start = int(self.arrays.slot_start[node])
        return flat[start : start + actions * count].reshape(actions, count)

    def uniform_policy(self) -> NDArray[np.float64]:
        """[slots] the policy that plays every legal action alike."""
        policy = np.zeros(self.sizes.slots)
        for node in np.flatnonzero(self.arrays.action_count > 0):
            block = self.policy_block(policy, node)
            legal = self.state(node).expansion.legal
            block[:] = legal / legal.sum(axis=0)
        return policy

    def expand(self, leaves: Sequence[int], *, depth: int = 1, stop: StopRule | None = None) -> None:
        """Grow: each leaf gets its moves and what follows to `depth`; other nodes keep their place.

        New slots and vector entries come behind the old ones, so a solver keeps what it has learnt
        by lengthening its arrays.
        """
        for leaf in leaves:
            if self.arrays.player[leaf] != LEAF:
                raise ValueError(f"node {leaf} is not a leaf")
            chunk = self.builder.chunk(self.state(leaf), depth, stop)
            scale = _chance_scale(self, leaf)
            self.state_number = np.concatenate([self.state_number, chunk.state[1:]])
            self.arrays = _graft(self, int(leaf), chunk, scale)
            self.sizes = _sizes(self.arrays)
        for name in ("roots", "leaves", "matrices"):
            self.__dict__.pop(name, None)


def build_tree(
    game: Game,
    *,
    depth: int | None = None,
    stop: StopRule | None = None,
    max_bytes: int = 8 << 30,
) -> PublicTree:
    """The public tree of a game from its first public state, whole or to `depth` public moves."""
    builder = Builder(game, max_bytes=max_bytes)
    return PublicTree(builder, builder.chunk(builder.root, depth, stop))


def build_forest(
    builder: Builder,
    states: Sequence[PublicState],
    *,
    depth: int | None = None,
    stop: StopRule | None = None,
) -> PublicTree:
    """The subgames at `states` as one forest; root r of the forest is `states[r]`."""
    return PublicTree(builder, concatenate([builder.chunk(s, depth, stop) for s in states]))


def _chance_scale(tree: PublicTree, leaf: int) -> float:
    """What chance has multiplied the leaf's normalised weights by, from its root to here."""
    scale = 1.0
    path = tree.path(leaf)
    for parent, child in zip(path, path[1:], strict=False):
        number = int(np.flatnonzero(tree.children(parent) == child)[0])
        scale *= tree.state(parent).expansion.transitions[number].factor
    return scale


def _running(counts: NDArray[np.integer]) -> Int64:  # type: ignore[type-arg]
    """Where each of the consecutive blocks of these lengths starts."""
    counts = counts.astype(np.int64)
    return np.cumsum(counts, axis=-1) - counts


def _lay_out(chunk: Chunk, builder: Builder) -> TreeArrays:
    mover = np.where(chunk.player < CHANCE, chunk.player, 0)
    width = np.take_along_axis(chunk.info_count, mover[None, :], axis=0)[0]
    map_count = np.maximum(chunk.map_count, 0)
    map_start = _running(map_count)
    map_start[1] += chunk.maps[0].shape[1]
    maps = np.concatenate(chunk.maps, axis=1)
    edge_start = _running(chunk.edge_count).astype(np.int32)
    reach_start = _reach_places(
        chunk.player,
        chunk.parent,
        edge_start,
        chunk.edge_count,
        chunk.info_count,
        chunk.simple,
        chunk.edge_child,
        chunk.map_count,
    )
    return TreeArrays(
        player=chunk.player,
        parent=chunk.parent,
        edge_start=edge_start,
        edge_count=chunk.edge_count,
        action_count=chunk.action_count,
        slot_start=_running(chunk.action_count * width),
        info_count=chunk.info_count,
        reach_start=reach_start,
        value_start=_running(chunk.info_count),
        simple=chunk.simple,
        legal_start=np.where(chunk.legal_count > 0, _running(chunk.legal_count), -1),
        legal=chunk.legal,
        edge_child=chunk.edge_child,
        map_start=map_start,
        map_count=chunk.map_count,
        map_source=maps[0],
        map_target=maps[1],
        terminal_matrix=chunk.terminal_matrix,
        terminal_scale=chunk.terminal_scale,
        matrix_start=builder.matrices.packed()[0],
    )


@njit(cache=True)
def _reach_places(
    player, parent, edge_start, edge_count, info_count, simple, edge_child, map_count
):
    """reach_start [2, N]: a place of its own where a move or a map changes the reach."""
    nodes = len(player)
    start = np.zeros((2, nodes), dtype=np.int64)
    for p in range(2):
        free = 0
        for node in range(nodes):
            if parent[node] < 0:
                start[p, node] = free
                free += info_count[p, node]
            for edge in range(edge_start[node], edge_start[node] + edge_count[node]):
                child = edge_child[edge]
                if map_count[p, edge] == IDENTITY and player[node] != p:
                    start[p, child] = start[p, node]
                else:
                    start[p, child] = free
                    free += info_count[p, child]
    return start


def _sizes(arrays: TreeArrays) -> Sizes:
    decisions = arrays.player < CHANCE
    width = np.where(arrays.player == 1, arrays.info_count[1], arrays.info_count[0])
    slots = arrays.action_count.astype(np.int64) * width * decisions
    reach = (arrays.reach_start + arrays.info_count).max(axis=1)
    values = (arrays.value_start + arrays.info_count).max(axis=1)
    return Sizes(
        int(slots.sum()),
        (int(reach[0]), int(reach[1])),
        (int(values[0]), int(values[1])),
        int(slots.max(initial=0)),
    )


def _graft(tree: PublicTree, leaf: int, chunk: Chunk, scale: float) -> TreeArrays:
    """The tree's arrays with `chunk` in the place of `leaf`; new nodes and entries at the end."""
    old = tree.arrays
    new = _lay_out(chunk, tree.builder)
    nodes, edges = len(old.player), len(old.edge_child)
    room = tree.sizes

    def renumber(local: Int32) -> Int32:
        return np.where(local == 0, leaf, local + (nodes - 1)).astype(np.int32)

    def join(before: NDArray[np.generic], after: NDArray[np.generic], at_leaf: object) -> object:
        grown = np.concatenate([before, after[..., 1:]], axis=-1)
        grown[..., leaf] = at_leaf
        return grown

    value_room = np.array(room.values)[:, None]
    reach_start = new.reach_start + np.array(room.reach)[:, None]
    for p in (0, 1):
        # What stood at the chunk's root stands at the leaf's place.
        reach_start[p] = np.where(
            new.reach_start[p] == new.reach_start[p, 0], old.reach_start[p, leaf], reach_start[p]
        )
    maps = len(old.map_source)
    return TreeArrays(
        player=join(old.player, new.player, new.player[0]),
        parent=join(old.parent, renumber(new.parent), old.parent[leaf]),
        edge_start=join(old.edge_start, new.edge_start + edges, new.edge_start[0] + edges),
        edge_count=join(old.edge_count, new.edge_count, new.edge_count[0]),
        action_count=join(old.action_count, new.action_count, new.action_count[0]),
        slot_start=join(
            old.slot_start, new.slot_start + room.slots, new.slot_start[0] + room.slots
        ),
        info_count=join(old.info_count, new.info_count, old.info_count[:, leaf]),
        reach_start=join(old.reach_start, reach_start, old.reach_start[:, leaf]),
        value_start=join(
            old.value_start, new.value_start + value_room, old.value_start[:, leaf]
        ),
        simple=join(old.simple, new.simple, new.simple[0]),
        legal_start=join(
            old.legal_start,
            np.where(new.legal_start >= 0, new.legal_start + len(old.legal), -1),
            new.legal_start[0] + len(old.legal) if new.legal_start[0] >= 0 else -1,
        ),
        legal=np.concatenate([old.legal, new.legal]),
        edge_child=np.concatenate([old.edge_child, renumber(new.edge_child)]),
        map_start=np.concatenate([old.map_start, new.map_start + maps], axis=1),
        map_count=np.concatenate([old.map_count, new.map_count], axis=1),
        map_source=np.concatenate([old.map_source, new.map_source]),
        map_target=np.concatenate([old.map_target, new.map_target]),
        terminal_matrix=join(old.terminal_matrix, new.terminal_matrix, new.terminal_matrix[0]),
        terminal_scale=join(old.terminal_scale, new.terminal_scale * scale, 0.0),
        matrix_start=tree.builder.matrices.packed()[0],
    )
