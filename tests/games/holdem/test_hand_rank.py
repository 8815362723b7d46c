"""The evaluator against others, against itself done slowly, and by the known counts of hands."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from numba import njit
from phevaluator import evaluate_cards
from pokerkit import StandardHighHand

from tacit.games.game import GameError
from tacit.games.holdem.cards import HAND_CARDS, format_cards, live_hands, parse_cards
from tacit.games.holdem.hand_rank import NUM_STRENGTHS, rank_boards, rank_cards

KINDS = {
    "high card": 0,
    "pair": 1277,
    "two pair": 4137,
    "three of a kind": 4995,
    "straight": 5853,
    "flush": 5863,
    "full house": 7140,
    "four of a kind": 7296,
    "straight flush": 7452,
}
"""The smallest strength of each of the nine kinds of hand, weakest first."""
KIND_STARTS = list(KINDS.values())

# How many hands of five, six and seven cards are of each of KINDS.
COUNTS = {
    5: [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40],
    6: [6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844],
    7: [
        23_294_460,
        58_627_800,
        31_433_400,
        6_461_620,
        6_180_020,
        4_047_644,
        3_473_184,
        224_848,
        41_584,
    ],
}


def random_hands(hands: int, cards: int, *, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    decks = np.tile(np.arange(52, dtype=np.int8), (hands, 1))
    return random.permuted(decks, axis=1)[:, :cards].copy()


@njit
def all_hands(first: int, second: int, cards: int, out: np.ndarray) -> int:
    """Write all hands whose two lowest cards are `first` and `second` into `out`; how many."""
    hand = np.empty(cards, np.int8)
    hand[0], hand[1] = first, second
    for i in range(2, cards):
        hand[i] = hand[i - 1] + 1
    rows = 0
    while hand[cards - 1] < 52:
        out[rows] = hand
        rows += 1
        place = cards - 1
        while place > 1 and hand[place] == 52 - cards + place:
            place -= 1
        if place == 1:
            break
        hand[place] += 1
        for i in range(place + 1, cards):
            hand[i] = hand[i - 1] + 1
    return rows


@pytest.mark.parametrize("cards", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_counts_of_kinds(cards):
    check_counts_of_kinds(cards)


@pytest.mark.slow
def test_counts_of_kinds_over_all_133_784_560_hands():
    check_counts_of_kinds(7)


def check_counts_of_kinds(cards):
    hands = np.empty((2_200_000, cards), np.int8)
    totals = np.zeros(NUM_STRENGTHS, np.int64)
    for first, second in combinations(range(52), 2):
        rows = all_hands(first, second, cards, hands)
        totals += np.bincount(rank_cards(hands[:rows]), minlength=NUM_STRENGTHS)
    assert np.add.reduceat(totals, KIND_STARTS).tolist() == COUNTS[cards]
    if cards == 5:
        assert (totals > 0).all()


@pytest.mark.slow
def test_counts_of_kinds_over_all_boards():
    boards = np.empty((25_000, 5), np.int8)
    totals = np.zeros(NUM_STRENGTHS + 1, np.int64)
    for first, second in combinations(range(52), 2):
        rows = all_hands(first, second, 5, boards)
        if rows:
            totals += np.bincount(rank_boards(boards[:rows]).ravel() + 1, minlength=len(totals))
    # Each seven-card hand is a board and a hand in 21 ways.
    assert (np.add.reduceat(totals[1:], KIND_STARTS) / 21).tolist() == COUNTS[7]


def theirs(hand) -> int:
    """Phevaluator's rank, 1 for the best of 7,462."""
    return evaluate_cards(*(int(card) for card in hand))


@pytest.mark.parametrize("cards", [5, 6, 7])
@pytest.mark.parametrize("hands", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_against_phevaluator(cards, hands):
    sample = random_hands(hands, cards, seed=cards)
    expected = [NUM_STRENGTHS - theirs(hand) for hand in sample]
    assert rank_cards(sample).tolist() == expected


def test_against_pokerkit():
    sample = random_hands(500, 7, seed=1)
    ours = rank_cards(sample)
    names = [(format_cards(hand[:2]), format_cards(hand[2:])) for hand in sample]
    others = [StandardHighHand.from_game(hole, board) for hole, board in names]
    order = np.argsort(ours, kind="stable")
    for low, high in pairwise(order):
        assert (ours[low] < ours[high]) == (others[low] < others[high])
        assert (ours[low] == ours[high]) == (others[low] == others[high])


@pytest.mark.parametrize("size", [3, 4, 5])
def test_all_hands_of_a_board(size):
    boards = random_hands(60, size, seed=size)
    # A board of one suit, one of quads, one with a straight flush.
    boards[0] = np.arange(size) * 4
    boards[1] = [*range(48, 52), 0][:size]
    boards[2] = [32, 36, 40, 44, 48][:size]
    for board, batched in zip(boards, rank_boards(boards), strict=True):
        [strengths] = rank_boards([board])
        live = live_hands(board.tolist())
        assert (batched == strengths).all()
        assert ((strengths >= 0) == live).all()
        both = np.concatenate([HAND_CARDS[live], np.tile(board, (live.sum(), 1))], axis=1)
        assert (strengths[live] == rank_cards(both)).all()


@pytest.mark.parametrize(
    ("hand", "kind", "strength"),
    [
        ("2c3d4h5s7c", "high card", 0),
        ("AhKhQhJhTh", "straight flush", NUM_STRENGTHS - 1),
        ("Ah2h3h4h5h9c9d", "straight flush", 7452),
        ("AhAdAcKsKd2c2d", "full house", None),
        ("Ah2d3c4s5d", "straight", 5853),
        ("AhAdKcKsQdQc2d", "two pair", None),
    ],
)
def test_kinds(hand, kind, strength):
    [found] = rank_cards([parse_cards(hand)])
    assert [name for name, start in KINDS.items() if start <= found][-1] == kind
    assert strength in (None, found)


def test_bad_cards():
    with pytest.raises(GameError, match="3 to 5 cards"):
        rank_boards([[1, 2]])
    with pytest.raises(GameError, match="5 to 7 cards"):
        rank_cards([[1, 2, 3]])
    with pytest.raises(GameError, match="outside 0 to 51"):
        rank_cards([[1, 2, 3, 4, 52]])


def test_repeated_cards_stay_inside_the_tables():
    same = np.repeat(np.arange(52), 7).reshape(52, 7)
    for cards in (5, 6, 7):
        assert rank_cards(same[:, :cards]).shape == (52,)
