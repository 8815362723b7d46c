"""Public states derived from a game's rules: infostates, transitions and chance weights.

A public state holds the *cells* of its world states: the pairs (infostate of player 0, infostate of
player 1) that can occur together, each with its chance weight and its world states (more than one
only after a chance event that neither player has seen). The weights form the **compatibility
operator** `C[i, j]`, normalised to sum to one: the probability of the pair by chance alone. Private
deals are part of the public state before them: there is no public state for a chance event that the
public does not see.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.games.contract import (
    check_hashable,
    checked_actions,
    checked_chance,
    checked_labels,
    checked_mover,
    checked_payoff,
)
from tacit.tree.merges import WEIGHT_TOLERANCE, Flow, FlowKey, differ_in_payoff, merge_flows
from tacit.tree.public_state import (
    NO_MOVES,
    NOTHING_LEGAL,
    Array,
    Expansion,
    GameTooLargeError,
    Transition,
)

COMPARED_CELLS = 8
"""How many cells are compared by payoff where two ends of the game share a subgame key."""
MAX_CELLS = 20_000_000
"""The most pairs of infostates that the children of one public state may have."""
REMEMBERED_CELLS = 500_000
"""The most pairs of infostates, in total, of the expansions that are cached without a tree."""

Worlds = tuple[tuple[State, float], ...]
"""The world states of a cell, each with its share of the cell's weight."""


class DerivedState:
    """A public state; `privates[p]` [K_p] are the infostates' private keys, in index order."""

    def __init__(
        self,
        space: DerivedStates,
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
        """The public observation before it."""
        self.sample = next(iter(cells.values()))[0][0]
        """One of its world states, for properties that all of them share."""
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
        """If C has rank one: u [K0] and v [K1] with C[i, j] = u[i] * v[j]; else None."""
        first, second = self.compatibility.sum(axis=1), self.compatibility.sum(axis=0)
        apart = np.allclose(self.compatibility, np.outer(first, second), rtol=1e-9, atol=0)
        return (first, second) if apart else None

    def compatible_reach(self, player: int, opponent_reach: Array) -> Array:
        """[.., K] for each infostate of `player`, the opponent's reach [.., K'] that chance allows.

        Values are counterfactual with respect to the same chance weights.
        """
        chance = self.compatibility.T if player == 0 else self.compatibility
        weighed: Array = opponent_reach @ chance
        return weighed

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """Terminal operator [K0, K1]: chance weight times player 0's payoff."""
        matrix = np.zeros(self.counts)
        for cell, worlds in self.cells.items():
            paid = (share * checked_payoff(world, self.space.describe) for world, share in worlds)
            matrix[cell] = self.weights[cell] * sum(paid)
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def unit_payoffs(self) -> tuple[NDArray[np.float64], float, bytes]:
        """`payoffs` divided by its largest entry, that entry, and the bytes of the first."""
        flat = self.payoffs.ravel()
        scale = float(flat[int(np.argmax(np.abs(flat)))])
        unit = self.payoffs / scale if scale != 0.0 else np.zeros_like(self.payoffs)
        return unit, scale, (np.round(unit, 12) + 0.0).tobytes()  # no -0.0

    def payoff_bounds(self) -> tuple[float, float]:
        """At the end of the game: player 0's smallest and largest payoff."""
        chance = self.compatibility
        paid = self.payoffs[chance > 0] / chance[chance > 0]
        return float(paid.min()), float(paid.max())

    def expand(self, actions: frozenset[str] | None = None) -> Expansion:
        """The moves with these labels (None: all of them) and the children that they lead to."""
        return self.space.expand(self, actions)

    @property
    def expansion(self) -> Expansion:
        """All moves and children."""
        return self.space.expand(self)

    def worlds(self) -> Iterator[tuple[tuple[int, int], State, float]]:
        """Every world state with its cell and its share of the cell's weight."""
        for cell, worlds in self.cells.items():
            for world, share in worlds:
                yield cell, world, share

    def names(self, player: int) -> list[str]:
        """[K] a readable name of each infostate of `player`: ``J``, ``heads``, ``1,6``.

        It is the part in which the player's views of the infostates differ; empty if there is only
        one infostate.
        """
        worlds: dict[int, State] = {}
        for cell, world, _ in self.worlds():
            worlds.setdefault(cell[player], world)
        words = [_WORD.findall(worlds[index].render(player)) for index in range(len(worlds))]
        if len({len(line) for line in words}) == 1:
            columns = [column for column in zip(*words, strict=True) if len(set(column)) > 1]
            names = [" ".join(line) for line in zip(*columns, strict=True)] or [""] * len(words)
        else:
            names = [" ".join(line) for line in words]
        names = [name.rstrip(".,") for name in names]
        if len(set(names)) == len(names):
            return names
        return [f"{name} #{number}".strip() for number, name in enumerate(names, start=1)]

    def action_size(self, action: int) -> float | None:
        """The size of a bet as a fraction of the pot; None for other actions."""
        return self.sample.action_size(action)


_WORD = re.compile(r"[^\s\[\]():;]+")


class _Piece(NamedTuple):
    """One world state of a child: its sources, and its chance weight."""

    sources: tuple[int, int]
    world: State
    weight: float
    action: int


class DerivedStates:
    """The public states of one game, made once for each `subgame_key` while they are in use.

    Expansions belong to the trees that hold them. The latest are also cached here, so that
    successive searches do not derive the same moves again.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._known: WeakValueDictionary[Hashable, DerivedState] = WeakValueDictionary()
        self._remembered: OrderedDict[_ExpansionKey, tuple[Expansion, int]] = OrderedDict()
        self._cells = 0

    @cached_property
    def root(self) -> DerivedState:
        """The first public state, after the private deal."""
        start = _Piece((0, 0), self.game.initial(), 1.0, 0)
        children = self._children([start], {0: "start"}, None)
        if len(children) != 1:
            raise GameError(f"{self.game.name}: the first public state is not unique")
        child = children[0].child
        assert isinstance(child, DerivedState)
        return child

    def expand(self, state: DerivedState, keep: frozenset[str] | None = None) -> Expansion:
        """The moves of a public state with these labels, and its children."""
        if state.mover == TERMINAL:
            return NO_MOVES
        key = state.key, keep
        known = self._remembered.get(key)
        if known is not None:
            self._remembered.move_to_end(key)
            return known[0]
        expansion = self._derive(state, keep)
        cells = sum(t.child.counts[0] * t.child.counts[1] for t in expansion.transitions)
        self._remembered[key] = expansion, cells
        self._cells += cells
        while self._cells > REMEMBERED_CELLS and len(self._remembered) > 1:
            self._cells -= self._remembered.popitem(last=False)[1][1]
        return expansion

    def _derive(self, state: DerivedState, keep: frozenset[str] | None) -> Expansion:
        """Play every action of every cell and group the results by public observation."""
        mover = state.mover
        names: dict[int, str] = {}
        pieces: list[_Piece] = []
        known: dict[int, Sequence[int]] = {}
        for cell, world, share in state.worlds():
            actions = checked_actions(world, self.describe)
            before = known.setdefault(cell[mover], actions) if mover != CHANCE else actions
            if before is not actions and set(before) != set(actions):
                raise GameError(
                    f"{self.describe(world)} a player who knows {world.private(mover)!r} cannot "
                    "tell which actions are legal; make what decides it part of private()"
                )
            chances: Sequence[float] = (1.0,) * len(actions)
            if mover == CHANCE:
                chances = checked_chance(world, actions, self.describe)
            weight = state.weights[cell] * share
            for action, chance in zip(actions, chances, strict=True):
                if chance == 0.0:
                    continue
                if action not in names:
                    [names[action]] = checked_labels(world, [action], self.describe)
                if keep is None or mover == CHANCE or names[action] in keep:
                    pieces.append(_Piece(cell, world.child(action), weight * chance, action))
        if len(set(names.values())) < len(names):
            for _, world, _ in state.worlds():
                checked_labels(world, world.actions(), self.describe)
        order = sorted({piece.action for piece in pieces})
        legal = NOTHING_LEGAL
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
            if not legal.any(axis=0).all():
                raise GameError(
                    f"{self.game.name}: after {state.key!r} an infostate is left without an action"
                )
        children = self._children(pieces, names, state.sample.public())
        return Expansion(state, order, [names[action] for action in order], legal, children)

    def describe(self, state: State) -> str:
        """The start of a message about the public state of a world state."""
        return f"{self.game.name}: at public state {state.public()!r}"

    def _children(
        self, pieces: list[_Piece], names: dict[int, str], above: Hashable
    ) -> list[Transition]:
        """Group `pieces` by public observation; `above` is the public state they come from."""
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
        """Play chance events that the public does not see."""
        while group[0].world.player == CHANCE:
            played: list[_Piece] = []
            seen: set[Hashable] = set()
            for piece in group:
                world = piece.world
                if world.player != CHANCE:
                    return group
                actions = checked_actions(world, self.describe)
                chances = checked_chance(world, actions, self.describe)
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
        if len(group) > MAX_CELLS:
            raise GameTooLargeError(
                f"{self.game.name} has a public state with {len(group):,} pairs of infostates, "
                f"more than {MAX_CELLS:,}; solve a smaller game"
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
            one, two = (tuple(sorted(seen, key=seen.__getitem__)) for seen in first)
            privates = one, two
        else:
            privates = known.privates
            if any(set(privates[p]) != set(first[p]) for p in (0, 1)):
                raise self._different(key, "infostates")
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
            known = self._known[key] = DerivedState(self, key, privates, shares, weights, above)
            checked_mover(known.sample, self.describe)
            if any(world.player != known.mover for _, world, _ in known.worlds()):
                raise GameError(
                    f"{self.game.name}: public state {known.sample.public()!r} does not tell who "
                    "moves; make the mover part of public()"
                )
        elif known.weights.keys() != weights.keys() or any(
            abs(known.weights[cell] - weight) > WEIGHT_TOLERANCE * weight
            for cell, weight in weights.items()
        ):
            raise self._different(key, "chance weights")
        else:
            self._check_shared(known, cells, above)
        first_map, second_map = (np.array(pairs[p], dtype=np.int32).T.copy() for p in (0, 1))
        sources, targets = zip(first_map, second_map, strict=True)
        return Transition(known, label, total, sources, targets)

    def _check_shared(
        self, known: DerivedState, cells: dict[tuple[int, int], Flow], above: Hashable
    ) -> None:
        """Refuse to fold a public state into `known` if the game is known to differ."""
        cell, worlds = next(iter(cells.items()))
        world, twin = next(iter(worlds)), known.cells[cell][0][0]
        if twin.public() == world.public() and known.above != above:
            raise GameError(
                f"{self.describe(world)} the public state before it is not known; public() must "
                "determine all earlier public observations"
            )
        same = world.player == known.mover and set(world.actions()) == set(twin.actions())
        if same and known.mover == TERMINAL:
            some = islice(cells.items(), 0, None, 1 + len(cells) // COMPARED_CELLS)
            same = not any(differ_in_payoff(flow, dict(known.cells[cell])) for cell, flow in some)
        if not same:
            raise self._different(known.key, "moves or payoffs")

    def _different(self, key: Hashable, what: str) -> GameError:
        return GameError(
            f"{self.game.name}: public states with the subgame key {key!r} differ in their {what}; "
            "make subgame_key() differ between them"
        )


_ExpansionKey = tuple[Hashable, frozenset[str] | None]
