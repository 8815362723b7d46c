"""The stored sizes are those of the rules."""

from __future__ import annotations

import pytest

from tacit.games import families, load_game
from tacit.report.game_sizes import TOO_LARGE, GameSize, count_size, listed_sizes

EXAMPLES = [name for family in families() for name in family.examples]


def test_every_game_is_listed_once() -> None:
    assert [size.game for size in listed_sizes()] == EXAMPLES


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in TOO_LARGE])
def test_stored_sizes_are_counted_ones(name: str) -> None:
    stored = {size.game: size for size in listed_sizes()}
    assert stored[name] == count_size(load_game(name))


def test_games_too_large_to_count_have_no_numbers() -> None:
    class Vast:
        name = "connect-four"
        title = "Connect four"

    assert count_size(Vast()) == GameSize("connect-four", "Connect four")
