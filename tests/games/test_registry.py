from __future__ import annotations

import pytest

from tacit.games import GameError, load


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leducc", "did you mean 'leduc'"),
        ("liars-dice", "did you mean 'liars-dice-"),
        ("liars-dice-0x6", "takes 1 die and 2 faces at least"),
        ("liars-dice-1x1", "takes 1 die and 2 faces at least"),
        ("liars-dice-50x50", "5.04e\\+28 different rolls"),
        ("pursuit-london", "maps: glasses"),
        ("zzz", "`tacit games` lists them"),
    ],
)
def test_a_wrong_name_says_what_is_possible(name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        load(name)
