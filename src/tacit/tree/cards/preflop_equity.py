"""Equity before the flop: exact where suit symmetry or small ranges allow it, else sampled.

There are 2,598,960 boards. If the ranges do not depend on the names of suits, boards that differ
only in these names are evaluated once, and a hand's equity is the mean over its renamings. If the
ranges hold few hands, each pair of hands is evaluated on all boards it leaves possible, and pairs
that differ only in the names of suits are evaluated once.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations
from math import comb, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, NUM_HANDS
from tacit.games.holdem.hand_rank import rank_boards, rank_cards
from tacit.games.holdem.spot import Suits, permute_hands
from tacit.tree.cards.equity import CHUNK, Equity, Weights, _add_boards, range_equity

SECONDS = 15.0
"""The longest estimated time of an exact result; beyond that boards are sampled."""
SAMPLES = 20_000
BATCHES = 20
_BOARD_SECONDS, _HAND_SECONDS, _PAIR_SECONDS = 15e-6, 4e-8, 0.15
_BOARD_CARDS = 5
_RENAMINGS: list[Suits] = [(a, b, c, d) for a, b, c, d in permutations(range(4))]
_MOST_PAIRS = 40_000


@dataclass(frozen=True)
class Estimate:
    """Equities, whether all boards were dealt, and the standard error of `Equity.total` if not."""

    equity: Equity
    exact: bool = True
    error: float = 0.0


def board_equity(
    board: tuple[int, ...],
    ranges: tuple[Weights, Weights],
    *,
    samples: int | None = None,
    seed: int = 0,
) -> Estimate:
    """The equities of two ranges [1326] on a board of 0, 3, 4 or 5 cards, exact if that is quick.

    `samples`: the number of random boards to deal instead of all.
    """
    if samples is None and board:
        return Estimate(range_equity(board, ranges))
    if samples is None:
        exact = preflop_equity(ranges)
        if exact is not None:
            return Estimate(exact)
    return _sampled(board, ranges, samples or SAMPLES, seed)


def preflop_equity(ranges: tuple[Weights, Weights], *, seconds: float = SECONDS) -> Equity | None:
    """The exact equities of two ranges before the flop; None if they would take too long."""
    first, second = (np.asarray(weights, np.float64) for weights in ranges)
    symmetries = [
        suits
        for suits in _RENAMINGS
        if all(np.array_equal(r[permute_hands(suits)], r) for r in (first, second))
    ]
    pairs = _pairs(first, second)
    if pairs is not None and not pairs:
        raise GameError("the two ranges cannot meet: every pair of hands shares a card")
    held = int(((first > 0) | (second > 0)).sum())
    by_boards = comb(NUM_CARDS, _BOARD_CARDS) / len(symmetries)
    by_boards *= _BOARD_SECONDS + _HAND_SECONDS * held
    by_pairs = inf if pairs is None else _PAIR_SECONDS * len(pairs)
    if min(by_boards, by_pairs) > seconds:
        return None
    if pairs is not None and by_pairs < by_boards:
        return _over_pairs(first, second, pairs)
    return _over_boards(first, second, symmetries)


def _sampled(
    board: tuple[int, ...], ranges: tuple[Weights, Weights], samples: int, seed: int
) -> Estimate:
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
    equity = Equity(
        (hands[0], hands[1]),
        (float(mean[0]), float(mean[1])),
        float(np.mean([part.ties for part in parts])),
        size * BATCHES,
    )
    return Estimate(equity, exact=False, error=float(totals[:, 0].std(ddof=1)) / sqrt(BATCHES))


def _over_boards(
    first: NDArray[np.float64], second: NDArray[np.float64], symmetries: list[Suits]
) -> Equity:
    """One board of each orbit, weighted by the orbit's size."""
    held = np.flatnonzero((first > 0) | (second > 0))
    cards = np.ascontiguousarray(HAND_CARDS[held])
    reach = np.stack([first[held], second[held]])
    boards, sizes = _orbits(tuple(symmetries))

    def add(chunk: slice) -> NDArray[np.float64]:
        part = np.zeros((3, 2, len(held)))
        ranked = rank_boards(boards[chunk])
        _add_boards(np.ascontiguousarray(ranked[:, held]), cards, reach, part)
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
    return _equity(first, second, mean, int(sizes.sum()))


def _orbits(symmetries: tuple[Suits, ...]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
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


def _pairs(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> dict[tuple[int, int], list[tuple[int, int]]] | None:
    """Pairs of hands that share no card, by the smallest of their renamings; None if too many."""
    own, other = np.flatnonzero(first > 0), np.flatnonzero(second > 0)
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    if len(own) * len(other) > _MOST_PAIRS:
        return None
    moved = np.stack([permute_hands(suits) for suits in _RENAMINGS]).astype(np.int64)
    for hand in own.tolist():
        apart = other[
            (HAND_CARDS[other][:, :, None] != HAND_CARDS[hand][None, None, :]).all(axis=(1, 2))
        ]
        keys = (moved[:, [hand]] * NUM_HANDS + moved[:, apart]).min(axis=0)
        for key, against in zip(keys.tolist(), apart.tolist(), strict=True):
            pairs.setdefault(divmod(key, NUM_HANDS), []).append((hand, against))
    return pairs


def _over_pairs(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    pairs: dict[tuple[int, int], list[tuple[int, int]]],
) -> Equity:
    """Evaluate each kind of pair on all boards that it leaves possible."""
    totals = np.zeros((3, 2, NUM_HANDS))
    boards = comb(NUM_CARDS - 4, _BOARD_CARDS)
    for (one, two), members in pairs.items():
        win, tie = matchup(one, two)
        for hand, against in members:
            ahead = win + tie / 2
            totals[:, 0, hand] += second[against] * np.array([ahead, tie, boards])
            totals[:, 1, against] += first[hand] * np.array([boards - ahead, tie, boards])
    return _equity(first, second, totals, boards)


def matchup(one: int, two: int) -> tuple[int, int]:
    """The numbers of the 1,712,304 boards on which hand `one` beats hand `two`, and ties it."""
    held = np.concatenate([HAND_CARDS[one], HAND_CARDS[two]])
    if len(set(held.tolist())) < 4:
        raise GameError("two hands that share a card cannot meet")
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


def _equity(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    totals: NDArray[np.float64],
    boards: int,
) -> Equity:
    ahead, tied, met = totals
    shares = [
        np.divide(
            ahead[p], met[p], out=np.full(NUM_HANDS, np.nan), where=(met[p] > 1e-9) & (own > 0)
        )
        for p, own in enumerate((first, second))
    ]
    whole = [float(own @ ahead[p] / (own @ met[p])) for p, own in enumerate((first, second))]
    ties = float(first @ tied[0] / (first @ met[0]))
    return Equity((shares[0], shares[1]), (whole[0], whole[1]), ties, boards)
