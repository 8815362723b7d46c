"""Regrets may become smaller than a float's inverse can hold; policies must stay distributions."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers import Solver, find_algorithm
from tacit.tree import build_tree


@pytest.mark.parametrize("size", [1e-45, 1e-39, 1e-31, 1e-20])
def test_tiny_positive_regrets_give_a_policy(size: float) -> None:
    tree = build_tree(load_game("kuhn"))
    solver = Solver(tree, find_algorithm("cfr+"))
    # Reaches of zero make all new regrets zero, so that only the tiny old ones are left.
    solver.regrets[:] = size
    for buffer in solver.work.reach:
        buffer[:] = 0
    solver.run(1)
    assert np.isfinite(solver.policy).all()
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        assert tree.block(solver.policy, node).sum(axis=0) == pytest.approx(1, abs=1e-6)


def test_liars_dice_stays_finite_after_many_iterations() -> None:
    tree = build_tree(load_game("liars-dice-1x6"))
    solver = Solver(tree, find_algorithm("cfr+"))
    solver.run(1300)
    assert np.isfinite(solver.policy).all()
