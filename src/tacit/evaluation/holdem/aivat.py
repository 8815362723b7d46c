"""AIVAT for hands of hold'em whose players both answer policies for all hands.

What is observed of a hand is then its betting and its board (`tacit.evaluation.aivat` has the
principle). The payoff is averaged over all pairs of hands that the two policies might have held
there, and over the cards that are missing after an all-in. The value function u is the range's
advantage in equity times the chips that both have put in, as if the hand were checked to the end.
Where the answer to a bet is quickly known, u is the mean over the answer.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.agents.holdem.player import HoldemPolicy
from tacit.evaluation.holdem.advantage import Weights, both_reach, range_advantage
from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.cards import NUM_HANDS, live_hands
from tacit.games.holdem.hand import PublicHand

Reach = tuple[Weights, Weights]
Answer = Callable[[int], HoldemPolicy | None]
"""The policy of the next player after an action of the mover, None if it is not known."""
SAMPLES = 64
"""Runouts by which equities before the turn are estimated."""
ALL_IN_SAMPLES = 300
"""Runouts of an all-in before the turn."""


class HandEstimate:
    """The estimate of one hand in play: tell it every action and every card.

    `random` draws runouts and must be independent of the hand.
    """

    def __init__(self, hand: PublicHand, random: np.random.Generator) -> None:
        self.hand = hand
        self.random = random
        self.reach: Reach = (np.ones(NUM_HANDS), np.ones(NUM_HANDS))
        self.total = 0.0

    def act(self, policy: HoldemPolicy, action: int, answer: Answer | None = None) -> None:
        """The mover, who plays `policy`, takes an action; answer: what is known of the answers."""
        taken = policy.actions.index(action)
        after = [self.hand.act(each) for each in policy.actions]
        reaches = self._reaches(self.hand, self.reach, policy)
        weights = np.array([both_reach(*reach) for reach in reaches])
        # What cannot differ from its expectation needs no value.
        sure = bool(weights[taken] == weights.sum()) and not is_over(after[taken])
        values = [
            self._looked_ahead(hand, reach, answer) if weight > 0 and not sure else 0.0
            for hand, reach, weight in zip(after, reaches, weights, strict=True)
        ]
        self.total += float(weights @ values / weights.sum())
        self.hand, self.reach = after[taken], reaches[taken]
        if not is_over(self.hand):
            self.total -= values[taken]

    def deal(self, cards: tuple[int, ...]) -> None:
        """The cards of the next street, on which players act."""
        before = self._value(self.hand, self.reach)
        self.hand = self.hand.deal(cards)
        live = live_hands(self.hand.board)
        self.reach = np.where(live, self.reach[0], 0), np.where(live, self.reach[1], 0)
        self.total += before - self._value(self.hand, self.reach)

    def _reaches(self, hand: PublicHand, reach: Reach, policy: HoldemPolicy) -> list[Reach]:
        """Both reaches after each action of the mover."""
        chances = np.where(live_hands(hand.board), policy.chances, 0)
        first, second = reach
        if hand.mover == 0:
            return [(first * each, second) for each in chances]
        return [(first, second * each) for each in chances]

    def _looked_ahead(self, hand: PublicHand, reach: Reach, answer: Answer | None) -> float:
        """The value after an action, by the answer to it if that is known."""
        known = None
        if answer is not None and hand.mover in (0, 1):
            known = answer(hand.actions[-1])
        if known is None:
            return self._value(hand, reach)
        reaches = self._reaches(hand, reach, known)
        weights = np.array([both_reach(*each) for each in reaches])
        if not weights.sum() > 0:
            return self._value(hand, reach)
        values = [
            self._value(hand.act(action), each) if weight > 0 else 0.0
            for action, each, weight in zip(known.actions, reaches, weights, strict=True)
        ]
        return float(weights @ values / weights.sum())

    def _value(self, hand: PublicHand, reach: Reach) -> float:
        """What player 0 wins in the mean: exactly where no player acts any more, else u."""
        betting = hand.betting
        if betting.folded is not None:
            return float(betting.payoffs()[0])
        samples = ALL_IN_SAMPLES if is_over(hand) else SAMPLES
        ahead = range_advantage(hand.board, reach, samples=samples, random=self.random)
        return ahead * min(betting.committed)


def is_over(hand: PublicHand) -> bool:
    """Whether no player acts any more: the hand has ended, or players are all in."""
    betting = hand.betting
    return betting.player == TERMINAL or (betting.player == CHANCE and min(betting.behind) == 0)
