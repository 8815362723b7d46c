"""Hold'em subgames: against the linear program, across suits, threads and locks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.games.game import GameError
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.solvers.linear_program import solve_exactly
from tacit.tree import Place, PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.kernels.passes import BEST, EXPECT

SMALL = [
    ("2c7dJhQsKs", ("AA,KQs,T9s,65s", "QQ,AJs,T8s"), 100, 200, "50%,a/a"),
    ("AhKhQd8s2h", ("JTs,AQo,99:0.5,7h6h", "KK,AJo:0.25,5h4h"), 60, 333, "75%/60%,a"),
    ("3s3hTdTs2c", ("AcAd,AcKc,QQ,4s4h", "AsAh,AcKc,JJ,5d4d:0.3"), 101, 150, "a/a"),
]


def solved(tree: PublicTree, iterations: int, **options: object) -> Solver:
    solver = Solver(tree, find_algorithm("dcfr"), **options)  # type: ignore[arg-type]
    solver.run(iterations)
    return solver


@pytest.mark.parametrize("case", SMALL)
def test_river_solutions_agree_with_the_linear_program(
    case: tuple[str, tuple[str, str], int, int, str],
) -> None:
    board, ranges, pot, behind, bets = case
    # The program takes every infostate as equally likely, so weights become hands or none.
    spot = Spot.of(
        board, ranges=tuple(r.split(":")[0] for r in ranges), pot=pot, behind=behind, bets=bets
    )  # type: ignore[arg-type]
    tree = build_spot(spot)
    exact = solve_exactly(tree)
    pairs = tree.state(0).compatible_reach(0, np.ones(tree.state(0).counts[1])).sum()
    worth = evaluate(tree, solved(tree, 2_000, storage=64).average_policy())
    assert worth.exploitability < 2e-4 * pot
    assert_allclose(worth.value, exact.value / pairs, atol=4e-4 * pot)
    assert evaluate(tree, exact.policy).exploitability < 1e-6 * pot


def test_turn_solutions_agree_with_the_linear_program() -> None:
    spot = Spot.of(
        "2c7dJhQs",
        ranges=("AcAd,9s8s", "KsKd,Tc8c"),
        pot=100,
        behind=100,
        bets={"turn": "a", "river": "a"},
    )
    tree = build_spot(spot, isomorphism=False)
    exact = solve_exactly(tree)
    pairs = tree.state(0).compatible_reach(0, np.ones(tree.state(0).counts[1])).sum()
    worth = evaluate(tree, solved(tree, 1_000, storage=64).average_policy())
    assert_allclose(worth.value, exact.value / pairs, atol=1e-2)
    assert worth.exploitability < 0.02


SYMMETRIC = Spot.of(
    "7s8s9h",
    ranges=("AKs,QQ,76s", "AA,JTs,T8o"),
    pot=100,
    behind=100,
    bets={"flop": "a", "turn": "100%", "river": "a"},
)


def worth_and_values(tree: PublicTree, iterations: int) -> list[float]:
    responder = BestResponse(tree, solved(tree, iterations, storage=64).average_policy())
    found = [responder.value(player, mode) for player in (0, 1) for mode in (EXPECT, BEST)]
    for player in (0, 1):
        responder.value(player, EXPECT)
        found += responder.expected(player, 0)[0].tolist()
    return found


def test_suits_that_nothing_tells_apart_are_solved_once() -> None:
    folded, whole = build_spot(SYMMETRIC), build_spot(SYMMETRIC, isomorphism=False)
    assert folded.nodes < 0.7 * whole.nodes
    # Later, rounding decides between actions that are worth the same, and the paths part.
    assert_allclose(worth_and_values(folded, 4), worth_and_values(whole, 4), atol=1e-9)


def test_isomorphism_changes_no_value() -> None:
    spot = Spot.of(
        "7s8s9sKh",
        ranges=("AA,AsQd,AsQc,66", "KQo,JJ,AsAc,AsAd,AdAc"),
        pot=100,
        behind=150,
        bets="a/a",
    )
    found = [worth_and_values(build_spot(spot, isomorphism=on), 3_000)[:4] for on in (True, False)]
    assert len(spot.symmetries()) == 2
    assert_allclose(found[0], found[1], atol=1e-5 * 100)


def test_symmetries_respect_board_and_ranges() -> None:
    board = Spot.of("3s7hTdKs", pot=10, behind=10, bets="a")
    assert board.symmetries() == ((0, 1, 2, 3),)
    pair = Spot.of("3s7s8s", pot=10, behind=10, bets="a")
    assert len(pair.symmetries()) == 6
    held = Spot.of("3s7s8s", ranges=("AhKh", "random"), pot=10, behind=10, bets="a")
    assert len(held.symmetries()) == 2


@pytest.mark.parametrize("algorithm", ["dcfr", "flop"])
@pytest.mark.parametrize("alternating", [True, False])
def test_threads_change_nothing(algorithm: str, alternating: bool) -> None:
    tree = build_spot(SYMMETRIC)
    found = []
    for threads in (1, 2, 3):
        minimiser = find_algorithm(algorithm, alternating=alternating)
        solver = Solver(tree, minimiser, threads=threads)
        solver.run(4)
        found.append((solver.sums, evaluate(tree, solver.average_policy(), threads=threads)))
    for sums, worth in found[1:]:
        assert_array_equal(sums, found[0][0])
        assert worth == found[0][1]


def test_a_locked_policy_stays_and_the_rest_is_solved_around_it() -> None:
    spot = Spot.of(
        "2c7dJhQsKs", ranges=("AA,KQs,T9s,65s", "QQ,AJs,T8s"), pot=100, behind=200, bets="a/a"
    )
    tree = build_spot(spot)
    node = dict(tree.children(Place(0, 0)))["r250"].node
    actions, _, hands = tree.block(np.zeros(tree.sizes.slots), node).shape
    always_call = np.zeros((actions, hands))
    always_call[tree.labels(node).index("c")] = 1
    locks = {node: always_call}
    solver = solved(tree, 500, storage=64, locks=locks)
    policy = solver.average_policy()
    assert_array_equal(tree.block(policy, node)[:, 0], always_call)
    assert evaluate(tree, policy, locks=locks).exploitability < 0.05
    free = evaluate(tree, policy)
    assert free.best_response[1] > evaluate(tree, policy, locks=locks).best_response[1] + 0.5
    with pytest.raises(GameError, match="not a distribution"):
        solved(tree, 1, locks={node: 2 * always_call})


def test_bets_can_be_added_anywhere() -> None:
    plain = Spot.of("2c7dJhQsKs", pot=100, behind=200, bets="a/")
    more = Spot.of(
        "2c7dJhQsKs", pot=100, behind=200, bets="a/", additions={"k": (150, 200), "kr150": (250,)}
    )
    tree = build_spot(more)
    checked = dict(tree.children(Place(0, 0)))["k"]
    assert list(dict(tree.children(checked))) == ["k", "r150", "r200", "r250"]
    assert tree.nodes > build_spot(plain).nodes
    with pytest.raises(GameError, match="no player acts after 'kk'"):
        Spot.of("2c7dJhQsKs", pot=100, behind=200, bets="a/", additions={"kk": (150,)})
    with pytest.raises(GameError, match="cannot be added"):
        Spot.of("2c7dJhQsKs", pot=100, behind=200, bets="a/", additions={"k": (5_000,)})
