"""Hold'em by brute force: one pair of hands at a time, all that follows enumerated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from pokerkit import StandardHighHand

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import Betting
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, card_name, format_cards
from tacit.games.holdem.spot import Spot, action_label

PolicyAt = Callable[[tuple[str, ...]], NDArray[np.floating]]
"""By path, how likely each hand is to take each action [A, 1326]."""


@cache
def cards_of(hand: int) -> tuple[int, int]:
    return int(HAND_CARDS[hand, 0]), int(HAND_CARDS[hand, 1])


def share_no_card(first: int, second: int) -> bool:
    return not set(cards_of(first)) & set(cards_of(second))


def pairs(spot: Spot) -> Iterator[tuple[int, int, float]]:
    """Hands that may meet, with the weight of their meeting."""
    for first in np.flatnonzero(spot.ranges[0]).tolist():
        for second in np.flatnonzero(spot.ranges[1]).tolist():
            if share_no_card(first, second):
                yield first, second, float(spot.ranges[0][first] * spot.ranges[1][second])


@cache
def pokerkit_hand(hand: int, board: tuple[int, ...]) -> StandardHighHand:
    return StandardHighHand.from_game(format_cards(cards_of(hand)), format_cards(board))


def winner(first: int, second: int, board: tuple[int, ...]) -> int | None:
    mine, other = pokerkit_hand(first, board), pokerkit_hand(second, board)
    return None if mine == other else 0 if mine > other else 1


class Line:
    """One point of the game with both hands known: the betting, the board and the path to it."""

    def __init__(
        self,
        spot: Spot,
        betting: Betting | None = None,
        board: tuple[int, ...] | None = None,
        path: tuple[str, ...] = (),
        history: str = "",
    ) -> None:
        self.spot = spot
        self.betting = betting or spot.rules.start()
        self.board = board or spot.board
        self.path = path
        self.history = history

    def moves(self) -> list[Line]:
        found = []
        for action in self.spot.actions(self.betting, self.history):
            label = action_label(self.betting, action)
            after = self.betting.act(action)
            path = (*self.path, label)
            found.append(Line(self.spot, after, self.board, path, self.history + label))
        return found

    def deals(self, hands: Sequence[int]) -> list[Line]:
        dead = {*self.board, *(card for hand in hands for card in cards_of(hand))}
        after = self.betting.deal()
        return [
            Line(
                self.spot,
                after,
                (*self.board, card),
                (*self.path, card_name(card)),
                self.history + "/",
            )
            for card in range(NUM_CARDS)
            if card not in dead
        ]

    def value(self, hands: tuple[int, int], policy: PolicyAt) -> float:
        """What player 0 wins on average from here on."""
        betting = self.betting
        if betting.player == TERMINAL:
            won = None if betting.folded is not None else winner(*hands, self.board)
            called = min(betting.committed)
            if betting.folded is None and won is None:
                return 0.0
            ahead = betting.folded == 1 if betting.folded is not None else won == 0
            return (1 if ahead else -1) * (called + betting.rules.dead / 2)
        if betting.player == CHANCE:
            return float(np.mean([line.value(hands, policy) for line in self.deals(hands)]))
        chosen = policy(self.path)[:, hands[betting.player]]
        return sum(
            float(share) * line.value(hands, policy)
            for share, line in zip(chosen, self.moves(), strict=True)
            if share > 0
        )
