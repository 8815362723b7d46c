"""On random games with hidden moves, merges and chance, every algorithm finds the equilibrium."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given

from support.random_games import RandomGame, random_games
from support.reference import Reference
from tacit.solvers import (
    ALGORITHMS,
    RegretMatching,
    Solver,
    evaluate,
    find_algorithm,
    solve_exactly,
)
from tacit.tree import build_tree

REGRET_MATCHING = [n for n, found in ALGORITHMS.items() if isinstance(found, RegretMatching)]
FICTITIOUS_PLAY = [n for n in ALGORITHMS if n not in REGRET_MATCHING]
ROUNDING = 1e-5
"""What single precision may cost, of the payoffs' range."""
EARLY, LATE = 20, 2000


def published_bound(reference: Reference, iterations: int) -> float:
    """NashConv / 2 by theorems 3 and 4 of Zinkevich et al. 2007: range |I| sqrt(A) / sqrt(T)."""
    total = sum(sqrt(len(actions)) for actions in reference.decisions.values())
    return reference.payoff_range * total / sqrt(iterations) / 2


def check_convergence(game: RandomGame, algorithm: str, *, alternating: bool, part: float) -> None:
    """`part`: how much of the payoffs' range may be left after the late iteration."""
    tree = build_tree(game)
    solver = Solver(tree, find_algorithm(algorithm, alternating=alternating))
    reference = Reference(game)
    rounding = ROUNDING * max(1.0, reference.payoff_range)
    solver.run(EARLY)
    early = evaluate(tree, solver.average_policy())
    solver.run(LATE - EARLY)
    late = evaluate(tree, solver.average_policy())
    if algorithm in REGRET_MATCHING:
        assert early.exploitability <= published_bound(reference, EARLY) + rounding
        assert late.exploitability <= published_bound(reference, LATE) + rounding
    # Fictitious play may stand on an equilibrium by chance and leave it again for a while.
    kept = 0.0 if algorithm in REGRET_MATCHING else part * reference.payoff_range
    assert late.exploitability <= max(early.exploitability, kept) + rounding
    assert late.exploitability <= part * reference.payoff_range + rounding
    exact = solve_exactly(tree).value
    # A best response to either side cannot leave the value further away than this.
    assert abs(late.value - exact) <= 2 * late.exploitability + 1e-9
    assert -late.best_response[1] - 1e-9 <= exact <= late.best_response[0] + 1e-9


@pytest.mark.parametrize("algorithm", REGRET_MATCHING)
@given(game=random_games())
def test_regret_matching_converges(algorithm: str, game: RandomGame) -> None:
    check_convergence(game, algorithm, alternating=True, part=0.003)


@pytest.mark.parametrize("algorithm", REGRET_MATCHING)
@given(game=random_games())
def test_simultaneous_regret_matching_converges(algorithm: str, game: RandomGame) -> None:
    check_convergence(game, algorithm, alternating=False, part=0.01)


@pytest.mark.parametrize("algorithm", FICTITIOUS_PLAY)
@given(game=random_games())
def test_fictitious_play_converges(algorithm: str, game: RandomGame) -> None:
    check_convergence(game, algorithm, alternating=True, part=0.02)
