"""Solving in buckets: with one hand a bucket it is the plain solver, otherwise hands agree."""

from __future__ import annotations

import numpy as np
import pytest

from support.buckets import ByEquity, EveryHand, two_streets
from tacit.games import GameError
from tacit.games.leduc import Leduc
from tacit.solve import Solver, evaluate, find_algorithm
from tacit.solve.sharing.buckets import BucketBestResponse, BucketSolver
from tacit.tree import PublicTree, build_tree
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.states import CardState


@pytest.fixture(scope="module")
def tree() -> PublicTree:
    return build_spot(two_streets())


@pytest.mark.parametrize(
    ("algorithm", "alternating"), [("dcfr", True), ("pcfr+", True), ("cfr", False)]
)
def test_one_hand_a_bucket_is_the_plain_solver(
    tree: PublicTree, algorithm: str, alternating: bool
) -> None:
    minimiser = find_algorithm(algorithm, alternating=alternating)
    plain = Solver(tree, minimiser, dtype=np.float64)
    bucketed = BucketSolver(tree, minimiser, EveryHand(), dtype=np.float64)
    for solver in (plain, bucketed):
        solver.run(1)
        solver.run(1)
    assert np.abs(bucketed.average_policy() - plain.average_policy()).max() < 1e-12
    # Where two actions are worth the same, rounding chooses; values do not depend on it.
    for solver in (plain, bucketed):
        solver.run(198)
    assert bucketed.iteration == plain.iteration == 200
    ours, theirs = (evaluate(tree, each.average_policy()) for each in (bucketed, plain))
    assert ours.value == pytest.approx(theirs.value, abs=0.01)
    assert ours.exploitability == pytest.approx(theirs.exploitability, rel=0.2)


def test_hands_of_a_bucket_play_alike_on_all_boards(tree: PublicTree) -> None:
    buckets = ByEquity()
    solver = BucketSolver(tree, find_algorithm("dcfr"), buckets)
    solver.run(30)
    policy = solver.average_policy()
    seen: dict[tuple[str, int], np.ndarray] = {}
    boards: dict[tuple[str, int], set[tuple[int, ...]]] = {}
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        state = tree.state(node)
        assert isinstance(state, CardState)
        block = tree.block(policy, node)[:, 0]
        assert np.allclose(block.sum(axis=0), 1)
        own = buckets.of(state.board)[state.deal.hands[state.mover]]
        for hand, bucket in enumerate(own.tolist()):
            key = state.history, bucket
            assert np.array_equal(seen.setdefault(key, block[:, hand]), block[:, hand])
            boards.setdefault(key, set()).add(state.board)
    assert max(len(some) for some in boards.values()) > 10
    assert max(abs(row[0] - row[1]) for row in seen.values()) > 0.5


def test_in_buckets_one_is_more_exploitable_but_better_than_by_chance(tree: PublicTree) -> None:
    plain = Solver(tree, find_algorithm("dcfr"))
    solver = BucketSolver(tree, find_algorithm("dcfr"), ByEquity())
    uniform = evaluate(tree, solver.average_policy()).exploitability
    for each in (plain, solver):
        each.run(60)
    best = evaluate(tree, plain.average_policy()).exploitability
    found = evaluate(tree, solver.average_policy()).exploitability
    assert best < 0.2 * found < 0.1 * uniform


def test_a_judge_in_buckets_agrees_with_the_judge_of_hands(tree: PublicTree) -> None:
    solver = BucketSolver(tree, find_algorithm("dcfr"), ByEquity())
    solver.run(10)
    ours = BucketBestResponse(solver.layout, solver.average()).evaluate()
    theirs = evaluate(tree, solver.average_policy())
    assert ours.value == pytest.approx(theirs.value, abs=1e-9)
    assert ours.best_response == pytest.approx(theirs.best_response, abs=1e-9)


def test_boards_count_as_often_as_they_are_dealt(tree: PublicTree) -> None:
    """Without isomorphism every board is there by itself; the buckets' policy is the same."""
    whole = build_spot(two_streets(), isomorphism=False)
    assert whole.nodes > tree.nodes
    solvers = [
        BucketSolver(each, find_algorithm("linear-cfr"), ByEquity(), dtype=np.float64)
        for each in (tree, whole)
    ]
    for solver in solvers:
        solver.run(15)
    assert np.abs(solvers[0].average() - solvers[1].average()).max() < 1e-7


def test_what_cannot_be_solved_in_buckets_is_refused(tree: PublicTree) -> None:
    with pytest.raises(GameError, match="choose an algorithm that matches regrets"):
        BucketSolver(tree, find_algorithm("fp"), ByEquity())
    with pytest.raises(GameError, match="card buckets are for trees of hold'em"):
        BucketSolver(build_tree(Leduc()), find_algorithm("cfr"), ByEquity())
