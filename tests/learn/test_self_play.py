"""Self-play in every kind of game."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
import torch

from tacit.cluster import Executor, Processes, ThisProcess
from tacit.games import load_game
from tacit.games.boards.tic_tac_toe import TicTacToe
from tacit.learn.network import copy_weights
from tacit.learn.self_play import SelfPlay, TableTask
from tacit.learn.settings import Settings

SMALL = Settings().replace(
    game="liars-dice-1x2", tables=3, table_size=8, rounds=2, iterations=12, hidden=(16, 16)
)


def test_the_start_of_the_game_is_solved_once_a_round_for_all() -> None:
    player = SelfPlay(load_game(SMALL.game), SMALL)
    first = player.first
    random = np.random.default_rng(0)
    positions = [first] * 8
    for _ in range(6):
        here = sum(place != first for place in positions)
        examples, positions = player.play_round(positions, random)
        assert len(examples["values"].rows) == 1 + here
    assert here > 0


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pursuit-glasses", "rock-paper-scissors"])
@pytest.mark.parametrize("kind", ["joint", "single", "pairs", "pairs-fp"])
def test_self_play_goes_through_every_kind_of_game(game: str, kind: str) -> None:
    settings = Settings().replace(
        game=game, joint=kind == "joint", iterations=6, hidden=(8,), depth=1
    )
    if kind.startswith("pairs"):
        algorithm = "flop" if kind == "pairs-fp" else "dcfr"
        settings = settings.replace(
            pairs=True, mode="cfr-avg-sound", algorithm=algorithm, tremble=0.1
        )
    player = SelfPlay(load_game(game), settings)
    positions = [player.first] * 16
    random = np.random.default_rng(1)
    visited = set()
    for _ in range(12):
        examples, positions = player.play_round(positions, random)
        values = examples["values"].values
        assert np.isfinite(values).all()
        assert np.abs(values).max() <= player.encoding.largest_payoff * 1.001
        visited |= set(positions)
        for position in positions:
            arrived = position.portable().at(player.root)
            assert arrived.state is position.state
            for beliefs, sent in zip(position.beliefs, arrived.beliefs, strict=True):
                assert beliefs.min() >= 0
                assert beliefs.max() > 0
                assert np.array_equal(beliefs, sent)
    assert visited - {player.first}


def test_a_game_that_cannot_be_listed_is_played_too() -> None:
    settings = Settings().replace(game="tic-tac-toe", iterations=3, hidden=(8,), depth=1)
    player = SelfPlay(TicTacToe(), settings)
    positions = [player.first] * 8
    random = np.random.default_rng(0)
    for _ in range(3):
        _, positions = player.play_round(positions, random)
    assert max(len(place.path) for place in positions) == 3


def tasks(player: SelfPlay, epoch: int = 0) -> list[TableTask]:
    positions = (player.first.portable(),) * player.settings.self_play.table_size
    weights = copy_weights(player.network)
    tables = range(player.settings.self_play.tables)
    return [TableTask(epoch, table, positions, weights) for table in tables]


@pytest.mark.parametrize("executor", [ThisProcess(), Processes(1), Processes(2)])
def test_a_task_gives_the_same_wherever_it_is_done(executor: Executor) -> None:
    game = load_game(SMALL.game)
    player = SelfPlay(game, SMALL)
    with executor.open(partial(SelfPlay, game, SMALL)) as session:
        outcomes = session.submit(tasks(player)).results()
    for task, outcome in zip(tasks(player), outcomes, strict=True):
        here = player(task)
        assert all(map(np.array_equal, here.examples["values"], outcome.examples["values"]))
        assert [p.path for p in here.positions] == [p.path for p in outcome.positions]
        for mine, sent in zip(here.positions, outcome.positions, strict=True):
            assert all(map(np.array_equal, mine.beliefs, sent.beliefs))


def test_beliefs_that_rule_each_other_out_are_left() -> None:
    """In Kuhn both may be sure of the same card where one of them explores."""
    settings = SMALL.replace(game="kuhn", depth=1, table_size=64, rounds=12)
    player = SelfPlay(load_game("kuhn"), settings)
    outcome = player(tasks(player)[0])
    for place in outcome.positions:
        pbs = place.at(player.root)
        assert pbs.beliefs[0] @ pbs.state.compatibility @ pbs.beliefs[1] > 0


def test_a_network_pickles_small_and_answers_the_same() -> None:
    for changes in ({}, {"pairs": True}, {"policy": True}):
        player = SelfPlay(load_game(SMALL.game), SMALL.replace(**changes))
        torch.nn.init.normal_(player.network.body[-1].weight)  # type: ignore[arg-type]
        sent = pickle.dumps(player.network)
        assert len(sent) < 40_000
        network = pickle.loads(sent)
        rows = np.random.default_rng(0).random((5, network.inputs)).astype(np.float32)
        assert np.array_equal(network._answer(rows), player.network._answer(rows))
        assert (network.guide is None) == (player.network.guide is None)
