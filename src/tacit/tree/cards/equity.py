"""Equity: a hand's share of the pot against a range when the rest of the board is random."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from tacit.games.game import GameError
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, NUM_HANDS, check_cards, live_hands
from tacit.games.holdem.hand_rank import NUM_STRENGTHS, rank_boards
from tacit.kernel import kernel

CHUNK = 256
EXACT_BOARDS = 20_000
"""The most runouts that are all dealt; beyond that `samples` is required."""

Weights = NDArray[np.floating]


@dataclass(frozen=True)
class Equity:
    """The share of the pot of each hand of both players; a tie counts one half.

    hands[p]: [1326] equity of each hand of player p, NaN where it blocks the whole other range;
    total[p]: equity of the whole range; ties: how often the pot is split; boards: the number of
    boards dealt.
    """

    hands: tuple[NDArray[np.float64], NDArray[np.float64]]
    total: tuple[float, float]
    ties: float
    boards: int


def range_equity(
    board: Sequence[int],
    ranges: tuple[Weights, Weights],
    *,
    samples: int | None = None,
    seed: int = 0,
) -> Equity:
    """The equities of two ranges [1326] on a board of 0 to 5 cards.

    All runouts are dealt if they are not too many; otherwise, or if `samples` is given, a sample.
    """
    check_cards(board, what="board")
    missing = 5 - len(board)
    if missing < 0:
        raise GameError(f"the board has {len(board)} cards; expected at most 5")
    left = np.array([card for card in range(NUM_CARDS) if card not in board], dtype=np.int8)
    if samples is None and comb(len(left), missing) > EXACT_BOARDS:
        samples = EXACT_BOARDS
    if samples is None:
        runouts = np.array(list(combinations(left.tolist(), missing)), dtype=np.int8)
        runouts = runouts.reshape(comb(len(left), missing), missing)
    else:
        random = np.random.default_rng(seed)
        runouts = np.stack([random.choice(left, missing, replace=False) for _ in range(samples)])
    boards = np.concatenate(
        [np.tile(np.array(board, dtype=np.int8), (len(runouts), 1)), runouts], axis=1
    ).astype(np.int8)
    live = live_hands(board)
    reach = np.stack([np.where(live, weights, 0).astype(np.float64) for weights in ranges])
    totals = np.zeros((3, 2, NUM_HANDS))
    for start in range(0, len(boards), CHUNK):
        _add_boards(rank_boards(boards[start : start + CHUNK]), HAND_CARDS, reach, totals)
    ahead, tied, met = totals
    if not (reach[0] @ met[0] > 0 and reach[1] @ met[1] > 0):
        raise GameError("the two ranges cannot meet: every pair of hands shares a card")
    share = np.divide(ahead, met, out=np.full(met.shape, np.nan), where=met > 1e-12)
    whole = [float(reach[p] @ ahead[p] / (reach[p] @ met[p])) for p in (0, 1)]
    ties = float(reach[0] @ tied[0] / (reach[0] @ met[0]))
    return Equity((share[0], share[1]), (whole[0], whole[1]), ties, len(boards))


@kernel
def _add_boards(strengths, cards, reach, totals):
    """Add for each hand the opponent's reach that it beats (ties half), ties with, and all of it.

    strengths: int32[boards, 1326], -1 for dead hands; reach: [2, 1326]; totals: [3, 2, 1326].
    """
    hands = cards.shape[0]
    order = np.empty(hands, dtype=np.int64)
    starts = np.empty(NUM_STRENGTHS + 1, dtype=np.int64)
    sums = np.empty((3, NUM_CARDS))
    for board in range(strengths.shape[0]):
        strength = strengths[board]
        starts[:] = 0
        for hand in range(hands):
            if strength[hand] >= 0:
                starts[strength[hand] + 1] += 1
        for value in range(NUM_STRENGTHS):
            starts[value + 1] += starts[value]
        alive = starts[NUM_STRENGTHS]
        for hand in range(hands):
            if strength[hand] >= 0:
                order[starts[strength[hand]]] = hand
                starts[strength[hand]] += 1
        for player in range(2):
            other = reach[1 - player]
            total = 0.0
            sums[:] = 0
            for n in range(alive):
                weight = other[order[n]]
                total += weight
                sums[0, cards[order[n], 0]] += weight
                sums[0, cards[order[n], 1]] += weight
            below = 0.0
            start = 0
            while start < alive:
                stop = start
                equal = 0.0
                while stop < alive and strength[order[stop]] == strength[order[start]]:
                    weight = other[order[stop]]
                    equal += weight
                    sums[2, cards[order[stop], 0]] += weight
                    sums[2, cards[order[stop], 1]] += weight
                    stop += 1
                for n in range(start, stop):
                    hand = order[n]
                    one, two = cards[hand, 0], cards[hand, 1]
                    weaker = below - sums[1, one] - sums[1, two]
                    tied = equal - sums[2, one] - sums[2, two] + other[hand]
                    totals[0, player, hand] += weaker + 0.5 * tied
                    totals[1, player, hand] += tied
                    totals[2, player, hand] += total - sums[0, one] - sums[0, two] + other[hand]
                for n in range(start, stop):
                    weight = other[order[n]]
                    one, two = cards[order[n], 0], cards[order[n], 1]
                    sums[1, one] += weight
                    sums[1, two] += weight
                    sums[2, one] = 0
                    sums[2, two] = 0
                below += equal
                start = stop
