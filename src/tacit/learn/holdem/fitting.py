"""Gradient steps on examples of equity knots, and the error that is left on others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import smooth_l1_loss

from tacit.games import GameError
from tacit.learn.checked_settings import Checked, number
from tacit.learn.holdem.examples import HANDS, Examples
from tacit.learn.holdem.knots import KNOTS, POWERS
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork
from tacit.learn.holdem.targets import Solved
from tacit.learn.network import inference


@dataclass(frozen=True, kw_only=True)
class FitSettings(Checked):
    """Gradient steps by Adam, at a rate that falls to zero along a cosine."""

    steps: int = number(800, least=1)
    """Number of steps of an epoch."""
    last_steps: int = number(8000, least=1)
    """Number of steps of the last epoch, and of those from which PBSs are valued anew."""
    batch: int = number(256, least=1)
    """Number of examples of a step."""
    learning_rate: float = number(1e-3, above=0, most=1)
    """The first learning rate of an epoch."""
    huber: float = number(0.05, above=0, most=1e9)
    """The error in shares of the pot up to which the loss is quadratic."""


def fit(
    network: KnotNetwork,
    examples: Examples,
    settings: FitSettings,
    *,
    seed: int,
    steps: int | None = None,
    each: Callable[[int, float], None] | None = None,
) -> float:
    """Train the network for the settings' `steps` or other ones; the loss of the last tenth.

    `each` is called after every hundredth step with its number and the mean loss since.
    """
    if not len(examples):
        raise GameError("there are no examples to learn from; solve some first")
    steps = settings.steps if steps is None else steps
    random = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * step / steps))
    )
    losses: list[float] = []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for step in range(1, steps + 1):
            batch = examples.at(random.integers(0, len(examples), settings.batch))
            loss = batch_loss(network, batch, settings.huber)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
            if each is not None and step % 100 == 0:
                each(step, float(np.mean(losses[-100:])))
    finally:
        torch.set_num_threads(threads)
    return float(np.mean(losses[-max(1, steps // 10) :]))


def batch_loss(network: KnotNetwork, batch: Examples, huber: float) -> torch.Tensor:
    """The mean Huber loss of the hands of a batch, in shares of the pot."""
    values = guesses(network, batch)
    return smooth_l1_loss(values, torch.from_numpy(batch.target), beta=huber)


def guesses(network: KnotNetwork, batch: Examples) -> torch.Tensor:
    """[n, HANDS] the network's values of the hands of a batch, before they are made zero-sum."""
    rows, equity, potential, scale = (
        torch.from_numpy(np.ascontiguousarray(each, np.float32))
        for each in (batch.rows, batch.equity, batch.potential, batch.scale)
    )
    answer = network(rows).reshape(len(rows), POWERS, KNOTS)
    place = equity * (KNOTS - 1)
    low = place.long().clamp(max=KNOTS - 2)
    over = place - low
    guess, power = torch.zeros_like(equity), torch.ones_like(equity)
    for degree in range(POWERS):
        curve = answer[:, degree]
        left, right = curve.gather(1, low), curve.gather(1, low + 1)
        guess = guess + power * (left + over * (right - left))
        power = power * potential
    return equity - 0.5 + scale[:, None] * guess


def mean_error(network: KnotNetwork, examples: Examples) -> float:
    """The mean absolute error of the hands that were drawn by weight, in shares of the pot."""
    total, by_weight = 0.0, HANDS // 2
    with inference():
        for start in range(0, len(examples), 1024):
            part = examples.at(np.arange(start, min(start + 1024, len(examples))))
            wrong = guesses(network, part).numpy() - part.target
            total += float(np.abs(wrong[:, :by_weight]).mean(axis=1).sum())
    return total / len(examples)


def held_out_error(evaluator: KnotEvaluator | None, solved: Solved) -> NDArray[np.float64]:
    """[n] the mean absolute error at each PBS, weighted by the ranges, in shares of the pot.

    Without an evaluator it is that of equity alone. Hands whose values are not known do not count.
    """
    positions = solved.positions
    shares = positions.equity - 0.5 if evaluator is None else evaluator.shares(positions)
    weight = positions.weight if solved.known is None else positions.weight * solved.known
    wrong = (np.abs(shares - solved.shares) * weight).sum(axis=(1, 2), dtype=np.float64)
    errors: NDArray[np.float64] = wrong / weight.sum(axis=(1, 2), dtype=np.float64)
    return errors
