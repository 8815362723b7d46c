"""The public tree: arrays for the kernels, and the public states behind them.

A tree starts at any public state, a forest at many; both are a `PublicTree`. Beliefs (the reaches
at the roots) are given to the passes, not stored here, so one tree serves any PBS with its public
state. A tree owns its expansions: two trees may give one public state different actions. A tree
grows in place: `expand` gives leaves their moves and appends what follows; a tree of hold'em does
if it is built without folding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import Float64, Int32
from tacit.games import Game, GameError
from tacit.tree.arrays import LEAF, Order, Range, Sizes, TreeArrays
from tacit.tree.builder import Builder, Limit, StopRule
from tacit.tree.cards.layout import CardLayout
from tacit.tree.layout import GrowingLayout, Place
from tacit.tree.memory import SolveKind, SolveMemory
from tacit.tree.partial import PartialExpansion
from tacit.tree.public_state import (
    ActionSet,
    Expansion,
    PublicState,
    Transition,
    find_transition,
    path_words,
)

Layout = GrowingLayout | CardLayout

_DERIVED = ("sizes", "order", "leaves", "matrices", "parent_edge", "_entering")


class TreeBuilder(Protocol):
    """Lays out the subgames at public states of one kind."""

    @property
    def name(self) -> str:
        """The name of the game or spot, for messages."""

    def lay_out(
        self,
        states: Sequence[Any],
        limit: Limit,
        *,
        fold: bool = True,
        actions: ActionSet | None = None,
    ) -> Layout:
        """The subgames at `states`, to the limit."""

    def grow(
        self,
        layout: GrowingLayout,
        leaves: Sequence[int],
        limit: Limit,
        actions: ActionSet | None = None,
    ) -> None:
        """Give leaves their moves, and add the public states that follow, to the limit."""


class PublicTree:
    """A public tree or forest of one game."""

    def __init__(self, builder: TreeBuilder, layout: Layout) -> None:
        self.builder = builder
        self.layout = layout
        self.arrays: TreeArrays = layout.arrays
        self.roots = layout.roots
        """The node and copy of each root, in the order of the forest's states."""
        self.beliefs = layout.beliefs
        """For each root both players' initial reaches; None if they are all one."""

    @property
    def game(self) -> Game:
        """The game of this tree."""
        return self.game_builder.game

    @property
    def game_builder(self) -> Builder:
        """The builder of the game's trees; GameError for a spot of hold'em."""
        if not isinstance(self.builder, Builder):
            raise GameError("the tree of a hold'em spot is not derived from the rules of a game")
        return self.builder

    @property
    def cards(self) -> CardLayout:
        """The hands and boards of the nodes; GameError if this is not a tree of hold'em."""
        if not isinstance(self.layout, CardLayout):
            raise GameError("hands and boards are for trees of hold'em; build one with build_spot")
        return self.layout

    @cached_property
    def sizes(self) -> Sizes:
        """Lengths of the flat buffers that the passes need."""
        return self.layout.sizes

    @cached_property
    def order(self) -> Order:
        """The order in which the passes visit the nodes."""
        return self.layout.order

    def memory(self) -> SolveMemory:
        """What solving this tree takes, as its builder was told; GameError for hold'em."""
        builder = self.game_builder
        assert isinstance(self.layout, GrowingLayout)
        return builder.memory(self.layout)

    @property
    def ranges(self) -> Sequence[Range]:
        """The ranges of nodes that the passes visit in turn, parents first."""
        return self.layout.ranges

    @property
    def nodes(self) -> int:
        """The number of nodes, each standing for one or more public states."""
        return len(self.arrays.player)

    @property
    def public_states(self) -> int:
        """The number of public states."""
        return int(self.arrays.copies.sum())

    @cached_property
    def leaves(self) -> Int32:
        """[L] the nodes where the tree ends and the game does not."""
        return np.flatnonzero(self.arrays.player == LEAF).astype(np.int32)

    @cached_property
    def matrices(self) -> Float64:
        """[.] the terminal matrices one after the other; see `TreeArrays.matrix_start`."""
        return self.layout.matrices

    @cached_property
    def parent_edge(self) -> NDArray[np.int64]:
        """[N] the one edge that leads to each node, -1 if it is a root or there are several."""
        child = self.arrays.edge_child
        edges = np.full(self.nodes, -1, dtype=np.int64)
        edges[child] = np.arange(len(child))
        edges[np.bincount(child, minlength=self.nodes) != 1] = -1
        edges[[root.node for root in self.roots]] = -1
        return edges

    def state(self, node: int) -> PublicState:
        """The public state that the copies of `node` have in common (up to their key)."""
        return self.layout.state(node)

    def expansion(self, node: int) -> Expansion:
        """The moves that `node` has in this tree."""
        return self.layout.expansion(node)

    def labels(self, node: int) -> tuple[str, ...]:
        """The labels of the transitions of a node."""
        return tuple(self.layout.labels(node))

    def edges(self, node: int) -> range:
        """The edges that lead from a node to its children, one for each transition."""
        first = int(self.arrays.edge_start[node])
        return range(first, first + int(self.arrays.edge_count[node]))

    def transition(self, edge: int) -> Transition:
        """The transition of an edge."""
        parent = int(self.arrays.edge_parent[edge])
        return self.expansion(parent).transitions[edge - int(self.arrays.edge_start[parent])]

    def children(self, place: Place) -> list[tuple[str, Place]]:
        """The children of one public state, with the labels of the moves that lead to them."""
        labels = self.labels(place.node)
        return [(label, self.child(place, number)) for number, label in enumerate(labels)]

    def child(self, place: Place, transition: int) -> Place:
        """The public state after one transition, by its number in the expansion."""
        arrays, edge = self.arrays, int(self.arrays.edge_start[place.node]) + transition
        return Place(int(arrays.edge_child[edge]), int(arrays.edge_copy[edge]) + place.copy)

    def walk(self, place: Place | None = None) -> Iterator[tuple[Place, tuple[str, ...]]]:
        """Every public state below `place` (by default the first root), with the path to it."""
        stack: list[tuple[Place, tuple[str, ...]]] = [(place or self.roots[0], ())]
        while stack:
            here, path = stack.pop()
            yield here, path
            stack += [(child, (*path, label)) for label, child in reversed(self.children(here))]

    def find(self, path: str | Sequence[str], start: Place | None = None) -> Place:
        """The public state after the public moves of `path`: labels, in a text split by spaces."""
        here = start or self.roots[0]
        for word in path_words(path):
            here = self.child(here, find_transition(self.labels(here.node), word))
        return here

    def path_to(self, place: Place) -> list[tuple[Place, int]]:
        """The public states from a root to `place`, each with the edge taken there."""
        path: list[tuple[Place, int]] = []
        here, roots = place, set(self.roots)
        while here not in roots:
            for edge in self._entering[here.node]:
                copy = here.copy - int(self.arrays.edge_copy[edge])
                parent = int(self.arrays.edge_parent[edge])
                if 0 <= copy < self.arrays.copies[parent]:
                    here = Place(parent, copy)
                    path.append((here, edge))
                    break
            else:
                raise GameError(f"{place} is no public state of this tree")
        return path[::-1]

    @cached_property
    def _entering(self) -> dict[int, list[int]]:
        """For each node the edges that lead to it."""
        into: dict[int, list[int]] = {node: [] for node in range(self.nodes)}
        for edge, child in enumerate(self.arrays.edge_child.tolist()):
            into[child].append(edge)
        return into

    def block(self, flat: NDArray[Any], node: int) -> NDArray[Any]:
        """A view [A, copies, K] of the node's part of a flat policy (or regrets, or sums)."""
        arrays, start = self.arrays, int(self.arrays.slot_start[node])
        actions, copies = int(arrays.action_count[node]), int(arrays.copies[node])
        count = int(arrays.info_count[arrays.player[node], node])
        return flat[start : start + actions * copies * count].reshape(actions, copies, count)

    def vectors(self, flat: NDArray[Any], player: int, node: int, *, values: bool) -> NDArray[Any]:
        """A view [copies, K] of the node's part of `player`'s values or reaches."""
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
        """The same tree with fewer legal actions: those that `keep` accepts, by state and label.

        It has the same nodes, slots and vectors, so that policies fit both trees; public states
        below a removed action stay in it with zero reach. It cannot grow.
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
                where = f"{self.builder.name}: after {state.key!r}"
                raise GameError(f"{where} an infostate is left without an action")
            starts[node] = size
            masks.append(mask.ravel().astype(np.int8))
            size += mask.size
        other = copy(self)
        other.arrays = replace(arrays, legal_start=starts, legal=np.concatenate(masks))
        return other

    def uniform_policy(self) -> Float64:
        """[slots] the policy that is uniform over legal actions."""
        policy = np.zeros(self.sizes.slots)
        for node in np.flatnonzero(self.arrays.action_count > 0).tolist():
            legal = self.legal(node)
            self.block(policy, node)[:] = (legal / legal.sum(axis=0))[:, None, :]
        return policy

    def expand(
        self,
        leaves: Sequence[int],
        *,
        depth: int = 1,
        stop: StopRule | None = None,
        actions: ActionSet | None = None,
    ) -> None:
        """Expand leaves to `depth`; existing nodes keep their place.

        New slots and vector entries are appended, so a solver extends its arrays. The cost does
        not depend on the size of the tree.
        """
        if not isinstance(self.layout, GrowingLayout) or self.arrays is not self.layout.arrays:
            raise GameError(
                "this tree cannot grow; build one that is not restricted, of cards without fold"
            )
        self.builder.grow(self.layout, leaves, Limit(depth, stop), actions)
        self._forget()

    def expand_partly(self, leaves: Mapping[int, PartialExpansion], nodes: Sequence[int]) -> None:
        """Give leaves moves that are added one after the other; then add the next of each node.

        The leaves, and the states after their moves, have one infostate for each player.
        """
        assert isinstance(self.layout, GrowingLayout)
        self.layout.append_partly(leaves, nodes)
        self._forget()

    def _forget(self) -> None:
        for name in _DERIVED:
            self.__dict__.pop(name, None)


def build_tree(
    game: Game,
    *,
    depth: int | None = None,
    stop: StopRule | None = None,
    fold: bool = True,
    actions: ActionSet | None = None,
    max_bytes: int = 8 << 30,
    kind: SolveKind | None = None,
) -> PublicTree:
    """The public tree of a game from its first public state, whole or to `depth` public moves.

    GameTooLargeError states the estimate if solving the whole tree, as `kind` says, would need more
    than `max_bytes`.
    """
    builder = Builder(game, max_bytes=max_bytes, kind=kind)
    states = [builder.root]
    return build_forest(builder, states, depth=depth, stop=stop, fold=fold, actions=actions)


def build_forest(
    builder: TreeBuilder,
    states: Sequence[PublicState],
    *,
    depth: int | None = None,
    stop: StopRule | None = None,
    fold: bool = True,
    actions: ActionSet | None = None,
) -> PublicTree:
    """The subgames at `states` as one forest; root r of the forest is `states[r]`.

    It ends after `depth` moves of players (None: with the game), or where `stop` says; `actions`
    gives the actions of a public state (None: all). Without `fold` every public state is a node of
    its own.
    """
    layout = builder.lay_out(states, Limit(depth, stop), fold=fold, actions=actions)
    return PublicTree(builder, layout)
