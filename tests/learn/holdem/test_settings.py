"""The settings of hold'em runs."""

from __future__ import annotations

import pytest

from tacit.games import GameError
from tacit.learn.holdem.settings import HoldemSettings
from tacit.learn.presets import HOLDEM


def test_settings_change_by_name_and_are_kept_as_json() -> None:
    changed = HoldemSettings().changed(
        {"games": "3", "hidden": "32x8", "bets": "0.4,0.9", "target.iterations": "20"}
    )
    assert changed.play.games == 3
    assert changed.table.bets == (0.4, 0.9)
    assert changed.target.iterations == 20
    assert HoldemSettings.from_json(changed.to_json()) == changed
    assert changed.differences(HoldemSettings())["hidden"] == ((32, 8), HoldemSettings().hidden)


@pytest.mark.parametrize(
    "change",
    [
        "games=0",
        "positions=0",
        "explore=2",
        "hidden=0",
        "street=4",
        "bets=0",
        "window=0",
        "cards=0",
    ],
)
def test_values_out_of_range_are_refused(change: str) -> None:
    name, _, value = change.partition("=")
    with pytest.raises(GameError, match=f"setting {name} must be"):
        HoldemSettings().changed({name: value})


def test_what_cannot_be_trained_is_refused() -> None:
    with pytest.raises(GameError, match="no card follows street 3"):
        HoldemSettings().replace(street=3)
    with pytest.raises(GameError, match="set stop=round"):
        HoldemSettings().replace(stop="depth")
    with pytest.raises(GameError, match="did you mean 'games'"):
        HoldemSettings().changed({"game": "3"})


def test_the_presets_differ_in_beliefs_alone() -> None:
    one, two = HOLDEM["holdem-turn"], HOLDEM["holdem-turn-random"]
    assert set(one.differences(two)) == {"name", "random_epochs"}
    assert two.play.random_epochs == two.epochs
