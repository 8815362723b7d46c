"""A solver goes on when its tree has grown: what it has learnt stays, what is new is solved too."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.tree import PLAYERS, Builder, build_forest, build_tree
from tacit.tree.kernels.passes import descend


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "pcfr+", "flop"])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "rock-paper-scissors", "liars-dice-1x3"])
def test_growth_keeps_what_was_learnt_and_goes_on_to_the_end(game: str, algorithm: str) -> None:
    tree = build_tree(load_game(game), depth=1, fold=False)
    solver = Solver(tree, find_algorithm(algorithm), leaves=Zero())
    while len(tree.leaves):
        solver.run(3)
        before = solver.sums.copy(), solver.policy.copy()
        tree.expand(tree.leaves.tolist())
        solver.run(0)
        known = len(before[0])
        assert np.array_equal(solver.sums[:known], before[0])
        assert np.array_equal(solver.policy[:known], before[1])
        assert not solver.sums[known:].any()
        assert len(solver.policy) == len(solver.sums) == tree.sizes.slots > known
        for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
            assert tree.block(solver.policy, node).sum(axis=0) == pytest.approx(1, abs=1e-5)
    first = evaluate(tree, solver.average_policy()).exploitability
    solver.run(1500)
    last = evaluate(tree, solver.average_policy()).exploitability
    assert last < first / 5
    assert last < 0.02


@pytest.mark.parametrize("algorithm", ["linear-cfr", "pcfr+"])
@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize("game", ["leduc", "pursuit-glasses"])
def test_a_grown_solver_goes_on_as_a_new_one_that_knows_the_same(
    game: str, fold: bool, algorithm: str
) -> None:
    """Leaf by leaf, in any order: leaves, values and reaches are those of a new solver."""
    builder, random = Builder(load_game(game)), np.random.default_rng(3)
    tree = build_forest(builder, [builder.root], depth=1, fold=fold)
    evaluator, minimiser = Oracle(builder, iterations=5), find_algorithm(algorithm)
    grown = Solver(tree, minimiser, leaves=evaluator, storage=64)
    for _ in range(12):
        grown.run(1)
        count = min(len(tree.leaves), int(random.integers(1, 3)))
        tree.expand(random.choice(tree.leaves, count, replace=False).tolist())
        if len(tree.leaves) == 0:
            break
    grown.run(0)
    fresh = Solver(tree, minimiser, leaves=evaluator, storage=64)
    fresh.iteration = grown.iteration
    for name in ("policy", "regrets", "sums"):
        getattr(fresh, name)[:] = getattr(grown, name)
    for player in PLAYERS:
        reach = fresh.work.reach[player]
        descend(tree.arrays, player, fresh.policy, reach, fresh.policy, 0.0)
        size = tree.sizes.reach[player]
        assert np.allclose(grown.work.reach[player][:size], reach[:size], atol=1e-12)
    for solver in (fresh, grown):
        solver.run(2)
    for name in ("policy", "regrets", "sums"):
        assert np.allclose(getattr(grown, name), getattr(fresh, name), atol=1e-6), name
    nodes = np.sort(grown.limited.leaves.rows.arrays.nodes)
    assert np.array_equal(nodes, tree.leaves)
    assert grown.limited.leaves.rows.count == tree.arrays.copies[tree.leaves].sum()


def test_the_growth_of_a_solver_copies_its_arrays_seldom() -> None:
    """Storage doubles when it runs out, so that what growth costs does not grow with the tree."""
    tree = build_tree(load_game("connect-four"), depth=1, fold=False)
    solver = Solver(tree, find_algorithm("cfr+"), leaves=Zero())
    moved, before = 0, np.zeros(0)
    for _ in range(2000):
        tree.expand([tree.leaves[0]])
        solver.run(0)
        arrays = solver.policy, solver.work.values[0], solver.limited.leaves.rows.arrays.nodes
        places = np.array([array.__array_interface__["data"][0] for array in arrays])
        moved += int(not np.array_equal(places, before))
        before = places
    assert moved < 40
