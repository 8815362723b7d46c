"""Equity before the flop: the two exact ways against each other, samples against both."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pokerkit import Card, Deck, StandardHighHand, calculate_equities, parse_range

import tacit.games.holdem.ranges as ranges
from tacit.games import GameError
from tacit.games.holdem.cards import parse_board, parse_hand
from tacit.tree.cards import preflop_equity as module
from tacit.tree.cards.preflop_equity import (
    board_equity,
    combinations_array,
    matchup,
    preflop_equity,
)


def both(first: str, second: str):
    return ranges.parse_range(first), ranges.parse_range(second)


def test_combinations_are_those_of_itertools() -> None:
    for count, size in ((5, 1), (7, 3), (6, 6), (9, 5)):
        expected = list(combinations(range(count), size))
        assert_array_equal(combinations_array(count, size), expected)


def test_matchups_are_those_of_published_tables() -> None:
    # AsAh against KsKh: 1,410,336 wins, 9,308 ties of 1,712,304.
    win, tie = matchup(parse_hand("AsAh"), parse_hand("KsKh"))
    assert (win, tie) == (1_410_336, 9_308)
    with pytest.raises(GameError, match="share a card"):
        matchup(parse_hand("AsAh"), parse_hand("AsKh"))


def test_both_exact_ways_agree() -> None:
    first, second = (np.asarray(r, float) for r in both("AA,AKs:0.5", "KK,T9s"))
    by_boards = preflop_equity((first, second))
    assert by_boards is not None
    pairs = module._pairs(first, second)
    assert pairs is not None
    by_pairs = module._over_pairs(first, second, pairs)
    held = [np.flatnonzero(r > 0) for r in (first, second)]
    symmetries = module._RENAMINGS
    other = module._over_boards(first, second, symmetries)
    for found in (by_pairs, other):
        assert_allclose(found.total, by_boards.total, atol=1e-12)
        assert_allclose(found.ties, by_boards.ties, atol=1e-12)
        for player in (0, 1):
            assert_allclose(
                found.hands[player][held[player]],
                by_boards.hands[player][held[player]],
                atol=1e-12,
            )


def test_samples_come_near() -> None:
    exact = preflop_equity(both("AA", "KK"))
    assert exact is not None
    sampled = board_equity((), both("AA", "KK"), samples=4_000, seed=1)
    assert not sampled.exact
    assert abs(sampled.equity.total[0] - exact.total[0]) < 5 * sampled.error


def test_what_would_take_too_long_is_sampled() -> None:
    wide = both("random,AsAh:0.5,KsQd:0.25,2c2d:0", "random")
    assert preflop_equity(wide) is None


def test_ranges_that_cannot_meet() -> None:
    with pytest.raises(GameError, match="cannot meet"):
        preflop_equity(both("AsAh", "AsKs"))


def test_a_flop_against_pokerkit() -> None:
    board = "Th9h2c"
    found = board_equity(parse_board(board), both("AhKh", "QcQd")).equity
    expected = calculate_equities(
        (parse_range("AhKh"), parse_range("QcQd")),
        tuple(Card.parse(board)),
        2,
        5,
        Deck.STANDARD,
        (StandardHighHand,),
        sample_count=2_000,
    )
    assert found.total[0] == pytest.approx(expected[0], abs=0.05)
