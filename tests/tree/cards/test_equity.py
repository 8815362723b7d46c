"""Equities against every pair of hands and every runout, shown down by PokerKit."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pokerkit
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from support.hands import cards_of, share_no_card, winner
from tacit.games import GameError
from tacit.games.holdem.board_classes import RENAMINGS
from tacit.games.holdem.cards import NUM_CARDS, NUM_HANDS, parse_board, parse_cards, parse_hand
from tacit.games.holdem.ranges import parse_range
from tacit.tree.cards import equity as module
from tacit.tree.cards.equity import (
    board_equity,
    combinations_array,
    matchup,
    preflop_equity,
    range_equity,
)

Pair = tuple[np.ndarray, np.ndarray]


def brute_force(board: tuple[int, ...], ranges: Pair) -> tuple[np.ndarray, list[float], float]:
    """Each hand's share [2, 1326], both totals, and how often the pot is split."""
    ahead, met = np.zeros((2, NUM_HANDS)), np.zeros((2, NUM_HANDS))
    tied = meetings = 0.0
    for first in np.flatnonzero(ranges[0]).tolist():
        for second in np.flatnonzero(ranges[1]).tolist():
            held = {*cards_of(first), *cards_of(second)}
            if not share_no_card(first, second) or held & set(board):
                continue
            left = [card for card in range(NUM_CARDS) if card not in held and card not in board]
            for more in combinations(left, 5 - len(board)):
                best = winner(first, second, (*board, *more))
                share = 0.5 if best is None else 1.0 - best
                weights = float(ranges[0][first]), float(ranges[1][second])
                ahead[0, first] += weights[1] * share
                ahead[1, second] += weights[0] * (1 - share)
                met[0, first] += weights[1]
                met[1, second] += weights[0]
                tied += weights[0] * weights[1] * (best is None)
                meetings += weights[0] * weights[1]
    shares = np.full(met.shape, np.nan)
    np.divide(ahead, met, out=shares, where=met > 0)
    totals = [float(ranges[p] @ ahead[p] / (ranges[p] @ met[p])) for p in (0, 1)]
    return shares, totals, tied / meetings


def check(board: str, first: str, second: str) -> None:
    cards, ranges = parse_cards(board), (parse_range(first), parse_range(second))
    found = range_equity(cards, ranges)
    shares, totals, ties = brute_force(cards, ranges)
    for player in (0, 1):
        held = np.flatnonzero(~np.isnan(shares[player]))
        assert len(held)
        assert_allclose(found.hands[player][held], shares[player][held], atol=1e-9)
    assert_allclose(found.total, totals, atol=1e-9)
    assert sum(found.total) == pytest.approx(1)
    assert found.ties == pytest.approx(ties, abs=1e-9)


@pytest.mark.parametrize(
    ("board", "first", "second"),
    [
        ("2c7dJhQsKs", "AA,KQs,T9s:0.5,65s", "QQ:0.25,AJs,T8s,ATo"),
        ("AhKhQd8s2h", "JTs,AQo,99:0.5,7h6h", "KK,AJo:0.25,5h4h,AcQc"),
        ("AsKsQsJsTs", "22,AhKh", "33,72o"),
        ("3s3hTdTs", "AcAd,AcKc,QQ:0.5,4s4h", "AsAh,AcKc,JdJc,5d4d:0.3"),
        ("7s8s9hKd", "AsKs,6h5h,QcJc", "KcKh,TdTc:0.1,AsKh"),
    ],
)
def test_ranges_agree_with_brute_force(board: str, first: str, second: str) -> None:
    check(board, first, second)


def test_a_flop_agrees_with_brute_force() -> None:
    check("7s8s9h", "AsKs,AcAd:0.5", "TdTc")


@pytest.mark.parametrize("seed", range(4))
def test_random_ranges_agree_with_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    board = tuple(int(card) for card in random.choice(NUM_CARDS, 5, replace=False))
    ranges = []
    for _ in (0, 1):
        weights = np.zeros(NUM_HANDS)
        weights[random.choice(NUM_HANDS, 60, replace=False)] = random.random(60)
        ranges.append(weights)
    shares, totals, ties = brute_force(board, (ranges[0], ranges[1]))
    found = range_equity(board, (ranges[0], ranges[1]))
    for player in (0, 1):
        held = np.flatnonzero(~np.isnan(shares[player]))
        assert_allclose(found.hands[player][held], shares[player][held], atol=1e-9)
    assert_allclose(found.total, totals, atol=1e-9)
    assert found.ties == pytest.approx(ties, abs=1e-9)


def test_hands_that_meet_nobody_have_no_equity() -> None:
    found = range_equity(parse_cards("2c7dJhQsKs"), (parse_range("AcAd,5c5d"), parse_range("AcJc")))
    assert np.isnan(found.hands[0][parse_hand("AcAd")])
    assert found.hands[0][parse_hand("5c5d")] == 0
    assert found.hands[1][parse_hand("AcJc")] == 1
    with pytest.raises(GameError, match="cannot meet"):
        range_equity(parse_cards("2c7dJh"), (parse_range("AcAd"), parse_range("AcKc")))
    with pytest.raises(GameError, match="cannot meet"):
        range_equity(parse_cards("Ac7dJh"), (parse_range("AcAd"), parse_range("KdKc")))


def test_samples_come_close_and_are_the_same_for_a_seed() -> None:
    board = parse_cards("7s8s9h")
    ranges = parse_range("AKs,QQ"), parse_range("JTs,88")
    exact = range_equity(board, ranges)
    assert exact.boards == 49 * 48 // 2
    found = [range_equity(board, ranges, samples=2_000, seed=3) for _ in (0, 1)]
    assert found[0].boards == 2_000
    assert found[0].total == found[1].total
    assert found[0].total[0] == pytest.approx(exact.total[0], abs=0.02)
    assert range_equity(board, ranges, samples=2_000, seed=4).total != found[0].total


def test_runouts_that_are_too_many_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_BOARDS", 500)
    ranges = parse_range("AKs,QQ"), parse_range("JTs,88")
    assert range_equity(parse_cards("7s8s9h"), ranges).boards == 500
    assert range_equity(parse_cards("7s8s9hKd"), ranges).boards == 48


def test_boards_are_checked() -> None:
    ranges = parse_range("AA"), parse_range("KK")
    with pytest.raises(GameError, match="expected at most 5"):
        range_equity(parse_cards("2c3c4c5c6c7c"), ranges)
    with pytest.raises(GameError, match="twice"):
        range_equity((1, 1, 2), ranges)


def both(first: str, second: str) -> Pair:
    return parse_range(first), parse_range(second)


def test_combinations_are_those_of_itertools() -> None:
    for count, size in ((5, 1), (7, 3), (6, 6), (9, 5)):
        expected = list(combinations(range(count), size))
        assert_array_equal(combinations_array(count, size), expected)


def test_matchups_are_those_of_published_tables() -> None:
    # AsAh against KsKh: 1,410,336 wins, 9,308 ties of 1,712,304.
    win, tie = matchup(parse_hand("AsAh"), parse_hand("KsKh"))
    assert (win, tie) == (1_410_336, 9_308)


def test_both_exact_ways_agree() -> None:
    ranges = both("AA,AKs:0.5", "KK,T9s")
    reach = np.array(ranges, float)
    by_boards = preflop_equity(ranges)
    assert by_boards is not None
    pairs = module._pairs(reach)
    assert pairs is not None
    by_pairs = module._over_pairs(reach, pairs)
    held = [np.flatnonzero(r > 0) for r in reach]
    other = module._over_boards(reach, RENAMINGS)
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
    assert abs(sampled.total[0] - exact.total[0]) < 5 * sampled.error


def test_what_would_take_too_long_is_sampled() -> None:
    wide = both("random,AsAh:0.5,KsQd:0.25,2c2d:0", "random")
    assert preflop_equity(wide) is None


def test_ranges_that_cannot_meet() -> None:
    with pytest.raises(GameError, match="cannot meet"):
        preflop_equity(both("AsAh", "AsKs"))


def test_a_flop_against_pokerkit() -> None:
    board = "Th9h2c"
    found = board_equity(parse_board(board), both("AhKh", "QcQd"))
    expected = pokerkit.calculate_equities(
        (pokerkit.parse_range("AhKh"), pokerkit.parse_range("QcQd")),
        tuple(pokerkit.Card.parse(board)),
        2,
        5,
        pokerkit.Deck.STANDARD,
        (pokerkit.StandardHighHand,),
        sample_count=2_000,
    )
    assert found.total[0] == pytest.approx(expected[0], abs=0.05)
