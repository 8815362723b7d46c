"""Decisions: the states of RL-CFR's Markov decision process, and what a network sees of one.

The paper's state is the public state alone. Here it includes both players' beliefs, as densities of
the hands over equity: in a spot the ranges are given, and which sizes are good depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.betting import FLOP, PREFLOP, Betting, replay
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, live_hands
from tacit.games.holdem.spot import IDENTITY, Spot
from tacit.tree.cards.deals import Deal
from tacit.tree.cards.equity import Equity, range_equity
from tacit.tree.cards.states import CardState

BINS = 12
"""The number of bins of a density over equity."""
_PUBLIC, _BOARD = 9, 4
FEATURES = _PUBLIC + _BOARD + 2 * (BINS + 3)
"""The number of a decision's features."""
SMALL = 2e-3
"""Hands with less than this share of the range's largest weight are dropped."""

Features = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Decision:
    """A player about to act: a spot whose ranges are the beliefs now, and its betting so far.

    deck: in a smaller game, the cards that may be dealt; no hand of the ranges holds one of them.
    """

    spot: Spot
    history: str = ""
    deck: tuple[int, ...] | None = None

    @cached_property
    def betting(self) -> Betting:
        """Chips and mover."""
        return replay(self.spot.rules, self.history)

    @cached_property
    def state(self) -> CardState:
        """The public state."""
        deal = Deal.first(self.spot.board, self.spot.ranges, 5, (IDENTITY,), deck=self.deck)
        return CardState(self.spot, self.betting, deal, self.history)

    @property
    def has_choice(self) -> bool:
        """Whether the mover has bets to choose from besides all-in."""
        bounds = self.betting.raise_bounds()
        return bounds is not None and bounds[0] < min(bounds[1], min(self.spot.rules.stacks))

    @cached_property
    def equity(self) -> Equity:
        """Of both ranges if the hand were checked down."""
        return range_equity(self.spot.board, self.spot.ranges)

    @cached_property
    def features(self) -> Features:
        """[FEATURES] what a network sees."""
        return decision_features(self.spot, self.betting, self.equity)


def decision_of(spot: Spot, history: str = "") -> Decision:
    """The decision after `history` in a spot; GameError if nobody has a bet to choose there."""
    decision = Decision(replace(spot, additions={}), history)
    if spot.rules.first_street < FLOP:
        raise GameError("sizes are chosen after the flop; this spot starts before it")
    if decision.betting.player not in (0, 1) or not decision.has_choice:
        raise GameError(
            "there is no bet size to choose: nothing, or less than two bets, is behind; "
            "give deeper stacks, or bets by hand"
        )
    return decision


class Side(NamedTuple):
    """A player's hands: how often each is held [hands], its equity [hands], and that of all."""

    weights: NDArray[np.float64]
    equity: NDArray[np.float64]
    total: float


def decision_features(spot: Spot, betting: Betting, equity: Equity) -> Features:
    """[FEATURES] a decision's chips, board, and densities of both ranges over equity."""
    mover = betting.player
    sides = [
        Side(
            meeting_weights(spot, player),
            np.nan_to_num(equity.hands[player], nan=0.5),
            equity.total[player],
        )
        for player in (mover, 1 - mover)
    ]
    return features_of(betting, _board_features(spot.board), sides)


def features_of(betting: Betting, board: Sequence[float], sides: Sequence[Side]) -> Features:
    """[FEATURES] of chips, four features of the board, and the mover's and the opponent's hands."""
    called = betting.pot + betting.to_call
    behind = min(stack - max(betting.committed) for stack in betting.rules.stacks)
    depth = behind / called
    public = (
        np.log(depth + 0.05) / 2,
        1 / (1 + depth),
        min(depth, 3.0) / 3,
        min(1.0, betting.last_raise / called),
        betting.to_call / called,
        float(betting.to_call > 0),
        float(betting.player),
        float(any(betting.acted)),
        float(betting.street > PREFLOP),
    )
    hands: list[float] = []
    for weights, shares, total in sides:
        density = np.bincount(np.minimum((BINS * shares).astype(int), BINS - 1), weights, BINS)
        tops = [float(weights[shares > cut].sum()) for cut in (0.95, 0.98)]
        hands += [*(3 * density), total, *tops]
    return np.array([*public, *board, *hands], np.float32)


def meeting_weights(spot: Spot, player: int) -> NDArray[np.float64]:
    """[1326] how often `player` holds each hand, given both ranges; sums to one."""
    own, other = (spot.ranges[p].astype(np.float64) for p in (player, 1 - player))
    cards = np.zeros(NUM_CARDS)
    np.add.at(cards, HAND_CARDS, other[:, None])
    meets = other.sum() - cards[HAND_CARDS].sum(axis=1) + other
    weights: NDArray[np.float64] = own * np.maximum(meets, 0) * live_hands(spot.board)
    weights /= weights.sum()
    return weights


def pruned(reach: NDArray[np.floating]) -> NDArray[np.float32]:
    """[1326] a range from a reach: the largest weight is one, small ones are dropped."""
    scaled = np.nan_to_num(reach) / max(float(np.nanmax(reach)), 1e-30)
    return np.where(scaled >= SMALL, scaled, 0).astype(np.float32)


def _board_features(board: tuple[int, ...]) -> tuple[float, ...]:
    """Pairs, the largest number of a suit, the most ranks within a straight, and the top rank."""
    ranks = {card // 4 for card in board}
    suits = np.bincount([card % 4 for card in board], minlength=4)
    low = {rank + 1 for rank in ranks} | ({0} if 12 in ranks else set())
    straight = max(len(low & set(range(start, start + 5))) for start in range(10))
    return (
        (len(board) - len(ranks)) / 2,
        float(suits.max()) / 5,
        straight / 5,
        max(ranks) / 12,
    )
