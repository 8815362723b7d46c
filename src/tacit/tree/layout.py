"""The arrays of a tree that grows: new nodes and edges are appended.

Storage has spare capacity, so the cost of an expansion does not depend on the size of the tree.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import Float64, Int32
from tacit.games import CHANCE, TERMINAL
from tacit.steps import counted
from tacit.tree.arrays import DOWN, IDENTITY, LEAF, UP, Order, Range, Sizes, TreeArrays
from tacit.tree.cards.growing import GrowingCards
from tacit.tree.cards.states import CardState
from tacit.tree.cards.terminals import CardTables
from tacit.tree.dealt_betting import DealtBetting
from tacit.tree.derived import DerivedState
from tacit.tree.kernels.layout import (
    EDGES,
    NODES,
    REACH,
    SCRATCH,
    SLOTS,
    VALUES,
    append_children,
    append_moves,
    place_vectors,
)
from tacit.tree.open import OpenExpansion, OpenState
from tacit.tree.partial import PartialExpansion
from tacit.tree.public_state import NO_MOVES, Expansion, PublicState, Transition


class Place(NamedTuple):
    """One public state of a tree: a node, and which of its copies."""

    node: int
    copy: int


@dataclass
class Batch:
    """Nodes (parents first) and edges to be appended to a tree.

    Nodes and edges are numbered as in the tree; new ones start at `first_node` and `first_edge`.
    entering: the one edge that leads to a node, -1 if it is a root or there are several; expanded:
    the nodes that get their moves, in the order of their slots.
    """

    first_node: int = 0
    first_edge: int = 0
    states: list[PublicState] = field(default_factory=list)
    players: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)
    entering: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    edge_copies: list[int] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    expanded: list[tuple[int, PublicState, Expansion, int]] = field(default_factory=list)
    """(node, state, expansion, first edge)"""

    def add_node(self, state: PublicState, player: int, copies: int, entering: int = -1) -> int:
        """Add a node; returns its number."""
        self.states.append(state)
        self.players.append(player)
        self.copies.append(copies)
        self.entering.append(entering)
        return self.first_node + len(self.states) - 1

    def add_edge(self, parent: int, child: int, copy: int, transition: Transition) -> int:
        """Add an edge; returns its number."""
        self.parents.append(parent)
        self.children.append(child)
        self.edge_copies.append(copy)
        self.transitions.append(transition)
        return self.first_edge + len(self.parents) - 1

    def begin_moves(self, node: int, state: PublicState, expansion: Expansion) -> None:
        """Start the moves of `node`: the edges added next."""
        first = self.first_edge + len(self.parents)
        self.expanded.append((node, state, expansion, first))


LAYING_OUT = "laying out the tree: {:,} public states"
NODE_FIELDS = (
    "player", "copies", "edge_start", "edge_count", "action_count", "slot_start", "info_count",
    "reach_start", "value_start", "simple", "locked", "legal_start", "terminal_matrix",
    "terminal_scale",
)  # fmt: skip
EDGE_FIELDS = (
    "edge_parent", "edge_child", "edge_copy", "edge_factor", "edge_share", "edge_reach",
    "edge_value", "map_start", "map_count", "cross_value",
)  # fmt: skip


FEW = 2
"""Edges reserved for a node whose moves are added one by one; a power of two."""
AT_A_TIME = 1024
"""Nodes that a pass visits for both players in turn, while they are in the cache."""


class GrowingLayout:
    """A tree in one range that can be appended to."""

    def __init__(self, *, fold: bool = True) -> None:
        self.fold = fold
        """Whether public states with the same game below share a node."""
        self.arrays = no_arrays()
        self.roots: list[Place] = []
        self.beliefs: list[tuple[Float64, Float64]] | None = None
        self.states: list[PublicState] = []
        self.expansions: dict[int, Expansion] = {}
        self.deciders: list[int] = []
        """The nodes with slots, in the order of the slots."""
        self.cursor = np.zeros(8, dtype=np.int64)
        self.units: list[NDArray[np.float64]] = []
        """The terminal matrices."""
        self._unit_number: dict[Hashable, int] = {}

    @property
    def ranges(self) -> list[Range]:
        """The whole tree."""
        return [Range(0, int(self.cursor[NODES]), 0, -1)]

    @property
    def order(self) -> Order:
        """Down through all nodes, then up, some at a time for both players."""
        nodes = int(self.cursor[NODES])
        first = np.arange(0, nodes, AT_A_TIME)
        down = np.zeros((len(first), 7), dtype=np.int64)
        down[:, 0], down[:, 1], down[:, 2] = DOWN, first, np.minimum(first + AT_A_TIME, nodes)
        up = down[::-1].copy()
        up[:, 0] = UP
        up[:1, 4] = len(self.arrays.cards.batch_kind)  # terminals of cards come first
        return Order(down, (), up, np.concatenate([down, up]))

    @property
    def sizes(self) -> Sizes:
        """The lengths of the flat buffers."""
        at = self.cursor.tolist()
        return Sizes(
            slots=at[SLOTS],
            reach=(at[REACH], at[REACH + 1]),
            values=(at[VALUES], at[VALUES + 1]),
            scratch=max(1, at[SCRATCH]),
        )

    @property
    def matrices(self) -> Float64:
        """[.] the terminal matrices one after the other; see `TreeArrays.matrix_start`."""
        return np.concatenate([unit.ravel() for unit in self.units] or [np.zeros(0)])

    def state(self, node: int) -> PublicState:
        """The public state that the copies of `node` have in common (up to their key)."""
        return self.states[node]

    def expansion(self, node: int) -> Expansion:
        """The moves that `node` has in this tree."""
        return self.expansions.get(node, NO_MOVES)

    def labels(self, node: int) -> Sequence[str]:
        """The labels of the transitions of `node`."""
        expansion = self.expansion(node)
        if isinstance(expansion, OpenExpansion):
            return expansion.labels
        return [transition.label for transition in expansion.transitions]

    def batch(self) -> Batch:
        """An empty batch, to be appended next."""
        return Batch(int(self.cursor[NODES]), int(self.cursor[EDGES]))

    def append(self, batch: Batch) -> None:
        """Append the nodes and edges of a batch."""
        arrays, first, first_edge = self.arrays, batch.first_node, batch.first_edge
        last, last_edge = first + len(batch.states), first_edge + len(batch.parents)
        arrays.extend(NODE_FIELDS, last)
        arrays.extend(EDGE_FIELDS, last_edge)
        self.states += batch.states
        arrays.player[first:] = batch.players
        arrays.copies[first:] = batch.copies
        arrays.info_count[:, first:last] = np.array([s.counts for s in batch.states]).T
        arrays.legal_start[first:] = -1
        arrays.terminal_matrix[first:] = -1
        with counted(LAYING_OUT) as count:
            for number, state in enumerate(batch.states, start=first):
                count(number)
                if batch.players[number - first] == TERMINAL:
                    self._lay_out_terminal(number, state)
        self._lay_out_cards(batch.states, first)
        arrays.edge_parent[first_edge:] = batch.parents
        arrays.edge_child[first_edge:] = batch.children
        arrays.edge_copy[first_edge:] = batch.edge_copies
        arrays.edge_factor[first_edge:] = [t.factor for t in batch.transitions]
        arrays.edge_share[first_edge:] = [t.share for t in batch.transitions]
        arrays.map_count[:, first_edge:last_edge] = IDENTITY
        arrays.cross_value[:, first_edge:last_edge] = -1
        with counted(LAYING_OUT) as count:
            for node, state, expansion, edge in batch.expanded:
                count(node)
                self._lay_out_moves(node, state, expansion, edge)
        self._lay_out_maps(batch)
        entering = np.array(batch.entering, dtype=np.int64)
        place_vectors(arrays, first, first_edge, entering, self.cursor)
        self.cursor[NODES], self.cursor[EDGES] = last, last_edge

    def append_open(self, leaf: int, expansion: OpenExpansion) -> None:
        """A faster `append` for the moves of one open leaf without copies."""
        children, mover = expansion.children, self.states[leaf].mover
        count = len(children)
        first, edge = int(self.cursor[NODES]), int(self.cursor[EDGES])
        self.arrays.extend(NODE_FIELDS, first + count)
        self.arrays.extend(EDGE_FIELDS, edge + count)
        ends = [c.mover == TERMINAL for c in children]
        payoffs = np.array([c.payoff() if c.mover == TERMINAL else 0.0 for c in children])
        players = np.where(ends, TERMINAL, LEAF)
        chances = np.ones(count) if expansion.chances is None else np.array(expansion.chances)
        append_children(
            self.arrays, leaf, mover, players, payoffs, self._open_unit, chances, self.cursor
        )
        self.states += children
        self.expansions[leaf] = expansion
        if mover < CHANCE:
            self.deciders.append(leaf)

    def append_partly(self, leaves: Mapping[int, PartialExpansion], nodes: Sequence[int]) -> None:
        """Reserve the slots of leaves whose moves are added one by one; then add one of each node.

        Edges of a node are contiguous; when they run out of room they move to twice as much.
        """
        arrays, counts, first = self.arrays, self.arrays.edge_count, int(self.cursor[NODES])
        full = [
            n
            for n, c in zip(nodes, counts[nodes].tolist(), strict=True)
            if c >= FEW and not c & (c - 1)
        ]
        room = FEW * len(leaves) + 2 * int(counts[full].sum())
        arrays.extend(EDGE_FIELDS, int(self.cursor[EDGES]) + room)
        arrays.extend(NODE_FIELDS, first + len(nodes))
        self.expansions.update(leaves)
        self.deciders += leaves
        players = np.full(len(nodes), LEAF, dtype=np.int64)
        for number, node in enumerate(nodes):
            partial = self.expansions[node]
            assert isinstance(partial, PartialExpansion)
            self.states.append(partial.add())
            if self.states[-1].mover == TERMINAL:
                players[number] = TERMINAL
        movers = [expansion.mover for expansion in leaves.values()]
        moves = [len(expansion.order) for expansion in leaves.values()]
        given = (np.array(part, dtype=np.int64) for part in (list(leaves), movers, moves))
        append_moves(
            arrays, *given, FEW, np.array(full, dtype=np.int64), np.array(nodes, dtype=np.int64),
            players, self.cursor,
        )  # fmt: skip
        for number in np.flatnonzero(players == TERMINAL).tolist():
            self._lay_out_terminal(first + number, self.states[first + number])

    @cached_property
    def _open_unit(self) -> int:
        return self._unit("open", np.ones((1, 1)))

    def _unit(self, key: Hashable, unit: NDArray[np.float64]) -> int:
        """The number of a terminal matrix, stored once for terminals that differ by a factor."""
        number = self._unit_number.get(key)
        if number is None:
            number = self._unit_number[key] = len(self.units)
            start = sum(other.size for other in self.units)
            self.units.append(unit)
            self.arrays.extend(("matrix_start",), number + 1)
            self.arrays.matrix_start[number] = start
        return number

    def _lay_out_terminal(self, node: int, state: PublicState) -> None:
        if isinstance(state, OpenState):
            matrix, scale = self._open_unit, state.payoff()
        elif isinstance(state, CardState):
            matrix, scale = -1, -state.amount if state.betting.folded == 0 else state.amount
        else:
            assert isinstance(state, DerivedState | DealtBetting)
            unit, scale, key = state.unit_payoffs
            matrix = self._unit((unit.shape, key), unit)
        self.arrays.terminal_matrix[node], self.arrays.terminal_scale[node] = matrix, scale

    def _lay_out_cards(self, states: Sequence[PublicState], first: int) -> None:
        """Add the boards of hold'em states from node `first` on, and their terminals."""
        cards = [(n, s) for n, s in enumerate(states, start=first) if isinstance(s, CardState)]
        if not cards:
            return
        self._cards.add_boards([state.deal for _, state in cards])
        ends = [(node, state) for node, state in cards if state.mover == TERMINAL]
        self._cards.add_terminals([node for node, _ in ends], [state for _, state in ends])
        self.cursor[SCRATCH] = max(int(self.cursor[SCRATCH]), self._cards.scratch)

    @cached_property
    def _cards(self) -> GrowingCards:
        return GrowingCards(self.arrays.cards)

    def _lay_out_moves(
        self, node: int, state: PublicState, expansion: Expansion, edge: int
    ) -> None:
        arrays, mover = self.arrays, state.mover
        self.expansions[node] = expansion
        arrays.player[node] = mover
        arrays.edge_start[node] = edge
        arrays.edge_count[node] = len(expansion.transitions)
        arrays.simple[node] = expansion.simple
        if mover >= CHANCE:
            return
        self.deciders.append(node)
        legal = expansion.legal
        slots = legal.size * int(arrays.copies[node])
        arrays.action_count[node] = len(legal)
        arrays.slot_start[node] = self.cursor[SLOTS]
        self.cursor[SLOTS] += slots
        self.cursor[SCRATCH] = max(int(self.cursor[SCRATCH]), slots)
        if not expansion.all_legal:
            start = len(arrays.legal)
            arrays.extend(("legal",), start + legal.size)
            arrays.legal[start:] = legal.ravel()
            arrays.legal_start[node] = start

    def _lay_out_maps(self, batch: Batch) -> None:
        """Add the maps of edges along which infostates do not keep their index."""
        arrays = self.arrays
        sources: list[Int32] = []
        targets: list[Int32] = []
        start = mapped = len(arrays.map_source)
        for _, state, expansion, first in batch.expanded:
            if expansion.simple:
                continue
            for edge, transition in enumerate(expansion.transitions, start=first):
                for p in (0, 1):
                    same = transition.child.counts[p] == state.counts[p] and transition.identity[p]
                    if p != state.mover and same:
                        continue
                    arrays.map_start[p, edge] = mapped
                    arrays.map_count[p, edge] = len(transition.sources[p])
                    mapped += len(transition.sources[p])
                    sources.append(transition.sources[p])
                    targets.append(transition.targets[p])
        if sources:
            arrays.extend(("map_source", "map_target"), mapped)
            arrays.map_source[start:] = np.concatenate(sources)
            arrays.map_target[start:] = np.concatenate(targets)


def no_arrays() -> TreeArrays:
    """The arrays of a tree without nodes."""
    start, size = np.zeros((2, 2, 2), dtype=np.int64)
    return TreeArrays.empty(shared_start=start, shared_size=size, cards=CardTables.empty())
