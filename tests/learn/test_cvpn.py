"""CVPNs: the layout of answers and targets, both losses, symmetries, and what they can learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

from tacit.games import GameError, load_game
from tacit.learn.cvpn import CVPN
from tacit.learn.network import ResidualPlanes, make_network
from tacit.learn.replay import Examples
from tacit.learn.settings import NetworkSettings, OptimizerSettings
from tacit.solvers.growing_leaves import encode
from tacit.tree import PLAYERS, Builder, PublicState
from tacit.tree.pbs import PBS

SMALL = NetworkSettings(cvpn=True, hidden=(16,), channels=8, blocks=1)
GAMES = ["kuhn", "leduc", "liars-dice-1x4", "rock-paper-scissors", "pursuit-glasses", "tic-tac-toe"]


def cvpn(game: str, shape: NetworkSettings = SMALL) -> CVPN:
    network = make_network(Builder(load_game(game)), shape, seed=0)
    assert isinstance(network, CVPN)
    return network


def first_decision(network: CVPN) -> PublicState:
    state = network.encoding.builder.root
    while state.mover not in PLAYERS:
        state = state.expansion.transitions[0].child
    return state


def example(network: CVPN, random: np.random.Generator) -> Examples:
    """A PBS with random beliefs, values and policy."""
    state = first_decision(network)
    legal = state.expansion.legal
    first, second = (random.random(count) for count in state.counts)
    policy = legal * random.random(legal.shape)
    target = network.target(state, (first, second), policy / policy.sum(axis=0))
    return Examples(encode(network, PBS(state, (first, second)))[None], target[None])


@pytest.mark.parametrize("game", GAMES)
def test_an_answer_holds_values_of_both_players_and_a_policy_of_the_mover(game: str) -> None:
    network = cvpn(game)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    state = first_decision(network)
    row = encode(network, PBS(state, (np.ones(state.counts[0]), np.ones(state.counts[1]))))
    answer = network.answer(row[None])
    columns = [network.output_columns(state, player) for player in PLAYERS]
    assert len(set(np.concatenate(columns).tolist())) == sum(state.counts)
    actions = network.action_columns(state, state.expansion)
    assert actions.shape == state.expansion.legal.shape
    assert len(set(actions.ravel().tolist())) == actions.size
    assert actions.max() < answer.policies.shape[1]
    assert answer.policies.min() > 0
    assert answer.policies.max() == 1
    assert np.array_equal(network.values(row[None]), answer.values)
    again = pickle.loads(pickle.dumps(network))
    assert np.array_equal(again.answer(row[None]).policies, answer.policies)
    planes = [layer for layer in network.body if isinstance(layer, ResidualPlanes)]
    assert len(planes) == (game == "tic-tac-toe")


@pytest.mark.parametrize("game", ["leduc", "tic-tac-toe"])
def test_losses_are_the_huber_loss_and_the_cross_entropy_of_known_targets(game: str) -> None:
    network, random = cvpn(game), np.random.default_rng(0)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    examples = example(network, random)
    state = first_decision(network)
    places = np.concatenate([network.output_columns(state, player) for player in PLAYERS])
    examples.values[0, places[0]] = np.nan
    learning = OptimizerSettings(huber=0.1)
    value, policy = network.parts_of_loss(examples, learning)
    answer = network.answer(examples.rows)
    units = np.broadcast_to(network.encoding.units(examples.rows), (1, 1))[0, 0]
    errors = np.abs(answer.values[0, places] - examples.values[0, places])[1:] / units
    huber = np.where(errors < 0.1, errors**2 / 0.2, errors - 0.05)
    assert value.item() == pytest.approx(huber.mean(), rel=1e-4)
    columns = network.action_columns(state, state.expansion)
    wanted = examples.values[0, network.encoding.outputs :][columns]
    guess = answer.policies[0, columns] / answer.policies[0, columns].sum(axis=0)
    assert policy.item() == pytest.approx(-(wanted * np.log(guess)).sum(axis=0).mean(), rel=1e-4)


def test_a_game_without_targets_has_no_loss() -> None:
    network = cvpn("kuhn")
    nothing = np.full((3, network.outputs), np.nan, dtype=np.float32)
    examples = Examples(np.zeros((3, network.inputs), dtype=np.float32), nothing)
    assert [loss.item() for loss in network.parts_of_loss(examples, OptimizerSettings())] == [0, 0]


@pytest.mark.parametrize("game", ["leduc", "tic-tac-toe"])
def test_a_network_learns_its_examples(game: str) -> None:
    network, random = cvpn(game), np.random.default_rng(0)
    parts = [example(network, random) for _ in range(4)]
    if game == "tic-tac-toe":  # beliefs are the same, so that one position has one target
        parts = parts[:1]
    examples = Examples(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    for _ in range(300):
        value, policy = network.parts_of_loss(examples, OptimizerSettings())
        optimizer.zero_grad()
        (value + policy).backward()
        optimizer.step()
    probabilities = examples.values[:, network.encoding.outputs :]
    entropy = -np.nansum(probabilities * np.log(np.maximum(probabilities, 1e-30)))
    infostates = len(parts) * first_decision(network).expansion.legal.shape[1]
    assert value.item() < 1e-4
    assert policy.item() == pytest.approx(entropy / infostates, abs=1e-2)


def test_symmetries_turn_planes_and_policies_together() -> None:
    network, random = cvpn("tic-tac-toe"), np.random.default_rng(0)
    state = network.encoding.builder.root
    for move in (0, 0):  # X in a corner, O beside it
        state = state.expansion.transitions[move].child
    legal = state.expansion.legal
    chances = np.arange(1.0, 1 + len(legal))[:, None] / np.arange(1.0, 1 + len(legal)).sum()
    one = np.ones(1)
    target = network.target(state, (one, -one), chances)
    whole = Examples(
        np.repeat(encode(network, PBS(state, (one, one)))[None], 64, axis=0),
        np.repeat(target[None], 64, axis=0),
    )
    turned = network.augmented(whole, random)
    boards = {row.tobytes() for row in turned.rows}
    assert len(boards) == 8
    first = network.encoding.first_belief - network.encoding.public_features
    for row, values in zip(turned.rows, turned.values, strict=True):
        planes = row[first : network.encoding.first_belief].reshape(3, 9)
        policy = values[network.encoding.outputs :]
        assert np.array_equal(np.isnan(policy), planes[2] == 0)  # legal where a square is free
        assert np.array_equal(values[: network.encoding.outputs], target[:2])
    assert np.array_equal(
        np.sort(turned.values[:, 2:]), np.sort(whole.values[:, 2:]), equal_nan=True
    )


def test_games_without_symmetries_keep_their_examples() -> None:
    network, random = cvpn("kuhn"), np.random.default_rng(0)
    examples = example(network, random)
    assert network.augmented(examples, random) is examples


def test_the_policy_of_a_cell_is_read_from_its_own_channels() -> None:
    """With the rest of the body silent, a mirrored board has the mirrored policy."""
    builder = Builder(load_game("go-5x5"))
    shape = NetworkSettings(cvpn=True, cell_policy=True, channels=4, blocks=0, hidden=(8,))
    network = make_network(builder, shape, seed=0)
    assert isinstance(network, CVPN)
    state = builder.at("B2 D4 C3")
    row = encode(network, PBS(state, (np.ones(1), np.ones(1))))
    weights = network.answer(row[None]).policies[0]
    assert len(set(weights[:25].round(6))) > 3
    with torch.no_grad():
        first = next(m for m in network.modules() if isinstance(m, torch.nn.Conv2d))
        first.weight[:] = first.weight.mean(dim=(2, 3), keepdim=True)
    turned = network.augmented(
        Examples(row[None].repeat(64, axis=0), np.zeros((64, network.outputs), np.float32)),
        np.random.default_rng(0),
    )
    answers = {tuple(np.sort(a[:25]).round(5)) for a in network.answer(turned.rows).policies}
    assert len(answers) == 1


def test_a_cell_policy_needs_a_board_of_cells() -> None:
    shape = NetworkSettings(cvpn=True, cell_policy=True)
    for game in ("connect-four", "leduc"):
        with pytest.raises(GameError, match=f"cells of a board, not for {game}"):
            make_network(Builder(load_game(game)), shape, seed=0)
