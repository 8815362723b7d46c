"""Gadgets by themselves: what they answer to values, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.games import GameError
from tacit.solve.gadgets import (
    Distributional,
    Gate,
    Given,
    HedgedDistributional,
    MaxMargin,
    Mixed,
    Resolve,
)
from tacit.solve.minimiser import Step, find_algorithm

WEIGHTS = np.array([0.2, 0.3, 0.0, 0.5])
OFFERED = np.array([1.0, -1.0, np.nan, 0.5])
ADD = Step(1.0, 1.0, -np.inf, 0.0)


def test_she_enters_where_it_has_paid_and_never_where_she_cannot_be() -> None:
    gadget = Resolve(WEIGHTS, OFFERED)
    reach = gadget.match(WEIGHTS * [2.0, -2.0, 0.0, 0.5], ADD)
    assert_allclose(reach, [1, 0, 0, 0.5])
    assert_allclose(gadget.respond(WEIGHTS * [2.0, -2.0, 0.0, 0.6]), [1, 0, 0, 1])


def test_she_chooses_the_smallest_margin_in_proportion_to_the_game() -> None:
    gadget = MaxMargin(WEIGHTS, OFFERED)
    assert_allclose(gadget.first() * WEIGHTS, [1 / 3, 1 / 3, 0, 1 / 3])
    reach = gadget.match(WEIGHTS * [2.0, -2.0, 0.0, 0.5], ADD)
    assert_allclose(reach * WEIGHTS, [1, 0, 0, 0])
    assert_allclose(gadget.respond(WEIGHTS * [0, 0, 0, 0.5]) * WEIGHTS, [0, 1, 0, 0])


def test_a_draw_below_the_value_makes_her_enter() -> None:
    gadget = Distributional(WEIGHTS, OFFERED, np.array([1.0, 0.0, 1.0, 0.0]))
    entered = gadget.match(WEIGHTS * [2.0, -2.0, 0.0, 0.5], ADD)
    assert_allclose(entered, [0.8413447, 0, 0, 1], atol=1e-6)


def test_hedge_meets_the_integral_of_appendix_d() -> None:
    random = np.random.default_rng(0)
    weights = np.full(6, 1 / 6)
    means, deviations = random.normal(size=6), np.array([0.0, 0.1, 0.5, 1.0, 2.0, 5.0])
    gadget = HedgedDistributional(weights, means, deviations)
    payments = random.normal(size=(7, 6))
    for payment in payments:
        entered = gadget.match(payment * weights, ADD)
    rate = np.sqrt(np.log(2)) / (3 * payments.std(axis=0) * np.sqrt(7))
    grid = np.linspace(-9, 9, 4001)
    shares = np.exp(-(grid**2) / 2)
    shares /= shares.sum()
    drawn = means + deviations * grid[:, None]
    expected = (shares[:, None] / (1 + np.exp(rate * (7 * drawn - payments.sum(axis=0))))).sum(0)
    assert_allclose(entered, expected, atol=1.5e-3)


def test_hedge_without_any_variance_enters_half_the_time() -> None:
    gadget = HedgedDistributional(WEIGHTS, OFFERED, np.ones(4))
    assert_allclose(gadget.match(WEIGHTS * 3.0, ADD), [0.5, 0.5, 0, 0.5])


def test_a_range_is_mixed_half_and_half_by_weight() -> None:
    gadget = Mixed(Resolve(WEIGHTS, OFFERED), np.array([0, 0, 0, 2.0]))
    mass = gadget.match(WEIGHTS * [2.0, -2.0, 0.0, 0.0], ADD) * WEIGHTS
    assert_allclose(mass, [0.5, 0, 0, 0.5])
    nobody = gadget.respond(WEIGHTS * -5.0) * WEIGHTS
    assert_allclose(nobody, [0, 0, 0, 0.5])


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear-cfr", "dcfr", "pcfr+"])
def test_regrets_are_weighed_as_the_minimiser_says(algorithm: str) -> None:
    minimiser = find_algorithm(algorithm)
    gadget = Resolve(np.ones(1), np.zeros(1))
    values, regrets, enters = [0.5, -2.0, 0.7, 0.9], np.zeros(2), 0.5
    for number, value in enumerate(values, start=1):
        step = minimiser.step(number)  # type: ignore[union-attr]
        found = gadget.match(np.array([value]), step)
        gains = np.array([value - enters * value, -enters * value])
        for action in (0, 1):
            kept = regrets[action] * (step.positive if regrets[action] > 0 else step.negative)
            regrets[action] = max(kept + gains[action], step.floor)
        chosen = np.maximum(regrets + step.prediction * gains, 0)
        enters = chosen[0] / chosen.sum() if chosen.sum() > 0 else 0.5
        assert_allclose(found, [enters])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(GameError, match="never reaches"):
        Resolve(np.zeros(3), np.zeros(3))
    with pytest.raises(GameError, match="shape"):
        Resolve(WEIGHTS, np.zeros(3))
    with pytest.raises(GameError, match="not all numbers"):
        MaxMargin(WEIGHTS, np.full(4, np.inf))
    with pytest.raises(GameError, match="negative"):
        Distributional(WEIGHTS, OFFERED, np.full(4, -1.0))
    with pytest.raises(GameError, match="the opponent does not come here"):
        Given(WEIGHTS, np.array([0.0, 0, 1, 0]))
    with pytest.raises(GameError, match="from 0 to 1"):
        Mixed(Resolve(WEIGHTS, OFFERED), np.ones(4), share=2)


def test_a_gate_has_a_gadget_for_every_root() -> None:
    from support.subgames import tree_of

    tree = tree_of("kuhn")
    reach = (np.zeros(tree.sizes.reach[0]), np.zeros(tree.sizes.reach[1]))
    with pytest.raises(GameError, match="2 gadgets for 1 root"):
        gate = Gate(0, [Resolve(np.ones(3), np.zeros(3))] * 2)
        gate.set_reach(tree, reach, gate.entering)
    with pytest.raises(GameError, match="is for 2 infostates"):
        gate = Gate(0, [Resolve(np.ones(2), np.zeros(2))])
        gate.set_reach(tree, reach, gate.entering)
