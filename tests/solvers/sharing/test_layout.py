"""Solving in buckets: with one hand a bucket it is the plain solver, otherwise hands agree."""

from __future__ import annotations

import numpy as np
import pytest

from support.buckets import ByEquity, EveryHand, bucketed, two_streets
from support.subgames import tree_of
from tacit.games import GameError
from tacit.games.leduc import Leduc
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.solvers.sharing.layout import merge_infostates
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
    plain = Solver(tree, minimiser, storage=64)
    shared = bucketed(tree, algorithm, EveryHand(), alternating=alternating, storage=64)
    for solver in (plain, shared):
        solver.run(1)
        solver.run(1)
    assert np.abs(shared.average_policy() - plain.average_policy()).max() < 1e-12
    # Where two actions are worth the same, rounding chooses; values do not depend on it.
    for solver in (plain, shared):
        solver.run(198)
    assert shared.iteration == plain.iteration == 200
    ours, theirs = (evaluate(tree, each.average_policy()) for each in (shared, plain))
    assert ours.value == pytest.approx(theirs.value, abs=0.01)
    assert ours.exploitability == pytest.approx(theirs.exploitability, rel=0.2)


def test_hands_of_a_bucket_play_alike_on_all_boards(tree: PublicTree) -> None:
    buckets = ByEquity()
    solver = bucketed(tree, "dcfr", buckets)
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
    solver = bucketed(tree, "dcfr", ByEquity())
    uniform = evaluate(tree, solver.average_policy()).exploitability
    for each in (plain, solver):
        each.run(60)
    best = evaluate(tree, plain.average_policy()).exploitability
    found = evaluate(tree, solver.average_policy()).exploitability
    assert best < 0.2 * found < 0.1 * uniform


def test_a_judge_in_buckets_agrees_with_the_judge_of_hands(tree: PublicTree) -> None:
    solver = bucketed(tree, "dcfr", ByEquity())
    solver.run(10)
    average = solver.average_buckets()
    ours = BestResponse(tree, average, sharing=solver.sharing).evaluate()
    theirs = evaluate(tree, solver.average_policy())
    assert ours.value == pytest.approx(theirs.value, abs=1e-9)
    assert ours.best_response == pytest.approx(theirs.best_response, abs=1e-9)


def test_boards_count_as_often_as_they_are_dealt(tree: PublicTree) -> None:
    """Without isomorphism every board is there by itself; the buckets' policy is the same."""
    whole = build_spot(two_streets(), isomorphism=False)
    assert whole.nodes > tree.nodes
    solvers = [bucketed(each, "linear-cfr", ByEquity(), storage=64) for each in (tree, whole)]
    for solver in solvers:
        solver.run(15)
    assert np.abs(solvers[0].average_buckets() - solvers[1].average_buckets()).max() < 1e-7


def test_what_cannot_be_solved_in_buckets_is_refused(tree: PublicTree) -> None:
    with pytest.raises(GameError, match="choose an algorithm that matches regrets"):
        bucketed(tree, "fp", ByEquity())
    with pytest.raises(GameError, match="for trees of hold'em; build one with build_spot"):
        bucketed(build_tree(Leduc()), "cfr", ByEquity())


@pytest.mark.parametrize("algorithm", ["linear-cfr", "dcfr", "pcfr+"])
@pytest.mark.parametrize("game", ["leduc", "pursuit-glasses"])
def test_groups_of_one_change_nothing(game: str, algorithm: str) -> None:
    tree = tree_of(game)
    minimiser = find_algorithm(algorithm)
    merged = Solver(tree, minimiser, sharing=merge_infostates(tree, {}), storage=64)
    plain = Solver(tree, minimiser, storage=64)
    for solver in (merged, plain):
        solver.run(20)
    assert np.allclose(merged.average_policy(), plain.average_policy(), atol=1e-9)
    assert np.allclose(merged.current_policy(), plain.current_policy(), atol=1e-9)


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr", "pcfr+"])
def test_merged_infostates_match_the_sum_of_their_regrets(algorithm: str) -> None:
    """With all cards merged nobody knows anything: in Kuhn poker each copy is a matrix game."""
    tree = tree_of("kuhn")
    groups = {
        node: np.zeros(3, dtype=np.int64) for node in np.flatnonzero(tree.arrays.action_count)
    }
    solver = Solver(
        tree, find_algorithm(algorithm), sharing=merge_infostates(tree, groups), storage=64
    )
    solver.run(400)
    policy = solver.average_policy()
    for node in groups:
        block = tree.block(policy, node)
        assert np.array_equal(block, np.broadcast_to(block[:, :, :1], block.shape))
    # Blind, a bet never gains: calling it costs and wins the same.
    assert evaluate(tree, policy).value == pytest.approx(0, abs=0.02)


def test_groups_that_do_not_fit_are_refused() -> None:
    tree = tree_of("kuhn")
    with pytest.raises(GameError, match="3 infostates, but groups of shape"):
        merge_infostates(tree, {0: np.zeros(2, dtype=np.int64)})
    with pytest.raises(GameError, match="choose an algorithm that matches regrets"):
        Solver(tree, find_algorithm("flop"), sharing=merge_infostates(tree, {}))


def test_infostates_with_different_actions_are_not_merged() -> None:
    tree = tree_of("pursuit-glasses")
    node = next(
        node
        for node in np.flatnonzero(tree.arrays.legal_start >= 0).tolist()
        if len({column.tobytes() for column in tree.legal(node).T}) > 1
    )
    everyone = np.zeros(tree.legal(node).shape[1], dtype=np.int64)
    with pytest.raises(GameError, match="different actions are merged"):
        merge_infostates(tree, {node: everyone})
