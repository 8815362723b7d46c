"""How a game's public belief states become rows of numbers for a network.

A row is: whose values are asked (unless the network answers for both), who acts, the public
features, and both players' beliefs. In a game that is the same for both seats (`symmetric`) the
acting player always comes first, so the network sees each situation once instead of twice.

What the features and the private columns are, the game says (`Game.encoder`). For a game that does
not, they are derived. Where all public states can be listed, each has a feature of its own and each
private key a column. In larger games the features are hashed: every part of the nested `public()`,
with its place in it, adds to one of `HASHED` features. Private keys are then those that the first
public state and random playouts meet; keys that are met later share `SPARE` columns by hash.
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError, State
from tacit.games.encoder import GameEncoder, stable_bytes
from tacit.tree import PLAYERS, Builder, PublicState
from tacit.tree.worlds import sample_world, worlds_of

MAX_STATES = 4096
"""How many public states are listed at most, so that each has a feature of its own."""
MAX_CELLS = 50_000
"""How many pairs of infostates the listed public states may have together."""
MAX_PAIRS = 4096
"""How many numbers a network may answer with."""
HASHED = 256
"""How many features the public states of a larger game have."""
SPARE = 8
"""How many columns are shared by private keys, or actions, that no playout has met."""
PLAYOUTS = 200
"""How many random playouts look for private keys, actions and payoffs in a larger game."""


class Columns:
    """A number for each key; keys that are not known share `spare` numbers behind the others."""

    def __init__(self, keys: Iterable[Hashable], spare: int) -> None:
        self.index = {key: number for number, key in enumerate(keys)}
        self.spare = spare

    def __len__(self) -> int:
        return len(self.index) + self.spare

    def place(self, keys: Iterable[Hashable]) -> NDArray[np.int32]:
        """[n] the numbers of distinct keys; of two that hash alike, one takes the next number."""
        taken: set[int] = set()
        found = []
        for key in keys:
            number = self.index.get(key)
            if number is None:
                if len(taken) >= self.spare:
                    raise GameError(
                        f"{key!r} has no column in the network's rows: no playout met it; let the "
                        "game's encoder() list its private keys and actions"
                    )
                step = zlib.crc32(stable_bytes(key)) % self.spare
                while step in taken:
                    step = (step + 1) % self.spare
                taken.add(step)
                number = len(self.index) + step
            found.append(number)
        return np.array(found, dtype=np.int32)


class Encoding:
    """The columns of one game's rows.

    With `joint` one answer is for both players; with `pairs` it is for pairs of infostates.
    A row: [agent?] + acting + public features + beliefs of the first + beliefs of the second.
    """

    def __init__(self, builder: Builder, *, joint: bool, pairs: bool = False) -> None:
        self.builder = builder
        self.joint = joint or pairs
        self.pairs = pairs
        self.encoder = builder.game.encoder() or self._derived()
        self.symmetric = self.encoder.symmetric
        self.public_features = len(self.encoder.features(sample_world(builder.root)))
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

    @cached_property
    def states(self) -> list[PublicState] | None:
        """Every public state that is not the end, once for each subgame key; None: too many."""
        found: dict[Hashable, PublicState] = {}
        stack, cells = [self.builder.root], 0
        while stack:
            state = stack.pop()
            if state.key in found or state.mover == TERMINAL:
                continue
            found[state.key] = state
            cells += state.counts[0] * state.counts[1]
            if len(found) > MAX_STATES or cells > MAX_CELLS:
                return None
            stack += [transition.child for transition in state.expansion.transitions]
        return list(found.values())

    @cached_property
    def largest_payoff(self) -> float:
        """The most that can be won, as far as it is known."""
        told = self.encoder.largest_payoff()
        if told is not None:
            return told
        ends = (world for state in self._met for world in _last_worlds(state))
        return max((abs(world.payoff()) for world in ends), default=0.0) or 1.0

    @cached_property
    def actions(self) -> Columns:
        """A number for each action of the game."""
        told = self.encoder.actions()
        if told is not None:
            return Columns(told, 0)
        met = {action for state in self._met for action in state.expansion.actions}
        return Columns(sorted(met), 0 if self.states is not None else SPARE)

    @cached_property
    def _met(self) -> list[PublicState]:
        """The public states from which columns are taken: all of them, or those of playouts."""
        if self.states is not None:
            return self.states
        random = np.random.default_rng(0)
        met: dict[Hashable, PublicState] = {}
        for _ in range(PLAYOUTS):
            state = self.builder.root
            while state.mover != TERMINAL:
                met[state.key] = state
                transitions = state.expansion.transitions
                state = transitions[int(random.integers(len(transitions)))].child
        return list(met.values())

    def _derived(self) -> GameEncoder:
        if self.states is None:
            return HashedEncoder()
        return ListedEncoder([state.key for state in self.states])

    def _private_columns(self, player: int) -> Columns:
        told = self.encoder.private_keys(player)
        if told is not None:
            return Columns(told, 0)
        keys: dict[Hashable, None] = {}
        for state in self._met:
            keys.update(dict.fromkeys(self._keys(state, player)))
        return Columns(keys, 0 if self.states is not None else SPARE)

    def _keys(self, state: PublicState, player: int) -> list[Hashable]:
        """[K] the column's key of each infostate of `player`."""
        if type(self.encoder).private_key is GameEncoder.private_key:
            return list(state.privates[player])
        worlds = {cell[player]: world for cell, world, _ in worlds_of(state)}
        return [
            self.encoder.private_key(worlds[number], player)
            for number in range(state.counts[player])
        ]

    def units(self, rows: Any) -> Any:
        """What a network's answers to rows [n, inputs] are multiplied with: [n, 1] or a number.

        The largest payoff; in poker what a player has at stake, so that values in small pots are
        as precise as in large ones.
        """
        if not self.encoder.staked:
            return self.largest_payoff
        return rows[:, self.stake_column, None] * self.largest_payoff

    def weights(self, rows: Any) -> Any:
        """How much each answer matters to the loss: [n, outputs], or 1 for all alike.

        A pair of infostates matters as much as either is believed in: what neither is does not.
        """
        if not self.pairs:
            return 1.0
        beliefs = rows[:, self.first_belief :].reshape(len(rows), 2, self.width)
        either = beliefs[:, 0, :, None] + beliefs[:, 1, None, :]
        return either.reshape(len(rows), -1) * (self.width / 2)

    def describe(self, state: PublicState, player: int) -> NDArray[np.float32]:
        """[first_belief] everything of the row but the beliefs."""
        acting = 0 if self.symmetric else state.mover % 2
        agent = [] if self.joint else [float(player == self._first(state))]
        features = self.encoder.features(sample_world(state))
        return np.concatenate([agent, [acting], features]).astype(np.float32)

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] where the beliefs in the infostates of `player` stand in a row."""
        behind = 0 if player == self._first(state) else self.width
        return self.first_belief + behind + self.places(state, player)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] where the values of the infostates of `player` stand in an answer."""
        behind = 0 if player == self._first(state) or not self.joint else self.width
        return behind + self.places(state, player)

    def pair_columns(self, state: PublicState) -> NDArray[np.int32]:
        """[K0, K1] where the payoffs of pairs stand in an answer, the first player's in rows."""
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
        """[K] the column of each infostate of `player` among those that `player` can have."""
        return self.privates[player].place(self._keys(state, player))


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
    """Every part of `public()`, hashed with its place in it: a sign at one of `HASHED` features.

    A part is looked at from the front and from the back, so that the latest moves of a history
    have features of their own, whatever came before.
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
    """The parts of a nested key, each with its place."""
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


def _last_worlds(state: PublicState) -> Iterator[State]:
    """The world states in which the game ends with the next move."""
    for transition in state.expansion.transitions:
        if transition.child.mover == TERMINAL:
            yield from (world for _, world, _ in worlds_of(transition.child))
