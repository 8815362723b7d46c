"""Coin Toss, the example game of safe and nested subgame solving (Brown and Sandholm 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tacit.games.game import CHANCE, TERMINAL, Game, Probabilities, State

SIDES = ("heads", "tails")
HEADS, TAILS = range(2)
OFFERS = ("sell", "play")
SELL, PLAY = range(2)
GUESSES = ("heads", "tails", "forfeit")
FORFEIT = 2


@dataclass(frozen=True, slots=True)
class CoinTossState(State):
    """`coin` is None before the flip; `moves` are player 1's offer, then player 2's guess."""

    coin: int | None = None
    moves: tuple[int, ...] = ()

    @property
    def player(self) -> int:
        if self.coin is None:
            return CHANCE
        if self.moves == ():
            return 0
        return 1 if self.moves == (PLAY,) else TERMINAL

    def actions(self) -> tuple[int, ...]:
        return {CHANCE: (HEADS, TAILS), 0: (SELL, PLAY), 1: (HEADS, TAILS, FORFEIT)}.get(
            self.player, ()
        )

    def chance(self) -> list[float]:
        return [0.5, 0.5]

    def child(self, action: int) -> CoinTossState:
        if self.coin is None:
            return CoinTossState(action)
        return CoinTossState(self.coin, (*self.moves, action))

    def payoff(self) -> float:
        if self.moves == (SELL,):
            return 0.5 if self.coin == HEADS else -0.5
        return -1.0 if self.moves[1] == self.coin else 1.0

    def public(self) -> tuple[int, ...] | None:
        return None if self.coin is None else self.moves

    def private(self, player: int) -> int | None:
        return self.coin if player == 0 else None

    def label(self, action: int) -> str:
        return {CHANCE: SIDES, 0: OFFERS, 1: GUESSES}[self.player][action]

    def render(self, player: int | None = None) -> str:
        if self.coin is None:
            return "The coin is in the air."
        coin = "hidden" if player == 1 else SIDES[self.coin]
        moves = [words[move] for words, move in zip((OFFERS, GUESSES), self.moves, strict=False)]
        return f"The coin is {coin}. Moves so far: {', '.join(moves) or 'none'}."


class CoinToss(Game):
    """A fair coin is flipped and player 1 alone sees it.

    Player 1 *sells* the coin, which ends the game and pays +0.5 for heads and -0.5 for tails, or
    *plays*. Then player 2 guesses heads or tails: player 1 gets -1 if the guess is right and +1 if
    it is wrong. Player 2 may also *forfeit*, which pays player 1 +1.
    """

    name = "coin-toss"
    title = "Coin Toss"
    blueprint: ClassVar[Probabilities] = {
        "": {"heads": {"sell": 1 / 4, "play": 3 / 4}, "tails": {"sell": 1 / 2, "play": 1 / 2}},
        "play": {"": {"heads": 1 / 2, "tails": 1 / 4, "forfeit": 1 / 4}},
    }
    """The paper's blueprint; player 2's part can be improved."""

    def initial(self) -> CoinTossState:
        return CoinTossState()
