"""Networks: they answer on one core, and policy networks learn what searches play."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from tacit.cluster import Processes
from tacit.evaluation.search_play import search_exploitability
from tacit.games import load_game
from tacit.learn.encoding import Encoding
from tacit.learn.network import (
    ABSENT,
    SCALE,
    PolicyNetwork,
    copy_weights,
    inference,
    make_network,
    quantise,
)
from tacit.learn.self_play import SelfPlay, TableTask, collect_policies
from tacit.learn.settings import NetworkSettings, SearchSettings, Settings
from tacit.learn.trainer import Run, load_network
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Zero
from tacit.tree import Builder, build_forest

SMALL = Settings().replace(
    game="liars-dice-1x2",
    policy=True,
    warm_start=3,
    tables=2,
    table_size=8,
    rounds=2,
    iterations=12,
    hidden=(16, 16),
    steps=4,
    batch=32,
    epochs=4,
    buffer=400,
    drop_after=3,
)


def test_an_answer_takes_one_core_and_leaves_the_threads_as_they_were() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with suppress(ValueError), inference():
            assert torch.get_num_threads() == 1
            assert torch.is_inference_mode_enabled()
            raise ValueError
        assert torch.get_num_threads() == 2
        network = make_network(Builder(load_game("kuhn")), NetworkSettings(hidden=(8,)), seed=0)
        encoding = network.encoding
        used: list[int] = []
        network.body.register_forward_hook(lambda *_: used.append(torch.get_num_threads()))
        answers = network._answer(np.zeros((3, encoding.inputs), dtype=np.float32))
        assert answers.shape == (3, encoding.outputs)
        assert (used, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)


def solved(game: str, iterations: int) -> Solver:
    """A search of the whole game, from its start."""
    builder = Builder(load_game(game))
    settings = SearchSettings(iterations=iterations, depth=99)
    tree = settings.forest(builder, [builder.root])
    beliefs = [(np.ones(builder.root.counts[0]), np.ones(builder.root.counts[1]))]
    search = settings.begin(tree, Zero(), beliefs)
    search.run(iterations)
    return search


def test_probabilities_are_stored_to_a_254th() -> None:
    policy = np.linspace(0, 1, 1001)
    assert np.abs(quantise(policy) / SCALE - policy).max() <= 0.5 / SCALE + 1e-12
    assert quantise(np.ones(1))[0] == SCALE < ABSENT


@pytest.mark.parametrize("game", ["kuhn", "leduc", "liars-dice-1x3", "pursuit-glasses"])
@pytest.mark.parametrize("joint", [True, False])
def test_targets_are_the_average_policy_at_every_decision(game: str, joint: bool) -> None:
    search = solved(game, 20)
    tree = search.tree
    network = PolicyNetwork(Encoding(tree.builder, joint=joint), NetworkSettings(hidden=(8,)))
    examples = collect_policies(network, search)
    assert examples.values.dtype == np.uint8
    shape = (-1, len(network.actions), network.encoding.width)
    targets = examples.values.reshape(shape)
    taught = (targets != ABSENT).any(axis=1)
    sums = np.where(targets == ABSENT, 0, targets).sum(axis=1)[taught]
    assert np.abs(sums / SCALE - 1).max() < 0.02
    root = tree.builder.root
    head = network.describe(root, root.mover)
    [first] = [
        number for number, row in enumerate(examples.rows) if np.array_equal(row[: len(head)], head)
    ]
    average = tree.block(search.average_policy(), tree.roots[0].node)[:, tree.roots[0].copy]
    found = examples.values[first][network.action_columns(root)]
    assert found / SCALE == pytest.approx(average, abs=0.003)


@pytest.mark.parametrize("game", ["kuhn", "liars-dice-1x3"])
def test_a_network_learns_what_a_search_played(game: str) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    search = solved(game, 60)
    shape = NetworkSettings(hidden=(64, 64))
    network = PolicyNetwork(Encoding(search.tree.builder, joint=True), shape)
    examples = collect_policies(network, search)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    first = float(network.loss(examples).detach())
    for _ in range(300):
        optimizer.zero_grad()
        loss = network.loss(examples)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    assert float(loss.detach()) < first / 20
    root = search.tree.roots[0]
    answer = network.policies(examples.rows)
    state = search.tree.builder.root
    head = network.describe(state, state.mover)
    number = next(
        n for n, row in enumerate(examples.rows) if np.array_equal(row[: len(head)], head)
    )
    weights = answer[number][network.action_columns(state)]
    policy = weights / weights.sum(axis=0)
    average = search.tree.block(search.average_policy(), root.node)[:, root.copy]
    assert policy == pytest.approx(average, abs=0.15)


def tasks(player: SelfPlay) -> list[TableTask]:
    positions = (player.first.portable(),) * SMALL.self_play.table_size
    weights = copy_weights(player.network)
    return [TableTask(0, table, positions, weights) for table in range(SMALL.self_play.tables)]


def test_policies_do_not_depend_on_the_workers() -> None:
    game = load_game(SMALL.game)
    player = SelfPlay(game, SMALL)
    with Processes(2).open(partial(SelfPlay, game, SMALL)) as session:
        outcomes = session.submit(tasks(player)).results()
    for task, outcome in zip(tasks(player), outcomes, strict=True):
        here = player(task)
        assert len(here.examples["policies"].rows) > len(here.examples["values"].rows)
        for kind in ("values", "policies"):
            assert all(map(np.array_equal, here.examples[kind], outcome.examples[kind]))


def test_a_run_with_a_policy_network_goes_on_as_if_never_stopped(tmp_path: Path) -> None:
    whole = Run.create(tmp_path / "whole", SMALL)
    whole.train(workers=1)
    parts = Run.create(tmp_path / "parts", SMALL)

    def stop(progress: object) -> None:
        if parts.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.train(workers=1, each=stop)
    resumed = Run.open(tmp_path / "parts")
    resumed.train(workers=1)
    assert len(resumed.replays["policies"]) == len(whole.replays["policies"]) > 0
    for first, second in zip(resumed.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(first, second)
    found = load_network(tmp_path / "parts")
    network = found.network
    guide, trained = network.guide, whole.network.guide
    assert isinstance(guide, PolicyNetwork)
    assert isinstance(trained, PolicyNetwork)
    assert torch.equal(guide.body[-1].weight, trained.body[-1].weight)
    assert guide.body[-1].weight.abs().max() > 0
    builder = network.encoding.builder
    worth = search_exploitability(
        build_forest(builder, [builder.root]),
        network,
        found.settings.search,
        playthroughs=4,
        random=np.random.default_rng(0),
    )
    assert 0 <= worth.exploitability < 1


def test_a_policy_network_does_not_change_what_the_value_network_starts_from(
    tmp_path: Path,
) -> None:
    plain = Run.create(tmp_path / "plain", SMALL.replace(policy=False, warm_start=0))
    plain.save()
    network = load_network(tmp_path / "plain").network
    assert network.guide is None
    assert not any(name.startswith("guide") for name in network.state_dict())
    both = Run.create(tmp_path / "both", SMALL)
    assert torch.equal(network.body[1].weight, both.network.body[1].weight)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pursuit-glasses", "rock-paper-scissors"])
@pytest.mark.parametrize("algorithm", ["dcfr", "flop"])
def test_self_play_starts_warm_in_every_kind_of_game(game: str, algorithm: str) -> None:
    settings = SMALL.replace(
        game=game, algorithm=algorithm, mode="cfr-avg", stop="round", hidden=(8,)
    )
    player = SelfPlay(load_game(game), settings)
    positions = [player.first] * 8
    random = np.random.default_rng(1)
    for _ in range(4):
        examples, positions = player.play_round(positions, random)
        assert np.isfinite(examples["values"].values).all()
        assert len(examples["policies"].rows) > 0
