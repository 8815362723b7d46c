"""Equities of all hands on one board against any range, over all runouts.

On a board of three or four cards the *margin* of a pair of hands is the mean over all runouts of 1
(ahead), 0 (tied) or -1 (behind): a matrix that is made once for a board, so that the margins
against many ranges are one product of matrices. On the river hands are visited in the order of
their strength, in linear time. Before the flop the matrix is that of all 2,598,960 boards, one row
for each of the 169 classes of hands (`preflop_table`). A margin m is an equity of (1 + m) / 2.

A hand's *potential* says how much its equity still changes: the standard deviation over runouts of
its equity against a random hand, over the largest that a mean of this size allows,
sqrt(equity * (1 - equity)). It is zero on the river. It does not depend on ranges, so it is made
once for a board, too.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.betting import BOARD_SIZES
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, NUM_HANDS, live_hands
from tacit.games.holdem.hand_rank import NUM_STRENGTHS, rank_boards
from tacit.kernel import kernel
from tacit.tree.cards.equity import CHUNK, by_strength
from tacit.tree.cards.hand_features import group_equities

RIVER_CARDS = BOARD_SIZES[-1]
MAX_TABLES = 64
"""How many boards are kept: a turn with its rivers; a flop or turn takes 5 MB."""

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class EquityTable:
    """What a board says about its K live hands.

    hands: [K] their indices, ascending; potential: [K]; margins: [K, K], of the row's hand against
    the column's, 0 where they share a card; on the river it is empty, and `strengths` [K] are used.
    """

    hands: NDArray[np.int64]
    potential: Float32
    margins: Float32
    strengths: NDArray[np.int32]

    def against(self, ranges: NDArray[np.floating]) -> tuple[Float32, Float32]:
        """The mean margin of each hand against `ranges` [n, K], and the reach it does not block.

        Both [n, K]; a margin is zero where the whole range is blocked.
        """
        weights = np.ascontiguousarray(ranges, np.float32)
        ahead, reach = np.empty_like(weights), np.empty_like(weights)
        if len(self.margins):
            np.matmul(weights, self.margins.T, out=ahead)
            _compatible(weights, HAND_CARDS[self.hands], reach)
        else:
            _river_margins(self.strengths, HAND_CARDS[self.hands], weights, ahead, reach)
        return np.divide(ahead, reach, out=np.zeros_like(ahead), where=reach > 0), reach


_kept: OrderedDict[tuple[int, ...], EquityTable] = OrderedDict()


def equity_table(board: tuple[int, ...]) -> EquityTable:
    """The table of a board of 0, 3, 4 or 5 cards in any order; the latest ones are kept."""
    key = tuple(sorted(board))
    if key in _kept:
        _kept.move_to_end(key)
    else:
        _kept[key] = _make(key)
        if len(_kept) > MAX_TABLES:
            _kept.popitem(last=False)
    return _kept[key]


def _make(board: tuple[int, ...]) -> EquityTable:
    if len(board) not in BOARD_SIZES:
        raise GameError(f"a board has 0, 3, 4 or 5 cards, not {len(board)}")
    if not board:
        from tacit.learn.holdem.preflop_table import preflop_equities

        margins, potential = preflop_equities()
        every = np.arange(NUM_HANDS)
        return EquityTable(every, potential, margins, np.zeros(0, np.int32))
    hands = np.flatnonzero(live_hands(board))
    if len(board) == RIVER_CARDS:
        strengths = rank_boards([board])[0, hands]
        return EquityTable(hands, np.zeros(len(hands), np.float32), _NONE, strengths)
    left = [card for card in range(NUM_CARDS) if card not in board]
    runouts = list(combinations(left, RIVER_CARDS - len(board)))
    boards = np.array([(*board, *runout) for runout in runouts], np.int8)
    counts = np.zeros((len(hands), len(hands)), np.int16)
    moments = np.zeros((3, NUM_HANDS))
    for start in range(0, len(boards), CHUNK):
        strengths = rank_boards(boards[start : start + CHUNK])
        add_margins(np.ascontiguousarray(strengths[:, hands]), counts)
        add_moments(strengths, moments)
    # Four cards of a pair of hands that share none are out of the deck.
    pairs = np.prod([len(left) - 4 - n for n in range(len(runouts[0]))]) / len(runouts[0])
    margins = counts.astype(np.float32)
    margins /= np.float32(pairs)
    clear_shared(HAND_CARDS[hands], margins)
    return EquityTable(hands, potential_of(moments)[hands], margins, np.zeros(0, np.int32))


_NONE = np.zeros((0, 0), np.float32)


def add_moments(strengths: NDArray[np.int32], moments: NDArray[np.float64]) -> None:
    """Add boards to the number, sum and sum of squares of each hand's equities [3, 1326].

    strengths: [boards, 1326], -1 for dead hands; equities are against a random hand.
    """
    equities = group_equities(strengths)[:, :, 0].astype(np.float64)
    moments += np.stack([(strengths >= 0).sum(axis=0), equities.sum(axis=0), (equities**2).sum(0)])


def potential_of(moments: NDArray[np.float64]) -> Float32:
    """[1326] the potential from the `moments` of a hand's equities."""
    met = np.maximum(moments[0], 1)
    mean, square = moments[1] / met, moments[2] / met
    most = mean * (1 - mean)
    variance = np.maximum(square - mean**2, 0)
    squared = np.divide(variance, most, out=np.zeros(len(mean)), where=most > 1e-9)
    potential: Float32 = np.sqrt(squared).astype(np.float32)
    return potential


@kernel
def add_margins(strengths, counts):
    """Add 1 where the row's hand beats the column's on a board, -1 where it loses.

    strengths: int32[boards, K], -1 for hands that the runout blocks, which count nothing; counts:
    [K, K]. The inner loop compares 16-bit numbers without branches.
    """
    size = strengths.shape[1]
    below = np.empty(size, np.int16)
    above = np.empty(size, np.int16)
    for board in range(strengths.shape[0]):
        for hand in range(size):
            strength = strengths[board, hand]
            below[hand] = np.int16(strength if strength >= 0 else 32767)
            above[hand] = np.int16(strength)
        for hand in range(size):
            own = np.int16(strengths[board, hand])
            if own < 0:
                continue
            row = counts[hand]
            for other in range(size):
                row[other] += np.int16(own > below[other]) - np.int16(own < above[other])


@kernel
def clear_shared(cards, margins):
    """Set margins [K, K] of hands that share a card to zero; cards: [K, 2]."""
    for hand in range(len(cards)):
        one, two = cards[hand, 0], cards[hand, 1]
        for other in range(len(cards)):
            low, high = cards[other, 0], cards[other, 1]
            if one in (low, high) or two in (low, high):
                margins[hand, other] = 0


@kernel
def _compatible(weights, cards, reach):
    """reach[n, h]: the weights of hands that share no card with h; all [n, K]; cards: [K, 2]."""
    sums = np.empty(NUM_CARDS)
    for n in range(weights.shape[0]):
        total = 0.0
        sums[:] = 0
        for hand in range(weights.shape[1]):
            weight = weights[n, hand]
            total += weight
            sums[cards[hand, 0]] += weight
            sums[cards[hand, 1]] += weight
        for hand in range(weights.shape[1]):
            left = total - sums[cards[hand, 0]] - sums[cards[hand, 1]] + weights[n, hand]
            # Rounding errors of sums that cancel are no reach.
            reach[n, hand] = left if left > 1e-9 * total else 0.0


@kernel
def _river_margins(strength, cards, weights, ahead, reach):
    """ahead[n, h]: the weights of the hands that h beats less those that beat it.

    strength: int32[K]; cards: [K, 2]; weights, ahead, reach: [n, K], see `_compatible`.
    """
    _compatible(weights, cards, reach)
    size = len(strength)
    order = np.empty(size, np.int64)
    starts = np.empty(NUM_STRENGTHS + 1, np.int64)
    by_strength(strength, order, starts)
    sums = np.empty(NUM_CARDS)
    for n in range(weights.shape[0]):
        total = 0.0
        sums[:] = 0
        start = 0
        # What is below a hand, and what is not above it; their sum less all is the difference.
        while start < size:
            stop = start
            while stop < size and strength[order[stop]] == strength[order[start]]:
                hand = order[stop]
                ahead[n, hand] = total - sums[cards[hand, 0]] - sums[cards[hand, 1]]
                stop += 1
            for k in range(start, stop):
                weight = weights[n, order[k]]
                total += weight
                sums[cards[order[k], 0]] += weight
                sums[cards[order[k], 1]] += weight
            for k in range(start, stop):
                hand = order[k]
                up_to = total - sums[cards[hand, 0]] - sums[cards[hand, 1]] + weights[n, hand]
                ahead[n, hand] += up_to - reach[n, hand]
            start = stop
