# ruff: noqa: D102
"""Pennies with a spy: a worked example of a game."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.games import CHANCE, TERMINAL, Game, State

SIDES = ("heads", "tails")
SPY = ("blind", "sees")


@dataclass(frozen=True, slots=True)
class PenniesState(State):
    """What has happened so far; None is what has not."""

    coin: int | None = None
    spy: int | None = None
    guess: int | None = None

    @property
    def player(self) -> int:
        if self.coin is None:
            return 0
        if self.spy is None:
            return CHANCE
        return 1 if self.guess is None else TERMINAL

    def actions(self) -> tuple[int, ...]:
        return () if self.player == TERMINAL else (0, 1)

    def chance(self) -> tuple[float, ...]:
        return (0.75, 0.25)

    def child(self, action: int) -> PenniesState:
        if self.coin is None:
            return PenniesState(action)
        if self.spy is None:
            return PenniesState(self.coin, action)
        return PenniesState(self.coin, self.spy, action)

    def payoff(self) -> float:
        if self.guess == self.coin:
            return -1.0
        return 2.0 if self.coin == 0 else 1.0

    def public(self) -> tuple[bool, bool, int | None]:
        return self.coin is not None, self.spy is not None, self.guess

    def private(self, player: int) -> int | None:
        return self.coin if player == 0 or self.spy else None

    def label(self, action: int) -> str:
        return SPY[action] if self.player == CHANCE else SIDES[action]

    def render(self, player: int | None = None) -> str:
        known = self.coin is not None and (player != 1 or self.spy)
        coin = SIDES[self.coin] if known else "unknown"
        guess = "nothing yet" if self.guess is None else SIDES[self.guess]
        return f"The coin shows {coin}. Player 2 has guessed {guess}."


class Pennies(Game):
    """Player 1 hides a coin, heads or tails up; player 2 guesses which.

    One time in four a spy tells player 2, and player 1 does not know when. A right guess costs
    player 1 one point; a wrong one pays two points if the coin shows heads, one if tails.
    """

    name = "pennies"
    title = "Pennies with a spy"

    def initial(self) -> PenniesState:
        return PenniesState()
