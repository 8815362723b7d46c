"""The exact solution: nobody can do better against it, and values that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import OPEN, RandomGame, random_games
from support.reference import Reference
from support.small_games import BUILT_IN, small_bridge, small_game
from tacit.games import CHANCE, TERMINAL, State
from tacit.solvers import evaluate, solve_exactly
from tacit.tree import Builder, build_forest, build_tree


def check_exact(bridge: Bridge) -> None:
    solution = solve_exactly(bridge.tree)
    policy = bridge.policy(solution.policy)
    assert_allclose(bridge.reference.value(policy), solution.value, atol=1e-8)
    assert bridge.reference.exploitability(policy) < 1e-8
    for chosen in policy.values():
        assert_allclose(sum(chosen.values()), 1.0)
        assert min(chosen.values()) >= 0.0


@pytest.mark.parametrize("fold", [True, False], ids=["folded", "unfolded"])
@pytest.mark.parametrize("name", BUILT_IN)
def test_nobody_does_better_against_the_exact_solution(name: str, fold: bool) -> None:
    check_exact(small_bridge(name, fold=fold))


@given(game=random_games())
def test_nobody_does_better_against_the_exact_solution_of_random_games(game: RandomGame) -> None:
    check_exact(Bridge(build_tree(game), Reference(game)))


def backward(state: State) -> float:
    """The value of a game without secrets, by looking at every history."""
    if state.player == TERMINAL:
        return state.payoff()
    below = [backward(state.child(action)) for action in state.actions()]
    if state.player == CHANCE:
        return float(np.dot(below, state.chance()))
    return max(below) if state.player == 0 else min(below)


@given(game=random_games(OPEN))
def test_a_game_without_secrets_is_worth_what_backward_induction_says(game: RandomGame) -> None:
    assert_allclose(solve_exactly(build_tree(game)).value, backward(game.initial()), atol=1e-9)


def test_the_linear_program_takes_a_whole_tree_with_one_root() -> None:
    with pytest.raises(ValueError, match="whole tree with one root"):
        solve_exactly(build_tree(small_game("kuhn"), depth=1))
    builder = Builder(small_game("kuhn"))
    with pytest.raises(ValueError, match="whole tree with one root"):
        solve_exactly(build_forest(builder, [builder.root] * 2))


def test_the_exact_policy_is_evaluated_alike_by_the_kernels() -> None:
    tree = build_tree(small_game("leduc"))
    solution = solve_exactly(tree)
    found = evaluate(tree, solution.policy)
    assert_allclose(found.value, solution.value, atol=1e-12)
    assert found.exploitability < 1e-12
