"""Between counterfactual and expected values, and between reaches and beliefs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import RandomGame, random_games
from support.reference import Reference
from support.small_games import small_game
from tacit.tree import PLAYERS, Builder, build_tree
from tacit.tree.beliefs import cfv_to_value, compatible_reach, normalised, value_to_cfv

seeds = st.integers(0, 2**32 - 1)


@given(game=random_games(), seed=seeds)
def test_values_and_cfvs_become_each_other(game: RandomGame, seed: int) -> None:
    random = np.random.default_rng(seed)
    for node in range((tree := build_tree(game)).nodes):
        state = tree.state(node)
        for player in PLAYERS:
            reach = random.random(state.counts[1 - player]) + 0.01
            value = random.normal(size=state.counts[player])
            cfv = value_to_cfv(state, player, value, reach)
            assert_allclose(cfv_to_value(state, player, cfv, reach), value)


@given(game=random_games(), seed=seeds)
def test_compatible_reach_is_the_chance_of_meeting_the_opponent(
    game: RandomGame, seed: int
) -> None:
    """Weighed by the scale of chance, it is the probability of the infostate but for own moves."""
    reference = Reference(game)
    bridge = Bridge(build_tree(game), reference)
    policy = reference.random_policy(np.random.default_rng(seed))
    for player in PLAYERS:
        opponent = reference.own_probabilities(policy, 1 - player)
        ones = [1.0] * len(reference.histories)
        expected = reference.cfvs(player, opponent, ones)
        reaches = reference.reaches(policy, 1 - player)
        for place in bridge.publics:
            state = bridge.tree.state(place.node)
            reach = np.array(bridge.expected(place, 1 - player, reaches))
            assert_allclose(
                compatible_reach(state, player, reach) * bridge.chance_scale(place),
                bridge.expected(place, player, expected),
                atol=1e-12,
            )


def test_many_vectors_are_turned_at_once() -> None:
    state = Builder(small_game("leduc")).root
    reach = np.random.default_rng(0).random((5, 2, 3))
    for player in PLAYERS:
        together = compatible_reach(state, player, reach)
        assert together.shape == (5, 2, 3)
        assert_allclose(together[3, 1], compatible_reach(state, player, reach[3, 1]))
        values = cfv_to_value(state, player, together, reach)
        assert_allclose(values, np.ones((5, 2, 3)))


def test_an_infostate_that_meets_nobody_is_worth_zero() -> None:
    state = Builder(small_game("kuhn")).root
    jack = np.zeros(3)
    jack[state.find(1, 0)] = 1.0
    value = cfv_to_value(state, 0, np.ones(3), jack)
    assert value[state.find(0, 0)] == 0.0
    assert np.isfinite(value).all()


@pytest.mark.parametrize(
    ("reach", "beliefs"),
    [([1.0, 3.0], [0.25, 0.75]), ([0.0, 2.0], [0.0, 1.0]), ([0.0, 0.0], [0.5, 0.5])],
)
def test_beliefs_sum_to_one(reach: list[float], beliefs: list[float]) -> None:
    assert_allclose(normalised(np.array(reach)), beliefs)
