"""How each game's public belief states become rows of numbers for a network.

A row is: whose values are asked (unless the network answers for both), who acts, the public
features, and both players' beliefs. In a game that is the same for both seats (`symmetric`) the
acting player always comes first, so the network sees each situation once instead of twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.games.leduc import LeducState
from tacit.games.liars_dice import LiarsDice, LiarsDiceState
from tacit.tree import Builder, PublicState

Features = Callable[[State], NDArray[np.float32]]
MAX_TABLE = 4096
"""How many public states a game without an encoding of its own may have."""
MAX_PAIRS = 4096
"""How many numbers a network may answer with."""


class Encoding:
    """The columns of one game's rows.

    `states` are the game's public states, one for each subgame key, and `number` finds them again;
    `privates[p]` lists every private key that player p can have, in the order of belief columns.
    With `joint` one answer is for both players; with `pairs` it is for pairs of infostates.
    A row: [agent?] + acting + public features + beliefs of the first + beliefs of the second.
    """

    def __init__(self, builder: Builder, *, joint: bool, pairs: bool = False) -> None:
        self.builder = builder
        self.joint = joint or pairs
        self.pairs = pairs
        self.states = _public_states(builder)
        self.number = {state.key: number for number, state in enumerate(self.states)}
        self.symmetric = isinstance(builder.game, LiarsDice)
        self._features, self.public_features = _features_of(builder.game, self.states)
        self.privates = _privates(self.states)
        self._index = tuple({key: i for i, key in enumerate(keys)} for keys in self.privates)
        self.width = max(len(keys) for keys in self.privates)
        self.first_belief = (0 if self.joint else 1) + 1 + self.public_features
        self.inputs = self.first_belief + 2 * self.width
        self.outputs = self.width**2 if pairs else 2 * self.width if joint else self.width
        if self.outputs > MAX_PAIRS:
            raise GameError(
                f"{builder.game.name} has {self.outputs} pairs of infostates, too many for a "
                "network that answers for each; train with pairs=false"
            )
        self.largest_payoff = _largest_payoff(self.states)
        staked = isinstance(self.states[0].sample, LeducState)
        self.stake_column = self.first_belief - self.public_features if staked else None

    def units(self, rows: Any) -> Any:
        """What a network's answers to rows [n, inputs] are multiplied with: [n, 1] or a number.

        The largest payoff; in poker what a player has at stake, so that values in small pots are
        as precise as in large ones.
        """
        if self.stake_column is None:
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
        return np.concatenate([agent, [acting], self._features(state.sample)]).astype(np.float32)

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
        """[K] the number of each infostate's private key among those that `player` can have."""
        index = self._index[player]
        return np.array([index[key] for key in state.privates[player]], dtype=np.int32)


def _public_states(builder: Builder) -> list[PublicState]:
    """Every public state that is not the end, once for each subgame key, parents first."""
    found: dict[int, PublicState] = {}
    stack = [builder.root]
    while stack:
        state = stack.pop()
        if id(state) in found or state.mover == TERMINAL:
            continue
        found[id(state)] = state
        stack += [transition.child for transition in state.expansion.transitions]
    return list(found.values())


def _largest_payoff(states: list[PublicState]) -> float:
    ends = (t.child for s in states for t in s.expansion.transitions)
    return max(
        abs(world.payoff()) for end in ends if end.mover == TERMINAL for _, world, _ in end.worlds()
    )


def _privates(states: list[PublicState]) -> tuple[list[Hashable], list[Hashable]]:
    keys: tuple[dict[Hashable, None], dict[Hashable, None]] = ({}, {})
    for state in states:
        for player in (0, 1):
            keys[player].update(dict.fromkeys(state.privates[player]))
    return list(keys[0]), list(keys[1])


def _features_of(game: Game, states: list[PublicState]) -> tuple[Features, int]:
    """The public features of a game, and how many there are."""
    if isinstance(game, LiarsDice):
        return _liars_dice, game.rules.liar + 1
    if isinstance(states[0].sample, LeducState):
        return _leduc, len(_leduc(states[0].sample))
    if len(states) > MAX_TABLE:
        raise GameError(f"{game.name} has no encoding; write one in tacit/learn/encoding.py")
    place = {state.sample.subgame_key(): number for number, state in enumerate(states)}

    def one_hot(state: State) -> NDArray[np.float32]:
        row = np.zeros(len(states), dtype=np.float32)
        row[place[state.subgame_key()]] = 1
        return row

    return one_hot, len(states)


def _liars_dice(state: State) -> NDArray[np.float32]:
    """The last bid, one-hot; the first entry means that there is none."""
    assert isinstance(state, LiarsDiceState)
    row = np.zeros(state.rules.liar + 1, dtype=np.float32)
    row[state.history.bit_length()] = 1
    return row


def _leduc(state: State) -> NDArray[np.float32]:
    """Stake, board (none, J, Q, K), chips of both, raises this round, first to act, chance to move.

    The stake, the most chips that a player has put in, comes first; chips are in units of 13.
    """
    assert isinstance(state, LeducState)
    board = np.zeros(4, dtype=np.float32)
    board[0 if state.board is None else 1 + state.board] = 1
    opening = not state.betting or state.betting.endswith("/")
    rest: list[Any] = [c / 13 for c in state.committed]
    rest += [state.raises / 2, opening, state.player == CHANCE]
    stake = max(state.committed) / 13
    return np.concatenate([[stake], board, rest]).astype(np.float32)
