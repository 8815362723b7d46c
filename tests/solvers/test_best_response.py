"""Values, best responses and per-infostate values against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import RandomGame, random_games
from support.reference import Reference
from support.small_games import BUILT_IN, small_bridge, small_game
from tacit.solvers import best_response, evaluate, exploitability, infostate_values
from tacit.tree import PLAYERS, build_tree

seeds = st.integers(0, 2**32 - 1)


def check_evaluation(bridge: Bridge, seed: int) -> None:
    reference, tree = bridge.reference, bridge.tree
    policy = reference.random_policy(np.random.default_rng(seed))
    flat = bridge.flat(policy)
    found = evaluate(tree, flat)
    assert_allclose(found.value, reference.value(policy), atol=1e-12)
    best = [reference.best_response_value(policy, player) for player in PLAYERS]
    assert_allclose(found.best_response, best, atol=1e-12)
    assert_allclose(2 * found.exploitability, sum(best), atol=1e-12)
    assert_allclose(found.exploitability, sum(best) / 2, atol=1e-12)
    assert_allclose(exploitability(tree, flat), reference.exploitability(policy), atol=1e-12)
    assert np.array_equal(flat, bridge.flat(policy))
    for player in PLAYERS:
        value, answer = best_response(tree, flat, player)
        assert_allclose(value, best[player], atol=1e-12)
        played = reference.value(bridge.policy(answer))
        assert_allclose(played if player == 0 else -played, value, atol=1e-12)
        for infostate, chosen in bridge.policy(answer).items():
            if infostate[0] != player:
                assert chosen == policy[infostate]


def check_infostate_values(bridge: Bridge, seed: int) -> None:
    """Expected values from histories: averages weighed by chance and the opponent's moves."""
    reference, tree = bridge.reference, bridge.tree
    policy = reference.random_policy(np.random.default_rng(seed))
    flat = bridge.flat(policy)
    for player in PLAYERS:
        opponent = reference.own_probabilities(policy, 1 - player)
        sign = 1 if player == 0 else -1
        plain = [sign * value for value in reference.history_values(policy)]
        _, best = reference.best_response(policy, player)
        reaches = reference.cfvs(player, opponent, [1.0] * len(plain))
        for worth, is_best in ((plain, False), (best, True)):
            cfvs = reference.cfvs(player, opponent, worth)
            values = infostate_values(tree, flat, player, best=is_best)
            assert len(values) == tree.nodes
            for place in bridge.publics:
                total = np.array(bridge.expected(place, player, reaches))
                expected = np.array(bridge.expected(place, player, cfvs))
                with np.errstate(invalid="ignore"):
                    expected = np.where(total > 0, expected / total, np.nan)
                assert_allclose(values[place.node][place.copy], expected, atol=1e-9)


CHECKS = {"evaluation": check_evaluation, "infostate values": check_infostate_values}


@pytest.mark.parametrize("fold", [True, False], ids=["folded", "unfolded"])
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("check", CHECKS)
def test_evaluation_agrees_with_the_reference(check: str, name: str, fold: bool) -> None:
    CHECKS[check](small_bridge(name, fold=fold), 7)


@pytest.mark.parametrize("check", CHECKS)
@given(game=random_games(), seed=seeds)
def test_evaluation_agrees_with_the_reference_on_random_games(
    check: str, game: RandomGame, seed: int
) -> None:
    CHECKS[check](Bridge(build_tree(game), Reference(game)), seed)


def test_kuhn_by_hand() -> None:
    """Against uniform play: player 1 wins 1/8 on average, best responses 1/2 and 5/12."""
    tree = build_tree(small_game("kuhn"))
    found = evaluate(tree, tree.uniform_policy())
    assert_allclose(found.value, 1 / 8)
    assert_allclose(found.best_response, [1 / 2, 5 / 12])


def test_an_infostate_that_cannot_be_is_worth_nan() -> None:
    """If player 2 always folds to a bet, nobody is left at a called bet."""
    bridge = small_bridge("kuhn")
    policy = bridge.reference.uniform()
    for infostate in policy:
        if infostate[:2] == (1, "b"):
            policy[infostate] = {0: 1.0, 1: 0.0}
    values = infostate_values(bridge.tree, bridge.flat(policy), 0)
    for place, public in bridge.publics.items():
        assert np.isnan(values[place.node][place.copy]).all() == (public == "bb")


def test_a_policy_of_another_tree_is_refused() -> None:
    tree = build_tree(small_game("kuhn"))
    with pytest.raises(ValueError, match=r"policy has shape \(7,\), expected \(24,\)"):
        evaluate(tree, np.zeros(7))


def test_a_tree_with_leaves_cannot_be_evaluated() -> None:
    tree = build_tree(small_game("kuhn"), depth=1)
    with pytest.raises(ValueError, match="ends in leaves"):
        evaluate(tree, tree.uniform_policy())


def test_beliefs_that_contradict_each_other_are_refused() -> None:
    tree = build_tree(small_game("kuhn"))
    state = tree.state(0)
    beliefs = tuple(np.array([float(p == 0) for p in state.privates[n]]) for n in PLAYERS)
    with pytest.raises(ValueError, match="contradict each other"):
        evaluate(tree, tree.uniform_policy(), beliefs=[beliefs])
