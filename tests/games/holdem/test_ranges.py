"""Ranges: what is read, what is printed, and where a bad one is bad."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.games.game import GameError
from tacit.games.holdem.cards import CLASS_NAMES, HAND_CLASS, NUM_HANDS, parse_board, parse_hand
from tacit.games.holdem.notation import NotationError
from tacit.games.holdem.ranges import check_range, format_range, parse_range


def classes(text: str) -> set[str]:
    """The classes of which every hand has weight 1; no other hand may have any."""
    weights = parse_range(text)
    names = {
        name for cell, name in enumerate(CLASS_NAMES) if (weights[cell == HAND_CLASS] == 1).all()
    }
    inside = np.isin(HAND_CLASS, [CLASS_NAMES.index(name) for name in names])
    assert (weights[~inside] == 0).all()
    return names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("77", "77"),
        ("QQ+", "QQ KK AA"),
        ("TT-88", "TT 99 88"),
        ("88-TT", "TT 99 88"),
        ("AKs", "AKs"),
        ("AK", "AKs AKo"),
        ("KAo", "AKo"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("KTo+", "KTo KJo KQo"),
        ("76s+", "76s"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("76s-54s", "76s 65s 54s"),
        ("J9o-86o", "J9o T8o 97o 86o"),
        (" qq+ , 54S ", "QQ KK AA 54s"),
        ("AA,AA", "AA"),
        ("QQ+,KK:0", "QQ AA"),
    ],
)
def test_classes(text, names):
    assert classes(text) == set(names.split())


def test_weights_and_single_hands():
    weights = parse_range("22+,A2s+,KTo+,AhKh:0.5,76s-54s")
    assert weights.dtype == np.float32
    assert weights[parse_hand("AhKh")] == 0.5
    assert weights.sum() == 13 * 6 + 12 * 4 + 3 * 12 + 3 * 4 - 0.5


@pytest.mark.parametrize("text", ["random", "any", "RANDOM:0.25", "any:.25"])
def test_every_hand(text):
    weights = parse_range(text)
    assert (weights == (0.25 if "25" in text else 1)).all()


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "random:0.25",
        "random:0",
        "22+,A2s+,KTo+",
        "TT-77,AK,KQ:0.5",
        "22+,A2s+,KTo+,76s-54s,AhKh:0.5",
        "AA,AhKd,AcKc:0.125",
        "JJ+:0.3,99:0.5,AQs+,A5s-A2s:1e-08,AJo+",
        "AA,AsAh:0",
        "T9-76",
    ],
)
def test_compact_notation_comes_back(text):
    assert format_range(parse_range(text)) == text


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(CLASS_NAMES), st.sampled_from([0.25, 0.5, 1.0])),
    st.dictionaries(st.integers(0, NUM_HANDS - 1), st.floats(0, 1, width=32), max_size=9),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_round_trip(class_weights, hand_weights, rest):
    weights = np.full(NUM_HANDS, rest, np.float32)
    for name, weight in class_weights.items():
        weights[CLASS_NAMES.index(name) == HAND_CLASS] = weight
    for hand, weight in hand_weights.items():
        weights[hand] = weight
    text = format_range(weights)
    assert (parse_range(text) == weights).all()
    assert format_range(parse_range(text)) == text


@pytest.mark.parametrize(
    ("text", "token", "column", "message"),
    [
        ("22+,A2x,KTo+", "A2x", 5, "expected an item such as"),
        ("22+,  A2s:1.5", "A2s:1.5", 7, "'1.5' is not a weight; expected a number from 0 to 1"),
        ("AA:", "AA:", 1, "'' is not a weight"),
        ("AA:nan", "AA:nan", 1, "'nan' is not a weight"),
        ("AA,,KK", "", 4, "expected an item"),
        ("AA,AhAh", "AhAh", 4, "Ah is there twice"),
        ("77s", "77s", 1, "neither suited nor offsuit"),
        ("AKs-A2o", "AKs-A2o", 1, "both ends must be"),
        ("AKs-64s", "AKs-64s", 1, "share the high card"),
        ("AA-KQ", "AA-KQ", 1, "share the high card"),
        ("77-", "77-", 1, "expected an item"),
    ],
)
def test_a_bad_range_is_pointed_at(text, token, column, message):
    with pytest.raises(NotationError, match=message) as caught:
        parse_range(text)
    assert (caught.value.token, caught.value.column) == (token, column)
    assert "\n" not in str(caught.value)


def test_an_empty_range_is_refused():
    with pytest.raises(GameError, match="is empty"):
        parse_range("  ")


def test_weights_that_are_no_range():
    with pytest.raises(GameError, match="1326 weights"):
        format_range(np.zeros(169, np.float32))
    with pytest.raises(GameError, match="from 0 to 1"):
        format_range(np.full(NUM_HANDS, 2, np.float32))


def test_a_negative_zero_prints_as_nothing():
    weights = parse_range("AA")
    weights[weights == 0] = -0.0
    assert format_range(weights) == "AA"


def test_a_board_that_kills_a_range():
    board = parse_board("AhAd7c")
    assert check_range(parse_range("AA,77"), board).sum() == 1 + 3
    with pytest.raises(GameError, match=r"player 1's range holds no hand .* board AhAd7c"):
        check_range(parse_range("AhKh,AdQd"), board, name="player 1's range")
    with pytest.raises(GameError, match="holds no hand; give"):
        check_range(parse_range("random:0"))


@settings(deadline=None)
@given(st.text() | st.text("23456789TJQKAcdhso+-:.,e "))
def test_only_the_documented_error_comes_out(text):
    with suppress(GameError):
        parse_range(text)
