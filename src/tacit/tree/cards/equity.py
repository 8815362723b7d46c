"""Equity: a hand's share of the pot against a range when the rest of the board is random.

Before the flop there are 2,598,960 boards. If the ranges do not depend on the names of suits,
boards that differ only in these names are evaluated once, and a hand's equity is the mean over its
renamings. If the ranges hold few hands, each pair of hands is evaluated on all boards it leaves
possible, and pairs that differ only in the names of suits are evaluated once. Otherwise boards are
sampled.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from math import comb, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.array_record import Float64
from tacit.games.game import GameError
from tacit.games.holdem.board_classes import RENAMINGS
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, NUM_HANDS, check_cards, live_hands
from tacit.games.holdem.hand_rank import NUM_STRENGTHS, rank_boards, rank_cards
from tacit.games.holdem.spot import Suits, permute_hands
from tacit.kernel import inner_kernel, kernel

CHUNK = 256
"""The number of boards that are ranked at a time."""
EXACT_BOARDS = 20_000
"""The most runouts that are all dealt; beyond that `samples` is required."""
SECONDS = 15.0
"""The longest estimated time of an exact result; beyond that boards are sampled."""
SAMPLES = 20_000
BATCHES = 20
_BOARD_SECONDS, _HAND_SECONDS, _PAIR_SECONDS = 15e-6, 4e-8, 0.15
_BOARD_CARDS = 5
_MOST_PAIRS = 40_000

Weights = NDArray[np.floating]


@dataclass(frozen=True)
class Equity:
    """The share of the pot of each hand of both players; a tie counts one half.

    hands[p]: [1326] equity of each hand of player p, NaN where it blocks the whole other range;
    total[p]: equity of the whole range; ties: how often the pot is split; boards: the number of
    boards dealt; exact: whether these are all; error: the standard error of `total` if not.
    """

    hands: tuple[Float64, Float64]
    total: tuple[float, float]
    ties: float
    boards: int
    exact: bool = True
    error: float = 0.0


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
    dealt = np.tile(np.array(board, dtype=np.int8), (len(runouts), 1))
    boards = np.concatenate([dealt, runouts], axis=1).astype(np.int8)
    live = live_hands(board)
    reach = np.stack([np.where(live, weights, 0).astype(np.float64) for weights in ranges])
    totals = np.zeros((3, 2, NUM_HANDS))
    for start in range(0, len(boards), CHUNK):
        add_boards(rank_boards(boards[start : start + CHUNK]), HAND_CARDS, reach, totals)
    return _equity(reach, totals, len(boards))


def board_equity(
    board: tuple[int, ...],
    ranges: tuple[Weights, Weights],
    *,
    samples: int | None = None,
    seed: int = 0,
) -> Equity:
    """The equities of two ranges [1326] on a board of 0, 3, 4 or 5 cards, exact if that is quick.

    `samples`: the number of random boards to deal instead of all.
    """
    if samples is None and board:
        return range_equity(board, ranges)
    if samples is None:
        exact = preflop_equity(ranges)
        if exact is not None:
            return exact
    return _sampled(board, ranges, samples or SAMPLES, seed)


def preflop_equity(ranges: tuple[Weights, Weights]) -> Equity | None:
    """The exact equities of two ranges before the flop; None if they would take too long."""
    reach = np.array(ranges, np.float64)
    symmetries = [s for s in RENAMINGS if np.array_equal(reach[:, permute_hands(s)], reach)]
    pairs = _pairs(reach)
    held = int((reach > 0).any(axis=0).sum())
    by_boards = comb(NUM_CARDS, _BOARD_CARDS) / len(symmetries)
    by_boards *= _BOARD_SECONDS + _HAND_SECONDS * held
    by_pairs = inf if pairs is None else _PAIR_SECONDS * len(pairs)
    if min(by_boards, by_pairs) > SECONDS:
        return None
    if pairs is not None and by_pairs < by_boards:
        return _over_pairs(reach, pairs)
    return _over_boards(reach, symmetries)


def _sampled(
    board: tuple[int, ...], ranges: tuple[Weights, Weights], samples: int, seed: int
) -> Equity:
    """Equities over batches of random boards; the spread of the batches gives the error."""
    if samples < BATCHES:
        raise GameError(f"{samples} samples are too few to estimate an error; use {BATCHES}+")
    size = samples // BATCHES
    parts = [
        range_equity(board, ranges, samples=size, seed=int(state))
        for state in np.random.SeedSequence(seed).generate_state(BATCHES)
    ]
    totals = np.array([part.total for part in parts])
    hands = []
    for player in (0, 1):
        equities = np.stack([part.hands[player] for part in parts])
        known = (~np.isnan(equities)).sum(axis=0)
        sums = np.nansum(equities, axis=0)
        hands.append(np.divide(sums, known, out=np.full(NUM_HANDS, np.nan), where=known > 0))
    mean = totals.mean(axis=0)
    return Equity(
        (hands[0], hands[1]),
        (float(mean[0]), float(mean[1])),
        float(np.mean([part.ties for part in parts])),
        size * BATCHES,
        exact=False,
        error=float(totals[:, 0].std(ddof=1)) / sqrt(BATCHES),
    )


def _over_boards(reach: Float64, symmetries: Sequence[Suits]) -> Equity:
    """One board of each orbit, weighted by the orbit's size."""
    held = np.flatnonzero((reach > 0).any(axis=0))
    cards, weights = np.ascontiguousarray(HAND_CARDS[held]), np.ascontiguousarray(reach[:, held])
    boards, sizes = _orbits(symmetries)

    def add(chunk: slice) -> Float64:
        part = np.zeros((3, 2, len(held)))
        ranked = rank_boards(boards[chunk])
        add_boards(np.ascontiguousarray(ranked[:, held]), cards, weights, part)
        size: int = sizes[chunk.start]
        return part * size

    chunks = [
        slice(start, min(start + CHUNK, end))
        for begin, end in pairwise([*np.flatnonzero(np.diff(sizes, prepend=0)), len(sizes)])
        for start in range(begin, end, CHUNK)
    ]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        totals = sum(threads.map(add, chunks), np.zeros((3, 2, len(held))))
    full = np.zeros((3, 2, NUM_HANDS))
    full[:, :, held] = totals
    mean = np.mean([full[:, :, permute_hands(suits)] for suits in symmetries], axis=0)
    return _equity(reach, mean, int(sizes.sum()))


def _orbits(symmetries: Sequence[Suits]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """One board [n, 5] of each orbit under renamings, and the orbit's size, ascending."""
    boards = combinations_array(NUM_CARDS, _BOARD_CARDS)
    bits = np.int64(1) << np.arange(NUM_CARDS, dtype=np.int64)
    masks = bits[boards].sum(axis=1)
    smallest = np.ones(len(boards), np.bool_)
    fixed = np.zeros(len(boards), np.int64)
    every_fourth = np.int64(sum(1 << (4 * rank) for rank in range(13)))
    parts = [(masks >> suit) & every_fourth for suit in range(4)]
    for suits in symmetries:
        image = parts[0] << suits[0]
        for suit in (1, 2, 3):
            image |= parts[suit] << suits[suit]
        smallest &= masks <= image
        fixed += masks == image
    sizes = len(symmetries) // fixed[smallest]
    order = np.argsort(sizes, kind="stable")
    return boards[smallest][order], sizes[order]


def _pairs(reach: Float64) -> dict[tuple[int, int], list[tuple[int, int]]] | None:
    """Pairs of hands that share no card, by the smallest of their renamings; None if too many."""
    own, other = np.flatnonzero(reach[0] > 0), np.flatnonzero(reach[1] > 0)
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    if len(own) * len(other) > _MOST_PAIRS:
        return None
    moved = np.stack([permute_hands(suits) for suits in RENAMINGS]).astype(np.int64)
    for hand in own.tolist():
        apart = other[
            (HAND_CARDS[other][:, :, None] != HAND_CARDS[hand][None, None, :]).all(axis=(1, 2))
        ]
        keys = (moved[:, [hand]] * NUM_HANDS + moved[:, apart]).min(axis=0)
        for key, against in zip(keys.tolist(), apart.tolist(), strict=True):
            pairs.setdefault(divmod(key, NUM_HANDS), []).append((hand, against))
    return pairs


def _over_pairs(reach: Float64, pairs: dict[tuple[int, int], list[tuple[int, int]]]) -> Equity:
    """Evaluate each kind of pair on all boards that it leaves possible."""
    totals = np.zeros((3, 2, NUM_HANDS))
    boards = comb(NUM_CARDS - 4, _BOARD_CARDS)
    for (one, two), members in pairs.items():
        win, tie = matchup(one, two)
        for hand, against in members:
            ahead = win + tie / 2
            totals[:, 0, hand] += reach[1, against] * np.array([ahead, tie, boards])
            totals[:, 1, against] += reach[0, hand] * np.array([boards - ahead, tie, boards])
    return _equity(reach, totals, boards)


def matchup(one: int, two: int) -> tuple[int, int]:
    """The numbers of the 1,712,304 boards on which hand `one` beats hand `two`, and ties it."""
    held = np.concatenate([HAND_CARDS[one], HAND_CARDS[two]])
    left = np.setdiff1d(np.arange(NUM_CARDS, dtype=np.int8), held)
    boards = left[combinations_array(len(left), _BOARD_CARDS)]
    hands = np.empty((len(boards), _BOARD_CARDS + 2), np.int8)
    hands[:, 2:] = boards
    strengths = []
    for hand in (one, two):
        hands[:, :2] = HAND_CARDS[hand]
        strengths.append(rank_cards(hands))
    return int((strengths[0] > strengths[1]).sum()), int((strengths[0] == strengths[1]).sum())


@cache
def combinations_array(count: int, size: int) -> NDArray[np.int8]:
    """[n, size] every choice of `size` of the numbers below `count`, ascending."""
    chosen = np.arange(count, dtype=np.int8)[:, None]
    for _ in range(size - 1):
        last = chosen[:, -1].astype(np.int64)
        more = count - 1 - last
        before = np.repeat(np.cumsum(more) - more, more)
        following = np.arange(more.sum()) - before + np.repeat(last + 1, more)
        chosen = np.concatenate(
            [np.repeat(chosen, more, axis=0), following[:, None].astype(np.int8)], axis=1
        )
    chosen.setflags(write=False)
    return chosen


def _equity(reach: Float64, totals: Float64, boards: int) -> Equity:
    """The equities of both players with these reaches [2, 1326]; totals: see `add_boards`."""
    ahead, tied, met = totals
    both = [reach[p] @ met[p] for p in (0, 1)]
    if min(both) <= 0:
        raise GameError("the two ranges cannot meet: every pair of hands shares a card")
    # Rounding errors of sums that cancel are no reach.
    share = np.divide(ahead, met, out=np.full(met.shape, np.nan), where=met > 1e-12 * met.max())
    first, second = (float(reach[p] @ ahead[p] / both[p]) for p in (0, 1))
    ties = float(reach[0] @ tied[0] / both[0])
    return Equity((share[0], share[1]), (first, second), ties, boards)


@kernel
def add_boards(strengths, cards, reach, totals):
    """Add for each hand the opponent's reach that it beats (ties half), ties with, and all of it.

    strengths: int32[boards, H], -1 for dead hands; cards: [H, 2]; reach: [2, H]; totals: [3, 2, H].
    """
    order = np.empty(len(cards), dtype=np.int64)
    starts = np.empty(NUM_STRENGTHS + 1, dtype=np.int64)
    sums = np.empty((3, NUM_CARDS))
    for board in range(strengths.shape[0]):
        strength = strengths[board]
        alive = by_strength(strength, order, starts)
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


@inner_kernel
def by_strength(strength, order, starts):
    """Write the live hands, weakest first, to `order`; returns their number.

    strength: [H], -1 for dead hands; order: [H]; starts: [NUM_STRENGTHS + 1], overwritten.
    """
    starts[:] = 0
    for hand in range(len(strength)):
        if strength[hand] >= 0:
            starts[strength[hand] + 1] += 1
    for value in range(NUM_STRENGTHS):
        starts[value + 1] += starts[value]
    alive = starts[NUM_STRENGTHS]
    for hand in range(len(strength)):
        if strength[hand] >= 0:
            order[starts[strength[hand]]] = hand
            starts[strength[hand]] += 1
    return alive
