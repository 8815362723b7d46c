"""Exploitability of continual re-solving over whole games (Student of Games, Fig. 3's protocol)."""

import numpy as np
import pytest

from tacit.evaluation.continual_play import continual_policy
from tacit.games import load_game
from tacit.solvers import exploitability
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.tree import build_tree


def loss(name, simulations, *, evaluator=None, safe=True, iterations=100, **settings):
    tree = build_tree(load_game(name))
    answers = evaluator or Oracle(tree.game_builder, iterations=iterations)
    settings = GrowingSettings(simulations=simulations, **settings)
    return exploitability(tree, continual_policy(tree, answers, settings, safe=safe))


@pytest.mark.parametrize(
    ("name", "simulations", "most"),
    [
        ("rock-paper-scissors", (5, 50, 500), 0.06),
        ("kuhn", (5, 50, 300), 0.015),
        ("leduc", (5, 60), 0.2),
        ("pursuit-glasses", (5, 20), 0.25),
    ],
)
def test_with_an_oracle_exploitability_falls_with_simulations(name, simulations, most):
    losses = [loss(name, count, iterations=30) for count in simulations]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "simulations", "most"),
    [("leduc", (10, 100, 400), 0.05), ("pursuit-glasses", (5, 60), 0.12)],
)
def test_with_an_oracle_exploitability_tends_to_zero(name, simulations, most):
    losses = [loss(name, count, iterations=50) for count in simulations]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < most


@pytest.mark.parametrize(("name", "simulations"), [("rock-paper-scissors", 100), ("leduc", 30)])
def test_unsafe_play_is_much_more_exploitable(name, simulations):
    assert loss(name, simulations) < 0.6 * loss(name, simulations, safe=False)


def test_a_seed_gives_one_policy():
    tree = build_tree(load_game("kuhn"))
    settings = GrowingSettings(simulations=10)
    first, second, other = (
        continual_policy(tree, Zero(), settings, seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
