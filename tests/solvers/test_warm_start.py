"""The regrets that a warm start begins with, against slow and obvious versions of them."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers.algorithms import RegretMatching, find_algorithm
from tacit.solvers.engine import Workspace
from tacit.solvers.warm_start import imitate, response_regrets
from tacit.tree import Builder, build_forest
from tacit.tree.kernels.passes import BEST, ascend, descend


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pursuit-glasses"])
def test_regrets_are_gains_over_the_policy_before_a_best_response(game: str) -> None:
    builder = Builder(load_game(game))
    tree = build_forest(builder, [builder.root], fold=False)
    random = np.random.default_rng(0)
    policy = tree.uniform_policy()
    policy *= random.uniform(0.1, 1, len(policy))
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        block = tree.block(policy, node)
        block /= block.sum(axis=0)
    policy = policy.astype(np.float32)
    work = Workspace(tree, None, np.float32)
    regrets = np.zeros_like(policy)
    none = np.float32(0)
    for player in (0, 1):
        for p in (0, 1):
            descend(tree.arrays, p, policy, work.reach[p], policy, none)
        response_regrets(tree, player, policy, work, regrets)
        step = np.zeros(4, dtype=np.float32)
        ascend(tree.arrays, work.vectors[0], player, BEST, step, policy, regrets)
        for node in np.flatnonzero(tree.arrays.player == player).tolist():
            if not tree.arrays.simple[node]:
                continue
            edges = tree.edges(node)
            below = np.array(
                [
                    tree.vectors(
                        work.values[player], player, int(tree.arrays.edge_child[edge]), values=True
                    )
                    for edge in edges
                ]
            )
            chosen = tree.block(policy, node)
            expected = below - (chosen * below).sum(axis=0)
            assert tree.block(regrets, node) == pytest.approx(expected, abs=1e-5)
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        legal = tree.state(node).expansion.legal
        assert not np.any(tree.block(regrets, node)[:, 0][~legal])


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear-cfr", "dcfr"])
def test_so_many_iterations_are_imitated(algorithm: str) -> None:
    minimiser = find_algorithm(algorithm)
    assert isinstance(minimiser, RegretMatching)
    once = np.array([0.5, -0.25, 0.0, 2.0], dtype=np.float32)
    slow = np.zeros_like(once)
    for iteration in range(1, 16):
        step = minimiser.step(iteration)
        slow *= np.where(slow > 0, step.positive, step.negative)
        slow = np.maximum(slow + once, step.floor)
    found = once.copy()
    imitate(minimiser, found, 15)
    assert found == pytest.approx(slow, rel=1e-5)
    if algorithm == "cfr":
        assert found == pytest.approx(15 * once)
