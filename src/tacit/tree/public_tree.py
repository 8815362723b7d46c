"""The public tree: arrays for the kernels, and the public states behind them.

A tree starts at any public state, a forest at many; both are a `PublicTree`. Beliefs (the reaches
at the roots) are given to the passes, not stored here, so one tree serves any PBS with its public
state. A tree built without folding grows in place: `expand` gives leaves their moves and appends
what follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import Game
from tacit.tree.arrays import CHANCE, IDENTITY, LEAF, TERMINAL, Float64, Int32, TreeArrays
from tacit.tree.builder import Builder, Drawing, Root, StopRule, keeps_index
from tacit.tree.public_state import PublicState


class Place(NamedTuple):
    """One public state of a tree: a node, and which of its copies."""

    node: int
    copy: int


@dataclass(frozen=True)
class Sizes:
    """Lengths of the flat buffers that a tree's passes need."""

    slots: int
    reach: tuple[int, int]
    values: tuple[int, int]
    scratch: int
    """The most slots of one node: room behind the values for its action values."""


class PublicTree:
    """A public tree or forest of one game."""

    def __init__(self, builder: Builder, drawing: Drawing) -> None:
        self.builder = builder
        self.drawing = drawing
        self._finish()

    def _finish(self) -> None:
        self.arrays, self.sizes = _lay_out(self.drawing, self.builder)
        for name in ("leaves", "matrices"):
            self.__dict__.pop(name, None)

    @property
    def game(self) -> Game:
        """The game this tree is of."""
        return self.builder.game

    @property
    def nodes(self) -> int:
        """The number of nodes, each standing for one or more public states."""
        return len(self.arrays.player)

    @property
    def public_states(self) -> int:
        """The number of public states."""
        return int(self.arrays.copies.sum())

    @property
    def roots(self) -> list[Root]:
        """Where each root stands, in the order in which the forest's states were given."""
        return self.drawing.roots

    @cached_property
    def leaves(self) -> Int32:
        """[L] the nodes where the tree ends and the game does not."""
        return np.flatnonzero(self.arrays.player == LEAF).astype(np.int32)

    @cached_property
    def matrices(self) -> Float64:
        """[.] the terminal matrices one after the other; see `TreeArrays.matrix_start`."""
        return self.builder.matrices.packed()[1]

    def state(self, node: int) -> PublicState:
        """The public state that the copies of `node` have in common (up to their subgame key)."""
        return self.drawing.nodes[node].state

    def children(self, place: Place) -> list[tuple[str, Place]]:
        """The children of one public state, with the labels of the moves that lead to them."""
        edges = (self.drawing.edges[number] for number in self.drawing.nodes[place.node].edges)
        return [(e.transition.label, Place(e.child, e.copy + place.copy)) for e in edges]

    def walk(self, place: Place | None = None) -> Iterator[tuple[Place, tuple[str, ...]]]:
        """Every public state below `place` (by default the first root), with the path to it."""
        stack: list[tuple[Place, tuple[str, ...]]] = [(place or Place(*self.roots[0]), ())]
        while stack:
            here, path = stack.pop()
            yield here, path
            stack += [(child, (*path, label)) for label, child in reversed(self.children(here))]

    def block(self, flat: NDArray[Any], node: int) -> NDArray[Any]:
        """A view [A, copies, K] of the node's part of a flat policy (or regrets, or sums)."""
        arrays = self.arrays
        shape = (
            int(arrays.action_count[node]),
            int(arrays.copies[node]),
            int(arrays.info_count[arrays.player[node], node]),
        )
        start = int(arrays.slot_start[node])
        return flat[start : start + shape[0] * shape[1] * shape[2]].reshape(shape)

    def vectors(self, flat: NDArray[Any], player: int, node: int, *, values: bool) -> NDArray[Any]:
        """A view [copies, K] of the node's part of `player`'s values, or else reaches."""
        arrays = self.arrays
        start = int((arrays.value_start if values else arrays.reach_start)[player, node])
        copies, count = int(arrays.copies[node]), int(arrays.info_count[player, node])
        return flat[start : start + copies * count].reshape(copies, count)

    def uniform_policy(self) -> Float64:
        """[slots] the policy that plays every legal action alike."""
        policy = np.zeros(self.sizes.slots)
        for node in np.flatnonzero(self.arrays.action_count > 0).tolist():
            legal = self.state(node).expansion.legal
            self.block(policy, node)[:] = (legal / legal.sum(axis=0))[:, None, :]
        return policy

    def expand(
        self, leaves: Sequence[int], *, depth: int = 1, stop: StopRule | None = None
    ) -> None:
        """Grow: each leaf gets its moves and what follows to `depth`; other nodes keep their place.

        New slots and vector entries come behind the old ones, so a solver keeps what it has learnt
        by lengthening its arrays.
        """
        self.builder.grow(self.drawing, [int(leaf) for leaf in leaves], depth, stop)
        self._finish()


def build_tree(
    game: Game,
    *,
    depth: int | None = None,
    stop: StopRule | None = None,
    fold: bool = True,
    max_bytes: int = 8 << 30,
) -> PublicTree:
    """The public tree of a game from its first public state, whole or to `depth` public moves."""
    builder = Builder(game, max_bytes=max_bytes)
    return build_forest(builder, [builder.root], depth=depth, stop=stop, fold=fold)


def build_forest(
    builder: Builder,
    states: Sequence[PublicState],
    *,
    depth: int | None = None,
    stop: StopRule | None = None,
    fold: bool = True,
) -> PublicTree:
    """The subgames at `states` as one forest; root r of the forest is `states[r]`."""
    return PublicTree(builder, builder.draw(states, depth=depth, stop=stop, fold=fold))


def _running(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of the consecutive blocks of these lengths starts."""
    return np.cumsum(counts, axis=-1) - counts


def _lay_out(drawing: Drawing, builder: Builder) -> tuple[TreeArrays, Sizes]:
    """Give every node and edge its place in the flat buffers."""
    nodes, edges = drawing.nodes, drawing.edges
    player = np.array([node.player for node in nodes], dtype=np.int8)
    copies = np.array([node.copies for node in nodes], dtype=np.int32)
    simple = np.array([node.simple for node in nodes], dtype=np.int8)
    edge_count = np.array([len(node.edges) for node in nodes], dtype=np.int32)
    edge_start = np.array([node.edges[0] if node.edges else 0 for node in nodes], dtype=np.int32)
    info_count = np.array([node.state.counts for node in nodes], dtype=np.int32).T.copy()
    action_count = np.zeros(len(nodes), dtype=np.int32)
    slot_start = np.zeros(len(nodes), dtype=np.int64)
    legal_start = np.full(len(nodes), -1, dtype=np.int64)
    masks: list[NDArray[np.int8]] = []
    slots = masked = scratch = 0
    for number in drawing.decisions:
        node = nodes[number]
        if node.player >= CHANCE:
            continue
        legal = node.state.expansion.legal
        action_count[number] = len(legal)
        slot_start[number] = slots
        slots += legal.size * node.copies
        scratch = max(scratch, legal.size * node.copies)
        if not legal.all():
            legal_start[number] = masked
            masked += legal.size
            masks.append(legal.ravel().astype(np.int8))
    terminal_matrix = np.full(len(nodes), -1, dtype=np.int32)
    terminal_scale = np.zeros(len(nodes))
    for number in np.flatnonzero(player == TERMINAL).tolist():
        stored = builder.matrices.add(nodes[number].state.payoffs)
        terminal_matrix[number], terminal_scale[number] = stored
    entries = info_count.astype(np.int64) * copies
    value_start = _running(entries)

    map_count = np.full((2, len(edges)), IDENTITY, dtype=np.int32)
    map_start = np.zeros((2, len(edges)), dtype=np.int64)
    sources: list[Int32] = []
    targets: list[Int32] = []
    mapped = 0
    for number, edge in enumerate(edges):
        parent = nodes[edge.parent]
        if parent.simple:
            continue
        for p in (0, 1):
            if p != parent.player and keeps_index(edge.transition, p, parent.state.counts[p]):
                continue
            map_start[p, number] = mapped
            map_count[p, number] = len(edge.transition.sources[p])
            mapped += len(edge.transition.sources[p])
            sources.append(edge.transition.sources[p])
            targets.append(edge.transition.targets[p])

    reach_start = np.zeros((2, len(nodes)), dtype=np.int64)
    reach_room = [0, 0]
    for number, node in enumerate(nodes):
        for p in (0, 1):
            come = node.only_edge
            if (
                come is not None
                and map_count[p, come] == IDENTITY
                and nodes[edges[come].parent].player != p
            ):
                reach_start[p, number] = reach_start[p, edges[come].parent]
            else:
                reach_start[p, number] = reach_room[p]
                reach_room[p] += int(entries[p, number])

    edge_child = np.array([edge.child for edge in edges], dtype=np.int32)
    edge_copy = np.array([edge.copy for edge in edges], dtype=np.int32)
    before = info_count[:, edge_child] * edge_copy.astype(np.int64)
    empty = np.zeros(0, dtype=np.int32)
    arrays = TreeArrays(
        player=player,
        copies=copies,
        edge_start=edge_start,
        edge_count=edge_count,
        action_count=action_count,
        slot_start=slot_start,
        info_count=info_count,
        reach_start=reach_start,
        value_start=value_start,
        simple=simple,
        legal_start=legal_start,
        legal=np.concatenate(masks) if masks else np.zeros(0, dtype=np.int8),
        edge_child=edge_child,
        edge_copy=edge_copy,
        edge_factor=np.array([edge.transition.factor for edge in edges], dtype=np.float64),
        edge_reach=reach_start[:, edge_child] + before,
        edge_value=value_start[:, edge_child] + before,
        map_start=map_start,
        map_count=map_count,
        map_source=np.concatenate(sources) if sources else empty,
        map_target=np.concatenate(targets) if targets else empty,
        terminal_matrix=terminal_matrix,
        terminal_scale=terminal_scale,
        matrix_start=builder.matrices.packed()[0],
    )
    total = entries.sum(axis=1)
    sizes = Sizes(
        slots, (reach_room[0], reach_room[1]), (int(total[0]), int(total[1])), max(1, scratch)
    )
    return arrays, sizes
