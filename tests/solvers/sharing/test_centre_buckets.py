"""Buckets from centres: those of the tables, computed when a board is dealt."""

from __future__ import annotations

import numpy as np
import pytest

from support.blueprints import buckets_by_equity
from tacit.games import GameError
from tacit.games.holdem.cards import HAND_CLASS, live_hands, parse_board, parse_hand
from tacit.games.holdem.spot import permute_card, permute_hands
from tacit.solvers.sharing.centre_buckets import CentreBuckets


@pytest.mark.parametrize("text", ["3s7hTd", "3s7hTdKs", "3s7hTdKs2c"])
def test_strong_hands_are_in_high_buckets(text: str) -> None:
    board, buckets = parse_board(text), buckets_by_equity()
    row = buckets.of(board)
    assert ((row >= 0) == live_hands(board)).all()
    assert row[parse_hand("ThTc")] == 4
    assert row[parse_hand("5h4c")] < row[parse_hand("AhTc")]


def test_names_of_suits_do_not_matter() -> None:
    board, buckets = parse_board("3s7hTdKs"), buckets_by_equity()
    suits = (2, 0, 3, 1)
    moved = buckets.of([permute_card(suits, card) for card in board])
    assert np.array_equal(moved[permute_hands(suits)], buckets.of(board))


def test_before_the_flop_a_class_is_a_bucket() -> None:
    buckets = buckets_by_equity()
    assert np.array_equal(buckets.of(()), HAND_CLASS)
    assert [buckets.count(street) for street in range(4)] == [169, 5, 5, 5]
    with pytest.raises(GameError, match="2 cards"):
        buckets.of((1, 2))
    with pytest.raises(GameError, match="features"):
        CentreBuckets(buckets.centres[:2], buckets.groups)
