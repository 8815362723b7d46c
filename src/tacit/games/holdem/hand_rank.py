"""The strength of poker hands of five to seven cards: one number, higher wins, equal splits.

Strengths are dense: 0 (7-5-4-3-2) to 7,461 (royal flush), one for each of the 7,462 kinds of
five-card hand that differ in a showdown. They come from lookups. The number of cards of each rank
is a digit in base five; the six low ranks form one number, the seven high ranks another. Each
number has an index among those with as many cards, and the two indices address a table without
gaps: 49,205 entries for seven cards. A flush beats any other hand that the same cards can make
(except a better flush), so flushes have their own table over the 8,192 sets of ranks.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from tacit.games.game import GameError
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, NUM_HANDS

NUM_STRENGTHS = 7462

LOW_RANKS, HIGH_RANKS = 6, 7
MAX_CARDS = 7
# A card adds to four sums at once, packed into 64 bits: its digit of the low number (from bit 0),
# its digit of the high number (from bit 20), and one to the count of its suit (4 bits each from bit
# 40). The counts start at 3, so that the fifth card of a suit sets the top bit of its count.
HIGH_SHIFT, SUIT_SHIFT = 20, 40
DIGITS_MASK = (1 << HIGH_SHIFT) - 1
SUITS_START = 0x3333 << SUIT_SHIFT
FLUSH_BITS = 0x8888 << SUIT_SHIFT


class Tables(NamedTuple):
    """The lookup tables of the kernels, built once by `tables`.

    They are large enough for the sums of any seven cards, equal ones too, so that invalid hands
    never read outside them.
    """

    card_keys: NDArray[np.int64]
    """[52]: the packed sums that a card adds to."""
    low_place: NDArray[np.int16]
    """[low number]: its index among low numbers with as many cards."""
    high_place: NDArray[np.int32]
    """[cards - 5, high number]: where its part of `strengths` begins."""
    strengths: NDArray[np.int16]
    """[place]: strength by ranks alone."""
    flushes: NDArray[np.int16]
    """[8192]: strength of a flush in a suit whose ranks are the set bits; -1 under five cards."""


def rank_boards(boards: ArrayLike) -> NDArray[np.int32]:
    """The strength of every hand on each of many boards: int32[boards, 1326], -1 if it is dead.

    `boards` is [boards, 3 to 5]; the cards of a board must differ, which is not checked here.
    """
    array = _card_array(boards, smallest=3, largest=5, what="boards")
    strengths = np.empty((len(array), NUM_HANDS), np.int32)
    _rank_boards(array, HAND_CARDS, tables(), strengths)
    return strengths


def rank_cards(hands: ArrayLike) -> NDArray[np.int32]:
    """The strength of many independent hands, [hands, 5 to 7] cards: int32[hands].

    The cards of a hand must differ, which is not checked here.
    """
    array = _card_array(hands, smallest=5, largest=MAX_CARDS, what="hands")
    strengths = np.empty(len(array), np.int32)
    _rank_cards(array, tables(), strengths)
    return strengths


def _card_array(cards: ArrayLike, *, smallest: int, largest: int, what: str) -> NDArray[np.int8]:
    array = np.asarray(cards)
    if array.ndim != 2 or not smallest <= array.shape[1] <= largest:
        raise GameError(
            f"{what} have shape {array.shape}; expected [{what}, {smallest} to {largest} cards]"
        )
    if array.size and not (array.min() >= 0 and array.max() < NUM_CARDS):
        raise GameError(
            f"{what} have a card outside 0 to {NUM_CARDS - 1}; a card is 4 * rank + suit"
        )
    return np.ascontiguousarray(array, np.int8)


@njit(cache=True, nogil=True)
def _rank_cards(hands: NDArray[np.int8], tables: Tables, out: NDArray[np.int32]) -> None:
    """Rank `hands` [n, cards] into `out` [n]."""
    card_keys, low_place, high_place, strengths, flushes = tables
    cards = hands.shape[1]
    places = high_place[cards - 5]
    for hand in range(hands.shape[0]):
        key = SUITS_START
        for i in range(cards):
            key += card_keys[hands[hand, i]]
        if key & FLUSH_BITS:
            suit = 0
            while not key & (8 << (SUIT_SHIFT + 4 * suit)):
                suit += 1
            ranks = 0
            for i in range(cards):
                card = hands[hand, i]
                if card & 3 == suit:
                    ranks |= 1 << (card >> 2)
            out[hand] = flushes[ranks]
        else:
            place = places[(key >> HIGH_SHIFT) & DIGITS_MASK] + low_place[key & DIGITS_MASK]
            out[hand] = strengths[place]


@njit(cache=True, nogil=True)
def _rank_boards(
    boards: NDArray[np.int8],
    hand_cards: NDArray[np.int8],
    tables: Tables,
    out: NDArray[np.int32],
) -> None:
    """Rank all `hand_cards` [hands, 2] on each of `boards` [n, cards] into `out` [n, hands].

    A hand without a flush depends only on its two ranks, so the 169 pairs are looked up once.
    """
    card_keys, low_place, high_place, strengths, flushes = tables
    cards = boards.shape[1]
    places = high_place[cards + 2 - 5]
    by_ranks = np.empty((13, 13), np.int32)
    dead = np.empty(NUM_CARDS, np.bool_)
    suits = np.empty(4, np.int64)
    flush_bit = np.zeros(NUM_CARDS, np.int64)
    for board in range(boards.shape[0]):
        dead[:] = False
        suits[:] = 0
        key = 0
        for i in range(cards):
            card = boards[board, i]
            key += card_keys[card]
            dead[card] = True
            suits[card & 3] += 1
        flush_suit = -1
        for suit in range(4):
            if suits[suit] >= 3:
                flush_suit = suit
        for high in range(13):
            for low in range(high + 1):
                both = key + card_keys[4 * high] + card_keys[4 * low]
                place = places[(both >> HIGH_SHIFT) & DIGITS_MASK] + low_place[both & DIGITS_MASK]
                by_ranks[high, low] = strengths[place]
        if flush_suit < 0:
            for hand in range(hand_cards.shape[0]):
                low, high = hand_cards[hand, 0], hand_cards[hand, 1]
                alive = not (dead[low] or dead[high])
                out[board, hand] = by_ranks[high >> 2, low >> 2] if alive else -1
            continue
        ranks = 0
        for rank in range(13):
            flush_bit[4 * rank + flush_suit] = 1 << rank
            if dead[4 * rank + flush_suit]:
                ranks |= 1 << rank
        for hand in range(hand_cards.shape[0]):
            low, high = hand_cards[hand, 0], hand_cards[hand, 1]
            alive = not (dead[low] or dead[high])
            flush = flushes[ranks | flush_bit[low] | flush_bit[high]]
            plain = by_ranks[high >> 2, low >> 2]
            out[board, hand] = max(plain, flush) if alive else -1
        for rank in range(13):
            flush_bit[4 * rank + flush_suit] = 0


@cache
def tables() -> Tables:
    """The lookup tables, built on first use."""
    low_digits = _digit_rows(LOW_RANKS)
    high_digits = _digit_rows(HIGH_RANKS)
    low_counts, high_counts = low_digits.sum(axis=1), high_digits.sum(axis=1)
    low_numbers = low_digits @ 5 ** np.arange(LOW_RANKS)
    high_numbers = high_digits @ 5 ** np.arange(HIGH_RANKS)

    low_place = np.zeros(MAX_CARDS * 5 ** (LOW_RANKS - 1) + 1, np.int16)
    low_rows = []
    for count in range(MAX_CARDS + 1):
        rows = np.flatnonzero(low_counts == count)
        low_place[low_numbers[rows]] = np.arange(len(rows))
        low_rows.append(rows)

    high_place = np.zeros((3, MAX_CARDS * 5 ** (HIGH_RANKS - 1) + 1), np.int32)
    parts = []
    end = 0
    for cards in (5, 6, 7):
        for count in range(cards + 1):
            high, low = np.flatnonzero(high_counts == count), low_rows[cards - count]
            high_place[cards - 5, high_numbers[high]] = end + len(low) * np.arange(len(high))
            end += len(low) * len(high)
            high, low = np.repeat(high, len(low)), np.tile(low, len(high))
            parts.append(np.concatenate([low_digits[low], high_digits[high]], axis=1))
    occurrences = np.concatenate(parts)
    scores = _rank_scores(occurrences)
    # A straight (4) becomes a straight flush (8), a high card (0) a flush (5).
    sets = np.arange(8192)[:, None] >> np.arange(13) & 1
    set_scores = _rank_scores(sets)
    flush_scores = set_scores + (np.where(set_scores >> 26, 4, 5) << 26)
    five = [scores[occurrences.sum(axis=1) == 5], flush_scores[sets.sum(axis=1) == 5]]
    distinct = np.unique(np.concatenate(five))
    flushes = np.where(sets.sum(axis=1) < 5, -1, np.searchsorted(distinct, flush_scores))

    card = np.arange(NUM_CARDS)
    rank, suit = card // 4, card % 4
    low_digit = np.where(rank < LOW_RANKS, 5 ** np.minimum(rank, LOW_RANKS), 0)
    high_digit = np.where(rank >= LOW_RANKS, 5 ** np.maximum(rank - LOW_RANKS, 0), 0)
    card_keys = low_digit + (high_digit << HIGH_SHIFT) + (1 << (SUIT_SHIFT + 4 * suit))
    return Tables(
        card_keys.astype(np.int64),
        low_place,
        high_place,
        np.pad(np.searchsorted(distinct, scores), (0, int(low_place.max()))).astype(np.int16),
        flushes.astype(np.int16),
    )


def _digit_rows(ranks: int) -> NDArray[np.int64]:
    """How often each of `ranks` ranks can occur among at most seven cards: [rows, ranks]."""
    rows = np.arange(5**ranks)[:, None] // 5 ** np.arange(ranks) % 5
    possible: NDArray[np.int64] = rows[rows.sum(axis=1) <= MAX_CARDS]
    return possible


def _highest(sets: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The `count` highest set bits of each set of ranks (all of them if there are fewer)."""
    kept, left = np.zeros_like(sets), np.full_like(sets, count)
    for rank in range(12, -1, -1):
        taken = np.where(left > 0, sets & (1 << rank), 0)
        kept |= taken
        left -= taken > 0
    return kept


def _rank_scores(occurrences: NDArray[np.int64]) -> NDArray[np.int64]:
    """The score of hands by ranks alone; `occurrences` [n, 13] says how often each rank occurs.

    Scores order by kind, then by two sets of ranks of which the higher bits decide.
    """
    sets = np.arange(8192)
    straights = np.zeros(8192, np.int64)
    for top in range(3, 13):
        needed = 0b1000000001111 if top == 3 else 0b11111 << (top - 4)
        straights[sets & needed == needed] = 1 << top
    best = {count: _highest(sets, count) for count in (1, 2, 3, 5)}
    ones, twos, threes, fours = (
        (occurrences >= count) @ (1 << np.arange(13)) for count in (1, 2, 3, 4)
    )
    quad, trip, pair, pairs = best[1][fours], best[1][threes], best[1][twos], best[2][twos]
    filled = best[1][twos & ~trip]
    straight = straights[ones]
    return np.select(
        [quad > 0, (trip > 0) & (filled > 0), straight > 0, trip > 0, pairs != pair, pair > 0],
        [
            (7 << 26) + (quad << 13) + best[1][ones & ~quad],
            (6 << 26) + (trip << 13) + filled,
            (4 << 26) + (straight << 13),
            (3 << 26) + (trip << 13) + best[2][ones & ~trip],
            (2 << 26) + (pairs << 13) + best[1][ones & ~pairs],
            (1 << 26) + (pair << 13) + best[3][ones & ~pair],
        ],
        best[5][ones] << 13,
    )
