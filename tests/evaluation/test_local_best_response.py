"""Local best response: a lower bound of the best response, and a good one for weak policies."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.agents.agent import PolicyAgent
from tacit.agents.search_agent import SearchAgent
from tacit.evaluation.local_best_response import (
    LocalBestResponse,
    continued_values,
    local_best_response,
    passive,
)
from tacit.evaluation.search_play import search_exploitability
from tacit.games import load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers import Evaluation, Solver, evaluate, find_algorithm, infostate_values
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.tree import CHANCE, TERMINAL, Builder, Place, PublicTree, build_forest


def solved(tree: PublicTree, iterations: int) -> NDArray[Any]:
    if iterations == 0:
        return tree.uniform_policy()
    solver = Solver(tree, find_algorithm("dcfr"))
    solver.run(iterations)
    return solver.average_policy()


def written_out(responder: LocalBestResponse, tree: PublicTree, seat: int) -> NDArray[Any]:
    """[slots] LBR's policy in one seat over the whole game; the agent's, uniform, elsewhere."""
    policy = tree.uniform_policy()
    [memory] = responder.begin([seat], np.random.default_rng(0))
    stack = [(Place(*tree.roots[0]), memory)]
    while stack:
        place, memory = stack.pop()
        if tree.arrays.player[place.node] == seat:
            tree.block(policy, place.node)[:, place.copy] = responder.policies([memory])[0]
        for number, (_, child) in enumerate(tree.children(place)):
            if tree.arrays.player[child.node] != TERMINAL:
                stack.append((child, responder.after([memory], [number])[0]))
    return policy


def exact_worth(
    tree: PublicTree, policy: NDArray[Any], replies: int
) -> tuple[tuple[float, float], Evaluation]:
    """What LBR wins in each seat against a policy, exactly, and the policy's own evaluation."""
    builder = tree.builder
    responder = LocalBestResponse(builder, PolicyAgent(tree, policy), replies=replies)
    won = []
    for seat in (0, 1):
        both = policy.copy()
        answer = written_out(responder, tree, seat)
        for node in np.flatnonzero(tree.arrays.player == seat).tolist():
            tree.block(both, node)[:] = tree.block(answer, node)
        value = evaluate(tree, both).value
        won.append(value if seat == 0 else -value)
    return (won[0], won[1]), evaluate(tree, policy)


@pytest.mark.parametrize(
    ("name", "iterations"),
    [
        *itertools.product(["kuhn", "leduc", "liars-dice-1x4"], [0, 5, 1000]),
        ("pursuit-glasses", 0),
    ],
)
def test_it_never_wins_more_than_the_best_response(name: str, iterations: int) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root])
    policy = solved(tree, iterations)
    won, truth = exact_worth(tree, policy, 1)
    for seat in (0, 1):
        assert won[seat] <= truth.best_response[seat] + 1e-6
    if iterations == 0:
        assert sum(won) / 2 > 0.6 * truth.exploitability


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-1x3", "pursuit-glasses"])
def test_looking_to_the_end_it_is_the_best_response(name: str) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root])
    won, truth = exact_worth(tree, solved(tree, 3), 12)
    assert won == pytest.approx(truth.best_response, abs=1e-5)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-1x4"])
def test_matches_measure_it_within_their_error(name: str) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root])
    policy = solved(tree, 5)
    won, _ = exact_worth(tree, policy, 1)
    found = local_best_response(builder, PolicyAgent(tree, policy), games=6000, seed=4)
    assert abs(found.mean - sum(won) / 2) < 4 * found.error


@pytest.mark.parametrize("name", ["kuhn", "leduc", "pursuit-glasses"])
def test_the_continuation_is_worth_what_its_policy_is(name: str) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root])
    policy = np.zeros(tree.sizes.slots)
    for node in np.flatnonzero(tree.arrays.player < CHANCE).tolist():
        tree.block(policy, node)[:] = passive(tree.state(node))[:, None]
    root = builder.root
    for player in (0, 1):
        ones = np.ones((1, root.counts[1 - player]))
        found = continued_values(root, player, ones, passive)
        expected = infostate_values(tree, policy, player)[tree.roots[0].node]
        weights = root.compatible_reach(player, ones)
        assert found / weights == pytest.approx(expected)


def test_it_exploits_unsafe_search_and_not_the_safe_one() -> None:
    builder = Builder(load_game("rock-paper-scissors"))
    settings = SearchSettings(algorithm="linear-cfr", iterations=48, depth=1)
    oracle = Oracle(builder, iterations=40)
    unsafe, safe = (
        local_best_response(
            builder, SearchAgent(builder, oracle, settings, safe=safe), games=200, seed=0
        )
        for safe in (False, True)
    )
    assert unsafe.seats[0] > 0.8
    assert safe.seats[0] < 0.3


def test_it_stays_below_the_upper_bound_of_a_search() -> None:
    builder = Builder(load_game("liars-dice-1x3"))
    settings = SearchSettings(iterations=16, depth=2)
    found = local_best_response(
        builder, SearchAgent(builder, Zero(), settings), games=1000, seed=0, replies=2
    )
    bound = search_exploitability(
        build_forest(builder, [builder.root]),
        Zero(),
        settings,
        playthroughs=100,
        random=np.random.default_rng(0),
    )
    assert 0.25 * bound.exploitability < found.mean < bound.exploitability + 4 * found.error


def test_what_the_model_never_does_is_survived() -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    pure = np.zeros(tree.sizes.slots)
    for node in np.flatnonzero(tree.arrays.player < CHANCE).tolist():
        tree.block(pure, node)[0] = 1  # always pass
    responder = LocalBestResponse(builder, PolicyAgent(tree, pure))
    [memory] = responder.begin([1], np.random.default_rng(0))
    [memory] = responder.after([memory], [1])
    assert memory.reach == pytest.approx(1 / 3)
    # Facing a bet that any card may have made, a jack passes and a king calls.
    [policy] = responder.policies([memory])
    chosen = dict(zip(memory.state.privates[1], policy.argmax(axis=0).tolist(), strict=True))
    lowest, _, highest = sorted(chosen)  # type: ignore[type-var]
    assert (chosen[lowest], chosen[highest]) == (0, 1)
