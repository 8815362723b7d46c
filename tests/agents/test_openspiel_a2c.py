"""OpenSpiel's A2C in Leduc: policies at every infostate, the same by the same seed, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from support.commands import fails
from tacit.agents.openspiel_a2c import A2CAgent
from tacit.games import load_game
from tacit.tree import Builder

pytest.importorskip("open_spiel.python.pytorch.policy_gradient")


def test_it_learns_by_the_seed_and_answers_distributions() -> None:
    builder = Builder(load_game("leduc"))
    untaught, once, again = (A2CAgent(builder, episodes) for episodes in (0, 600, 600))
    answers = []
    for agent in (untaught, once, again):
        [memory] = agent.begin([0], np.random.default_rng(0))
        [policy] = agent.policies([memory])
        assert policy.shape == (len(builder.root.expansion.actions), builder.root.counts[0])
        np.testing.assert_allclose(policy.sum(axis=0), 1)
        answers.append(policy)
    np.testing.assert_array_equal(answers[1], answers[2])
    assert not np.array_equal(answers[0], answers[1])


def test_it_plays_leduc_only() -> None:
    error = fails("match", "kuhn", "uniform", "a2c:10", "--games=2")
    assert "OpenSpiel's A2C plays leduc here, not kuhn" in error
