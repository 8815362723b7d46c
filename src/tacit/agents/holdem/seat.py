"""A player in one seat of one hand: follows the play, and draws legal actions for its own cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.agents.holdem.player import HoldemPlayer
from tacit.games import CHANCE, GameError
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FOLD, Betting, BettingRules
from tacit.games.holdem.cards import HAND_INDEX
from tacit.games.holdem.hand import PublicHand
from tacit.tree.playing import draw


@dataclass
class Decisions:
    """The number of decisions of a match, the seconds that they took, and those not legal."""

    count: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    adjusted: int = 0
    """Choices of the player that were not legal, and were replaced by the nearest legal one."""

    def add(self, seconds: float, adjusted: int) -> None:
        """Count a decision."""
        self.count += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        self.adjusted += adjusted


class Seat:
    """A player's side of a hand that others deal and referee.

    The player's memory follows the play only when a decision is due, so the cards after an all-in
    cost nothing. adjusted: number of choices so far that were not legal and were replaced.
    """

    def __init__(
        self,
        player: HoldemPlayer,
        rules: BettingRules,
        seat: int,
        cards: tuple[int, ...],
        random: np.random.Generator,
    ) -> None:
        self.player = player
        self.seat = seat
        self.cards = cards
        self.random = random
        self.hand = PublicHand.start(rules)
        self.adjusted = 0
        self._memory: Any = player.begin(rules, seat, random)

    def choose(
        self, actions: tuple[int, ...], board: tuple[int, ...], *, may_raise: bool = True
    ) -> int:
        """A legal action after all `actions` of the hand so far, on this board.

        GameError if they do not continue what this seat has seen, or another player moves.
        """
        self._follow(actions, board)
        if self.hand.mover != self.seat:
            raise GameError(f"player {self.seat} does not move after {self.hand.history!r}")
        policy = self.player.policy(self._memory)
        weights = policy.chances[:, HAND_INDEX[self.cards[0], self.cards[1]]]
        known = np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0
        chosen = policy.actions[draw(weights, self.random)] if known else CALL
        action = legalised(self.hand.betting, chosen, may_raise=may_raise)
        self.adjusted += not known or action != chosen
        return action

    def _follow(self, actions: tuple[int, ...], board: tuple[int, ...]) -> None:
        """Carry the hand and the memory on."""
        seen = self.hand
        if actions[: len(seen.actions)] != seen.actions or board[: len(seen.board)] != seen.board:
            raise GameError(
                f"the hand was at {seen.history!r} and is now another; each message should add to "
                "the last"
            )
        left = list(reversed(actions[len(seen.actions) :]))
        while True:
            if self.hand.mover == CHANCE:
                street = self.hand.betting.street
                cards = board[BOARD_SIZES[street] : BOARD_SIZES[street + 1]]
                self.hand = self.hand.deal(cards)
                self._memory = self.player.deal(self._memory, cards)
            elif left:
                action = left.pop()
                self.hand = self.hand.act(action)
                self._memory = self.player.act(self._memory, action)
            else:
                return


def legalised(betting: Betting, action: int, *, may_raise: bool = True) -> int:
    """The legal action nearest to `action`: a raise within its bounds, else a call or check."""
    if betting.legal(action) and (may_raise or action in (FOLD, CALL)):
        return action
    bounds = betting.raise_bounds()
    if action in (FOLD, CALL) or bounds is None or not may_raise:
        return CALL
    return min(max(action, bounds[0]), bounds[1])
