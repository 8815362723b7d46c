"""Elo ratings: known differences, a chain of matches, and players who win every game."""

from __future__ import annotations

import pytest

from tacit.evaluation.ratings import elo_ratings


def test_three_of_four_points_are_191_elo() -> None:
    ratings = elo_ratings({("a", "b"): (7500, 10_000)}, anchor="b")
    assert ratings == {"a": pytest.approx(190.8, abs=0.2), "b": 0}


def test_differences_of_a_chain_add_up() -> None:
    ratings = elo_ratings({("a", "b"): (7500, 10_000), ("b", "c"): (7500, 10_000)}, anchor="c")
    assert ratings["a"] == pytest.approx(2 * 190.8, abs=0.5)


def test_contradicting_matches_give_the_rating_between() -> None:
    matches = {("a", "b"): (75.0, 100.0), ("b", "c"): (75.0, 100.0), ("a", "c"): (75.0, 100.0)}
    ratings = elo_ratings(matches, anchor="c")
    assert ratings["a"] < 2 * 190
    assert ratings["b"] == pytest.approx(ratings["a"] / 2)


def test_a_player_who_wins_every_game_has_a_finite_rating() -> None:
    assert 300 < elo_ratings({("a", "b"): (20, 20)}, anchor="b")["a"] < 1000
