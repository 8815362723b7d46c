"""Liar's Dice for two players, any number of dice and faces (ReBeL, appendix C.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
from numpy.typing import NDArray

from tacit.games.encoder import GameEncoder
from tacit.games.game import CHANCE, TERMINAL, Game, GameError, State

MAX_ROLLS = 2000
"""Largest number of different rolls of a player; all pairs of them are listed."""

Roll = tuple[int, ...]
"""A player's dice, sorted: their order does not matter."""


@dataclass(frozen=True)
class Rules:
    """The constants of one game: dice of each player, faces of each die."""

    dice: int
    faces: int

    @cached_property
    def liar(self) -> int:
        """The action that challenges; the bids are the actions below it, in their order."""
        return 2 * self.dice * self.faces

    @cached_property
    def rolls(self) -> tuple[Roll, ...]:
        """Every roll of one player, sorted."""
        return tuple(combinations_with_replacement(range(1, self.faces + 1), self.dice))

    @cached_property
    def deal_chance(self) -> tuple[float, ...]:
        """The probability of each pair of rolls, ordered by player 1's roll first."""
        orders = [
            factorial(self.dice) // prod(factorial(n) for n in Counter(roll).values())
            for roll in self.rolls
        ]
        total = self.faces ** (2 * self.dice)
        return tuple(first * second / total for first in orders for second in orders)

    def bid(self, action: int) -> tuple[int, int]:
        """The quantity and the face of a bid."""
        quantity, face = divmod(action, self.faces)
        return quantity + 1, face + 1


@dataclass(frozen=True, slots=True)
class LiarsDiceState(State):
    """`rolls` of both players, none before the deal, and `history`.

    Bids only go up, so the set of bids made is their history: bit `a` of `history` is set once
    action `a` has been taken, the challenge included.
    """

    rules: Rules = field(hash=False)
    rolls: tuple[Roll, ...] = ()
    history: int = 0

    @property
    def player(self) -> int:
        if not self.rolls:
            return CHANCE
        if self.history >> self.rules.liar:
            return TERMINAL
        return self.history.bit_count() & 1

    def actions(self) -> range:
        rules = self.rules
        if not self.rolls:
            return range(len(rules.rolls) ** 2)
        if self.history >> rules.liar:
            return range(0)
        return range(self.history.bit_length(), rules.liar + (self.history > 0))

    def chance(self) -> tuple[float, ...]:
        return self.rules.deal_chance

    def child(self, action: int) -> LiarsDiceState:
        if not self.rolls:
            rolls = self.rules.rolls
            first, second = divmod(action, len(rolls))
            return LiarsDiceState(self.rules, (rolls[first], rolls[second]))
        return LiarsDiceState(self.rules, self.rolls, self.history | 1 << action)

    def payoff(self) -> float:
        bids = self.history ^ 1 << self.rules.liar
        quantity, face = self.rules.bid(bids.bit_length() - 1)
        count = sum(die in (face, self.rules.faces) for roll in self.rolls for die in roll)
        last_bid_by_first = bids.bit_count() & 1 == 1
        return 1.0 if (count >= quantity) == last_bid_by_first else -1.0

    def public(self) -> int | None:
        return self.history if self.rolls else None

    def private(self, player: int) -> Roll | None:
        return self.rolls[player] if self.rolls else None

    def subgame_key(self) -> tuple[int, int, bool] | None:
        """The last bid and the mover; earlier bids no longer matter."""
        if not self.rolls:
            return None
        over = self.history >> self.rules.liar > 0
        bids = self.history ^ 1 << self.rules.liar if over else self.history
        return (bids.bit_length() - 1, bids.bit_count() & 1, over)

    def label(self, action: int) -> str:
        if not self.rolls:
            rolls = self.rules.rolls
            return "|".join(_roll_text(rolls[i]) for i in divmod(action, len(rolls)))
        if action == self.rules.liar:
            return "liar"
        quantity, face = self.rules.bid(action)
        return f"{quantity}x{face}"

    def render(self, player: int | None = None) -> str:
        if not self.rolls:
            return "The dice are not rolled yet."
        hidden = ",".join("?" * self.rules.dice)
        seen = [
            _roll_text(roll) if player in (None, p) else hidden for p, roll in enumerate(self.rolls)
        ]
        taken = [a for a in range(self.rules.liar + 1) if self.history >> a & 1]
        bids = " ".join(self.label(action) for action in taken) or "none"
        return f"Player 1 rolled {seen[0]}, player 2 rolled {seen[1]}. Bids so far: {bids}."


def _roll_text(roll: Roll) -> str:
    return ",".join(map(str, roll))


class LiarsDice(Game):
    """Both players roll their dice in secret, then bid in turn on all the dice together.

    The bid `3x2` says that at least three dice show a two. Each bid names more dice than the last
    or as many dice and a higher face; any face may be bid. The highest face is wild: it counts for
    every bid. Instead of bidding a player may call `liar` on the last bid, and must after the
    highest one: if the bid was true its bidder wins, else the caller. Player 1 bids first.
    """

    def __init__(self, dice: int | str, faces: int | str) -> None:
        rules = Rules(int(dice), int(faces))
        name = f"liars-dice-{rules.dice}x{rules.faces}"
        if rules.dice < 1 or rules.faces < 2:
            raise GameError(
                f"{name} is not possible; liars-dice-<dice>x<faces> takes 1 die and 2 faces "
                "at least"
            )
        rolls = comb(rules.dice + rules.faces - 1, rules.dice)
        if rolls > MAX_ROLLS:
            raise GameError(
                f"{name} is too large: a player has more than {MAX_ROLLS:,} different rolls; "
                "take fewer dice or faces"
            )
        self.rules = rules
        self.name = name
        dice_text = "one die" if rules.dice == 1 else f"{rules.dice} dice"
        self.title = f"Liar's Dice, {dice_text} with {rules.faces} faces each"

    def initial(self) -> LiarsDiceState:
        return LiarsDiceState(self.rules)

    def encoder(self) -> GameEncoder:
        return _Encoder(self.rules)


@dataclass(frozen=True)
class _Encoder(GameEncoder):
    """The last bid, one-hot; the first entry means no bid."""

    rules: Rules
    symmetric = True

    def features(self, world: State) -> NDArray[np.float32]:
        assert isinstance(world, LiarsDiceState)
        row = np.zeros(self.rules.liar + 1, dtype=np.float32)
        row[world.history.bit_length()] = 1
        return row

    def private_keys(self, player: int) -> tuple[Roll, ...]:
        return self.rules.rolls

    def action_key(self, world: State, action: int) -> int:
        return action

    def action_keys(self) -> range:
        return range(self.rules.liar + 1)

    def largest_payoff(self) -> float:
        return 1.0
