"""Every sensible combination of the engine's options, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from support.buckets import ByEquity, two_streets
from tacit.games import GameError, load_game
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.gadgets import Resolve, RootGadgets
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle, PBSOracle
from tacit.solvers.sharing.layout import merge_infostates, share_buckets
from tacit.tree import Builder, PublicTree, build_forest, build_tree
from tacit.tree.builder import before_chance
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.states import CardState

TURN = Spot.of(
    "2c7dJhQs", ranges=("AA,KQs,T9s,65s", "KK,AJs,T8s"), pot=100, behind=200, bets="75%/a"
)


def limited_leduc(**options: Any) -> Solver:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root], depth=2)
    algorithm = find_algorithm(options.pop("algorithm", "dcfr"))
    return Solver(tree, algorithm, leaves=Oracle(builder, iterations=20), **options)


def gadget(tree: PublicTree) -> RootGadgets:
    """A resolve gadget for player 1 above the first root, with nothing to be had elsewhere."""
    state = tree.state(tree.roots[0].node)
    reach = np.ones(state.counts[0]) if tree.beliefs is None else tree.beliefs[0][0]
    weights = state.compatible_reach(1, reach)
    return RootGadgets(1, [Resolve(weights, np.zeros(state.counts[1]))])


def lines(tree: PublicTree) -> set[str]:
    states = [tree.state(int(node)) for node in tree.leaves]
    return {state.history for state in states if isinstance(state, CardState)}


@pytest.mark.parametrize("algorithm", ["dcfr", "flop"])
@pytest.mark.parametrize("alternating", [True, False])
def test_threads_change_nothing_on_a_turn_with_leaves_and_rivers(
    algorithm: str, alternating: bool
) -> None:
    tree = build_spot(TURN, depth=3)
    assert "kk" not in lines(tree)
    assert len(tree.order.parts) > 1
    streets = {len(state.board) for state in map(tree.cards.state, tree.leaves.tolist())}
    assert streets == {4, 5}
    found = []
    for threads in (1, 2):
        minimiser = find_algorithm(algorithm, alternating=alternating)
        oracle = PBSOracle(tree.builder, iterations=5, threads=threads)
        solver = Solver(tree, minimiser, leaves=oracle, threads=threads)
        solver.run(4)
        assert solver.threads == threads
        found.append(solver)
    assert_array_equal(found[0].sums, found[1].sums)
    assert_array_equal(found[0].root_values(0)[0], found[1].root_values(0)[0])


@pytest.mark.parametrize("algorithm", ["cfr", "flop"])
@pytest.mark.parametrize("alternating", [True, False])
def test_a_tree_in_ranges_with_an_evaluator_is_solved_as_one_without(
    algorithm: str, alternating: bool
) -> None:
    """Without leaves in it: both orders of an iteration come to the same solution."""
    tree = build_spot(TURN)
    minimiser = find_algorithm(algorithm, alternating=alternating)
    plain, limited = Solver(tree, minimiser), Solver(tree, minimiser, leaves=Zero())
    for solver in (plain, limited):
        solver.run(150)
    ours, theirs = (evaluate(tree, s.average_policy()) for s in (limited, plain))
    assert ours.value == pytest.approx(theirs.value, abs=1.0)
    assert ours.exploitability < 1.5 * theirs.exploitability + 0.1


@pytest.mark.parametrize("storage", [16, 64])
@pytest.mark.parametrize("with_gadget", [False, True])
def test_storage_on_a_depth_limited_turn(storage: int, with_gadget: bool) -> None:
    tree = build_spot(TURN, stop=before_chance)
    policies = []
    for bits in (32, storage):
        root = gadget(tree) if with_gadget else None
        leaves = PBSOracle(tree.builder, iterations=10)
        solver = Solver(tree, find_algorithm("dcfr"), leaves=leaves, root=root, storage=bits)
        solver.run(3)
        policies.append(solver.average_policy())
        assert solver.average_reach()[0].dtype == solver.dtype
    assert np.quantile(np.abs(policies[0] - policies[1]), 0.9) < 0.02


def test_sixteen_bits_below_a_gadget() -> None:
    tree = build_spot(TURN)
    values = []
    for bits in (32, 16):
        root = gadget(tree)
        solver = Solver(tree, find_algorithm("dcfr"), root=root, storage=bits)
        solver.run(60)
        values.append(root.average()[0])
    assert_allclose(values[1], values[0], atol=0.1)


@pytest.mark.parametrize("threads", [1, 2])
def test_buckets_below_a_gadget_are_buckets_with_the_reach_that_it_ends_with(threads: int) -> None:
    tree = build_spot(two_streets())
    sharing = share_buckets(tree, ByEquity())
    root = gadget(tree)
    solver = Solver(tree, find_algorithm("dcfr"), sharing=sharing, root=root, threads=threads)
    solver.run(30)
    entering = root.average()[0]
    assert entering.min() < 0.9
    assert solver.threads == 1
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist()[:20]:
        assert_allclose(tree.block(solver.average_policy(), node).sum(axis=0), 1, atol=1e-9)


def test_one_hand_a_bucket_below_a_gadget_is_the_plain_solver() -> None:
    tree = build_tree(load_game("leduc"))
    solvers = [
        Solver(tree, find_algorithm("dcfr"), root=gadget(tree), sharing=sharing, storage=64)
        for sharing in (None, merge_infostates(tree, {}))
    ]
    for solver in solvers:
        solver.run(20)
    assert_allclose(solvers[1].average_policy(), solvers[0].average_policy(), atol=1e-9)


@pytest.mark.parametrize("mode", ["cfr-d", "cfr-avg", "cfr-avg-sound"])
def test_merged_infostates_with_leaves_and_groups_of_one_change_nothing(mode: str) -> None:
    plain = limited_leduc(mode=mode, storage=64)
    shared = limited_leduc(mode=mode, storage=64)
    merged = Solver(
        shared.tree, shared.minimiser, leaves=Oracle(shared.tree.builder, iterations=20),
        mode=mode, sharing=merge_infostates(shared.tree, {}), storage=64,
    )  # type: ignore[arg-type]  # fmt: skip
    for solver in (plain, merged):
        solver.run(8)
    assert_allclose(merged.average_policy(), plain.average_policy(), atol=1e-5)
    assert_allclose(merged.root_values(0)[0], plain.root_values(0)[0], atol=1e-5)


@pytest.mark.parametrize("algorithm", ["dcfr", "flop"])
@pytest.mark.parametrize("mode", ["cfr-d", "cfr-avg", "cfr-avg-sound"])
def test_a_lock_holds_above_leaves(mode: str, algorithm: str) -> None:
    free = limited_leduc(mode=mode, algorithm=algorithm)
    locks = {0: np.tile([[0.25], [0.75]], (1, free.tree.arrays.info_count[0, 0]))}
    solver = limited_leduc(mode=mode, algorithm=algorithm, locks=locks)
    solver.run(10)
    assert_allclose(solver.tree.block(solver.average_policy(), 0)[:, 0], locks[0], atol=1e-6)
    assert_allclose(solver.tree.block(solver.policy, 0)[:, 0], locks[0], atol=1e-6)
    solver.average_reach()
    assert_allclose(solver.tree.block(solver.averaged, 0)[:, 0], locks[0], atol=1e-6)


@pytest.mark.parametrize("algorithm", ["linear-cfr", "flop"])
@pytest.mark.parametrize("mode", ["cfr-d", "cfr-avg"])
@pytest.mark.parametrize("with_gadget", [False, True])
def test_growth_with_leaves_and_a_gadget(mode: str, with_gadget: bool, algorithm: str) -> None:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root], depth=1, fold=False)
    whole = build_tree(load_game("leduc"))
    roots = [gadget(tree) if with_gadget else None, gadget(whole) if with_gadget else None]
    evaluator = Oracle(builder, iterations=10)
    solver = Solver(tree, find_algorithm(algorithm), leaves=evaluator, mode=mode, root=roots[0])  # type: ignore[arg-type]
    while len(tree.leaves):
        solver.run(3)
        known = len(solver.sums)
        before = solver.sums.copy(), [values.copy() for values in solver.root_values(0)]
        tree.expand(tree.leaves.tolist())
        solver.run(0)
        assert_array_equal(solver.sums[:known], before[0])
        assert_array_equal(solver.root_values(0), before[1])
    solver.run(600)
    plain = Solver(whole, find_algorithm(algorithm), root=roots[1])
    plain.run(600)
    ours, theirs = evaluate(tree, solver.average_policy()), evaluate(whole, plain.average_policy())
    assert ours.value == pytest.approx(theirs.value, abs=0.05)
    if not with_gadget:
        assert ours.exploitability < 0.03


@pytest.mark.parametrize("options", [{}, {"storage": 64}, {"storage": 16}, {"algorithm": "flop"}])
def test_a_restored_solver_goes_on_as_if_it_had_never_stopped(options: dict[str, Any]) -> None:
    tree = build_spot(TURN)
    algorithm = find_algorithm(options.pop("algorithm", "dcfr"))
    whole, first, second = (Solver(tree, algorithm, **options) for _ in range(3))
    whole.run(6)
    first.run(3)
    second.restore(first.iteration, {name: kept.copy() for name, kept in first.memory.items()})
    second.run(3)
    assert second.iteration == 6
    assert_array_equal(second.average_policy(), whole.average_policy())


def test_what_makes_no_sense_is_refused() -> None:
    tree, spot = build_tree(load_game("leduc")), build_spot(TURN)
    dcfr = find_algorithm("dcfr")
    merged = merge_infostates(tree, {})
    with pytest.raises(GameError, match="16, 32 or 64 bits, not in 8"):
        Solver(tree, dcfr, storage=8)
    with pytest.raises(GameError, match="use storage=32"):
        Solver(spot, dcfr, sharing=merge_infostates(spot, {}), storage=16)
    with pytest.raises(GameError, match="lock without sharing"):
        Solver(tree, dcfr, sharing=merged, locks={0: np.full((2, 6), 0.5)})
    with pytest.raises(GameError, match="make one for this tree"):
        Solver(build_tree(load_game("leduc")), dcfr, sharing=merged)
    with pytest.raises(GameError, match="give an evaluator"):
        Solver(build_spot(TURN, stop=before_chance), dcfr)
    with pytest.raises(GameError, match="or set warm_start=0"):
        limited_leduc(warm_start=3, locks={0: np.full((2, 6), 0.5)})
    with pytest.raises(GameError, match="give it an evaluator"):
        Solver(tree, dcfr).root_values(0)
    with pytest.raises(GameError, match="cannot be resumed"):
        _ = limited_leduc().memory
