from __future__ import annotations

import pytest

from tacit.games import GameError, load


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leducc", "did you mean 'leduc'"),
        ("liars-dice", "did you mean 'liars-dice-"),
        ("liars-dice-0x6", "1 to 5 dice and 2 to 8 faces"),
        ("liars-dice-1x1", "1 to 5 dice and 2 to 8 faces"),
        ("liars-dice-6x6", "1 to 5 dice and 2 to 8 faces"),
        ("pursuit-london", "maps: glasses"),
        ("zzz", "`tacit games` lists them"),
    ],
)
def test_a_wrong_name_says_what_is_possible(name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        load(name)
