"""Every algorithm, iterate by iterate, against the textbook version on dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import RandomGame, random_games
from support.reference import Infostate, Reference, ReferenceSolver
from support.small_games import RANDOM, TINY, small_bridge, small_game
from tacit.solvers import ALGORITHMS, FictitiousPlay, Minimiser, Solver, find_algorithm
from tacit.tree import Builder, build_forest, build_tree

ITERATIONS = 20
TOLERANCE = 1e-9


def scales(bridge: Bridge) -> dict[Infostate, float]:
    """What chance has multiplied the weights of each decider's public state by.

    The tree's values count chance from the node on, so its regrets are larger by this.
    """
    return {
        infostate: bridge.chance_scale(place)
        for place, mover in bridge.decisions()
        for infostate in bridge.infostates(place, mover)
    }


def check_iterates(bridge: Bridge, minimiser: Minimiser, iterations: int = ITERATIONS) -> None:
    solver = Solver(bridge.tree, minimiser, storage=64)
    reference = ReferenceSolver(bridge.reference, minimiser)
    by_chance = scales(bridge)
    for iteration in range(1, iterations + 1):
        solver.run(1)
        assert solver.iteration == iteration
        found = bridge.policy(solver.policy)
        if isinstance(minimiser, FictitiousPlay):
            # Between equal responses the reference takes the engine's, once it is seen to be one.
            reference.run_fictitiously(found)
            assert solver.mixture is not None
            assert_allclose(solver.mixture, bridge.flat(reference.mixture), atol=TOLERANCE)
        else:
            reference.run()
            regrets = {
                infostate: {action: regret / by_chance[infostate] for action, regret in of.items()}
                for infostate, of in reference.regrets.items()
            }
            assert_allclose(solver.regrets, bridge.flat(regrets), atol=TOLERANCE)
            for infostate in reference.undecided:
                # Where all regrets are zero but for rounding, so is the policy.
                reference.policy[infostate] = found[infostate]
        assert_allclose(solver.policy, bridge.flat(reference.policy), atol=TOLERANCE)
        assert_allclose(solver.sums, bridge.flat(reference.sums), atol=TOLERANCE * iteration**2)
        assert_allclose(
            solver.average_policy(), bridge.flat(reference.average_policy()), atol=TOLERANCE
        )


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", [*TINY, *RANDOM])
def test_iterates_are_the_references(name: str, algorithm: str, alternating: bool) -> None:
    check_iterates(small_bridge(name), find_algorithm(algorithm, alternating=alternating))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(game=random_games())
def test_iterates_are_the_references_on_random_games(algorithm: str, game: RandomGame) -> None:
    bridge = Bridge(build_tree(game), Reference(game))
    minimiser = find_algorithm(algorithm)
    if not isinstance(minimiser, FictitiousPlay):
        # Where regrets are zero but for rounding, what is played within an iteration is too.
        reference = ReferenceSolver(bridge.reference, minimiser)
        for _ in range(4):
            reference.run()
            assume(not reference.undecided)
    check_iterates(bridge, minimiser, iterations=4)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_iterates_do_not_depend_on_how_they_are_batched(algorithm: str) -> None:
    trees = [build_tree(small_game("liars-dice-1x3")) for _ in range(2)]
    together, apart = (Solver(tree, find_algorithm(algorithm)) for tree in trees)
    together.run(30)
    for count in (1, 4, 25):
        apart.run(count)
    assert together.iteration == apart.iteration == 30
    assert np.array_equal(together.policy, apart.policy)
    assert np.array_equal(together.sums, apart.sums)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_folding_changes_no_iterate(algorithm: str) -> None:
    bridges = [small_bridge("liars-dice-1x3", fold=fold) for fold in (True, False)]
    found = []
    for bridge in bridges:
        solver = Solver(bridge.tree, find_algorithm(algorithm), storage=64)
        solver.run(10)
        found.append(bridge.policy(solver.average_policy()))
    assert_allclose(bridges[0].flat(found[1]), bridges[0].flat(found[0]), atol=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_forest_is_solved_as_its_trees_are(algorithm: str) -> None:
    """Subgames with beliefs of their own, alone and together."""
    builder = Builder(small_game("liars-dice-1x3"))
    random = np.random.default_rng(3)
    states = [builder.root, *(t.child for t in builder.root.expansion.transitions[:4])]
    states += states[1:3]
    beliefs = [(random.random(s.counts[0]), random.random(s.counts[1])) for s in states]
    forest = build_forest(builder, states)
    together = Solver(forest, find_algorithm(algorithm), beliefs=beliefs, storage=64)
    together.run(15)
    average = together.average_policy()
    for root, state, belief in zip(forest.roots, states, beliefs, strict=True):
        tree = build_forest(builder, [state])
        alone = Solver(tree, find_algorithm(algorithm), beliefs=[belief], storage=64)
        alone.run(15)
        first = tree.block(alone.average_policy(), tree.roots[0].node)[:, 0]
        assert_allclose(forest.block(average, root.node)[:, root.copy], first, atol=1e-9)


@pytest.mark.parametrize("storage", [32, 64])
def test_a_policy_stays_a_policy_when_regrets_almost_vanish(storage: int) -> None:
    """Regrets below the least normal number: one divided by their sum is infinite."""
    tree = build_tree(small_game("kuhn"))
    nowhere = (np.ones(3), np.zeros(3))
    solver = Solver(tree, find_algorithm("cfr+"), beliefs=[nowhere], storage=storage)
    solver.regrets[:] = np.finfo(solver.dtype).smallest_subnormal
    solver.run(1)
    assert np.isfinite(solver.policy).all()
    for node in np.flatnonzero(tree.arrays.action_count):
        assert_allclose(tree.block(solver.policy, node).sum(axis=0), 1.0, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_long_runs_stay_finite(algorithm: str) -> None:
    solver = Solver(build_tree(small_game("liars-dice-1x6")), find_algorithm(algorithm))
    solver.run(4000)
    assert np.isfinite(solver.policy).all()
    assert np.isfinite(solver.sums).all()


def test_beliefs_must_fit_the_roots() -> None:
    tree = build_tree(small_game("kuhn"))
    with pytest.raises(ValueError, match=r"root 0: beliefs of player 1 have shape \(2,\)"):
        Solver(tree, find_algorithm("cfr"), beliefs=[(np.ones(3), np.ones(2))])
