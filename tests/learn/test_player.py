"""Self-play tasks give the same whoever does them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

from tacit.cluster import Executor, Processes, ThisProcess
from tacit.games import load_game
from tacit.learn.player import Player, PlayerSetup, TableTask, copy_weights
from tacit.learn.settings import Settings
from tacit.tree.pbs import first_pbs

SMALL = Settings().replace(
    game="liars-dice-1x2", tables=3, table_size=8, rounds=2, iterations=12, hidden=(16, 16)
)


def tasks(player: Player, epoch: int = 0) -> list[TableTask]:
    first = first_pbs(player.encoding.builder.root).portable()
    positions = (first,) * player.settings.self_play.table_size
    weights = copy_weights(player.network)
    tables = range(player.settings.self_play.tables)
    return [TableTask(epoch, table, positions, weights) for table in tables]


@pytest.mark.parametrize("executor", [ThisProcess(), Processes(1), Processes(2)])
def test_a_task_gives_the_same_wherever_it_is_done(executor: Executor) -> None:
    game = load_game(SMALL.game)
    player = Player(game, SMALL)
    with executor.open(PlayerSetup(game, SMALL)) as session:
        outcomes = session.submit(tasks(player)).results()
    for task, outcome in zip(tasks(player), outcomes, strict=True):
        here = player(task)
        assert np.array_equal(here.examples.rows, outcome.examples.rows)
        assert np.array_equal(here.examples.values, outcome.examples.values)
        assert [p.path for p in here.positions] == [p.path for p in outcome.positions]
        for mine, sent in zip(here.positions, outcome.positions, strict=True):
            assert all(map(np.array_equal, mine.beliefs, sent.beliefs))


def test_beliefs_that_rule_each_other_out_are_left() -> None:
    """In Kuhn both may be sure of the same card where one of them explores."""
    settings = SMALL.replace(game="kuhn", depth=1, table_size=64, rounds=12)
    player = Player(load_game("kuhn"), settings)
    outcome = player(tasks(player)[0])
    for place in outcome.positions:
        pbs = place.at(player.encoding.builder.root)
        assert pbs.beliefs[0] @ pbs.state.compatibility @ pbs.beliefs[1] > 0


def test_a_network_pickles_small_and_answers_the_same() -> None:
    for changes in ({}, {"pairs": True}, {"policy": True}):
        player = Player(load_game(SMALL.game), SMALL.replace(**changes))
        torch.nn.init.normal_(player.network.body[-1].weight)  # type: ignore[arg-type]
        sent = pickle.dumps(player.network)
        assert len(sent) < 40_000
        network = pickle.loads(sent)
        rows = np.random.default_rng(0).random((5, network.inputs)).astype(np.float32)
        assert np.array_equal(network._answer(rows), player.network._answer(rows))
        assert (network.guide is None) == (player.network.guide is None)
