"""Cards, hands and boards: numbers and names."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.games.game import GameError
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CARDS,
    HAND_CLASS,
    HAND_INDEX,
    NUM_HANDS,
    card_name,
    check_cards,
    format_cards,
    hand_name,
    live_hands,
    parse_board,
    parse_cards,
    parse_hand,
)


def test_cards_are_numbered_by_rank_then_suit():
    names = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert [card_name(card) for card in range(52)] == names
    assert parse_cards("".join(names)) == tuple(range(52))


def test_hands_are_ordered_by_their_higher_card():
    pairs = sorted(combinations(range(52), 2), key=lambda pair: (pair[1], pair[0]))
    assert HAND_CARDS.tolist() == [list(pair) for pair in pairs]
    low, high = HAND_CARDS.T.astype(int)
    assert (high * (high - 1) // 2 + low == np.arange(NUM_HANDS)).all()


def test_hand_index_inverts_hand_cards():
    low, high = HAND_CARDS.T
    assert (HAND_INDEX[low, high] == np.arange(NUM_HANDS)).all()
    assert (HAND_INDEX == HAND_INDEX.T).all()
    assert (np.diag(HAND_INDEX) == -1).all()
    assert HAND_CARDS.dtype == np.int8
    assert HAND_INDEX.dtype == np.int16


def test_classes_make_the_grid_of_players():
    assert CLASS_NAMES[:3] == ("AA", "AKs", "AQs")
    assert CLASS_NAMES[13:15] == ("AKo", "KK")
    assert CLASS_NAMES[-1] == "22"
    sizes = np.bincount(HAND_CLASS, minlength=169)
    assert [sizes[CLASS_NAMES.index(name)] for name in ("TT", "T9s", "T9o")] == [6, 4, 12]
    assert CLASS_NAMES[HAND_CLASS[parse_hand("9hTh")]] == "T9s"


@settings(deadline=None)
@given(st.lists(st.integers(0, 51), unique=True))
def test_cards_round_trip(cards):
    assert parse_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize("text", ["AhKd", "ah kd", " Ah, Kd ", "AHKD"])
def test_spellings(text):
    assert parse_cards(text) == (50, 45)


@settings(deadline=None)
@given(st.integers(0, NUM_HANDS - 1))
def test_hands_round_trip(hand):
    assert parse_hand(hand_name(hand)) == hand


def test_live_hands():
    board = parse_board("3s7hTdKs2c")
    live = live_hands(board)
    assert live.sum() == 47 * 46 // 2
    assert not live[parse_hand("3sAh")]
    assert live_hands(()).all()


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (parse_cards, "AhKx", "'Kx' is not a card"),
        (parse_cards, "Ah1", "'1' is not a card"),
        (parse_cards, "AhKdAh", "Ah is there twice"),
        (parse_board, "AhKd", "has 2 cards; a board has 0, 3, 4 or 5"),
        (parse_hand, "Ah", "has 1 cards; a hand has 2"),
        (parse_hand, "AhAh", "Ah is there twice"),
    ],
)
def test_bad_cards(read, text, message):
    with pytest.raises(GameError, match=message):
        read(text)


def test_card_numbers_are_checked():
    with pytest.raises(GameError, match="52 is not a card"):
        check_cards([3, 52])
    with pytest.raises(GameError, match="2d is there twice"):
        live_hands([1, 1])


@settings(deadline=None)
@given(st.text() | st.text("23456789TJQKAcdhs ,"))
def test_only_the_documented_error_comes_out(text):
    for read in (parse_cards, parse_board, parse_hand):
        with suppress(GameError):
            read(text)
