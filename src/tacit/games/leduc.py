"""Leduc poker: six cards, two betting rounds, one board card (Southey et al. 2005).

With several raise sizes it is the smallest game with off-tree bets.

The deck is J, Q, K in two suits, but suits decide nothing. So cards here are ranks, dealt with the
probabilities of the six cards. Values and policies are the same: infostates that differ only in
suit have the same moves and face the same opponents. Each player has 3 infostates instead of 6, and
there are 3 boards instead of 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.games.encoder import GameEncoder
from tacit.games.game import CHANCE, TERMINAL, Game, GameError, State

RANKS = "JQK"
SUITS = 2
ANTE = 1
RAISES = (2, 4)
"""The size of a raise in each round."""
MAX_RAISES = 2
MOST_SIZES = 9
FOLD, CALL, RAISE = range(3)

DEALS = tuple((first, second) for first in range(3) for second in range(3))
DEAL_CHANCE = tuple((SUITS - (first == second)) / 15 for first, second in DEALS)


@dataclass(frozen=True, slots=True)
class LeducState(State):
    """A world state.

    `cards` are the players' ranks (none before the deal) and `board` the rank of the board card.
    `betting` writes folds, calls (a check is a call of nothing) and raises as `f`, `c` and `r`,
    with a `/` after the first round. The other fields follow from it: the chips that each player
    has `committed`, the `raises` in this round, and the `mover`. Where raises have `sizes`, action
    `RAISE + i` raises by `sizes[i]` times Leduc's raise, and `betting` writes the digit i + 1.
    """

    cards: tuple[int, ...] = ()
    board: int | None = None
    betting: str = ""
    committed: tuple[int, int] = (ANTE, ANTE)
    raises: int = 0
    mover: int = CHANCE
    sizes: tuple[int, ...] = ()

    @property
    def player(self) -> int:
        return self.mover

    def actions(self) -> tuple[int, ...]:
        if self.mover == TERMINAL:
            return ()
        if not self.cards:
            return tuple(range(len(DEALS)))
        if self.mover == CHANCE:
            return tuple(rank for rank in range(3) if self.cards.count(rank) < SUITS)
        fold = (FOLD,) if self.committed[0] != self.committed[1] else ()
        raises = max(len(self.sizes), 1) if self.raises < MAX_RAISES else 0
        return (*fold, CALL, *range(RAISE, RAISE + raises))

    def chance(self) -> tuple[float, ...]:
        if not self.cards:
            return DEAL_CHANCE
        left = 3 * SUITS - 2
        return tuple((SUITS - self.cards.count(rank)) / left for rank in self.actions())

    def child(self, action: int) -> LeducState:
        if not self.cards:
            return LeducState(DEALS[action], mover=0, sizes=self.sizes)
        if self.mover == CHANCE:
            betting = self.betting + "/"
            return LeducState(self.cards, action, betting, self.committed, 0, 0, self.sizes)
        sized = self.sizes and action >= RAISE
        betting = self.betting + (str(action - RAISE + 1) if sized else "fcr"[action])
        own, other = self.committed[self.mover], self.committed[1 - self.mover]
        raises, mover = self.raises, 1 - self.mover
        if action == FOLD:
            mover = TERMINAL
        elif action >= RAISE:
            own = other + self.amount(action)
            raises += 1
        else:
            own = other
            if self.betting and self.betting[-1] != "/":
                mover = CHANCE if self.board is None else TERMINAL
        committed = (own, other) if self.mover == 0 else (other, own)
        return LeducState(self.cards, self.board, betting, committed, raises, mover, self.sizes)

    def amount(self, action: int) -> int:
        """The chips of a raise, without the call."""
        return RAISES[self.board is not None] * (self.sizes or (1,))[action - RAISE]

    def action_size(self, action: int) -> float | None:
        if not self.sizes or self.mover == CHANCE or action < RAISE:
            return None
        return self.amount(action) / (2 * max(self.committed))

    def payoff(self) -> float:
        # Whoever folded has committed less; at a showdown both have committed the same.
        if self.committed[0] != self.committed[1]:
            first_wins = self.committed[0] > self.committed[1]
        elif self.cards[0] == self.cards[1]:
            return 0.0
        elif self.board in self.cards:
            first_wins = self.cards[0] == self.board
        else:
            first_wins = self.cards[0] > self.cards[1]
        stake = float(min(self.committed))
        return stake if first_wins else -stake

    def public(self) -> tuple[str, int | None] | None:
        return (self.betting, self.board) if self.cards else None

    def private(self, player: int) -> int | None:
        return self.cards[player] if self.cards else None

    def subgame_key(self) -> tuple[object, ...]:
        """The chips, the board and the mover; the betting that led to them does not matter."""
        return (bool(self.cards), self.board, self.committed, self.raises, self.mover)

    def label(self, action: int) -> str:
        if not self.cards:
            return "".join(RANKS[card] for card in DEALS[action])
        if self.mover == CHANCE:
            return RANKS[action]
        if self.sizes and action >= RAISE:
            return f"raise{self.amount(action)}"
        facing = self.committed[0] != self.committed[1]
        return ("fold", "call" if facing else "check", "raise")[action]

    def render(self, player: int | None = None) -> str:
        if not self.cards:
            return "The cards are not dealt yet."
        seen = [RANKS[c] if player in (None, p) else "?" for p, c in enumerate(self.cards)]
        board = "no board yet" if self.board is None else f"board {RANKS[self.board]}"
        first, second = self.committed
        return (
            f"Player 1 holds {seen[0]}, player 2 holds {seen[1]}, {board}. "
            f"In the pot: {first} and {second}. Betting: {self.betting or 'none'}."
        )


class Leduc(Game):
    """Each player antes 1 and gets a card; then a betting round, a board card, and another round.

    Player 1 is first in both rounds. A player checks or calls, raises (by 2 in the first round, by
    4 in the second, at most two raises a round), or, facing a raise, folds. At the showdown a pair
    with the board wins, else the higher card; equal cards split the pot.
    """

    name = "leduc"
    title = "Leduc poker"
    unit = "chips"

    def initial(self) -> LeducState:
        return LeducState()

    def encoder(self) -> GameEncoder:
        return LeducEncoder(13.0)


class LeducRaises(Leduc):
    """Leduc poker in which a raise has one of several sizes.

    The sizes are multiples of Leduc's raise, which is 2 chips in the first round and 4 in the
    second: in `leduc-raises-1-3` a player raises by 2 or 6, then by 4 or 12. A round has at most
    two raises of any size. A blueprint may have only some of the sizes.
    """

    def __init__(self, sizes: str) -> None:
        self.sizes = tuple(int(size) for size in sizes.split("-"))
        if list(self.sizes) != sorted(set(self.sizes)) or len(self.sizes) > MOST_SIZES:
            raise GameError(
                f"leduc-raises-{sizes}: write up to {MOST_SIZES} sizes, each once, the smallest "
                "first, such as leduc-raises-1-2-4"
            )
        self.name = f"leduc-raises-{sizes}"
        self.title = f"Leduc poker with raises of {', '.join(map(str, self.sizes))} units"

    def initial(self) -> LeducState:
        return LeducState(sizes=self.sizes)

    def encoder(self) -> GameEncoder:
        return LeducEncoder()


@dataclass(frozen=True)
class LeducEncoder(GameEncoder):
    """Stake, board (none, J, Q, K), chips of both, raises this round, first to act, chance to move.

    The stake is the larger number of chips that a player has committed. Chips are divided by 13.
    """

    payoff: float | None = None
    staked = True

    def features(self, world: State) -> NDArray[np.float32]:
        assert isinstance(world, LeducState)
        board = np.zeros(4, dtype=np.float32)
        board[0 if world.board is None else 1 + world.board] = 1
        opening = not world.betting or world.betting.endswith("/")
        rest = [c / 13 for c in world.committed]
        rest += [world.raises / 2, float(opening), float(world.player == CHANCE)]
        return np.concatenate([[max(world.committed) / 13], board, rest]).astype(np.float32)

    def private_keys(self, player: int) -> range:
        return range(len(RANKS))

    def action_key(self, world: State, action: int) -> int:
        """The action: a check is a call of nothing, a raise the same in both rounds."""
        return action

    def largest_payoff(self) -> float | None:
        return self.payoff
