"""With exact values at its leaves, search is as good as solving the whole game."""

from __future__ import annotations

import pytest

from tacit.games import GameError
from tacit.reproduce.rebel.perfect_values import SEARCHES, compare_with_full_game


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("game", ["leduc", "liars-dice-1x4"])
def test_perfect_values_are_as_good_as_the_whole_game(game: str, search: str) -> None:
    row = compare_with_full_game(game, search, iterations=128, oracle_iterations=60)
    assert 0 < row["full_game"] < 0.1
    assert row["exploitability"] < 2 * row["full_game"]


@pytest.mark.parametrize("search", ["cfr-avg-sound", "fp-sound"])
def test_the_sound_forms_are_as_good_in_shallow_subgames(search: str) -> None:
    row = compare_with_full_game(
        "liars-dice-1x4", search, iterations=128, depth=2, oracle_iterations=60
    )
    assert row["exploitability"] < 2 * row["full_game"]


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
def test_perfect_values_stay_as_good_with_more_iterations(search: str) -> None:
    row = compare_with_full_game("liars-dice-1x4", search, iterations=1024)
    assert row["exploitability"] < 2 * row["full_game"]


def test_unknown_searches_are_refused() -> None:
    with pytest.raises(GameError, match="unknown search 'cfr-x'"):
        compare_with_full_game("kuhn", "cfr-x", iterations=1)
