"""A solver goes on when its tree has grown: what it has learnt stays, what is new is solved too."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.leaves import Zero
from tacit.tree import build_tree


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
