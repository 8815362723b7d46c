"""Sound self-play: what becomes an example, resigning, and runs that do not depend on workers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tacit.evaluation.continual_play import continual_exploitabilities
from tacit.games import GameError, load_game
from tacit.learn.cvpn import CVPN
from tacit.learn.network import copy_weights, make_network
from tacit.learn.presets import PRESETS
from tacit.learn.replay import Examples
from tacit.learn.self_play import TableTask
from tacit.learn.settings import Settings
from tacit.learn.sound_self_play import SoundSelfPlay, Table
from tacit.learn.trainer import Run
from tacit.tree import Builder

STUDENTS = {name: preset for name, preset in PRESETS.items() if name.endswith("-sog")}
SMALL = PRESETS["kuhn-sog"].replace(
    table_size=8, simulations=5, hidden=(16,), epochs=3, steps=3, batch=32, buffer=400
)


def play(settings: Settings, seed: int = 0) -> tuple[CVPN, Examples]:
    """A table of games with an untrained network."""
    network = make_network(Builder(load_game(settings.game)), settings.network, seed=0)
    assert isinstance(network, CVPN)
    return network, Table(network, settings, np.random.default_rng(seed)).play()


@pytest.mark.parametrize("name", STUDENTS)
def test_every_preset_plays(name: str) -> None:
    small = {"table_size": 2, "simulations": 3, "longest_game": 4, "hidden": (8,), "channels": 4}
    settings = STUDENTS[name].replace(**small, search_queries=1.0, outcome_targets=1.0)
    network, examples = play(settings)
    assert len(examples.rows) == len(examples.values) > 0
    assert np.isfinite(examples.rows).all()
    values = examples.values[:, : network.encoding.outputs]
    assert np.nanmax(np.abs(values)) <= 1.01 * network.encoding.largest_payoff
    policies = examples.values[:, network.encoding.outputs :].reshape(
        len(values), network.actions, -1
    )
    sums = np.nansum(policies, axis=1)[~np.isnan(policies).all(axis=1)]
    assert np.allclose(sums, 1, atol=1e-5)


def test_the_same_seed_gives_the_same_examples() -> None:
    tables = [play(SMALL, seed)[1] for seed in (1, 1, 2)]
    assert np.array_equal(tables[0].rows, tables[1].rows)
    assert np.array_equal(tables[0].values, tables[1].values, equal_nan=True)
    assert not np.array_equal(tables[0].rows, tables[2].rows)


def test_solved_queries_have_values_of_all_infostates() -> None:
    network, examples = play(SMALL.replace(search_queries=4.0))
    beliefs = examples.rows[:, network.encoding.first_belief :]
    values = examples.values[:, : network.encoding.outputs]
    assert np.allclose(beliefs.reshape(-1, 2, 3).sum(axis=2), 1, atol=1e-5)
    assert not np.isnan(values).any()


def test_recursive_queries_add_examples() -> None:
    few = len(play(SMALL.replace(recursive_queries=0.0))[1].rows)
    many = len(play(SMALL.replace(recursive_queries=0.8))[1].rows)
    assert many > 1.5 * few


def test_outcomes_are_targets_of_the_infostates_that_a_game_visits() -> None:
    settings = SMALL.replace(outcome_targets=1.0, search_queries=0.0, table_size=6)
    network, examples = play(settings)
    values = examples.values[:, : network.encoding.outputs].reshape(-1, 2, 3)
    known = ~np.isnan(values)
    assert (known.sum(axis=2) == 1).all()
    outcomes = values[known].reshape(-1, 2)
    assert np.array_equal(outcomes[:, 0], -outcomes[:, 1])
    assert set(np.abs(outcomes).ravel()) <= {1.0, 2.0}
    assert len(examples.rows) >= 2 * 6  # a game of Kuhn poker has two moves or three


def test_values_of_searches_have_a_share_in_targets() -> None:
    settings = SMALL.replace(outcome_targets=1.0, search_queries=0.0, table_size=6)
    outcomes, mixed, searched = (
        play(settings.replace(outcome_share=share))[1].values for share in (1.0, 0.25, 0.0)
    )
    known = ~np.isnan(outcomes) & ~np.isnan(mixed)
    assert np.isnan(outcomes).sum() > np.isnan(mixed).sum()
    assert np.allclose(mixed[known], (0.25 * outcomes + 0.75 * searched)[known], atol=1e-6)


def test_remembered_answers_change_nothing() -> None:
    settings = PRESETS["tic-tac-toe-sog"].replace(
        table_size=3, simulations=6, channels=4, hidden=(8,), search_queries=0.5
    )
    plain, remembered = (play(settings.replace(remembered=n))[1] for n in (0, 10_000))
    assert np.array_equal(plain.rows, remembered.rows)
    assert np.allclose(plain.values, remembered.values, atol=1e-4, equal_nan=True)


def test_half_of_the_visited_states_become_examples() -> None:
    settings = SMALL.replace(search_queries=0.0, outcome_targets=1.0, table_size=64, simulations=2)
    every, half = (len(play(settings.replace(outcome_targets=p))[1].rows) for p in (1.0, 0.5))
    assert 0.3 * every < half < 0.7 * every


def test_a_player_who_resigns_loses_the_largest_payoff_unless_games_are_played_out() -> None:
    settings = SMALL.replace(
        game="tic-tac-toe", outcome_targets=1.0, search_queries=0.0, table_size=4, resign_below=1.0
    )
    examples = play(settings.replace(played_out=0.0))[1]
    assert len(examples.rows) == 4  # the first player resigns at once: nothing is worth more than 1
    assert np.array_equal(examples.values[:, :2], np.tile([-1.0, 1.0], (4, 1)))
    assert len(play(settings.replace(played_out=1.0))[1].rows) >= 4 * 5


def test_late_moves_are_greedy_and_long_games_are_abandoned() -> None:
    settings = SMALL.replace(
        game="tic-tac-toe", outcome_targets=1.0, search_queries=0.0, explore=0.0, table_size=4
    )
    rows = play(settings.replace(greedy_after=0))[1].rows
    assert len(np.unique(rows, axis=0)) == len(rows) / 4  # every game is the same
    assert len(play(settings.replace(longest_game=3))[1].rows) == 0


def test_a_result_depends_on_the_task_alone() -> None:
    player = SoundSelfPlay(load_game("kuhn"), SMALL)
    weights = copy_weights(player.network)
    task = TableTask(3, 1, (), weights)
    first = player(task)
    player(TableTask(4, 0, (), weights))
    again = SoundSelfPlay(load_game("kuhn"), SMALL)(task)
    assert np.array_equal(first.examples["values"].rows, again.examples["values"].rows)
    assert first.positions == ()


def weights_of(run: Run) -> torch.Tensor:
    return torch.cat([parameter.detach().ravel() for parameter in run.network.parameters()])


def test_a_run_does_not_depend_on_workers_or_interruptions(tmp_path: Path) -> None:
    whole = Run.create(tmp_path / "whole", SMALL)
    whole.train(workers=0)
    parts = Run.create(tmp_path / "parts", SMALL.replace(keep_every=2))

    def stop(progress: object) -> None:
        if parts.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.train(workers=2, each=stop)
    resumed = Run.open(tmp_path / "parts")
    resumed.train(workers=1)
    assert (resumed.epoch, resumed.examples) == (whole.epoch, whole.examples)
    assert torch.equal(weights_of(resumed), weights_of(whole))
    assert (tmp_path / "parts" / "network-2.pt").exists()
    assert not (tmp_path / "whole" / "network-2.pt").exists()


def test_kuhn_poker_is_learnt(tmp_path: Path) -> None:
    settings = SMALL.replace(simulations=20, hidden=(32, 32), epochs=8, steps=40, halve_every=3)
    run = Run.create(tmp_path / "run", settings)
    run.train(workers=0)
    found = continual_exploitabilities(run, seeds=[0, 1], workers=0)
    assert max(found) < 0.03
    assert found == continual_exploitabilities(run, seeds=[0, 1], workers=2)


def test_settings_without_examples_or_without_a_network_of_policies_are_refused() -> None:
    with pytest.raises(GameError, match="set search_queries or outcome_targets"):
        SMALL.replace(search_queries=0.0)
    with pytest.raises(GameError, match="go together"):
        SMALL.replace(cvpn=False)
    with pytest.raises(GameError, match="no effect with method=student-of-games"):
        SMALL.changed({"depth": "3"})
    with pytest.raises(GameError, match="no effect with method=rebel"):
        Settings().changed({"simulations": "3"})
    with pytest.raises(GameError, match="at least one simulation"):
        SMALL.changed({"simulations": "0"})
