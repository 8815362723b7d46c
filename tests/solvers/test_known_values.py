"""Values and figures from the literature, by iteration and by the linear program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers import Evaluation, Solver, evaluate, find_algorithm, solve_exactly
from tacit.tree import PublicTree, build_tree


@dataclass(frozen=True)
class Known:
    """A game's value; a range where it is only bracketed."""

    low: float
    high: float
    iterations: int
    within: float


def exactly(value: float, *, iterations: int = 2000, within: float = 1e-4) -> Known:
    return Known(value, value, iterations, within)


VALUES = {
    "rock-paper-scissors": exactly(0.0, within=1e-5),
    "coin-toss": exactly(0.0, within=1e-5),
    "kuhn": exactly(-1 / 18, within=1e-5),
    "leduc": exactly(-0.085606424078),
    "liars-dice-1x3": exactly(1 / 9, within=1e-5),
    "liars-dice-1x4": exactly(1 / 16),
    "liars-dice-1x5": exactly(1 / 125),
    "liars-dice-1x6": exactly(-7 / 258, iterations=1000, within=5e-4),
    "liars-dice-2x2": exactly(7 / 8, within=1e-5),
    "liars-dice-2x3": Known(0.061667, 0.061776, 1000, 5e-4),
    "pursuit-glasses": exactly(-7 / 9),
}
"""`within`: the exploitability that is reached in so many iterations of the better algorithm."""

LARGE = ("liars-dice-1x6", "liars-dice-2x3")
TABLE_2 = {
    "liars-dice-1x4": 0.001,
    "liars-dice-1x5": 0.001,
    "liars-dice-1x6": 0.002,
    "liars-dice-2x3": 0.002,
}
"""ReBeL's Table 2: exploitability of full-game linear CFR after 1,024 iterations."""


@cache
def tree_of(name: str) -> PublicTree:
    return build_tree(load_game(name))


@cache
def solved(name: str, algorithm: str, iterations: int) -> Evaluation:
    solver = Solver(tree_of(name), find_algorithm(algorithm))
    solver.run(iterations)
    return evaluate(tree_of(name), solver.average_policy())


def marked(names: object) -> list[object]:
    """The games, with the large ones marked as slow."""
    return [
        pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name
        for name in names  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize("name", VALUES)
def test_a_value_by_regret_matching(name: str) -> None:
    known = VALUES[name]
    found = min(
        (solved(name, algorithm, known.iterations) for algorithm in ("pcfr+", "dcfr")),
        key=lambda each: each.exploitability,
    )
    assert found.exploitability <= known.within
    assert known.low - 1e-4 <= found.value <= known.high + 1e-4
    # Whatever the policies, the value lies between what the two best responses leave.
    assert -found.best_response[1] <= known.high + 1e-9
    assert found.best_response[0] >= known.low - 1e-9


@pytest.mark.parametrize("name", marked(VALUES))
def test_a_value_by_the_linear_program(name: str) -> None:
    known = VALUES[name]
    solution = solve_exactly(tree_of(name))
    assert known.low - 1e-9 <= solution.value <= known.high + 1e-9
    assert evaluate(tree_of(name), solution.policy).exploitability < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["pcfr+", "dcfr"])
@pytest.mark.parametrize("name", VALUES)
def test_a_value_by_long_runs_of_each_algorithm(name: str, algorithm: str) -> None:
    known = VALUES[name]
    found = solved(name, algorithm, 6000)
    assert found.exploitability <= 2e-4
    assert known.low - 1e-5 <= found.value <= known.high + 1e-5


@pytest.mark.parametrize("name", ["pursuit-glasses", "rock-paper-scissors"])
def test_hidden_moves_are_solved_to_1e_4_as_the_linear_program_says(name: str) -> None:
    found = solved(name, "pcfr+", 2000)
    assert found.exploitability < 1e-4
    assert abs(found.value - solve_exactly(tree_of(name)).value) < 1e-4


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "pcfr+"])
def test_modified_rock_paper_scissors_is_played_4_4_2(exact: bool) -> None:
    tree = tree_of("rock-paper-scissors")
    for node in np.flatnonzero(tree.arrays.action_count):
        policy = policy_of(tree, exact=exact)
        assert tree.block(policy, node).ravel() == pytest.approx([0.4, 0.4, 0.2], abs=1e-4)


def test_coin_toss_is_guessed_heads_once_in_four() -> None:
    for exact in (True, False):
        tree = tree_of("coin-toss")
        (node,) = np.flatnonzero(tree.arrays.player == 1)
        guesses = tree.block(policy_of(tree, exact=exact), node).ravel()
        assert guesses[:2].sum() == pytest.approx(1.0, abs=1e-4)
        assert guesses[0] == pytest.approx(0.25, abs=1e-4)


def policy_of(tree: PublicTree, *, exact: bool) -> np.ndarray:
    if exact:
        return solve_exactly(tree).policy
    solver = Solver(tree, find_algorithm("pcfr+"))
    solver.run(4000)
    return solver.average_policy()


def test_tic_tac_toe_is_a_draw() -> None:
    found = solved("tic-tac-toe", "cfr+", 100)
    assert found.exploitability < 0.01
    assert abs(found.value) < 0.01


@pytest.mark.parametrize("name", TABLE_2)
def test_linear_cfr_is_as_good_as_in_rebels_table_2(name: str) -> None:
    assert solved(name, "linear-cfr", 1024).exploitability <= TABLE_2[name]


@pytest.mark.parametrize("name", TABLE_2)
def test_the_order_of_rebels_figure_4(name: str) -> None:
    cfr, flop, linear_fp = (
        solved(name, algorithm, 1024).exploitability
        for algorithm in ("linear-cfr", "flop", "linear-fp")
    )
    assert cfr < flop < linear_fp
