"""Advantages of ranges against sums over pairs of hands."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.evaluation.holdem.advantage import (
    both_reach,
    met_reach,
    range_advantage,
    sample_runouts,
)
from tacit.games.holdem.cards import HAND_CARDS, NUM_HANDS, live_hands, parse_board, parse_hand
from tacit.games.holdem.ranges import parse_range
from tacit.tree.cards.equity import board_equity


def random_reach(board: tuple[int, ...], seed: int) -> np.ndarray:
    return np.where(live_hands(board), np.random.default_rng(seed).random(NUM_HANDS), 0)


def test_met_reach_leaves_out_hands_that_share_a_card() -> None:
    reach = random_reach((), 0)
    hand = parse_hand("AhKd")
    apart = ~np.isin(HAND_CARDS, HAND_CARDS[hand]).any(axis=1)
    assert met_reach(reach)[hand] == pytest.approx(reach[apart].sum())
    one = np.zeros(NUM_HANDS)
    one[hand] = 2
    assert both_reach(one, reach) == pytest.approx(2 * reach[apart].sum())


@pytest.mark.parametrize("text", ["3s7hTdKs2c", "3s7hTdKs", "3s7hTd"])
def test_it_is_the_difference_of_equities(text: str) -> None:
    board = parse_board(text)
    ranges = random_reach(board, 1), 1e-6 * random_reach(board, 2) ** 3
    equity = board_equity(board, ranges).total
    found = range_advantage(board, ranges)
    assert found == pytest.approx(equity[0] - equity[1], abs=1e-5)


def test_before_the_flop_it_is_over_all_boards() -> None:
    ranges = (
        parse_range("AA,A2s+,72o").astype(float),
        parse_range("QQ-99,KTo,AhKh:0.5").astype(float),
    )
    equity = board_equity((), ranges, samples=20_000).total
    assert range_advantage((), ranges) == pytest.approx(equity[0] - equity[1], abs=0.01)


def test_ranges_that_cannot_meet_have_no_advantage() -> None:
    one = parse_range("AhKh").astype(float)
    assert range_advantage(parse_board("3s7hTd"), (one, one)) == 0


def test_sampled_runouts_have_the_mean_of_all() -> None:
    boards, weight = sample_runouts(parse_board("3s7hTd"), 500, np.random.default_rng(0))
    assert boards.shape == (500, 5)
    assert (np.sort(boards, axis=1)[:, 1:] > np.sort(boards, axis=1)[:, :-1]).all()
    # Of the 1,176 runouts of a flop, 990 are left by the four cards of two hands.
    assert weight == pytest.approx(1176 / 990 / 500)
