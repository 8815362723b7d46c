"""AIVAT for hands of hold'em whose players both answer policies for all hands.

What is observed of a hand is then its betting and its board (`tacit.evaluation.aivat` has the
principle). The payoff is averaged over all pairs of hands that the two policies might have held
there, and over the cards that are missing after an all-in. The value function u follows the
policies that are known for the rest of the street. At the end of the street, before the flop and
before the river card, u is the value of a network; else it is the range's advantage in equity times
the chips that both have put in, as if the hand were checked to the end. Only differences of u at
one decision, or at one deal, count, so different ones can take different functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from tacit.agents.holdem.player import HoldemPolicy
from tacit.agents.holdem.searching import NETWORKS
from tacit.evaluation.holdem.advantage import Weights, both_reach, range_advantage
from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import PREFLOP, TURN
from tacit.games.holdem.cards import NUM_HANDS, live_hands
from tacit.games.holdem.hand import PublicHand
from tacit.learn.holdem.knots import locate_ranges
from tacit.learn.holdem.network import KnotEvaluator, load_evaluator

Reach = tuple[Weights, Weights]
Foresight = Callable[[tuple[int, ...]], HoldemPolicy | None]
"""The policy of the player to move after further actions on the street, None if not known."""
LEAST_SHARE = 1e-3
"""Behind an action, lines that are rarer than this are not followed."""
VALUED = (PREFLOP, TURN)
"""The streets at whose end u is the value of a network; at the flop's, equity varies less."""


class HandEstimate:
    """The estimate of one hand in play: tell it every action and every card."""

    def __init__(self, hand: PublicHand) -> None:
        self.hand = hand
        self.reach: Reach = (np.ones(NUM_HANDS), np.ones(NUM_HANDS))
        self.total = 0.0

    def act(self, policy: HoldemPolicy, action: int, foresight: Foresight | None = None) -> None:
        """The mover, who plays `policy`, takes an action; foresight: what is known of answers."""
        taken = policy.actions.index(action)
        after = [self.hand.act(each) for each in policy.actions]
        reaches = self._reaches(self.hand, self.reach, policy)
        weights = np.array([both_reach(*reach) for reach in reaches])
        shares = weights / weights.sum()
        # What cannot differ from its expectation needs no value.
        sure = bool(shares[taken] == 1) and not is_over(after[taken])
        known = foresight or (lambda actions: None)
        values = [
            self._value(hand, reach, known, (each,), 1.0) if share > 0 and not sure else 0.0
            for hand, reach, each, share in zip(after, reaches, policy.actions, shares, strict=True)
        ]
        self.total += float(shares @ values)
        self.hand, self.reach = after[taken], reaches[taken]
        if not is_over(self.hand):
            self.total -= values[taken]

    def deal(self, cards: tuple[int, ...]) -> None:
        """The cards of the next street, on which players act."""
        before = checked_value(self.hand, self.reach)
        self.hand = self.hand.deal(cards)
        live = live_hands(self.hand.board)
        self.reach = np.where(live, self.reach[0], 0), np.where(live, self.reach[1], 0)
        self.total += before - checked_value(self.hand, self.reach)

    def _reaches(self, hand: PublicHand, reach: Reach, policy: HoldemPolicy) -> list[Reach]:
        """Both reaches after each action of the mover."""
        chances = np.where(live_hands(hand.board), policy.chances, 0)
        first, second = reach
        if hand.mover == 0:
            return [(first * each, second) for each in chances]
        return [(first, second * each) for each in chances]

    def _value(
        self,
        hand: PublicHand,
        reach: Reach,
        foresight: Foresight,
        actions: tuple[int, ...],
        share: float,
    ) -> float:
        """The function u after `actions` on the street.

        share: the probability of the actions after the first one.
        """
        known = None
        if hand.mover in (0, 1) and not is_over(hand) and share >= LEAST_SHARE:
            known = foresight(actions)
        if hand.mover == CHANCE and hand.betting.street in VALUED and not is_over(hand):
            return street_end_value(hand, reach)
        if known is None:
            return checked_value(hand, reach)
        reaches = self._reaches(hand, reach, known)
        weights = np.array([both_reach(*each) for each in reaches])
        if not weights.sum() > 0:
            return checked_value(hand, reach)
        total = 0.0
        for action, each, part in zip(known.actions, reaches, weights / weights.sum(), strict=True):
            if part > 0:
                after, line = hand.act(action), (*actions, action)
                total += part * self._value(after, each, foresight, line, share * part)
        return total


def checked_value(hand: PublicHand, reach: Reach) -> float:
    """What player 0 wins in the mean if nobody bets any more; exact where no player acts."""
    betting = hand.betting
    if betting.folded is not None:
        return float(betting.payoffs()[0])
    return range_advantage(hand.board, reach) * min(betting.committed)


def street_end_value(hand: PublicHand, reach: Reach) -> float:
    """What player 0 wins in the mean if both play well after the cards that are due now."""
    betting, board = hand.betting, hand.board
    pot = 2.0 * min(betting.committed)
    ranges = np.stack([each / each.max() for each in reach]).astype(np.float32)
    ratio = np.array([min(betting.behind) / pot], np.float32)
    situation = np.array([2 * betting.street])
    positions = locate_ranges([board], ranges[None], np.array([pot]), ratio, situation)
    shares = _network(betting.street).shares(positions)
    return pot * float(positions.weight[0, 0] @ shares[0, 0])


@cache
def _network(street: int) -> KnotEvaluator:
    """The network before the cards of the next street."""
    return load_evaluator(NETWORKS[street])


def is_over(hand: PublicHand) -> bool:
    """Whether no player acts any more: the hand has ended, or players are all in."""
    betting = hand.betting
    return betting.player == TERMINAL or (betting.player == CHANCE and min(betting.behind) == 0)
