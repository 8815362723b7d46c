"""Settings check themselves, and are read from text."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from tacit.games import GameError
from tacit.learn.presets import PRESETS
from tacit.learn.settings import OTHER_GROUPS, Effort, SearchSettings, Settings

SMALL = Settings().replace(game="liars-dice-1x2", iterations=12)


def test_settings_are_read_from_text_and_unknown_ones_refused() -> None:
    changed = SMALL.changed(
        {"hidden": "32x8", "network.joint": "false", "mode": "cfr-avg", "explore": "0"}
    )
    assert changed.network.hidden == (32, 8)
    assert not changed.network.joint
    assert changed.search.mode == "cfr-avg"
    assert Settings.from_json(changed.to_json()) == changed
    with pytest.raises(GameError, match="did you mean 'iterations'"):
        SMALL.changed({"iteration": "3"})
    with pytest.raises(GameError, match=r"unknown setting 'network\.iterations'"):
        SMALL.changed({"network.iterations": "3"})
    with pytest.raises(GameError, match="must be a whole number, not 'many'"):
        SMALL.changed({"iterations": "many"})
    with pytest.raises(GameError, match="must be one of cfr-d"):
        SMALL.changed({"mode": "cfr-x"})
    with pytest.raises(GameError, match="another version's"):
        Settings.from_json('{"gane": "kuhn"}')


@pytest.mark.parametrize(
    "change",
    [
        "tables=0", "table_size=0", "rounds=0", "explore=7", "explore=-1", "hidden=-1", "hidden=0",
        "learning_rate=nan", "learning_rate=0", "learning_rate=inf", "halve_every=0", "buffer=0",
        "steps=0", "batch=0", "epochs=-1", "seed=-1", "seed=12345678901234567890123456",
        "drop_after=0", "huber=0", "huber=nan", "iterations=0", "depth=0", "warm_start=-1",
        "tremble=-1", "tremble=nan", "blur=-1", "blur=nan", "play_iterations=0",
        "evaluate_every=-1", "evaluate_playthroughs=0",
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused(change: str) -> None:
    name, _, value = change.partition("=")
    with pytest.raises(GameError, match=f"setting {name} must be"):
        SMALL.changed({name: value})


def test_values_of_a_wrong_kind_are_refused() -> None:
    for wrong in ({"iterations": 3.5}, {"joint": 1}, {"hidden": [8]}, {"seed": True}, {"game": 3}):
        with pytest.raises(GameError, match="must be"):
            SMALL.replace(**wrong)


def test_settings_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(GameError, match="pairs=true"):
        SMALL.replace(mode="cfr-avg-sound")
    with pytest.raises(GameError, match="policy network"):
        SMALL.replace(warm_start=3)
    with pytest.raises(GameError, match="leaves none of 12"):
        SMALL.replace(warm_start=12, policy=True)
    with pytest.raises(GameError, match="leaves none of 4"):
        SMALL.replace(warm_start=5, policy=True, play_iterations=4)
    with pytest.raises(GameError, match="unknown algorithm"):
        SearchSettings(algorithm="cfx")


def test_differences_are_told_by_name() -> None:
    assert SMALL.differences(SMALL) == {}
    assert SMALL.differences(SMALL.replace(steps=7, epochs=3)) == {
        "steps": (100, 7),
        "epochs": (100, 3),
    }


def test_every_setting_is_documented_where_it_stands_and_has_a_name_of_its_own() -> None:
    names: dict[str, list[str]] = {"": []}
    groups = {f.name: getattr(Settings(), f.name) for f in dataclasses.fields(Settings)}
    groups = {name: group for name, group in groups.items() if dataclasses.is_dataclass(group)}
    for group, settings in {"": Settings(), **groups}.items():
        lines = inspect.getsource(type(settings)).splitlines()
        for entry in dataclasses.fields(settings):
            [at] = [n for n, line in enumerate(lines) if line.startswith(f"    {entry.name}: ")]
            assert lines[at + 1].startswith('    """'), entry.name
            names.setdefault(group, []).append(entry.name)
    for others in OTHER_GROUPS.values():
        used = [name for group in set(names) - set(others) for name in names[group]]
        assert len(set(used)) == len(used)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_go_through_json(name: str) -> None:
    assert Settings.from_json(PRESETS[name].to_json()) == PRESETS[name]


def test_an_effort_changes_what_it_names_of_a_search() -> None:
    usual = SearchSettings(iterations=64, depth=2)
    assert Effort().of(usual) == usual
    assert Effort(iterations=8).of(usual) == dataclasses.replace(usual, iterations=8)
    assert Effort(depth=6).of(usual) == dataclasses.replace(usual, depth=6)


def test_a_depth_at_which_a_network_has_learnt_nothing_is_refused() -> None:
    with pytest.raises(GameError, match="a multiple of 2 as depth, not 3"):
        Effort(depth=3).of(SearchSettings(depth=2))
    with pytest.raises(GameError, match="to the end of the round; give no depth"):
        Effort(depth=2).of(SearchSettings(depth=2, stop="round"))
