"""Agents that play many games at once."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.agent import PolicyAgent, RuleAgent
from tacit.agents.simple import uniform
from tacit.games import load_game
from tacit.tree import Builder, Place, build_forest


def test_a_policy_is_followed_down_the_tree() -> None:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root])
    policy = np.arange(tree.sizes.slots, dtype=np.float64)
    agent = PolicyAgent(tree, policy)
    [memory] = agent.begin([0], np.random.default_rng(0))
    place = Place(*tree.roots[0])
    for number in (1, 2, 1):
        assert np.array_equal(
            agent.policies([memory])[0], tree.block(policy, place.node)[:, place.copy]
        )
        [memory] = agent.after([memory], [number])
        place = tree.children(place)[number][1]


def test_random_play_is_uniform_over_legal_actions() -> None:
    builder = Builder(load_game("leduc"))
    agent = RuleAgent(builder, uniform)
    [memory] = agent.begin([0], np.random.default_rng(0))
    [policy] = agent.policies([memory])
    assert policy == pytest.approx(1 / len(policy))
