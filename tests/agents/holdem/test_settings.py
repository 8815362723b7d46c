"""The settings of the searching player and their names."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.agents.holdem.settings import PRESETS, PlayerSettings, read_settings
from tacit.games import GameError


def test_words_are_read_in_order() -> None:
    assert read_settings("") == PRESETS["default"]
    read = read_settings("fast, sampled,seconds=0.25")
    assert read.seconds == 0.25
    assert read.sampled
    assert not read_settings("tiny,average").sampled
    assert read.menus == PRESETS["fast"].menus
    assert not read_settings("equity").network
    assert read_settings("cfr-d").mode == "cfr-d"


@pytest.mark.parametrize(
    ("text", "error"),
    [("fats", "fast"), ("seconds=x", "no number"), ("seconds=0", "more than 0"), ("nan", "option"),
     ("seconds=nan", "more than 0")],
)  # fmt: skip
def test_wrong_words_are_refused(text: str, error: str) -> None:
    with pytest.raises(GameError, match=error):
        read_settings(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"least": 0},
        {"turn_least": 900},
        {"floor": 2.0},
        {"mode": "cfr-avg-sound"},
        {"seconds": -1.0},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(GameError, match=r"expected|chance|take"):
        PlayerSettings(**wrong)


def test_menus_by_street() -> None:
    menus = PlayerSettings().menus
    assert [menus.of(street) for street in range(4)] == [
        menus.preflop, menus.flop, menus.turn, menus.river,
    ]  # fmt: skip
