"""Episodes give examples of the size that a learner needs."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.learn.rl_cfr import episodes
from tacit.learn.rl_cfr.episodes import PROBLEMS
from tacit.learn.rl_cfr.learners import LEARNERS
from tacit.learn.rl_cfr.rewards import Solves


@pytest.mark.parametrize("kind", LEARNERS)
def test_an_episode_of_rivers_is_decided_by_its_seed(kind, monkeypatch):
    monkeypatch.setattr(episodes, "WALKS", 3)
    monkeypatch.setattr(episodes, "TRAINING_HANDS", 20)
    problem = PROBLEMS["river"]
    learner = LEARNERS[kind](problem.features, problem.grid, problem.sizes)
    one, two = (problem.episode(learner, np.random.default_rng(6), 2, Solves(5)) for _ in range(2))
    assert one.features.shape == (len(one.rewards), problem.features)
    assert len(one.rows) == len(one.rewards) >= 2
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_a_turn_is_solved_to_the_end_of_the_hand(monkeypatch):
    monkeypatch.setattr(episodes, "TURN_HANDS", 6)
    problem = PROBLEMS["turn"]
    learner = LEARNERS["bandit"](problem.features, problem.grid, problem.sizes)
    found = problem.episode(learner, np.random.default_rng(2), 1, Solves(2))
    assert np.isfinite(found.rewards).all()
    [decision] = problem.decisions(1, np.random.default_rng(3))
    assert problem.reward(decision, problem.grid.base, Solves(2)) == pytest.approx(0, abs=1e-6)
