"""Gadgets by themselves: what they answer to values, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from support.subgames import tree_of
from tacit.games import GameError
from tacit.solvers.algorithms import FictitiousPlay, RegretMatching, find_algorithm
from tacit.solvers.gadgets import (
    Distributional,
    Gadget,
    Given,
    Hedged,
    MaxMargin,
    Mixed,
    Resolve,
    RootGadgets,
)

WEIGHTS = np.array([0.2, 0.3, 0.0, 0.5])
OFFERED = np.array([1.0, -1.0, np.nan, 0.5])
CFR, FP = find_algorithm("cfr"), find_algorithm("fp")


class Asked:
    """A gadget above nothing: it is given counterfactual values and answers with a reach."""

    def __init__(self, gadget: Gadget) -> None:
        self.root_gadgets = RootGadgets(0, [gadget])
        self.reach = (np.zeros(len(gadget.weights)), np.zeros(0))
        self.iteration = 0

    def match(self, cfv: NDArray[np.float64], minimiser: object = CFR) -> NDArray[np.float64]:
        assert isinstance(minimiser, RegretMatching)
        self.iteration += 1
        self.root_gadgets.update(minimiser, self.iteration, (cfv, np.zeros(0)), self.reach)
        assert_allclose(self.root_gadgets.entering[0], self.reach[0])
        return self.reach[0].copy()

    def respond(self, cfv: NDArray[np.float64]) -> NDArray[np.float64]:
        self.root_gadgets.update(FP, 1, (cfv, np.zeros(0)), self.reach)
        return self.reach[0].copy()


def test_she_enters_where_it_has_paid_and_never_where_she_cannot_be() -> None:
    asked = Asked(Resolve(WEIGHTS, OFFERED))
    assert_allclose(asked.root_gadgets.entering[0], [0.5, 0.5, 0, 0.5])
    assert_allclose(asked.match(WEIGHTS * [2.0, -2.0, 0.0, 0.5]), [1, 0, 0, 0.5])
    assert_allclose(asked.respond(WEIGHTS * [2.0, -2.0, 0.0, 0.6]), [1, 0, 0, 1])


def test_she_chooses_the_smallest_margin_in_proportion_to_the_game() -> None:
    asked = Asked(MaxMargin(WEIGHTS, OFFERED))
    assert_allclose(asked.root_gadgets.entering[0] * WEIGHTS, [1 / 3, 1 / 3, 0, 1 / 3])
    assert_allclose(asked.match(WEIGHTS * [2.0, -2.0, 0.0, 0.5]) * WEIGHTS, [1, 0, 0, 0])
    assert_allclose(asked.respond(WEIGHTS * [0, 0, 0, 0.5]) * WEIGHTS, [0, 1, 0, 0])


def test_a_draw_below_the_value_makes_her_enter() -> None:
    asked = Asked(Distributional(WEIGHTS, OFFERED, np.array([1.0, 0.0, 1.0, 0.0])))
    for answer in (asked.match, asked.respond):
        entered = answer(WEIGHTS * [2.0, -2.0, 0.0, 0.5])
        assert_allclose(entered, [0.8413447, 0, 0, 1], atol=1e-6)


def test_hedge_meets_the_integral_of_appendix_d() -> None:
    random = np.random.default_rng(0)
    weights = np.full(6, 1 / 6)
    means, deviations = random.normal(size=6), np.array([0.0, 0.1, 0.5, 1.0, 2.0, 5.0])
    asked = Asked(Hedged(weights, means, deviations))
    payments = random.normal(size=(7, 6))
    for payment in payments:
        entered = asked.match(payment * weights)
    rate = np.sqrt(np.log(2)) / (3 * payments.std(axis=0) * np.sqrt(7))
    grid = np.linspace(-9, 9, 4001)
    shares = np.exp(-(grid**2) / 2)
    shares /= shares.sum()
    drawn = means + deviations * grid[:, None]
    expected = (shares[:, None] / (1 + np.exp(rate * (7 * drawn - payments.sum(axis=0))))).sum(0)
    assert_allclose(entered, expected, atol=1.5e-3)


def test_hedge_without_any_variance_enters_half_the_time() -> None:
    asked = Asked(Hedged(WEIGHTS, OFFERED, np.ones(4)))
    assert_allclose(asked.match(WEIGHTS * 3.0), [0.5, 0.5, 0, 0.5])


def test_a_range_is_mixed_half_and_half_by_weight() -> None:
    asked = Asked(Mixed(WEIGHTS, OFFERED, np.array([0, 0, 0, 2.0])))
    mass = asked.match(WEIGHTS * [2.0, -2.0, 0.0, 0.0]) * WEIGHTS
    assert_allclose(mass, [0.5, 0, 0, 0.5])
    nobody = asked.respond(WEIGHTS * -5.0) * WEIGHTS
    assert_allclose(nobody, [0, 0, 0, 0.5])


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear-cfr", "dcfr", "pcfr+"])
def test_regrets_are_weighed_as_the_minimiser_says(algorithm: str) -> None:
    minimiser = find_algorithm(algorithm)
    assert isinstance(minimiser, RegretMatching)
    asked = Asked(Resolve(np.ones(1), np.zeros(1)))
    values, regrets, enters = [0.5, -2.0, 0.7, 0.9], np.zeros(2), 0.5
    met = []
    for number, value in enumerate(values, start=1):
        step = minimiser.step(number)
        found = asked.match(np.array([value]), minimiser)
        gains = np.array([value - enters * value, -enters * value])
        for action in (0, 1):
            kept = regrets[action] * (step.positive if regrets[action] > 0 else step.negative)
            regrets[action] = max(kept + gains[action], step.floor)
        chosen = np.maximum(regrets + step.prediction * gains, 0)
        enters = chosen[0] / chosen.sum() if chosen.sum() > 0 else 0.5
        met.append(enters)
        assert_allclose(found, [enters])
    weights = [minimiser.weight(number) for number in range(1, len(values) + 1)]
    assert_allclose(asked.root_gadgets.average()[0], np.average(met, weights=weights))


@pytest.mark.parametrize("algorithm", ["fp", "linear-fp", "flop"])
def test_responses_are_mixed_as_fictitious_play_says(algorithm: str) -> None:
    minimiser = find_algorithm(algorithm)
    assert isinstance(minimiser, FictitiousPlay)
    asked = Asked(Resolve(np.ones(1), np.zeros(1)))
    for number, value in enumerate([1.0, -1.0, 1.0, 1.0], start=1):
        asked.respond(np.array([value]))
        asked.root_gadgets.update(minimiser, number, asked.reach, asked.reach, mixes=True)
    weights = [minimiser.weight(number) for number in range(1, 5)]
    again = weights[-1] if minimiser.optimistic else 0
    expected = (np.dot(weights, [1, 0, 1, 1]) + again) / (sum(weights) + again)
    assert_allclose(asked.reach[0], [expected])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(GameError, match="never reaches"):
        Resolve(np.zeros(3), np.zeros(3))
    with pytest.raises(GameError, match="shape"):
        Resolve(WEIGHTS, np.zeros(3))
    with pytest.raises(GameError, match="not all numbers"):
        MaxMargin(WEIGHTS, np.full(4, np.inf))
    with pytest.raises(GameError, match="negative"):
        Distributional(WEIGHTS, OFFERED, np.full(4, -1.0))
    with pytest.raises(GameError, match="the opponent has any reach here"):
        Given(WEIGHTS, np.array([0.0, 0, 1, 0]))
    with pytest.raises(GameError, match="from 0 to 1"):
        Mixed(WEIGHTS, OFFERED, np.ones(4), share=2)


def test_a_gate_has_a_gadget_for_every_root() -> None:
    tree = tree_of("kuhn")
    reach = (np.zeros(tree.sizes.reach[0]), np.zeros(tree.sizes.reach[1]))
    many = RootGadgets(0, [Resolve(np.ones(3), np.zeros(3))] * 2)
    with pytest.raises(GameError, match="2 gadgets for 1 root"):
        many.open(tree, reach)
    short = RootGadgets(0, [Resolve(np.ones(2), np.zeros(2))])
    with pytest.raises(GameError, match="is for 2 infostates"):
        short.open(tree, reach)
