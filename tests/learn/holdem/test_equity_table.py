"""Margins and potentials against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS, live_hands, parse_board, parse_hand
from tacit.games.holdem.hand_rank import rank_boards
from tacit.learn.holdem import equity_table as module
from tacit.learn.holdem.equity_table import equity_table
from tacit.tree.cards.equity import range_equity


def share(one: int, two: int) -> bool:
    return bool(set(HAND_CARDS[one].tolist()) & set(HAND_CARDS[two].tolist()))


@pytest.mark.parametrize("text", ["3s7hTdKs2c", "3s7hTdKs", "3s7hTd"])
def test_margins_against_ranges_are_the_equities_over_all_runouts(text: str) -> None:
    board = parse_board(text)
    random = np.random.default_rng(0)
    ranges = np.where(live_hands(board), random.random((2, 1326)) ** 4, 0)
    table = equity_table(board)
    margins, reach = table.against(ranges[::-1, table.hands])
    known = range_equity(board, (ranges[0], ranges[1]))
    for player in (0, 1):
        expected = known.hands[player][table.hands]
        assert np.abs((1 + margins[player]) / 2 - expected).max() < 1e-5
    hand = table.hands[17]
    apart = [other for other in table.hands if not share(hand, other)]
    assert reach[0, 17] == pytest.approx(ranges[1, apart].sum(), rel=1e-5)


def test_a_pair_on_the_turn_is_counted_river_by_river() -> None:
    board = parse_board("Ah7h2d3c")
    table = equity_table(board)
    place = {int(hand): number for number, hand in enumerate(table.hands)}
    for first, second in (("KhQh", "AsKd"), ("7s7d", "5c4c"), ("AsAd", "AsKd")):
        one, two = parse_hand(first), parse_hand(second)
        if share(one, two):
            expected = 0.0
        else:
            held = {*HAND_CARDS[one].tolist(), *HAND_CARDS[two].tolist(), *board}
            rivers = [card for card in range(NUM_CARDS) if card not in held]
            strengths = rank_boards([(*board, card) for card in rivers])
            expected = np.sign(strengths[:, one] - strengths[:, two]).mean()
        assert table.margins[place[one], place[two]] == pytest.approx(expected, abs=1e-6)


def test_the_potential_is_the_spread_of_the_equity_over_rivers() -> None:
    board = parse_board("Ah7h2d3c")
    table = equity_table(board)
    place = {int(hand): number for number, hand in enumerate(table.hands)}
    everyone = live_hands(board).astype(np.float64)
    hand = parse_hand("KhQh")
    rivers = [c for c in range(NUM_CARDS) if c not in {*board, *HAND_CARDS[hand].tolist()}]
    equities = np.array(
        [range_equity((*board, card), (everyone, everyone)).hands[0][hand] for card in rivers]
    )
    mean = equities.mean()
    expected = equities.std() / np.sqrt(mean * (1 - mean))
    assert table.potential[place[hand]] == pytest.approx(expected, abs=1e-4)
    assert table.potential[place[hand]] > table.potential[place[parse_hand("AsAd")]]
    assert not equity_table(parse_board("Ah7h2d3c9s")).potential.any()


def test_a_range_that_is_blocked_has_a_margin_of_zero() -> None:
    board = parse_board("Ah7h2d3c9s")
    table = equity_table(board)
    only = (table.hands == parse_hand("KsKd")).astype(np.float64)
    margins, reach = table.against(only[None])
    place = int(np.flatnonzero(table.hands == parse_hand("KsQd"))[0])
    assert reach[0, place] == 0
    assert margins[0, place] == 0


def test_tables_are_kept_and_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TABLES", 2)
    module._kept.clear()
    boards = [parse_board(text) for text in ("Ah7h2d3c9s", "Ah7h2d3c9d", "Ah7h2d3c9c")]
    first = equity_table(boards[0])
    assert equity_table(boards[0][::-1]) is first
    equity_table(boards[1])
    equity_table(boards[2])
    assert equity_table(boards[0]) is not first


def test_a_board_of_two_cards_is_refused() -> None:
    with pytest.raises(GameError, match="0, 3, 4 or 5 cards, not 2"):
        equity_table((0, 1))
