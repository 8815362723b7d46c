"""Encodes public belief states as input rows of a network.

A row holds the player whose values are asked (unless the network answers for both), who acts, the
public features, and both players' beliefs. In a game that is the same for both seats (`symmetric`)
the acting player always comes first, so the network sees each situation once instead of twice.

The game defines its features and private columns (`Game.encoder`). If it does not, they are
derived. Where all public states can be listed, each has its own feature and each private key its
own column. In larger games the features are hashed: every part of the nested `public()`, with its
position in it, adds to one of `HASHED` features. The private keys are then those of the first
public state and of random playouts; other keys share `SPARE` columns by hash. Policy outputs are
derived in the same way from action keys, which are the labels of actions.
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError, State
from tacit.games.boards.board import BoardEncoder, SquareBoardEncoder
from tacit.games.encoder import GameEncoder, Symmetry, stable_bytes
from tacit.tree import PLAYERS, Builder, PublicState
from tacit.tree.playing import sample_world, worlds_of
from tacit.tree.public_state import Expansion

MAX_STATES = 4096
"""Largest number of public states that are listed, each with its own feature."""
MAX_CELLS = 50_000
"""Largest total number of pairs of infostates of the listed public states."""
MAX_PAIRS = 4096
"""Largest number of outputs of a network."""
HASHED = 256
"""Number of features of the public states of a larger game."""
SPARE = 8
"""Number of columns shared by private keys, or actions, that no playout has reached."""
PLAYOUTS = 200
"""Number of random playouts that collect private keys, actions and payoffs in a larger game."""


class Columns:
    """A number for each key; unknown keys share `spare` numbers after the others."""

    def __init__(self, keys: Iterable[Hashable], spare: int) -> None:
        self.index = {key: number for number, key in enumerate(keys)}
        self.spare = spare
        self._numbered = isinstance(keys, range) and keys == range(len(self.index))
        """Whether each key is its own number."""

    def __len__(self) -> int:
        return len(self.index) + self.spare

    def place(self, keys: Sequence[Hashable]) -> NDArray[np.int32]:
        """[n] the numbers of distinct keys; when two hashes collide, one takes the next number."""
        if self._numbered:
            return np.array(keys, dtype=np.int32)
        taken: set[int] = set()
        numbers = []
        for key in keys:
            number = self.index.get(key)
            if number is None:
                if len(taken) >= self.spare:
                    raise GameError(
                        f"{key!r} has no column in the network's rows: no playout met it; let the "
                        "game's encoder() list its private keys and action keys"
                    )
                step = zlib.crc32(stable_bytes(key)) % self.spare
                while step in taken:
                    step = (step + 1) % self.spare
                taken.add(step)
                number = len(self.index) + step
            numbers.append(number)
        return np.array(numbers, dtype=np.int32)


class Encoding:
    """The columns of one game's rows.

    joint: one answer holds both players' values; pairs: it holds values of pairs of infostates.
    A row: [agent?] + acting + public features + beliefs of the first + beliefs of the second.
    """

    def __init__(self, builder: Builder, *, joint: bool, pairs: bool = False) -> None:
        self.builder = builder
        self.joint = joint or pairs
        self.pairs = pairs
        self.encoder = builder.game.encoder() or self._derived()
        self.symmetric = self.encoder.symmetric
        self.feature_shape = self.encoder.features(sample_world(builder.root)).shape
        """Of the public features: (F,), or (planes, height, width)."""
        self.public_features = prod(self.feature_shape)
        self.privates = tuple(self._private_columns(player) for player in PLAYERS)
        self.width = max(len(columns) for columns in self.privates)
        self.first_belief = (0 if self.joint else 1) + 1 + self.public_features
        self.inputs = self.first_belief + 2 * self.width
        self.outputs = self.width**2 if pairs else 2 * self.width if joint else self.width
        if self.outputs > MAX_PAIRS:
            raise GameError(
                f"{builder.game.name} has {self.outputs} pairs of infostates, too many for a "
                "network that answers for each; train with pairs=false"
            )
        self.stake_column = 1 if self.joint else 2
        self._known: dict[tuple[object, ...], NDArray[np.int32]] = {}
        """Columns by player, offset and private keys: a growing tree asks for the same again."""

    @cached_property
    def states(self) -> list[PublicState] | None:
        """Every public state that is not terminal, once for each subgame key; None: too many."""
        states: dict[Hashable, PublicState] = {}
        stack, cells = [self.builder.root], 0
        while stack:
            state = stack.pop()
            if state.key in states or state.mover == TERMINAL:
                continue
            states[state.key] = state
            cells += state.counts[0] * state.counts[1]
            if len(states) > MAX_STATES or cells > MAX_CELLS:
                return None
            stack += [transition.child for transition in state.expansion.transitions]
        return list(states.values())

    @cached_property
    def largest_payoff(self) -> float:
        """The largest payoff, in larger games of those that playouts reached."""
        known = self.encoder.largest_payoff()
        if known is not None:
            return known
        children = (t.child for state in self._reached for t in state.expansion.transitions)
        ends = (worlds_of(child) for child in children if child.mover == TERMINAL)
        payoffs = (abs(world.payoff()) for worlds in ends for _, world, _ in worlds)
        return max(payoffs, default=0.0) or 1.0

    @cached_property
    def actions(self) -> Columns:
        """A policy output for each action key of the game."""
        known = self.encoder.action_keys()
        if known is not None:
            return Columns(known, 0)
        decisions = (state for state in self._reached if state.mover in PLAYERS)
        keys = {key for state in decisions for key in self._action_keys(state, state.expansion)}
        return Columns(sorted(keys, key=stable_bytes), 0 if self.states is not None else SPARE)

    def action_outputs(self, state: PublicState, expansion: Expansion) -> NDArray[np.int32]:
        """[A] the policy output of each action of an expansion of `state`."""
        return self.actions.place(self._action_keys(state, expansion))

    def _action_keys(self, state: PublicState, expansion: Expansion) -> Sequence[Hashable]:
        """[A] the key of each action."""
        if self._numbers_actions:
            return expansion.actions
        if type(self.encoder).action_key is GameEncoder.action_key:
            labels = expansion.labels
            if len(set(labels)) == len(labels):
                return labels
            pairs = zip(labels, expansion.actions, strict=True)
            return [label if labels.count(label) == 1 else (label, a) for label, a in pairs]
        world = sample_world(state)
        return [self.encoder.action_key(world, action) for action in expansion.actions]

    @cached_property
    def _numbers_actions(self) -> bool:
        """Whether actions are their own keys."""
        return type(self.encoder).action_key is BoardEncoder.action_key

    @property
    def cell_actions(self) -> bool:
        """Whether the first actions are the cells of the planes, in their order."""
        return isinstance(self.encoder, SquareBoardEncoder)

    @cached_property
    def symmetries(self) -> Sequence[Symmetry]:
        """The game's symmetries, the identity first."""
        known = self.encoder.symmetries()
        if known:
            return known
        features, outputs = (
            np.arange(count, dtype=np.int32) for count in (self.public_features, len(self.actions))
        )
        return (Symmetry(features, outputs),)

    @cached_property
    def _reached(self) -> list[PublicState]:
        """The public states from which columns are derived: all, or those of playouts."""
        if self.states is not None:
            return self.states
        random = np.random.default_rng(0)
        reached: dict[Hashable, PublicState] = {}
        for _ in range(PLAYOUTS):
            state = self.builder.root
            while state.mover != TERMINAL:
                reached[state.key] = state
                transitions = state.expansion.transitions
                state = transitions[int(random.integers(len(transitions)))].child
        return list(reached.values())

    def _derived(self) -> GameEncoder:
        if self.states is None:
            return HashedEncoder()
        return ListedEncoder([state.key for state in self.states])

    def _private_columns(self, player: int) -> Columns:
        known = self.encoder.private_keys(player)
        if known is not None:
            return Columns(known, 0)
        keys: dict[Hashable, None] = {}
        for state in self._reached:
            keys.update(dict.fromkeys(self._keys(state, player)))
        return Columns(keys, 0 if self.states is not None else SPARE)

    def _keys(self, state: PublicState, player: int) -> tuple[Hashable, ...]:
        """[K] the column key of each infostate of `player`."""
        if self._keeps_private_keys:
            return tuple(state.privates[player])
        worlds = {cell[player]: world for cell, world, _ in worlds_of(state)}
        return tuple(
            self.encoder.private_key(worlds[number], player)
            for number in range(state.counts[player])
        )

    @cached_property
    def _keeps_private_keys(self) -> bool:
        return type(self.encoder).private_key is GameEncoder.private_key

    def units(self, rows: Any) -> Any:
        """The factor of a network's answers to rows [n, inputs]: [n, 1] or a number.

        It is the largest payoff, or in poker the stake, so that values in small pots are as
        precise as in large ones.
        """
        if not self.encoder.staked:
            return self.largest_payoff
        return rows[:, self.stake_column, None] * self.largest_payoff

    def weights(self, rows: Any) -> Any:
        """The weight of each answer in the loss: [n, outputs], or 1 for all.

        A pair of infostates is weighted by the sum of both beliefs.
        """
        if not self.pairs:
            return 1.0
        beliefs = rows[:, self.first_belief :].reshape(len(rows), 2, self.width)
        either = beliefs[:, 0, :, None] + beliefs[:, 1, None, :]
        return either.reshape(len(rows), -1) * (self.width / 2)

    def describe(self, state: PublicState, player: int) -> NDArray[np.float32]:
        """[first_belief] the row without the beliefs; planes are flattened."""
        acting = 0 if self.symmetric else state.mover % 2
        agent = () if self.joint else (float(player == self._first(state)),)
        row = np.empty(self.first_belief, dtype=np.float32)
        row[: -self.public_features] = (*agent, acting)
        row[-self.public_features :] = self.encoder.features(sample_world(state)).ravel()
        return row

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the columns of a row with the beliefs about `player`."""
        behind = 0 if player == self._first(state) else self.width
        return self._columns(state, player, self.first_belief + behind)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the columns of an answer with the values of `player`."""
        behind = 0 if player == self._first(state) or not self.joint else self.width
        return self._columns(state, player, behind)

    def pair_columns(self, state: PublicState) -> NDArray[np.int32]:
        """[K0, K1] the columns of an answer with the payoffs of pairs."""
        rows, columns = self.places(state, 0)[:, None], self.places(state, 1)[None, :]
        return (
            rows * self.width + columns if self._first(state) == 0 else columns * self.width + rows
        )

    def pair_sign(self, state: PublicState) -> float:
        """1 where answers are payoffs to player 0, -1 where they are to player 1."""
        return 1.0 if self._first(state) == 0 else -1.0

    def _first(self, state: PublicState) -> int:
        return state.mover if self.symmetric and state.mover < CHANCE else 0

    def places(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the number of each infostate among the columns of `player`."""
        return self._columns(state, player, 0)

    def _columns(self, state: PublicState, player: int, offset: int) -> NDArray[np.int32]:
        """[K] the numbers of `player`'s infostates plus `offset`."""
        keys = self._keys(state, player)
        columns = self._known.get((player, offset, keys))
        if columns is None:
            columns = self.privates[player].place(keys) + np.int32(offset)
            columns.flags.writeable = False
            if len(self._known) >= MAX_STATES:
                self._known.clear()
            self._known[player, offset, keys] = columns
        return columns


class ListedEncoder(GameEncoder):
    """One feature for each public state, by its subgame key."""

    def __init__(self, keys: list[Hashable]) -> None:
        self.place = {key: number for number, key in enumerate(keys)}

    def features(self, world: State) -> NDArray[np.float32]:
        """One-hot."""
        row = np.zeros(len(self.place), dtype=np.float32)
        row[self.place[world.subgame_key()]] = 1
        return row


class HashedEncoder(GameEncoder):
    """Every part of `public()`, hashed with its position: a sign at one of `HASHED` features.

    Positions count from the front and from the back, so that the latest moves of a history have
    features that do not depend on its length.
    """

    def features(self, world: State) -> NDArray[np.float32]:
        """[HASHED] sums of signs, scaled to length one."""
        row = np.zeros(HASHED, dtype=np.float32)
        for part in _tokens(world.public(), ()):
            number = zlib.crc32(part)
            row[(number >> 1) % HASHED] += 1 if number & 1 else -1
        length = float(np.linalg.norm(row))
        return row / np.float32(length) if length > 0 else row


def _tokens(key: Hashable, where: tuple[Hashable, ...]) -> Iterator[bytes]:
    """The parts of a nested key, each with its position."""
    if isinstance(key, str) and len(key) > 1:
        key = tuple(key)
    if isinstance(key, tuple):
        for number, part in enumerate(key):
            yield from _tokens(part, (*where, number))
            yield from _tokens(part, (*where, number - len(key)))
    elif isinstance(key, frozenset):
        for part in key:
            yield stable_bytes((*where, "in", part))
    else:
        yield stable_bytes((*where, key))
