"""The public tree: arrays for the kernels, and the public states behind them.

A tree starts at any public state, a forest at many; both are a `PublicTree`. Beliefs (the reaches
at the roots) are given to the passes, not stored here, so one tree serves any PBS with its public
state. A tree built without folding grows in place: `expand` gives leaves their moves and appends
what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import Float64, Int32
from tacit.games import Game, GameError
from tacit.tree.arrays import CHANCE, IDENTITY, LEAF, TERMINAL, Sizes, TreeArrays
from tacit.tree.builder import Builder, Drawing, Range, Root, StopRule, keeps_index
from tacit.tree.cards.layout import CardLayout
from tacit.tree.cards.terminals import no_cards
from tacit.tree.order import visiting_order
from tacit.tree.public_state import Expansion, PublicState, Transition


class Place(NamedTuple):
    """One public state of a tree: a node, and which of its copies."""

    node: int
    copy: int


class PublicTree:
    """A public tree or forest of one game."""

    def __init__(self, builder: Builder, drawing: Drawing | CardLayout) -> None:
        self.builder = builder
        self._cards: CardLayout | None = None
        if isinstance(drawing, CardLayout):
            self._cards = drawing
            self.arrays, self.sizes, self.order = drawing.arrays, drawing.sizes, drawing.order
            return
        self.drawing = drawing
        self._finish()

    def _finish(self) -> None:
        self.arrays, self.sizes = _lay_out(self.drawing, self.builder)
        ranges = self.drawing.ranges
        heads = self.arrays.edge_child[self.arrays.entry_edge]
        entries = np.searchsorted(heads, [*(part.first for part in ranges), self.nodes])
        self.order = visiting_order(ranges, [], entries.tolist())
        for name in ("leaves", "matrices", "parent_edge"):
            self.__dict__.pop(name, None)

    @property
    def game(self) -> Game:
        """The game this tree is of."""
        return self.builder.game

    @property
    def beliefs(self) -> list[tuple[NDArray[Any], NDArray[Any]]] | None:
        """For each root both players' reaches there, where the game starts with some; else None."""
        return None if self._cards is None else self._cards.beliefs

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
        return self.drawing.roots if self._cards is None else self._cards.roots

    @property
    def ranges(self) -> list[Range]:
        """The ranges of nodes that the passes visit one after the other, parents first."""
        return self.drawing.ranges if self._cards is None else self._cards.ranges

    @property
    def cards(self) -> CardLayout:
        """The card public states behind the nodes; GameError if this is a tree of another game."""
        if self._cards is None:
            raise GameError("hands and boards are for trees of hold'em; build one with build_spot")
        return self._cards

    @cached_property
    def leaves(self) -> Int32:
        """[L] the nodes where the tree ends and the game does not."""
        return np.flatnonzero(self.arrays.player == LEAF).astype(np.int32)

    @cached_property
    def matrices(self) -> Float64:
        """[.] the terminal matrices one after the other; see `TreeArrays.matrix_start`."""
        return self._cards.matrices if self._cards else self.builder.matrices.packed()[1]

    @cached_property
    def parent_edge(self) -> NDArray[np.int64]:
        """[N] the one edge that leads to each node, -1 if it is a root or there are several."""
        child = self.arrays.edge_child
        found = np.full(self.nodes, -1, dtype=np.int64)
        found[child] = np.arange(len(child))
        found[np.bincount(child, minlength=self.nodes) != 1] = -1
        found[[root.node for root in self.roots]] = -1
        return found

    def state(self, node: int) -> PublicState:
        """The public state that the copies of `node` have in common (up to their subgame key)."""
        if self._cards is not None:
            return self._cards.state(node)  # type: ignore[return-value]
        return self.drawing.nodes[node].state

    def expansion(self, node: int) -> Expansion:
        """The moves that `node` has in this tree."""
        if not self.arrays.edge_count[node]:
            return Expansion((), (), np.ones((0, 0), dtype=bool), ())
        if self._cards is not None:
            return self._cards.expansion(node)
        return self.drawing.nodes[node].state.expansion

    def labels(self, node: int) -> tuple[str, ...]:
        """The labels of the transitions of a node."""
        if self._cards is not None:
            return self._cards.labels(node)
        edges = (self.drawing.edges[number] for number in self.drawing.nodes[node].edges)
        return tuple(edge.transition.label for edge in edges)

    def edges(self, node: int) -> range:
        """The edges of a node, one for each transition."""
        first = int(self.arrays.edge_start[node])
        return range(first, first + int(self.arrays.edge_count[node]))

    def transition(self, edge: int) -> Transition:
        """The transition along an edge."""
        if self._cards is None:
            return self.drawing.edges[edge].transition
        node = int(self.arrays.edge_parent[edge])
        return self.expansion(node).transitions[edge - int(self.arrays.edge_start[node])]

    def children(self, place: Place) -> list[tuple[str, Place]]:
        """The children of one public state, with the labels of the moves that lead to them."""
        labels = self.labels(place.node)
        return [(label, self.child(place, number)) for number, label in enumerate(labels)]

    def child(self, place: Place, transition: int) -> Place:
        """The public state after one transition, by its number in the expansion."""
        edge = int(self.arrays.edge_start[place.node]) + transition
        copy = int(self.arrays.edge_copy[edge]) + place.copy
        return Place(int(self.arrays.edge_child[edge]), copy)

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

    def legal(self, node: int) -> NDArray[np.bool_]:
        """[A, K] which infostates of the mover may take which actions of a node in this tree."""
        arrays = self.arrays
        shape = int(arrays.action_count[node]), int(arrays.info_count[arrays.player[node], node])
        start = int(arrays.legal_start[node])
        if start < 0:
            return np.ones(shape, dtype=bool)
        return arrays.legal[start : start + shape[0] * shape[1]].reshape(shape).astype(bool)

    def restricted(self, keep: Callable[[PublicState, str], bool]) -> PublicTree:
        """The same tree with fewer legal actions: those that `keep` takes, by state and label.

        It shares nodes, slots and vectors with this one, so that policies fit both; public states
        behind a barred action stay in it, out of reach. It cannot grow.
        """
        arrays = self.arrays
        starts, masks = arrays.legal_start.copy(), [arrays.legal]
        size = len(arrays.legal)
        for node in np.flatnonzero(arrays.action_count > 0).tolist():
            state, legal = self.state(node), self.legal(node)
            kept = np.array([keep(state, label) for label in self.expansion(node).labels])
            if kept.all():
                continue
            mask = legal & kept[:, None]
            if not mask.any(axis=0).all():
                raise GameError(f"after {state.key!r} an infostate is left without an action")
            starts[node] = size
            masks.append(mask.ravel().astype(np.int8))
            size += mask.size
        other = copy(self)
        other.arrays = replace(arrays, legal_start=starts, legal=np.concatenate(masks))
        return other

    def uniform_policy(self) -> Float64:
        """[slots] the policy that plays every legal action alike."""
        policy = np.zeros(self.sizes.slots)
        for node in np.flatnonzero(self.arrays.action_count > 0).tolist():
            legal = self.legal(node)
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

    places = _place_vectors(drawing, entries, map_count)
    reach_start, value_start = places.reach, places.values

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
        locked=np.zeros(len(nodes), dtype=np.int8),
        legal_start=legal_start,
        legal=np.concatenate(masks) if masks else np.zeros(0, dtype=np.int8),
        edge_parent=np.array([edge.parent for edge in edges], dtype=np.int32),
        edge_child=edge_child,
        edge_copy=edge_copy,
        edge_factor=np.array([edge.transition.factor for edge in edges], dtype=np.float64),
        edge_share=np.array([edge.transition.share for edge in edges], dtype=np.float64),
        edge_reach=reach_start[:, edge_child] + before,
        edge_value=value_start[:, edge_child] + before,
        map_start=map_start,
        map_count=map_count,
        map_source=np.concatenate(sources) if sources else empty,
        map_target=np.concatenate(targets) if targets else empty,
        entry_edge=places.entries,
        cross_value=places.cross,
        terminal_matrix=terminal_matrix,
        terminal_scale=terminal_scale,
        matrix_start=builder.matrices.packed()[0],
        shared_start=places.shared_start,
        shared_size=places.shared_size,
        cards=no_cards(),
    )
    shared = places.shared_size
    ends = places.shared_start + shared
    sizes = Sizes(
        slots=slots,
        reach=(int(ends[0, 0]), int(ends[0, 1])),
        values=(int(ends[1, 0]), int(ends[1, 1])),
        scratch=max(1, scratch),
        shared_reach=(int(shared[0, 0]), int(shared[0, 1])),
        shared_values=(int(shared[1, 0]), int(shared[1, 1])),
    )
    return arrays, sizes


class _Places(NamedTuple):
    """Where vectors stand; see `TreeArrays`."""

    reach: NDArray[np.int64]
    values: NDArray[np.int64]
    entries: Int32
    cross: NDArray[np.int64]
    shared_start: NDArray[np.int64]
    shared_size: NDArray[np.int64]


def _place_vectors(drawing: Drawing, entries: NDArray[np.int64], map_count: Int32) -> _Places:
    """Give reaches, values and what crosses between ranges a place; ranges of a level share theirs.

    What comes up along an edge from another range belongs to the range above, which is still at
    work when the one below has made room for the next.
    """
    nodes, edges, ranges = drawing.nodes, drawing.edges, drawing.ranges
    levels = np.array([part.level for part in ranges])
    home = np.zeros(len(nodes), dtype=np.int64)
    for number, part in enumerate(ranges):
        home[part.first : part.last] = number
    used = np.zeros((2, 2, len(ranges)), dtype=np.int64)
    reach = np.zeros((2, len(nodes)), dtype=np.int64)
    values = np.zeros((2, len(nodes)), dtype=np.int64)
    cross = np.full((2, len(edges)), -1, dtype=np.int64)
    entering: list[int] = []
    borrowed: list[tuple[int, int, int]] = []
    for number, node in enumerate(nodes):
        part, come = home[number], node.only_edge
        above = None if come is None else nodes[edges[come].parent]
        crosses = come is not None and home[edges[come].parent] != part
        if come is not None and crosses:
            entering.append(come)
        for p in (0, 1):
            values[p, number] = used[1, p, part]
            used[1, p, part] += entries[p, number]
            if come is not None and crosses:
                origin = home[edges[come].parent]
                cross[p, come] = used[1, p, origin]
                used[1, p, origin] += entries[p, edges[come].parent]
            if above is not None and map_count[p, come] == IDENTITY and above.player != p:
                borrowed.append((p, number, edges[come].parent if come is not None else -1))
            else:
                reach[p, number] = used[0, p, part]
                used[0, p, part] += entries[p, number]
    depth = int(levels.max()) + 1
    most = np.stack([used[:, :, levels == level].max(axis=2) for level in range(depth)])
    begin = np.cumsum(most, axis=0) - most
    reach += begin[levels[home], 0].T
    values += begin[levels[home], 1].T
    for edge in entering:
        cross[:, edge] += begin[levels[home[edges[edge].parent]], 1]
    for p, number, origin in borrowed:
        reach[p, number] = reach[p, origin]
    found = np.array(entering, dtype=np.int32)
    return _Places(reach, values, found, cross, most[0].copy(), most[1:].sum(axis=0))
