"""Rewards of sets of sizes."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import Decision, decision_of
from tacit.learn.rl_cfr.rewards import Solves, rewards, solve_sets
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.solvers.spot import SpotLimits, solve_spot

BLUFF = Spot.of("2c7dJhQsKs", ranges=("AsTs,65s", "QQ,JJ"), pot=100, behind=900, bets="a")
"""The first player has the nuts or nothing, so larger bets win more."""


def test_one_forest_gives_each_set_what_a_solve_of_its_own_gives():
    decision = decision_of(BLUFF)
    sets = [HOLDEM.base, HOLDEM.set_of((0.1,)), HOLDEM.everything]
    together = solve_sets(decision, sets, solves=Solves(60))
    alone = [solve_sets(decision, [chosen], solves=Solves(60)).values[0] for chosen in sets]
    assert together.values == pytest.approx(np.array(alone), abs=1e-3)
    for actions, policy in zip(together.actions, together.policies, strict=True):
        assert policy.shape == (len(actions), 5)
        assert policy.sum(axis=0) == pytest.approx(1)


def test_the_value_is_that_of_the_spots_own_solve():
    """Where all-in is the only bet, the tree of the reward is the tree of the spot."""
    short = Spot.of("2c7dJhQsKs", ranges=("AsTs,65s", "QQ,JJ"), pot=1000, behind=90, bets="a/a")
    solution = solve_spot(short, SpotLimits(iterations=400))
    value = solve_sets(Decision(short), [()], solves=Solves(400)).values[0]
    assert value == pytest.approx(solution.value, abs=0.5)


def test_the_base_is_worth_nothing_more_than_itself_and_a_missing_size_costs():
    decision = decision_of(BLUFF)
    same, tiny = rewards(decision, [HOLDEM.base, HOLDEM.set_of((0.1,))], solves=Solves(200))
    assert same == 0
    assert tiny <= 1e-3
