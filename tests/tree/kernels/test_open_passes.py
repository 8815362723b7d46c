"""The passes for both players at once: the same to the bit as those for one at a time."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers import ALGORITHMS
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Zero
from tacit.tree import PLAYERS, Builder, build_forest
from tacit.tree.kernels.open_passes import is_open
from tacit.tree.kernels.passes import UPDATE, ascend, descend


@numba.njit
def applies(tree, vectors):
    return is_open(tree, vectors)


def unfolded(game: str, moves: str = "", depth: int | None = None):
    builder = Builder(load_game(game))
    return build_forest(builder, [builder.at(moves)], depth=depth, fold=False)


@pytest.mark.parametrize("name", ["cfr", "cfr+", "dcfr", "pcfr+"])
def test_iterations_are_those_of_one_player_after_the_other(name: str) -> None:
    tree = unfolded("tic-tac-toe", "a1 b1 a2 b2")
    algorithm = find_algorithm(name, alternating=False)
    solver, slow = (Solver(tree, algorithm) for _ in range(2))
    assert applies(solver.arrays, solver.work.vectors[0])
    solver.run(12)
    vectors, slots = slow.work.vectors[0], slow.slots
    for row in slow.schedule(1, 12):
        for player in PLAYERS:
            reach = slow.work.reach[1 - player]
            descend(slow.arrays, 1 - player, slots.policy, reach, slots.sums, row[4])
        for player in PLAYERS:
            ascend(slow.arrays, vectors, player, UPDATE, row[:4], slots.policy, slots.regrets)
    for array in ("policy", "regrets", "sums"):
        assert np.array_equal(getattr(solver, array), getattr(slow, array))
    assert np.ptp(solver.regrets) > 0
    for player in PLAYERS:
        at = tree.arrays.value_start[player, : tree.nodes]
        assert np.array_equal(solver.work.values[player][at], slow.work.values[player][at])
        assert np.array_equal(solver.work.reach[player], slow.work.reach[player])


def test_they_are_for_trees_with_one_infostate_each() -> None:
    assert {"cfr", "cfr+", "dcfr", "pcfr+"} <= set(ALGORITHMS)
    hidden = Solver(unfolded("kuhn"), ALGORITHMS["cfr+"])
    assert not applies(hidden.arrays, hidden.work.vectors[0])
    builder = Builder(load_game("tic-tac-toe"))
    folded = build_forest(builder, [builder.at("a1 b1 a2 b2")])
    solver = Solver(folded, ALGORITHMS["cfr+"])
    assert not applies(solver.arrays, solver.work.vectors[0])


def test_a_locked_policy_is_left_to_the_other_passes() -> None:
    tree = unfolded("tic-tac-toe", "a1 b1 a2 b2")
    actions = int(tree.arrays.action_count[0])
    given = np.full((actions, 1), 1 / actions)
    solver = Solver(tree, find_algorithm("cfr+", alternating=False), locks={0: given})
    assert not applies(solver.arrays, solver.work.vectors[0])
    solver.run(5)
    assert np.array_equal(tree.block(solver.policy, 0)[:, 0], given.astype(np.float32))


def test_a_tree_with_leaves_is_open_too() -> None:
    tree = unfolded("connect-four", depth=2)
    solver = Solver(tree, find_algorithm("cfr+", alternating=False), leaves=Zero())
    assert applies(solver.arrays, solver.work.vectors[0])
    solver.run(3)
    assert np.allclose(tree.block(solver.average_policy(), 0), 1 / 7)
