"""Features of a hand on a board, by which similar hands are clustered.

Before the last street they are the distribution of the hand's equity over the boards of the last
street (Gilpin, Sandholm and Sørensen 2007): a histogram, given as its running sum, so that the
distance of two hands is the earth mover's distance. On the last street they are the equity against
each of several groups of the opponent's hands, from weak to strong (Johanson et al. 2013, *opponent
cluster hand strength*), which separates hands that win equally often against different hands.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import BOARD_SIZES
from tacit.games.holdem.board_classes import board_classes
from tacit.games.holdem.cards import HAND_CARDS, HAND_CLASS, NUM_CARDS, NUM_CLASSES, NUM_HANDS
from tacit.games.holdem.hand_rank import NUM_STRENGTHS, rank_boards
from tacit.kernel import kernel
from tacit.tree.cards.equity import CHUNK, by_strength

BINS = 30
"""The number of bins of an equity histogram."""
GROUPS = 8
"""The number of groups of the opponent's hands, equally large, by equity before the flop."""
EVERYONE = np.zeros(NUM_HANDS, np.int64)
"""All hands in one group."""

Features = NDArray[np.float32]


def hand_features(board: tuple[int, ...], last_street: int) -> Features:
    """[1326, D] the features of every hand on a board, zero for hands that share a card with it.

    D is `GROUPS` on the last street and `BINS` before.
    """
    size = BOARD_SIZES[last_street]
    features: Features
    if len(board) == size:
        groups = opponent_groups(last_street)
        features = group_equities(rank_boards([board]), groups, GROUPS)[0]
        return features
    left = [card for card in range(NUM_CARDS) if card not in board]
    boards = np.array([(*board, *more) for more in combinations(left, size - len(board))], np.int8)
    counts = np.zeros((NUM_HANDS, BINS), np.float32)
    for start in range(0, len(boards), CHUNK):
        strengths = rank_boards(boards[start : start + CHUNK])
        _count_bins(strengths, group_equities(strengths), counts)
    features = np.cumsum(counts, axis=1) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return features.astype(np.float32)


def group_equities(
    strengths: NDArray[np.int32], groups: NDArray[np.int64] = EVERYONE, count: int = 1
) -> Features:
    """[boards, 1326, count] each hand's equity against the opponent's hands of each group.

    strengths: [boards, 1326], -1 for hands that share a card with the board, which have an equity
    of zero; groups: [1326] the group of each hand. One half if all hands of the group are blocked.
    """
    equities = np.zeros((*strengths.shape, count), np.float32)
    _group_equities(strengths, HAND_CARDS, groups, equities)
    return equities


@cache
def opponent_groups(last_street: int) -> NDArray[np.int64]:
    """[1326] the group of each hand, weakest first, by its equity before any card is dealt."""
    classes = board_classes(BOARD_SIZES[last_street])
    sums, met = np.zeros(NUM_CLASSES), np.zeros(NUM_CLASSES)
    for start in range(0, len(classes.boards), CHUNK):
        strengths = rank_boards(classes.boards[start : start + CHUNK])
        equities = group_equities(strengths)
        weights = np.where(strengths >= 0, classes.weights[start : start + CHUNK, None], 0)
        sums += np.bincount(HAND_CLASS, (weights * equities[:, :, 0]).sum(axis=0), NUM_CLASSES)
        met += np.bincount(HAND_CLASS, weights.sum(axis=0), NUM_CLASSES)
    order = np.argsort(sums / met, kind="stable")
    sizes = np.bincount(HAND_CLASS, minlength=NUM_CLASSES)[order]
    middle = np.cumsum(sizes) - sizes / 2
    group = np.empty(NUM_CLASSES, np.int64)
    group[order] = np.floor(GROUPS * middle / NUM_HANDS).astype(np.int64)
    groups: NDArray[np.int64] = group[HAND_CLASS]
    return groups


@kernel
def _group_equities(strengths, cards, groups, equities):
    """Set each hand's equity against each group.

    strengths: int32[boards, 1326], -1 for dead hands; cards: [1326, 2]; groups: [1326]; equities:
    zeros [boards, 1326, G]. Hands are visited in the order of their strength. For each group the
    opponent's hands so far are counted, in total and by card: all, weaker, and equally strong ones.
    """
    count = equities.shape[2]
    order = np.empty(len(cards), dtype=np.int64)
    starts = np.empty(NUM_STRENGTHS + 1, dtype=np.int64)
    total = np.empty((3, count))
    sums = np.empty((3, NUM_CARDS, count))
    for board in range(strengths.shape[0]):
        strength = strengths[board]
        alive = by_strength(strength, order, starts)
        total[:] = 0
        sums[:] = 0
        for n in range(alive):
            _add(order[n], cards, groups, total, sums, 0)
        start = 0
        while start < alive:
            stop = start
            while stop < alive and strength[order[stop]] == strength[order[start]]:
                _add(order[stop], cards, groups, total, sums, 2)
                stop += 1
            for n in range(start, stop):
                hand = order[n]
                one, two = cards[hand, 0], cards[hand, 1]
                for group in range(count):
                    itself = 1 if groups[hand] == group else 0
                    weaker = total[1, group] - sums[1, one, group] - sums[1, two, group]
                    tied = total[2, group] - sums[2, one, group] - sums[2, two, group] + itself
                    met = total[0, group] - sums[0, one, group] - sums[0, two, group] + itself
                    equities[board, hand, group] = (weaker + tied / 2) / met if met > 0 else 0.5
            total[2] = 0
            sums[2] = 0
            for n in range(start, stop):
                _add(order[n], cards, groups, total, sums, 1)
            start = stop


@kernel
def _add(hand, cards, groups, total, sums, kind):
    """Count a hand of the opponent; kind: 0 all, 1 weaker, 2 equally strong."""
    group = groups[hand]
    total[kind, group] += 1
    sums[kind, cards[hand, 0], group] += 1
    sums[kind, cards[hand, 1], group] += 1


@kernel
def _count_bins(strengths, equities, counts):
    """Add each live hand's equity to its histogram; counts: [1326, bins]."""
    bins = counts.shape[1]
    for board in range(strengths.shape[0]):
        for hand in range(strengths.shape[1]):
            if strengths[board, hand] >= 0:
                place = int(equities[board, hand, 0] * bins)
                counts[hand, min(place, bins - 1)] += 1
