"""Training runs of choosers: they resume, refuse and repeat."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tacit.games import GameError
from tacit.learn.rl_cfr.training import (
    PRESETS,
    ActorRun,
    ActorSettings,
    load_actor,
    read_actor_log,
    shipped_actor,
)

TINY = {"epochs": "2", "episodes": "1", "proposals": "2", "iterations": "5", "steps": "3"}
TINY |= {"validate_every": "2", "validation": "2", "batch": "8"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    run = ActorRun.create(folder, PRESETS["rl-cfr-preflop43"].changed(TINY))
    run.train()
    return folder


def test_a_run_saves_an_actor_and_its_command(finished):
    actor = load_actor(finished)
    assert actor.epoch == 2
    assert actor.examples > 0
    assert actor.command.startswith("tacit train rl-cfr-preflop43 --seed 0 --set epochs=2")
    log = read_actor_log(finished)
    assert [entry.epoch for entry in log] == [1, 2]
    assert log[-1].choice is not None


@pytest.mark.parametrize("where", ["after an epoch", "in gradient steps"])
def test_a_resumed_run_ends_as_one_that_never_stopped(finished, tmp_path, monkeypatch, where):
    folder = tmp_path / "run"
    run = ActorRun.create(folder, PRESETS["rl-cfr-preflop43"].changed(TINY))

    def stop(progress):
        raise KeyboardInterrupt

    def stop_learning(batch):
        raise KeyboardInterrupt

    def later(progress):
        monkeypatch.setattr(run.optimizer, "step", stop_learning.__get__(run.optimizer))

    with pytest.raises(KeyboardInterrupt):
        run.train(each=stop if where == "after an epoch" else later)
    again = ActorRun.open(folder)
    assert again.epoch == 1
    again.train()
    one, two = (load_actor(each).learner.state_dict() for each in (finished, folder))
    assert all(np.allclose(one[name], two[name], atol=1e-6) for name in one)


def test_turns_begin_with_the_weights_of_the_rivers_chooser(tmp_path):
    settings = PRESETS["rl-cfr-turn"]
    run = ActorRun.create(tmp_path / "run", settings)
    river = load_actor(shipped_actor("river")).learner.state_dict()
    for begun in (run, ActorRun.open(tmp_path / "run")):
        weights = begun.learner.state_dict()
        assert all(np.array_equal(weights[name], river[name]) for name in river)
    with pytest.raises(GameError, match="begin_with=river needs learner=bandit"):
        ActorRun.create(tmp_path / "other", settings.changed({"learner": "actor-critic"}))
    assert not (tmp_path / "other").exists()


def test_a_folder_that_holds_a_run_is_not_overwritten(finished):
    with pytest.raises(GameError, match="holds a run already"):
        ActorRun.create(finished, PRESETS["rl-cfr-river"])


def test_bad_settings_are_refused_by_name():
    with pytest.raises(GameError, match="setting problem must be one of river, turn, preflop43"):
        ActorSettings(problem="rivr")
    with pytest.raises(GameError, match="setting proposals must be at least 1"):
        ActorSettings(proposals=0)
    with pytest.raises(GameError, match="setting epochs must be a whole number, not 'x'"):
        ActorSettings().changed({"epochs": "x"})


def test_a_damaged_actor_is_refused(finished, tmp_path):
    path = tmp_path / "actor.pt"
    path.write_bytes((finished / "actor.pt").read_bytes()[:-20])
    with pytest.raises(GameError, match="actor"):
        load_actor(path)
    settings = json.loads((finished / "settings.json").read_text())
    assert settings["problem"] == "preflop43"
