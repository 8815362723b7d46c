"""PBSs travel small, and arrive at the same public state."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import RandomGame, random_games
from support.reference import Reference
from support.small_games import small_game
from tacit.games import load_game
from tacit.games.encoder import stable_bytes
from tacit.tree import PLAYERS, Builder, build_tree
from tacit.tree.pbs import PBS, PortablePBS, cfv_to_value, first_pbs, normalised, value_to_cfv

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-2x2", "pursuit-glasses"])
def test_a_pbs_arrives_in_another_builder(name: str) -> None:
    random = np.random.default_rng(0)
    here, there = Builder(load_game(name)), Builder(load_game(name))
    for _ in range(20):
        state, path = here.root, list[int]()
        while len(path) < 4 and state.expansion.transitions:
            path.append(int(random.integers(len(state.expansion.transitions))))
            state = state.expansion.transitions[path[-1]].child
        first, second = (random.random(count) for count in state.counts)
        pbs = PBS(state, (first, second), tuple(path))
        sent = pickle.dumps(pbs)
        assert len(sent) < 400 + 8 * sum(state.counts)
        portable = pickle.loads(sent)
        assert isinstance(portable, PortablePBS)
        arrived = portable.at(there.root)
        assert arrived == pbs
        assert hash(arrived) == hash(pbs)
        for player in (0, 1):
            mine = dict(zip(state.privates[player], pbs.beliefs[player], strict=True))
            theirs = zip(arrived.state.privates[player], arrived.beliefs[player], strict=True)
            assert mine == dict(theirs)


def test_pbss_are_equal_by_their_public_state() -> None:
    root = Builder(load_game("liars-dice-1x3")).root
    first = first_pbs(root)
    assert first == PBS(root, (np.zeros(3), np.zeros(3)))
    below = root.expansion.transitions[0].child
    assert len({first, first_pbs(root), first_pbs(below)}) == 2
    assert first != 3


def test_bytes_of_keys_are_the_same_in_every_process() -> None:
    key = (1, "a", None, 2.5, frozenset({"x", "y", ("z", True)}), (3, (4,)))
    program = f"from tacit.games.encoder import stable_bytes; print(stable_bytes({key!r}))"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert made.stdout.strip() == repr(stable_bytes(key)), made.stderr
    assert stable_bytes((1, (2, 3))) != stable_bytes(((1, 2), 3))
    assert stable_bytes("1") != stable_bytes(1)


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
                state.compatible_reach(player, reach) * bridge.chance_scale(place),
                bridge.expected(place, player, expected),
                atol=1e-12,
            )


def test_many_vectors_are_turned_at_once() -> None:
    state = Builder(small_game("leduc")).root
    reach = np.random.default_rng(0).random((5, 2, 3))
    for player in PLAYERS:
        together = state.compatible_reach(player, reach)
        assert together.shape == (5, 2, 3)
        assert_allclose(together[3, 1], state.compatible_reach(player, reach[3, 1]))
        values = cfv_to_value(state, player, together, reach)
        assert_allclose(values, np.ones((5, 2, 3)))


def test_an_infostate_that_meets_nobody_is_worth_zero() -> None:
    state = Builder(small_game("kuhn")).root
    jack = np.zeros(3)
    jack[state.privates[1].index(0)] = 1.0
    value = cfv_to_value(state, 0, np.ones(3), jack)
    assert value[state.privates[0].index(0)] == 0.0
    assert np.isfinite(value).all()


@pytest.mark.parametrize(
    ("reach", "beliefs"),
    [([1.0, 3.0], [0.25, 0.75]), ([0.0, 2.0], [0.0, 1.0]), ([0.0, 0.0], [0.5, 0.5])],
)
def test_beliefs_sum_to_one(reach: list[float], beliefs: list[float]) -> None:
    assert_allclose(normalised(np.array(reach)), beliefs)
