"""Presets, and settings for games without one."""

from __future__ import annotations

import pytest

from tacit.games import GameError, load_game
from tacit.learn import presets
from tacit.learn.presets import PRESETS, find_preset, presets_of, settings_for


def chosen(name: str) -> object:
    return settings_for(load_game(name))


def test_a_game_gets_its_preset_or_settings_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen("kuhn") == PRESETS["kuhn"]
    small = settings_for(load_game("coin-toss"))
    assert (small.game, small.network.pairs, small.search.stop) == ("coin-toss", True, "depth")
    rounds = settings_for(load_game("leduc-raises-1-2"))
    assert (rounds.search.stop, rounds.search.mode) == ("round", "cfr-avg-sound")
    monkeypatch.setattr(presets, "MAX_PAIRS", 8)
    large = settings_for(load_game("leduc-raises-1-2"))
    assert (large.search.mode, large.network.pairs) == ("cfr-d", False)


def test_presets_are_found_by_name_and_by_game() -> None:
    assert find_preset("leduc").search.stop == "round"
    assert presets_of("liars-dice-1x5") == [
        "liars-dice-1x5",
        "liars-dice-1x5-cfr-d",
        "liars-dice-1x5-fp",
    ]
    assert presets_of("mine") == ["mine"]
    with pytest.raises(GameError, match="did you mean 'kuhn'"):
        find_preset("kuhm")
