"""The algorithms' definitions: their numbers, their names."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from numpy.testing import assert_allclose

from tacit.games import GameError
from tacit.solvers import ALGORITHMS, FictitiousPlay, RegretMatching, find_algorithm

NAMES = [
    "cfr", "cfr+", "linear-cfr", "quadratic-cfr", "dcfr", "pcfr+", "fp", "linear-fp", "flop",
    "soft-flop",
]  # fmt: skip


def test_the_algorithms_have_the_names_that_commands_take() -> None:
    assert list(ALGORITHMS) == NAMES
    for name in NAMES:
        assert find_algorithm(name).name == name
        assert ALGORITHMS[name].about


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(GameError, match=r"unknown algorithm 'dcrf'; did you mean 'dcfr'\?"):
        find_algorithm("dcrf")
    with pytest.raises(GameError, match=r"unknown algorithm 'xyzzy'; known: cfr, cfr\+"):
        find_algorithm("xyzzy")


def test_updates_alternate_unless_told_otherwise() -> None:
    assert find_algorithm("cfr").alternating
    assert not find_algorithm("flop", alternating=False).alternating


def regret_matching(name: str) -> RegretMatching:
    found = find_algorithm(name)
    assert isinstance(found, RegretMatching)
    return found


@pytest.mark.parametrize("iteration", [1, 2, 5, 100])
def test_linear_cfr_is_cfr_whose_iterations_weigh_their_number(iteration: int) -> None:
    """R_t = (t-1)/t R_{t-1} + r_t, so that t R_t is the sum of k r_k."""
    total = sum(float(k) for k in range(1, iteration + 1))
    regret = 0.0
    for k in range(1, iteration + 1):
        step = regret_matching("linear-cfr").step(k)
        assert step.positive == step.negative
        regret = regret * step.positive + 1.0
    assert_allclose(iteration * regret, total)
    assert regret_matching("linear-cfr").weight(iteration) == iteration


def test_dcfr_discounts_as_published() -> None:
    """Brown and Sandholm 2019: t^1.5 / (t^1.5 + 1) and one half, average weights t^2."""
    dcfr = regret_matching("dcfr")
    assert dcfr.step(1).positive == 1.0
    assert_allclose(dcfr.step(5).positive, 8 / 9)
    assert dcfr.step(5).negative == 0.5
    assert dcfr.step(5).floor == -inf
    assert_allclose([dcfr.weight(3) / dcfr.weight(1), dcfr.weight(4) / dcfr.weight(2)], [9, 4])


def test_the_plus_variants_have_a_floor_and_only_pcfr_predicts() -> None:
    for name in ("cfr+", "pcfr+"):
        step = regret_matching(name).step(7)
        assert (step.positive, step.floor) == (1.0, 0.0)
        assert step.prediction == (name == "pcfr+")
    assert regret_matching("cfr").step(7).floor == -inf


def test_flop_weighs_the_latest_response_twice() -> None:
    """t/(t+2) of the linear average and 2/(t+2) of the latest (ReBeL, appendix H)."""
    flop = find_algorithm("flop")
    assert isinstance(flop, FictitiousPlay)
    assert flop.optimistic
    t = 9
    before = sum(flop.weight(k) for k in range(1, t + 1))
    assert_allclose(flop.weight(t) / (before + flop.weight(t)), 2 / (t + 3))


def test_soft_responses_tend_to_the_best() -> None:
    """What makes it a form of generalised weakened fictitious play."""
    soft, flop = find_algorithm("soft-flop"), find_algorithm("flop")
    assert isinstance(soft, FictitiousPlay)
    assert isinstance(flop, FictitiousPlay)
    assert_allclose([soft.within(t) for t in (1, 4, 400)], [4, 1, 0.01])
    assert flop.within(1) == 0
    blurred = replace(soft, blur=0.05)
    assert_allclose([blurred.within(t) for t in (1, 80, 400)], [4, 0.05, 0.05])
    assert soft.weight(7) == flop.weight(7)
