"""From public states to the nodes of a tree.

Public states with the same key and remaining depth become copies of one node, so the cost of
building grows with the number of *different* public states, and a forest of a thousand subgames
costs as much as a few. Nothing here is recursive, so the depth of a game is not limited.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.steps import counted
from tacit.tree.arrays import LEAF
from tacit.tree.derived import DerivedState, DerivedStates
from tacit.tree.layout import Batch, GrowingLayout, Place
from tacit.tree.memory import SolveKind, SolveMemory, layout_counts, solve_memory
from tacit.tree.open import OpenExpansion, OpenState
from tacit.tree.public_state import (
    ActionSet,
    Expansion,
    GameTooLargeError,
    PublicState,
    Transition,
    find_transition,
    path_words,
)

StopRule = Callable[[PublicState], bool]
"""Whether a public state below the root is to be a leaf."""


def before_chance(state: PublicState) -> bool:
    """The stop rule that ends a tree with the round: where chance deals next."""
    return state.mover == CHANCE


SMALL_CELLS = 10_000
"""The pairs of infostates up to which a tree's size is not estimated before it is built."""
BUILDING = "building the tree: {:,} public states"
PLAYOUTS = 100
CARE = 10
"""How many playouts estimate the size of a larger tree, and what the estimate is divided by."""


class Size(NamedTuple):
    """What a tree holds: public states, slots (action, infostate) and infostate vector entries."""

    public_states: int
    slots: int
    entries: int

    def least_bytes(self) -> int:
        """Less than any solve of the tree takes: regrets, sums, policy and values in float32."""
        return 12 * self.slots + 4 * self.entries

    def plus(self, copies: int, counts: tuple[int, int], slots: int) -> Size:
        """With `copies` of a node added."""
        return Size(
            self.public_states + copies,
            self.slots + copies * slots,
            self.entries + copies * (counts[0] + counts[1]),
        )


class Limit(NamedTuple):
    """Where a tree ends: after `depth` moves of players (None: no limit) or where `stop` says."""

    depth: int | None = None
    stop: StopRule | None = None

    def check(self) -> None:
        """Raise GameError if there is nothing above the limit."""
        if self.depth is not None and self.depth < 1:
            raise GameError(f"a tree has a depth of at least 1, not {self.depth}")

    def ends(self, state: PublicState) -> bool:
        """Whether a public state below the root is to be a leaf."""
        if state.mover == TERMINAL:
            return False
        return self.depth == 0 or (self.stop is not None and self.stop(state))

    def below(self, mover: int) -> Limit:
        """The limit after a move; chance's moves do not count."""
        if self.depth is None or mover == CHANCE:
            return self
        return Limit(self.depth - 1, self.stop)


_Key = tuple[Hashable, int | None, bool]
"""Of a node of a folded tree: the state's key, the remaining depth, whether it is a leaf."""


class Builder:
    """Builds the public trees of one game; reusing it reuses the public states it has derived."""

    def __init__(
        self, game: Game, *, max_bytes: int = 8 << 30, kind: SolveKind | None = None
    ) -> None:
        self.game = game
        self.max_bytes = max_bytes
        self.kind = kind or SolveKind()
        """How whole trees are to be solved, which decides whether they are too large."""
        self.name = game.name

    @cached_property
    def root(self) -> PublicState:
        """The game's first public state."""
        hidden = self.game.hidden
        return DerivedStates(self.game).root if hidden else OpenState(self.game.initial())

    def at(self, path: str | Sequence[str]) -> PublicState:
        """The public state after the public moves of `path`: labels, in a text split by spaces."""
        state = self.root
        for word in path_words(path):
            expansion = state.expand()
            labels = [transition.label for transition in expansion.transitions]
            state = expansion.transitions[find_transition(labels, word)].child
        return state

    def size(
        self, state: PublicState, *, depth: int | None = None, stop: StopRule | None = None
    ) -> Size:
        """The size of the tree at `state`, without laying it out."""
        return self._fold(Batch(), [(None, state)], Limit(depth, stop), None)

    def lay_out(
        self,
        states: Sequence[PublicState],
        limit: Limit,
        *,
        fold: bool = True,
        actions: ActionSet | None = None,
    ) -> GrowingLayout:
        """The subgames at `states`; without `fold` every public state is a node of its own."""
        limit.check()
        layout = GrowingLayout(fold=fold)
        batch = layout.batch()
        if fold:
            new = [(None, state) for state in states]
            bounded = limit.stop is None and actions is None
            size = self._fold(batch, new, limit, actions, layout.roots, bounded=bounded)
            self._check_least(size)
        else:
            sources = add_roots(layout, batch, states)
            if append_open(layout, batch, sources, limit, actions):
                return layout
            unfold(batch, sources, limit, actions, self._check_least)
        layout.append(batch)
        if limit == Limit():
            needed = self.memory(layout).peak
            if needed > self.max_bytes:
                self._refuse(needed, int(layout.arrays.copies.sum()), "about")
        return layout

    def memory(self, layout: GrowingLayout) -> SolveMemory:
        """What solving a tree of this builder takes."""
        return solve_memory(layout_counts(layout, program=self.kind.exact), self.kind)

    def grow(
        self,
        layout: GrowingLayout,
        leaves: Sequence[int],
        limit: Limit,
        actions: ActionSet | None = None,
    ) -> None:
        """Give leaves their moves, and add the public states that follow, to the limit.

        In a folded tree public states below these leaves with the same game below share nodes.
        """
        limit.check()
        sources = leaf_states(layout, leaves)
        batch = layout.batch()
        if not layout.fold and append_open(layout, batch, sources, limit, actions):
            return
        if layout.fold:
            copies = layout.arrays.copies[list(leaves)].tolist()
            self._fold(batch, sources, limit, actions, copies=copies)
        else:
            unfold(batch, sources, limit, actions, self._check_least)
        layout.append(batch)

    def _fold(
        self,
        batch: Batch,
        sources: Sequence[tuple[int | None, PublicState]],
        limit: Limit,
        actions: ActionSet | None,
        roots: list[Place] | None = None,
        copies: Sequence[int] | None = None,
        *,
        bounded: bool = False,
    ) -> Size:
        """One node for all public states with the same game below; returns the size.

        sources: existing nodes of the tree, each with `copies`, or None for new roots; bounded:
        refuse a game that is far too large.
        """
        with counted(BUILDING) as report:
            order, expansions = self._different_states(
                sources, limit, actions, report, bounded=bounded
            )
        size = Size(0, 0, 0)
        number: dict[_Key, int] = {}
        held: dict[_Key, int] = {}
        for key, (state, _) in order:
            if key[0] is not _Source:
                number[key] = batch.add_node(state, LEAF if key[2] else state.mover, 0)
        for index, (node, state) in enumerate(sources):
            key = _source_key(index, node, state, limit)
            if node is not None:
                number[key] = node
                held[key] = 1 if copies is None else copies[index]
                continue
            if roots is not None:
                roots.append(Place(number[key], held.get(key, 0)))
            held[key] = held.get(key, 0) + 1
        entered: set[_Key] = {key for key in held if key[0] is not _Source}
        for key, (state, above) in order:
            count = held[key]
            if key[0] is not _Source:
                batch.copies[number[key] - batch.first_node] = count
            expansion = expansions.get(key)
            slots = expansion.legal.size if expansion is not None else 0
            size = size.plus(count, state.counts, slots)
            if expansion is None:
                continue
            batch.begin_moves(number[key], state, expansion)
            below = above.below(state.mover)
            for transition in expansion.transitions:
                to = _node_key(transition.child, below)
                edge = batch.add_edge(number[key], number[to], held.get(to, 0), transition)
                batch.entering[number[to] - batch.first_node] = -1 if to in entered else edge
                entered.add(to)
                held[to] = held.get(to, 0) + count
        return size

    def _different_states(
        self,
        sources: Sequence[tuple[int | None, PublicState]],
        limit: Limit,
        actions: ActionSet | None,
        report: Callable[[int], None],
        *,
        bounded: bool,
    ) -> tuple[list[tuple[_Key, tuple[PublicState, Limit]]], dict[_Key, Expansion]]:
        """Every (state, remaining depth) below the sources once, parents first, and their moves.

        The order is the reversed postorder of a depth-first walk. `report` takes their number.
        """
        left: list[tuple[_Key, tuple[PublicState, Limit]]] = []
        expansions: dict[_Key, Expansion] = {}
        seen: set[_Key] = set()
        cells = 0

        def enter(key: _Key, state: PublicState) -> Iterator[Transition]:
            """The transitions of a node; none where the tree ends."""
            nonlocal cells
            seen.add(key)
            report(len(seen))
            if bounded and cells <= SMALL_CELLS:
                cells += state.counts[0] * state.counts[1]
                if cells > SMALL_CELLS:
                    self._check_estimate({source: None for _, source in sources}, limit.depth)
            if key[2] or state.mover == TERMINAL:
                return iter(())
            expansions[key] = _expand(state, actions)
            return iter(expansions[key].transitions)

        for index, (node, source) in enumerate(sources):
            start = _source_key(index, node, source, limit)
            if start in seen:
                continue
            stack = [(start, source, limit, enter(start, source))]
            while stack:
                key, state, above, moves = stack[-1]
                below = above.below(state.mover)
                for transition in moves:
                    child = transition.child
                    to = _node_key(child, below)
                    if to not in seen:
                        stack.append((to, child, below, enter(to, child)))
                        break
                else:
                    left.append((key, (state, above)))
                    stack.pop()
        left.reverse()
        return left, expansions

    def _check_estimate(self, states: Iterable[PublicState], depth: int | None) -> None:
        """Refuse a game that is far too large before all of it is visited."""
        count = 0
        for state in states:
            assert isinstance(state, DerivedState | OpenState)
            count += _estimate(state.sample, depth)
        self._check_least(Size(count, count, 2 * count))

    def _check_least(self, size: Size) -> None:
        """Refuse a tree of which this much is known."""
        if size.least_bytes() > self.max_bytes:
            self._refuse(size.least_bytes(), size.public_states, "at least")

    def _refuse(self, needed: int, public_states: int, word: str) -> None:
        raise GameTooLargeError(
            f"{self.game.name} needs {word} {readable_bytes(needed)} "
            f"({readable_count(public_states)} public states), more than the "
            f"{readable_bytes(self.max_bytes)} allowed; solve a smaller game, or allow more memory"
        )


def add_roots(
    layout: GrowingLayout, batch: Batch, states: Sequence[PublicState]
) -> list[tuple[int, PublicState]]:
    """Add a root for each of `states` to an empty layout; returns their nodes and states."""
    nodes = [batch.add_node(state, state.mover, 1) for state in states]
    layout.roots += [Place(node, 0) for node in nodes]
    return list(zip(nodes, states, strict=True))


def leaf_states(layout: GrowingLayout, leaves: Sequence[int]) -> list[tuple[int, PublicState]]:
    """The leaves with their public states; GameError if one is not a leaf, or there twice."""
    player = layout.arrays.player
    for number, leaf in enumerate(leaves):
        if not 0 <= leaf < len(player) or player[leaf] != LEAF or leaf in leaves[:number]:
            raise GameError(f"node {leaf} is not a leaf")
    return [(leaf, layout.states[leaf]) for leaf in leaves]


def unfold(
    batch: Batch,
    sources: Sequence[tuple[int, PublicState]],
    limit: Limit,
    actions: ActionSet | None,
    check: Callable[[Size], None],
) -> None:
    """A node of its own for every public state below the sources, depth first.

    check: called with the size so far.
    """
    size = Size(0, 0, 0)
    stack = [(node, state, limit) for node, state in reversed(sources)]
    while stack:
        node, state, above = stack.pop()
        if state.mover == TERMINAL:
            continue
        expansion = _expand(state, actions)
        batch.begin_moves(node, state, expansion)
        below = above.below(state.mover)
        children = []
        for transition in expansion.transitions:
            child, ends = transition.child, below.ends(transition.child)
            edge = batch.first_edge + len(batch.parents)
            number = batch.add_node(child, LEAF if ends else child.mover, 1, edge)
            batch.add_edge(node, number, 0, transition)
            size = size.plus(1, child.counts, 0)
            if not ends:
                children.append((number, child, below))
        stack += reversed(children)
        size = Size(size.public_states, size.slots + expansion.legal.size, size.entries)
        check(size)


def append_open(
    layout: GrowingLayout,
    batch: Batch,
    sources: Sequence[tuple[int, PublicState]],
    limit: Limit,
    actions: ActionSet | None,
) -> bool:
    """Append a batch and one move below each source, if all are open and the tree ends there.

    A faster way than `unfold`; returns whether it was taken.
    """
    if limit.depth != 1 or not all(isinstance(state, OpenState) for _, state in sources):
        return False
    opened: list[tuple[int, OpenExpansion]] = []
    for node, state in sources:
        expansion, below = _expand(state, actions), limit.below(state.mover)
        if isinstance(expansion, OpenExpansion):
            opened.append((node, expansion))
            if not all(c.mover == TERMINAL or below.ends(c) for c in expansion.children):
                return False
    if batch.states:
        layout.append(batch)
    for node, expansion in opened:
        layout.append_open(node, expansion)
    return True


class _Source:
    """Represents an existing node of the tree in keys."""


def _expand(state: PublicState, actions: ActionSet | None) -> Expansion:
    return state.expand(None if actions is None else actions(state))


def _node_key(state: PublicState, limit: Limit) -> _Key:
    ends = limit.ends(state)
    return state.key, None if ends or state.mover == TERMINAL else limit.depth, ends


def _source_key(index: int, node: int | None, state: PublicState, limit: Limit) -> _Key:
    if node is not None:
        return _Source, index, False
    return state.key, None if state.mover == TERMINAL else limit.depth, False


def _estimate(start: State, depth: int | None) -> int:
    """A conservative estimate of the public states below `start` by random playouts (Knuth 1975).

    The mean over playouts is unbiased, and more often too small than too large. It is divided by
    `CARE` in addition.
    """
    random = np.random.default_rng(0)
    states = 0.0
    for _ in range(PLAYOUTS):
        (world, after), left, beside = _settle(start), depth, 1.0
        while after and left != 0:
            children = list({child.public(): child for child in after}.values())
            beside *= len(children)
            states += beside / PLAYOUTS
            left = left if left is None or world.player == CHANCE else left - 1
            world, after = _settle(children[int(random.integers(len(children)))])
    return int(states / CARE)


def _settle(world: State) -> tuple[State, list[State]]:
    """Play chance events that the public does not see; returns the world and its successors."""
    if world.player == TERMINAL:
        return world, []
    after = [world.child(action) for action in world.actions()]
    while world.player == CHANCE and len({child.public() for child in after}) == 1:
        world = after[0]
        after = [world.child(action) for action in world.actions()]
    return world, after


def readable_bytes(count: float) -> str:
    """`count` bytes in a readable unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{readable_count(count)} TB"


def readable_count(count: float) -> str:
    """A count with separators, or as a power of ten if it is large."""
    return f"{count:,.0f}" if count < 1e9 else f"{count:.1e}"
