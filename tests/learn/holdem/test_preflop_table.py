"""Margins before the flop against counting all boards of a pair."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from tacit.games.holdem.cards import parse_hand
from tacit.games.holdem.spot import permute_hands
from tacit.learn.holdem.equity_table import equity_table
from tacit.learn.holdem.preflop_table import SCALE, count_margins, preflop_equities
from tacit.tree.cards.equity import matchup


@pytest.mark.parametrize(
    ("first", "second"), [("AsAh", "KdKc"), ("QhJh", "Ad7h"), ("7d2c", "8d8h")]
)
def test_a_pair_has_the_margin_of_all_its_boards(first: str, second: str) -> None:
    margins, _ = preflop_equities()
    one, two = parse_hand(first), parse_hand(second)
    win, tie = matchup(one, two)
    boards = comb(48, 5)
    expected = (2 * win + tie) / boards - 1
    assert margins[one, two] == pytest.approx(expected, abs=1 / SCALE)
    assert margins[two, one] == pytest.approx(-expected, abs=1 / SCALE)


def test_the_table_does_not_depend_on_the_names_of_suits() -> None:
    margins, potential = preflop_equities()
    moved = permute_hands((2, 0, 3, 1))
    assert np.array_equal(margins[np.ix_(moved, moved)], margins)
    assert np.array_equal(potential[moved], potential)
    assert np.abs(margins + margins.T).max() <= 1.5 / SCALE


def test_aces_are_the_favourite_and_pairs_change_less_than_connectors() -> None:
    table = equity_table(())
    margins, _ = table.against(np.ones((1, 1326)))
    assert int(margins[0].argmax()) in {parse_hand("AsAh"), *range(1320, 1326)}
    assert (1 + margins[0].max()) / 2 == pytest.approx(0.852, abs=1e-3)
    assert 0 < table.potential.min() < table.potential.max() < 1


@pytest.mark.slow
def test_the_file_holds_what_is_counted() -> None:
    margins, potential = count_margins()
    kept, kept_potential = preflop_equities()
    assert np.abs(margins - kept).max() < 1 / SCALE
    assert np.abs(potential - kept_potential).max() < 1e-5
