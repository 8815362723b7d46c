"""Sixteen bits a number: as good a policy, from less than half of the memory."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.formats.spot_file import load_spot_file
from tacit.games import GameError, load_game
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, find_algorithm
from tacit.solvers.spot import SpotLimits, solve_spot
from tacit.tree import build_tree
from tacit.tree.cards.builder import build_spot

TURN = Spot.of("2c7dJhQs", ranges=("22+,A2s+", "KTo+,76s"), pot=100, behind=200, bets="75%/a")


@pytest.mark.parametrize(
    ("spot", "percent", "more"),
    [
        (load_spot_file("river-bench").spot(), 0.1, 1.5),
        (load_spot_file("river").spot(), 0.1, 1.5),
        (TURN, 0.3, 1.3),
    ],
)
def test_the_same_target_is_reached_in_about_as_many_iterations(spot, percent, more):
    limits = SpotLimits(percent=percent, iterations=2_000)
    whole, short = (solve_spot(spot, limits, storage=bits) for bits in (32, 16))
    assert short.percent_of_pot <= percent
    assert short.iterations <= more * whole.iterations


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear-cfr", "dcfr"])
def test_the_first_iterations_are_those_of_wide_numbers(algorithm):
    tree = build_spot(load_spot_file("river").spot())
    solvers = [Solver(tree, find_algorithm(algorithm), storage=bits) for bits in (32, 16)]
    for solver in solvers:
        solver.run(2)
    whole, short = (solver.average_policy() for solver in solvers)
    # A regret that is further below zero than the best is above is cut off there, so that some
    # hands differ from the second iteration on; hardly any do.
    far = np.abs(whole - short) > 0.01
    assert far.mean() < 0.02
    assert_allclose(short[~far], whole[~far], atol=0.01)


def test_memory_is_less_than_half():
    tree = build_spot(TURN)
    whole, short = (Solver(tree, find_algorithm("dcfr"), storage=bits) for bits in (32, 16))
    assert short.policy.size == 0
    taken = short.regrets.nbytes + short.sums.nbytes + short.regret_scales.nbytes
    assert taken < 0.5 * (whole.policy.nbytes + whole.regrets.nbytes + whole.sums.nbytes)


def test_threads_change_nothing():
    tree = build_spot(TURN)
    solvers = [Solver(tree, find_algorithm("dcfr"), storage=16, threads=count) for count in (1, 2)]
    for solver in solvers:
        solver.run(10)
    assert_array_equal(solvers[0].regrets, solvers[1].regrets)
    assert_array_equal(solvers[0].sums, solvers[1].sums)


def test_a_lock_holds():
    spot = load_spot_file("river-bluff").spot()
    found = solve_spot(spot, SpotLimits(iterations=200), storage=16, locks={"r150": {"c": 1.0}})
    assert found.view("r150").frequencies()["c"] == 1
    rows = {row.name: row for row in found.view().classes() if row}
    assert rows["43s"].policy[0] == pytest.approx(1, abs=0.01)


def test_what_needs_more_is_refused():
    tree = build_spot(load_spot_file("river-bluff").spot())
    for algorithm in ("pcfr+", "flop"):
        with pytest.raises(GameError, match="needs more than 16 bits"):
            Solver(tree, find_algorithm(algorithm), storage=16)
    with pytest.raises(GameError, match="for spots of hold'em"):
        Solver(build_tree(load_game("leduc")), find_algorithm("dcfr"), storage=16)
    with pytest.raises(GameError, match="32 or 16 bits, not in 8"):
        solve_spot(load_spot_file("river-bluff").spot(), storage=8)
