"""Fitting: the loss is that of the evaluator's values, and steps lower it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tacit.games import GameError
from tacit.learn.holdem.examples import draw_hands, encode
from tacit.learn.holdem.fitting import (
    FitSettings,
    batch_loss,
    fit,
    held_out_error,
    mean_error,
)
from tacit.learn.holdem.knots import KNOTS, POWERS, Situation, locate, zero_sum
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork, Origin
from tacit.learn.holdem.random_positions import TableSettings, random_positions
from tacit.learn.holdem.targets import Solved


def test_the_loss_is_that_of_interpolated_curves() -> None:
    random = np.random.default_rng(0)
    pbss = [random_positions(TableSettings(), 1, random, before_card=True)[0] for _ in range(2)]
    positions = locate(pbss)
    targets = random.normal(size=positions.equity.shape).astype(np.float32)
    examples = draw_hands(positions, targets, random)
    network = KnotNetwork((16,))
    with torch.no_grad():
        network.body[-1].weight.normal_(0, 0.05, generator=torch.Generator().manual_seed(0))
    curves = network.curves(examples.rows.astype(np.float32)).reshape(-1, POWERS, KNOTS)
    errors = []
    for row in range(len(examples)):
        equity, s = examples.equity[row], examples.potential[row]
        c = [np.interp(equity, np.linspace(0, 1, KNOTS), each) for each in curves[row]]
        value = equity - 0.5 + examples.scale[row] * (c[0] + c[1] * s + c[2] * s**2)
        errors.append(np.abs(value - examples.target[row]).mean())
    loss = float(batch_loss(network, examples, 1e-6).detach())  # so small that it is linear
    assert loss == pytest.approx(np.mean(errors), rel=1e-4)


def test_steps_learn_a_known_correction() -> None:
    random = np.random.default_rng(0)
    pbss = [random_positions(TableSettings(), 1, random, before_card=False)[0] for _ in range(24)]
    positions = locate(pbss)
    plain = positions.equity - 0.5 + positions.scale[:, None, None] * 0.3 * positions.equity**2
    solved = Solved(positions, zero_sum(plain, positions.weight))
    examples = draw_hands(positions, solved.shares, random)
    network = KnotNetwork((64,), seed=1)
    losses: list[float] = []
    settings = FitSettings(steps=300, batch=64, learning_rate=3e-3)
    before = mean_error(network, examples)
    fit(network, examples, settings, seed=0, each=lambda step, loss: losses.append(loss))
    assert len(losses) == 3
    assert losses[-1] < losses[0] / 2
    assert mean_error(network, examples) < before / 2
    evaluator = KnotEvaluator(network, [Situation.RIVER], Origin(command="", seed=0))
    learnt = held_out_error(evaluator, solved).mean()
    assert learnt < 0.5 * held_out_error(None, solved).mean()


def test_the_same_seed_gives_the_same_network() -> None:
    random = np.random.default_rng(0)
    pbss = [random_positions(TableSettings(), 1, random, before_card=False)[0] for _ in range(2)]
    values = [(np.zeros(p.state.counts[0]), np.zeros(p.state.counts[1])) for p in pbss]
    examples = encode(pbss, values, random)
    weights = []
    for _ in range(2):
        network = KnotNetwork((8,), seed=1)
        fit(network, examples, FitSettings(steps=5, batch=4), seed=2)
        weights.append(network.body[-1].weight.detach().numpy().copy())
    assert np.array_equal(*weights)


def test_no_examples_and_bad_settings_are_refused() -> None:
    random = np.random.default_rng(0)
    none = encode(
        [random_positions(TableSettings(), 1, random, before_card=False)[0]], [_zeros()], random
    )
    with pytest.raises(GameError, match="no examples"):
        fit(KnotNetwork((8,)), none.at(np.zeros(0, np.int64)), FitSettings(), seed=0)
    for change in ({"steps": 0}, {"batch": 0}, {"learning_rate": 0.0}, {"huber": -1.0}):
        with pytest.raises(GameError, match="must be"):
            FitSettings(**change)  # type: ignore[arg-type]


def _zeros() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(1081), np.zeros(1081)
