"""From public states to nodes: what a tree is made of, before it becomes arrays.

A tree is drawn as a list of nodes and edges. Public states with the same subgame key and depth left
become copies of one node, so drawing a game costs as much as it has *different* public states, and
drawing a forest of a thousand subgames as much as drawing a few.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tacit.array_record import Float64, Int64
from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.tree.arrays import LEAF
from tacit.tree.cards.terminals import CardTables, no_cards
from tacit.tree.public_state import (
    GameTooLargeError,
    PublicState,
    PublicStateSpace,
    Transition,
)

StopRule = Callable[[State], bool]
"""Says of a world state whether its public state is to be a leaf; it may read only public facts."""

_FACTOR_TOLERANCE = 1e-12
_LEAST_STATES = 100_000
"""How many different public states are looked at for a lower bound of a tree's size."""


class Size(NamedTuple):
    """What a tree holds: public states, slots (action, infostate) and infostate vector entries."""

    public_states: int
    slots: int
    entries: int

    def bytes(self) -> int:
        """Memory of a solver on the tree: policy, regrets, sums, reaches and values in float32."""
        return 12 * self.slots + 12 * self.entries


@dataclass
class Node:
    """One node of a drawing: a public state, who moves, and how many copies of it there are."""

    state: PublicState
    player: int
    copies: int
    simple: bool = False
    edges: list[int] = field(default_factory=list)
    only_edge: int | None = None
    """The one edge that leads here, None if it is a root or there are several."""


@dataclass(frozen=True)
class Edge:
    """One edge of a drawing: the parent's copies lead to the child's from `copy` on."""

    parent: int
    child: int
    copy: int
    transition: Transition


class Root(NamedTuple):
    """Where a root of a forest stands: its node, and which copy of it."""

    node: int
    copy: int


class Range(NamedTuple):
    """Nodes that the passes visit together, from `first` up to `last`.

    They stand below nodes of one `parent` range (-1: none); ranges of one level are never at work
    at the same time, so that their vectors may share a place.
    """

    first: int
    last: int
    level: int
    parent: int


@dataclass
class Drawing:
    """A tree's nodes (parents first), edges, roots, and the order in which nodes got moves."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)
    parts: list[Range] = field(default_factory=list)
    """Ranges, parents first, that cover all nodes; empty: one range, whole."""

    @property
    def ranges(self) -> list[Range]:
        """The ranges of nodes that the passes visit one after the other, parents first."""
        return self.parts or [Range(0, len(self.nodes), 0, -1)]


class MatrixStore:
    """Terminal matrices, shared between nodes up to a factor."""

    def __init__(self) -> None:
        self.matrices: list[Float64] = []
        self._known: dict[Hashable, int] = {}
        self._packed: tuple[Int64, Float64] | None = None

    def add(self, matrix: Float64) -> tuple[int, float]:
        """The number of a stored matrix and the factor that makes it `matrix`."""
        flat = matrix.ravel()
        scale = float(flat[int(np.argmax(np.abs(flat)))])
        unit = matrix / scale if scale != 0.0 else np.zeros_like(matrix)
        key = (matrix.shape, (np.round(unit, 12) + 0.0).tobytes())  # no -0.0
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.matrices)
            self.matrices.append(unit)
            self._packed = None
        return number, scale

    def packed(self) -> tuple[Int64, Float64]:
        """Starts [M] and the matrices one after the other, row-major [K0, K1]."""
        if self._packed is None:
            sizes = np.array([matrix.size for matrix in self.matrices], dtype=np.int64)
            data = np.concatenate([matrix.ravel() for matrix in self.matrices] or [np.zeros(0)])
            self._packed = (np.cumsum(sizes) - sizes, data)
        return self._packed


_Key = tuple[int, int | None, StopRule | None]


class Builder:
    """Draws the public trees of one game; keep it, what it has seen makes later trees cheap."""

    def __init__(self, game: Game, *, max_bytes: int = 8 << 30) -> None:
        self.game = game
        self.max_bytes = max_bytes
        self.space = PublicStateSpace(game)
        self.matrices = MatrixStore()
        self._sizes: dict[_Key, Size] = {}
        self._simple: dict[int, bool] = {}

    def beliefs(self, drawing: Drawing) -> list[tuple[Float64, Float64]] | None:
        """The reaches at the roots of a drawing, if the game gives them."""
        return None

    @property
    def batch_starts(self) -> list[int]:
        """[ranges + 1] where the batches of card terminals of each range begin; empty: no cards."""
        return []

    def lay_out_cards(self, drawing: Drawing, scale: Float64) -> CardTables:
        """Tables for terminals that card kernels evaluate; sets their `terminal_scale` [N]."""
        return no_cards()

    @property
    def root(self) -> PublicState:
        """The game's first public state."""
        return self.space.root

    def size(
        self, state: PublicState, *, depth: int | None = None, stop: StopRule | None = None
    ) -> Size:
        """How large the tree at `state` is, without building it."""
        return self._size(state, depth, stop, True)

    def draw(
        self,
        states: Sequence[PublicState],
        *,
        depth: int | None = None,
        stop: StopRule | None = None,
        fold: bool = True,
    ) -> Drawing:
        """The subgames at `states`, to `depth` public moves or to where `stop` says; None: whole.

        Without `fold` every public state is a node of its own, as a tree that is to grow needs.
        """
        self._check_size(states, depth, stop)
        drawing = Drawing()
        if fold:
            self._draw_folded(drawing, states, depth, stop)
        else:
            for state in states:
                drawing.roots.append(Root(len(drawing.nodes), 0))
                drawing.nodes.append(Node(state, _player(state, False), 1))
                self._draw_below(drawing, len(drawing.nodes) - 1, depth, stop)
        return drawing

    def grow(
        self, drawing: Drawing, leaves: Sequence[int], depth: int, stop: StopRule | None
    ) -> None:
        """Give leaves their moves, and what follows to `depth`."""
        _check_depth(depth)
        for number, leaf in enumerate(leaves):
            if drawing.nodes[leaf].player != LEAF or leaf in leaves[:number]:
                raise GameError(f"node {leaf} is not a leaf")
            if drawing.nodes[leaf].copies != 1:
                raise GameError(f"leaf {leaf} is folded; build the tree with fold=False to grow it")
        for leaf in leaves:
            node = drawing.nodes[leaf]
            node.player = _player(node.state, False)
            self._draw_below(drawing, leaf, depth, stop)

    def _draw_below(
        self, drawing: Drawing, number: int, depth: int | None, stop: StopRule | None
    ) -> None:
        node = drawing.nodes[number]
        if node.player in (TERMINAL, LEAF):
            return
        left = _less(depth, node.player)
        self._set_moves(drawing, number)
        for transition in node.state.expansion.transitions:
            ends = _ends(transition.child, left, stop)
            child = Node(transition.child, _player(transition.child, ends), 1)
            child.only_edge = len(drawing.edges)
            node.edges.append(len(drawing.edges))
            drawing.edges.append(Edge(number, len(drawing.nodes), 0, transition))
            drawing.nodes.append(child)
        for edge in node.edges:
            self._draw_below(drawing, drawing.edges[edge].child, left, stop)

    def _draw_folded(
        self,
        drawing: Drawing,
        states: Sequence[PublicState],
        depth: int | None,
        stop: StopRule | None,
    ) -> None:
        order: list[tuple[PublicState, int | None, bool]] = []
        seen: dict[tuple[int, int | None, bool], int] = {}

        def key(state: PublicState, left: int | None, top: bool) -> tuple[int, int | None, bool]:
            ends = not top and _ends(state, left, stop)
            return id(state), None if ends or state.mover == TERMINAL else left, ends

        def visit(state: PublicState, left: int | None, top: bool) -> None:
            """Children before parents, each (state, depth left) once."""
            here = key(state, left, top)
            if here in seen:
                return
            seen[here] = -1
            ends = here[2]
            if not ends and state.mover != TERMINAL:
                for transition in state.expansion.transitions:
                    visit(transition.child, _less(left, state.mover), False)
            seen[here] = len(order)
            order.append((state, left, ends))

        def find(state: PublicState, left: int | None, top: bool) -> int:
            return len(order) - 1 - seen[key(state, left, top)]

        for state in states:
            visit(state, depth, True)
        order.reverse()
        drawing.nodes = [Node(state, _player(state, ends), 0) for state, _, ends in order]
        for state in states:
            number = find(state, depth, True)
            drawing.roots.append(Root(number, drawing.nodes[number].copies))
            drawing.nodes[number].copies += 1
        entered: set[int] = {root.node for root in drawing.roots}
        for number, (state, left, ends) in enumerate(order):
            node = drawing.nodes[number]
            if ends or state.mover == TERMINAL:
                continue
            self._set_moves(drawing, number)
            for transition in state.expansion.transitions:
                to = find(transition.child, _less(left, state.mover), False)
                child = drawing.nodes[to]
                child.only_edge = None if to in entered else len(drawing.edges)
                entered.add(to)
                node.edges.append(len(drawing.edges))
                drawing.edges.append(Edge(number, to, child.copies, transition))
                child.copies += node.copies

    def _set_moves(self, drawing: Drawing, number: int) -> None:
        node = drawing.nodes[number]
        found = self._simple.get(id(node.state))
        if found is None:
            found = self._simple[id(node.state)] = _is_simple(node.state)
        node.simple = found
        drawing.decisions.append(number)

    def _check_size(
        self, states: Sequence[PublicState], depth: int | None, stop: StopRule | None
    ) -> None:
        _check_depth(depth)
        # The bound comes first: a game far too large is refused before it is looked at in full.
        new = [state for state in states if (id(state), depth, stop) not in self._sizes]
        self._check_bytes([self._least(state, depth, stop) for state in new], "at least")
        self._check_bytes([self._size(state, depth, stop, True) for state in states], "about")

    def _check_bytes(self, sizes: Sequence[Size], word: str) -> None:
        needed = sum(size.bytes() for size in sizes)
        if needed > self.max_bytes:
            count = readable_count(sum(size.public_states for size in sizes))
            raise GameTooLargeError(
                f"{self.game.name} needs {word} {readable_bytes(needed)} ({count} public states), "
                f"more than the {readable_bytes(self.max_bytes)} allowed; solve a smaller game, "
                "or allow more memory"
            )

    def _least(self, state: PublicState, depth: int | None, stop: StopRule | None) -> Size:
        """A lower bound of the size, from the moves of one world state a public state."""
        known: dict[tuple[Hashable, int | None], Size] = {}

        def least(world: State, left: int | None, top: bool) -> Size:
            if world.player == TERMINAL:
                return Size(1, 0, 2)
            after = [world.child(action) for action in world.actions()]
            while world.player == CHANCE and len({child.public() for child in after}) == 1:
                world = after[0]
                after = [world.child(action) for action in world.actions()]
            ends = not top and (left == 0 or (stop is not None and stop(world)))
            if not after or ends or len(known) > _LEAST_STATES:
                return Size(1, 0, 2)
            key = (world.subgame_key(), left)
            if key not in known:
                children = {child.public(): child for child in after}.values()
                below = [least(child, _less(left, world.player), False) for child in children]
                slots = 0 if world.player == CHANCE else len(after)
                known[key] = Size(
                    1 + sum(size.public_states for size in below),
                    slots + sum(size.slots for size in below),
                    2 + sum(size.entries for size in below),
                )
            return known[key]

        return least(state.sample, depth, True)

    def _size(
        self, state: PublicState, depth: int | None, stop: StopRule | None, top: bool
    ) -> Size:
        counts = state.counts
        entries = counts[0] + counts[1]
        if state.mover == TERMINAL or (not top and _ends(state, depth, stop)):
            return Size(1, 0, entries)
        key = (id(state), depth, stop)
        found = self._sizes.get(key)
        if found is None:
            expansion = state.expansion
            slots = 0 if state.mover == CHANCE else len(expansion.actions) * counts[state.mover]
            below = [
                self._size(t.child, _less(depth, state.mover), stop, False)
                for t in expansion.transitions
            ]
            found = Size(
                1 + sum(size.public_states for size in below),
                slots + sum(size.slots for size in below),
                entries + sum(size.entries for size in below),
            )
            self._sizes[key] = found
        return found


def keeps_index(transition: Transition, player: int, count: int, first: int = 0) -> bool:
    """Whether infostates 0 … count-1 of `player`, from source `first` on, keep their index."""
    source, target = transition.sources[player], transition.targets[player]
    return (
        transition.child.counts[player] == count == len(source)
        and np.array_equal(source, np.arange(first, first + count))
        and np.array_equal(target, np.arange(count))
    )


def readable_bytes(count: float) -> str:
    """`count` bytes in a unit that people read."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{readable_count(count)} TB"


def readable_count(count: float) -> str:
    """A count with separators, or in powers of ten where those would be many."""
    return f"{count:,.0f}" if count < 1e9 else f"{count:.1e}"


def _check_depth(depth: int | None) -> None:
    if depth is not None and depth < 1:
        raise GameError(f"a tree has a depth of at least 1, not {depth}")


def _player(state: PublicState, ends: bool) -> int:
    return LEAF if ends else state.mover


def _ends(state: PublicState, depth: int | None, stop: StopRule | None) -> bool:
    """Whether a public state below the root is to be a leaf."""
    if state.mover == TERMINAL:
        return False
    return depth == 0 or (stop is not None and stop(state.sample))


def _less(depth: int | None, mover: int) -> int | None:
    """Depth left below a move; chance's moves are free."""
    return depth if depth is None or mover == CHANCE else depth - 1


def _is_simple(state: PublicState) -> bool:
    """Whether the fast loops may serve: see `TreeArrays.simple`."""
    expansion, mover = state.expansion, state.mover
    if mover == CHANCE or len(expansion.actions) != len(expansion.transitions):
        return False
    counts = state.counts
    return bool(expansion.legal.all()) and all(
        abs(t.factor - 1) < _FACTOR_TOLERANCE
        and keeps_index(t, mover, counts[mover], number * counts[mover])
        and keeps_index(t, 1 - mover, counts[1 - mover])
        for number, t in enumerate(expansion.transitions)
    )
