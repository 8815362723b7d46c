"""Public states derived from a game's rules: infostates, transitions and chance weights.

A public state holds the *cells* of its world states: the pairs (infostate of player 0, infostate of
player 1) that can occur together, each with its chance weight and the world states it may be in
(more than one only where chance did something that neither player has seen). The weights form
the **compatibility operator** `C[i, j]`, normalised to sum to one: how much chance alone favours
the pair. Private deals are folded into the public state before them: a public state never waits
for a chance event of which the public sees nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.games.contract import (
    check_hashable,
    check_labels_differ,
    checked_actions,
    checked_chance,
    checked_label,
    checked_mover,
    checked_payoff,
)
from tacit.tree.merges import WEIGHT_TOLERANCE, Flow, FlowKey, differ_in_payoff, merge_flows

COMPARED_CELLS = 8
"""Cells whose payoffs are compared where two ends of the game share a subgame key."""

Worlds = tuple[tuple[State, float], ...]
"""The world states of a cell, each with its share of the cell's weight."""

Ways = dict[int, dict[int, list[int]]]
"""For an infostate (of the mover: and action) and a transition's number, the child's infostates."""


class GameTooLargeError(GameError):
    """The game does not fit in the memory or the count of states that the caller allows."""


@dataclass(frozen=True)
class Transition:
    """One child of a public state, and where infostates go.

    `sources[p]`, `targets[p]`: int32 [M]: entry m says that the parent's infostate (for the mover:
    `action * K + infostate`, action-major) becomes the child's infostate `targets[p][m]`. Several
    sources may share a target (they merge) and several targets a source (a private observation
    splits it). `factor` scales the child's normalised chance weights back to the parent's.
    """

    child: PublicState
    label: str
    factor: float
    sources: tuple[NDArray[np.int32], NDArray[np.int32]]
    targets: tuple[NDArray[np.int32], NDArray[np.int32]]
    share: float = 1.0
    """See `TreeArrays.edge_share`."""


@dataclass(frozen=True)
class Expansion:
    """A public state's moves: `actions` [A], `legal` bool [A, K] of the mover, and the children."""

    actions: tuple[int, ...]
    labels: tuple[str, ...]
    legal: NDArray[np.bool_]
    transitions: tuple[Transition, ...]


class PublicState:
    """A public state; `privates[p]` [K_p] are the infostates' private keys, in index order."""

    __slots__ = (
        "__dict__",
        "above",
        "cells",
        "key",
        "mover",
        "privates",
        "sample",
        "space",
        "weights",
    )

    def __init__(
        self,
        space: PublicStateSpace,
        key: Hashable,
        privates: tuple[tuple[Hashable, ...], tuple[Hashable, ...]],
        cells: dict[tuple[int, int], Worlds],
        weights: dict[tuple[int, int], float],
        above: Hashable = None,
    ) -> None:
        self.space = space
        self.key = key
        self.privates = privates
        self.cells = cells
        self.weights = weights
        self.above = above
        self.sample = next(iter(cells.values()))[0][0]
        self.mover = self.sample.player

    @property
    def counts(self) -> tuple[int, int]:
        """The number of infostates of each player."""
        return len(self.privates[0]), len(self.privates[1])

    @cached_property
    def compatibility(self) -> NDArray[np.float64]:
        """C [K0, K1]: chance weight of each pair of infostates, summing to one."""
        matrix = np.zeros(self.counts)
        for (i, j), weight in self.weights.items():
            matrix[i, j] = weight
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def margins(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Where chance deals to each player apart: u [K0] and v [K1] with C[i, j] = u[i] * v[j]."""
        first, second = self.compatibility.sum(axis=1), self.compatibility.sum(axis=0)
        apart = np.allclose(self.compatibility, np.outer(first, second), rtol=1e-9, atol=0)
        return (first, second) if apart else None

    def compatible_reach(self, player: int, opponent_reach: NDArray[Any]) -> NDArray[Any]:
        """[.., K] for each infostate of `player`, the opponent's reach [.., K'] that chance allows.

        Values are counterfactual with respect to the same chance weights.
        """
        weighed: NDArray[Any] = opponent_reach @ (
            self.compatibility.T if player == 0 else self.compatibility
        )
        return weighed

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """Terminal operator [K0, K1]: chance weight times player 0's payoff."""
        matrix = np.zeros(self.counts)
        for cell, worlds in self.cells.items():
            mean = sum(share * checked_payoff(world, self.space._place) for world, share in worlds)
            matrix[cell] = self.weights[cell] * mean
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def expansion(self) -> Expansion:
        """The moves and children of this public state."""
        return self.space.expand(self)

    @cached_property
    def ways(self) -> tuple[Ways, Ways]:
        """For each player: from a source of `Transition.sources` to the transitions open to it."""
        found: tuple[Ways, Ways] = ({}, {})
        for number, transition in enumerate(self.expansion.transitions):
            for player in (0, 1):
                pairs = zip(
                    transition.sources[player].tolist(),
                    transition.targets[player].tolist(),
                    strict=True,
                )
                for source, target in pairs:
                    found[player].setdefault(source, {}).setdefault(number, []).append(target)
        return found

    def worlds(self) -> Iterator[tuple[tuple[int, int], State, float]]:
        """Every world state with its cell and its share of the cell's weight."""
        for cell, worlds in self.cells.items():
            for world, share in worlds:
                yield cell, world, share

    def find(self, player: int, private: Hashable) -> int:
        """The index of the infostate of `player` with this private key."""
        return self.privates[player].index(private)


class _Piece(NamedTuple):
    """One world state on its way into a child: where it came from, and how likely by chance."""

    sources: tuple[int, int]
    world: State
    weight: float
    action: int


class PublicStateSpace:
    """The public states of one game, each made once for each `subgame_key`."""

    def __init__(self, game: Game, *, max_cells: int = 20_000_000) -> None:
        self.game = game
        self.max_cells = max_cells
        self.cells = 0
        self._known: dict[Hashable, PublicState] = {}

    @cached_property
    def root(self) -> PublicState:
        """The first public state, after the private deal."""
        start = _Piece((0, 0), self.game.initial(), 1.0, 0)
        children = self._children([start], {0: "start"}, None)
        if len(children) != 1:
            raise GameError(f"{self.game.name}: the first public state is not unique")
        return children[0].child

    def at(self, moves: Iterable[str]) -> PublicState:
        """The public state reached from the root by transitions with these labels."""
        state = self.root
        for word in moves:
            found = {t.label: t.child for t in state.expansion.transitions}
            if word not in found:
                raise GameError(f"{word!r} is not possible here; possible: {', '.join(found)}")
            state = found[word]
        return state

    def expand(self, state: PublicState) -> Expansion:
        """Play every action of every cell and sort the results by what the public sees."""
        if state.mover == TERMINAL:
            return Expansion((), (), np.ones((0, 0), dtype=bool), ())
        mover = state.mover
        names: dict[int, str] = {}
        pieces: list[_Piece] = []
        known: dict[int, Sequence[int]] = {}
        for cell, world, share in state.worlds():
            actions = checked_actions(world, self._place)
            before = known.setdefault(cell[mover], actions) if mover != CHANCE else actions
            if before is not actions and set(before) != set(actions):
                raise GameError(
                    f"{self.game.name}: at public state {world.public()!r} a player who knows "
                    f"{world.private(mover)!r} cannot tell which actions are legal; make what "
                    "decides it part of private()"
                )
            chances = (
                checked_chance(world, actions, self._place)
                if mover == CHANCE
                else (1.0,) * len(actions)
            )
            weight = state.weights[cell] * share
            for action, chance in zip(actions, chances, strict=True):
                if chance == 0.0:
                    continue
                if action not in names:
                    names[action] = checked_label(world, action, self._place)
                pieces.append(_Piece(cell, world.child(action), weight * chance, action))
        if len(set(names.values())) < len(names):
            for _, world, _ in state.worlds():
                check_labels_differ(world, world.actions(), self._place)
        order = sorted(names)
        legal = np.ones((0, 0), dtype=bool)
        if mover != CHANCE:
            count = state.counts[mover]
            legal = np.zeros((len(order), count), dtype=bool)
            slot = {action: number for number, action in enumerate(order)}
            for number, piece in enumerate(pieces):
                infostate, action = piece.sources[mover], slot[piece.action]
                legal[action, infostate] = True
                moved = action * count + infostate
                sources = (moved, piece.sources[1]) if mover == 0 else (piece.sources[0], moved)
                pieces[number] = piece._replace(sources=sources)
        return Expansion(
            tuple(order),
            tuple(names[action] for action in order),
            legal,
            tuple(self._children(pieces, names, state.sample.public())),
        )

    def _place(self, state: State) -> str:
        return f"{self.game.name}: at public state {state.public()!r}"

    def _children(
        self, pieces: list[_Piece], names: dict[int, str], above: Hashable
    ) -> list[Transition]:
        """Sort `pieces` by what the public sees; `above` is the public state they come from."""
        groups: dict[Hashable, list[_Piece]] = {}
        made: list[Transition] = []
        used: dict[str, int] = {}
        group = pieces
        try:
            for piece in pieces:
                groups.setdefault(piece.world.public(), []).append(piece)
            for group in sorted(groups.values(), key=lambda group: min(p.action for p in group)):
                label = "|".join(names[action] for action in sorted({p.action for p in group}))
                used[label] = used.get(label, 0) + 1
                if used[label] > 1:
                    label = f"{label}#{used[label]}"
                group = self._settle(group)
                made.append(self._child(group, label, above))
        except TypeError:
            check_hashable((piece.world for piece in group), self.game.name)
            raise
        return made

    def _settle(self, group: list[_Piece]) -> list[_Piece]:
        """Play chance events of which the public sees nothing."""
        while group[0].world.player == CHANCE:
            played: list[_Piece] = []
            seen: set[Hashable] = set()
            for piece in group:
                world = piece.world
                if world.player != CHANCE:
                    return group
                actions = checked_actions(world, self._place)
                chances = checked_chance(world, actions, self._place)
                for action, chance in zip(actions, chances, strict=True):
                    if chance == 0.0:
                        continue
                    child = world.child(action)
                    seen.add(child.public())
                    if len(seen) > 1:
                        return group
                    played.append(piece._replace(world=child, weight=piece.weight * chance))
            group = played
        return group

    def _child(self, group: list[_Piece], label: str, above: Hashable) -> Transition:
        """Number the infostates of one child, merge its cells and check that the merge is exact."""
        self.cells += len(group)
        if self.cells > self.max_cells:
            raise GameTooLargeError(
                f"{self.game.name} has more than {self.max_cells:,} pairs of infostates to visit; "
                "solve a smaller game"
            )
        first: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        keyed: list[tuple[Hashable, Hashable, _Piece]] = []
        for piece in group:
            keys = piece.world.private(0), piece.world.private(1)
            for source, private, seen in zip(piece.sources, keys, first, strict=True):
                if source < seen.get(private, source + 1):
                    seen[private] = source
            keyed.append((*keys, piece))
        key = group[0].world.subgame_key()
        known = self._known.get(key)
        if known is None:
            privates = (
                tuple(sorted(first[0], key=first[0].__getitem__)),
                tuple(sorted(first[1], key=first[1].__getitem__)),
            )
        else:
            privates = known.privates
            if any(set(privates[p]) != set(first[p]) for p in (0, 1)):
                raise GameError(
                    f"{self.game.name}: public states with the subgame key {key!r} differ in their "
                    "infostates; make subgame_key() tell them apart"
                )
        index = tuple({name: number for number, name in enumerate(privates[p])} for p in (0, 1))
        flows: dict[FlowKey, Flow] = {}
        for name0, name1, piece in keyed:
            worlds = flows.setdefault((*piece.sources, index[0][name0], index[1][name1]), {})
            worlds[piece.world] = worlds.get(piece.world, 0.0) + piece.weight
        pairs = (
            sorted({(i, to_i) for i, _, to_i, _ in flows}),
            sorted({(j, to_j) for _, j, _, to_j in flows}),
        )
        cells = merge_flows(flows, pairs, f"{self.game.name}: after {label!r}")
        masses = {cell: sum(worlds.values()) for cell, worlds in sorted(cells.items())}
        total = sum(masses.values())
        weights = {cell: mass / total for cell, mass in masses.items()}
        if known is None:
            shares = {
                cell: tuple((w, weight / mass) for w, weight in cells[cell].items())
                for cell, mass in masses.items()
            }
            known = self._known[key] = PublicState(self, key, privates, shares, weights, above)
            self._check_mover(known)
        elif known.weights.keys() != weights.keys() or any(
            abs(known.weights[cell] - weight) > WEIGHT_TOLERANCE * weight
            for cell, weight in weights.items()
        ):
            raise GameError(
                f"{self.game.name}: public states with the subgame key {key!r} differ in their "
                "chance weights; make subgame_key() tell them apart"
            )
        else:
            self._check_shared(known, cells, above)
        columns = [np.array(pairs[p], dtype=np.int32).reshape(-1, 2) for p in (0, 1)]
        return Transition(
            known,
            label,
            total,
            (columns[0][:, 0].copy(), columns[1][:, 0].copy()),
            (columns[0][:, 1].copy(), columns[1][:, 1].copy()),
        )

    def _check_mover(self, state: PublicState) -> None:
        checked_mover(state.sample, self._place)
        if any(world.player != state.mover for _, world, _ in state.worlds()):
            raise GameError(
                f"{self.game.name}: public state {state.sample.public()!r} does not tell who "
                "moves; make the mover part of public()"
            )

    def _check_shared(
        self, known: PublicState, cells: dict[tuple[int, int], Flow], above: Hashable
    ) -> None:
        """Refuse to fold a public state into `known` where the game is seen to differ."""
        cell, worlds = next(iter(cells.items()))
        world, twin = next(iter(worlds)), known.cells[cell][0][0]
        if twin.public() == world.public() and known.above != above:
            raise GameError(
                f"{self._place(world)} the public state before it is not known; public() must "
                "determine all that the public saw before"
            )
        same = world.player == known.mover and set(world.actions()) == set(twin.actions())
        if same and known.mover == TERMINAL:
            some = islice(cells.items(), 0, None, 1 + len(cells) // COMPARED_CELLS)
            same = not any(differ_in_payoff(flow, dict(known.cells[cell])) for cell, flow in some)
        if not same:
            raise GameError(
                f"{self.game.name}: public states with the subgame key {known.key!r} differ in "
                "their moves or payoffs; make subgame_key() tell them apart"
            )
