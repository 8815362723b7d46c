"""The estimate of a solve's memory, against the arrays and objects that there are."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

from tacit.games import Game, load_game
from tacit.solvers import Solver, find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.tree import PLAYERS, DerivedState, DerivedStates, SolveKind, build_tree
from tacit.tree.memory import (
    SLOT_BYTES,
    SolveMemory,
    TreeCounts,
    array_bytes,
    layout_counts,
    solve_memory,
)


def arrays_of_a_solve(solver: Solver, policy: np.ndarray[Any, Any]) -> int:
    """Bytes of a solver's arrays, an average policy and what one pass over it needs."""
    sizes = solver.tree.sizes
    slots = [solver.policy, solver.regrets, solver.sums]
    slots += [] if solver.mixture is None else [solver.mixture]
    work = BestResponse(solver.tree, policy).work
    # Scratch is used in part only: it is left out.
    vectors = [solver.work.reach[p][: sizes.reach[p]] for p in PLAYERS]
    vectors += [solver.work.values[p][: sizes.values[p]] for p in PLAYERS]
    evaluated = max(sizes.reach) + max(sizes.values)
    assert work.reach[0].base is work.reach[1].base
    assert work.values[0].base is work.values[1].base
    return sum(a.nbytes for a in (*slots, *vectors, policy)) + 8 * evaluated


@pytest.mark.parametrize("storage", [32, 64])
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+", "fp", "soft-flop"])
def test_the_arrays_of_every_algorithm_are_counted(algorithm: str, storage: int) -> None:
    tree = build_tree(load_game("liars-dice-1x6"))
    counts = layout_counts(tree.layout)  # type: ignore[arg-type]
    solver = Solver(tree, find_algorithm(algorithm), storage=storage)
    memory = solve_memory(counts, SolveKind(storage=storage))
    held = arrays_of_a_solve(solver, solver.average_policy())
    assert memory.evaluate - counts.tree == pytest.approx(held, rel=0.05)
    assert memory.peak == memory.evaluate


def test_what_evaluating_needs_comes_on_top_of_the_solver() -> None:
    counts = TreeCounts(tree=1, slots=1_000, vectors=300, evaluated=200, thread_vectors=100)
    memory = solve_memory(counts, SolveKind(threads=3))
    assert memory.build == 1
    assert memory.iterate == 1 + SLOT_BYTES[32] * 1_000 + 4 * (300 + 2 * 100)
    assert memory.evaluate == memory.iterate + 8 * 1_000 + 8 * (200 + 2 * 50)
    assert memory.result == memory.iterate + 8 * 1_000
    short = TreeCounts(tree=1, slots=1_000, vectors=300, evaluated=200, scales=7)
    assert solve_memory(short, SolveKind(storage=16)).iterate == 1 + 4_000 + 7 + 1_200


def test_the_peak_is_the_phase_that_takes_most() -> None:
    assert SolveMemory(build=5, iterate=2, evaluate=4, result=3).peak == 5
    assert SolveMemory(build=1, iterate=2, evaluate=4, result=3).peak == 4
    exact = TreeCounts(tree=1, slots=10, vectors=5, evaluated=5, program=9_000)
    memory = solve_memory(exact, SolveKind(exact=True))
    assert memory.peak == memory.iterate == 9_001


@pytest.mark.parametrize("name", ["leduc", "leduc-raises-1-2-4", "pursuit-glasses"])
def test_public_states_are_counted_about_as_large_as_they_are(name: str) -> None:
    """Against a walk over every object that the tree alone holds."""
    tree = build_tree(load_game(name))
    stops = (Game, DerivedStates, type, type(sys), type(gc.collect), type(build_tree))
    states: list[Any] = [state for state in tree.layout.states if isinstance(state, DerivedState)]  # type: ignore[union-attr]
    stack = [*states, *tree.layout.expansions.values()]  # type: ignore[union-attr]
    seen: dict[int, int] = {}
    while stack:
        thing = stack.pop()
        if id(thing) not in seen and not isinstance(thing, stops):
            seen[id(thing)] = sys.getsizeof(thing)
            stack += gc.get_referents(thing)
    counts = layout_counts(tree.layout)  # type: ignore[arg-type]
    objects = counts.tree - array_bytes(tree.arrays)
    assert objects == pytest.approx(sum(seen.values()), rel=0.35)


def test_the_linear_program_is_counted_by_its_entries() -> None:
    small, large = (
        layout_counts(build_tree(load_game(name)).layout, program=True).program  # type: ignore[arg-type]
        for name in ("liars-dice-1x4", "liars-dice-1x5")
    )
    assert 4e6 < small < 6e6  # measured: 4.6 MB, and 24 MB
    assert 20e6 < large < 28e6
    assert layout_counts(build_tree(load_game("kuhn")).layout).program == 0  # type: ignore[arg-type]
