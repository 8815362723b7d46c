"""Decisions and rewards of PREFLOP43."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.learn.rl_cfr.decisions import FEATURES
from tacit.learn.rl_cfr.preflop43 import Table43, next_decision43, reward43, solve_sets43
from tacit.learn.rl_cfr.rewards import Solves
from tacit.learn.rl_cfr.sizes import PREFLOP43

TABLE = Table43.random(np.random.default_rng(1))


def test_the_start_has_every_hand_and_no_board():
    start = TABLE.start()
    assert start.betting.player == 1, "the small blind acts first"
    assert start.features.shape == (FEATURES,)
    assert start.features[:9].any()
    assert not start.features[9:13].any()
    assert start.point.all_in == pytest.approx((TABLE.stack - 1) / 2)


def test_the_base_has_no_reward_and_sets_of_one_forest_are_apart():
    start = Table43(TABLE.cards, 10).start()
    assert reward43(start, PREFLOP43.base, Solves(20)) == pytest.approx(0, abs=1e-9)
    solved = solve_sets43(start, [PREFLOP43.base, (0,)], solves=Solves(20))
    assert len(solved.actions[0]) > len(solved.actions[1])
    alone = solve_sets43(start, [(0,)], solves=Solves(20))
    assert solved.values[1] == pytest.approx(alone.values[0], abs=1e-4)


def test_beliefs_are_those_of_the_action_taken():
    start = Table43(TABLE.cards, 40).start()
    solved = solve_sets43(start, [PREFLOP43.base], solves=Solves(20))
    found = (next_decision43(start, solved, 0, np.random.default_rng(s)) for s in range(9))
    after = next(decision for decision in found if decision is not None)
    assert after.betting.player == 0
    assert any(np.allclose(after.beliefs[1], policy) for policy in solved.policies[0])
    assert np.array_equal(after.beliefs[0], start.beliefs[0])
