"""Advantages of ranges against sums over pairs of hands."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.evaluation.holdem.advantage import both_reach, met_reach, range_advantage
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


@pytest.mark.parametrize("text", ["3s7hTdKs2c", "3s7hTdKs"])
def test_it_is_exact_on_turn_and_river(text: str) -> None:
    board = parse_board(text)
    ranges = random_reach(board, 1), random_reach(board, 2) ** 3
    equity = board_equity(board, ranges).total
    found = range_advantage(board, ranges, samples=1, random=np.random.default_rng(0))
    assert found == pytest.approx(equity[0] - equity[1], abs=1e-9)


@pytest.mark.parametrize("text", ["", "3s7hTd"])
def test_it_is_unbiased_before(text: str) -> None:
    board = parse_board(text)
    ranges = (
        parse_range("AA,A2s+,72o").astype(float),
        parse_range("QQ-99,KTo,AhKh:0.5").astype(float),
    )
    samples = None if board else 20_000
    equity = board_equity(board, ranges, samples=samples).total
    random = np.random.default_rng(1)
    found = [range_advantage(board, ranges, samples=50, random=random) for _ in range(40)]
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(equity[0] - equity[1], abs=4 * error + 0.005)
    assert error < 0.02
