"""The two passes, in every mode, against the reference: history by history."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.one_move import MatrixGame
from support.random_games import RandomGame, random_games
from support.reference import Policy, Reference, normalised
from support.small_games import BUILT_IN, small_bridge
from tacit.games import load_game
from tacit.solvers.engine import Workspace
from tacit.solvers.kernels.iterations import respond
from tacit.tree import PLAYERS, TERMINAL, Builder, build_forest, build_tree
from tacit.tree.arrays import DOWN, UP
from tacit.tree.kernels.passes import BEST, EXPECT, RECORD_BEST, UPDATE, ascend, descend

seeds = st.integers(0, 2**32 - 1)
NO_STEP = np.zeros(4)
WEIGHT = 1.75


def random_case(game: RandomGame, *, fold: bool = True) -> Bridge:
    return Bridge(build_tree(game, fold=fold), Reference(game))


def descended(bridge: Bridge, policy: Policy) -> Workspace:
    """A workspace with both players' reaches under `policy`."""
    work = bridge.workspace()
    flat = bridge.flat(policy)
    for player in PLAYERS:
        descend(bridge.tree.arrays, player, flat, work.reach[player], flat, 0.0)
    return work


def check_descend(bridge: Bridge, seed: int) -> None:
    reference, tree = bridge.reference, bridge.tree
    policy = reference.random_policy(np.random.default_rng(seed))
    flat = bridge.flat(policy)
    before = np.random.default_rng(seed).random(tree.sizes.slots)
    for player in PLAYERS:
        work = bridge.workspace()
        sums = before.copy()
        descend(tree.arrays, player, flat, work.reach[player], sums, WEIGHT)
        reaches = reference.reaches(policy, player)
        for place in bridge.publics:
            assert_allclose(
                bridge.vector(work.reach[player], place, player, values=False),
                bridge.expected(place, player, reaches),
                atol=1e-12,
            )
        added = {
            infostate: {
                action: WEIGHT * reaches[infostate] * chosen if infostate[0] == player else 0.0
                for action, chosen in policy[infostate].items()
            }
            for infostate in policy
        }
        assert_allclose(sums - before, bridge.flat(added), atol=1e-12)
        unchanged = before.copy()
        descend(tree.arrays, player, flat, work.reach[player], unchanged, 0.0)
        assert np.array_equal(unchanged, before)


def check_values(bridge: Bridge, player: int, values: np.ndarray, expected: dict) -> None:
    """Values at a node count chance from there on, the reference's from the start of the game."""
    for place in bridge.publics:
        assert_allclose(
            bridge.vector(values, place, player, values=True) * bridge.chance_scale(place),
            bridge.expected(place, player, expected),
            atol=1e-12,
        )


def check_expect(bridge: Bridge, seed: int) -> None:
    reference, tree = bridge.reference, bridge.tree
    policy = reference.random_policy(np.random.default_rng(seed))
    flat = bridge.flat(policy)
    work = descended(bridge, policy)
    worth = reference.history_values(policy)
    for player in PLAYERS:
        before = flat.copy()
        ascend(tree.arrays, work.vectors[0], player, EXPECT, NO_STEP, flat, flat)
        assert np.array_equal(flat, before)
        opponent = reference.own_probabilities(policy, 1 - player)
        signed = worth if player == 0 else [-value for value in worth]
        check_values(bridge, player, work.values[player], reference.cfvs(player, opponent, signed))


def check_best(bridge: Bridge, seed: int) -> None:
    reference, tree = bridge.reference, bridge.tree
    policy = reference.random_policy(np.random.default_rng(seed))
    work = descended(bridge, policy)
    for player in PLAYERS:
        opponent = reference.own_probabilities(policy, 1 - player)
        _, worth = reference.best_response(policy, player)
        best = reference.cfvs(player, opponent, worth)
        for mode in (BEST, RECORD_BEST):
            flat = bridge.flat(policy)
            ascend(tree.arrays, work.vectors[0], player, mode, NO_STEP, flat, flat)
            check_values(bridge, player, work.values[player], best)
            if mode == BEST:
                assert np.array_equal(flat, bridge.flat(policy))
        answer = bridge.policy(flat)
        for infostate, chosen in answer.items():
            if infostate[0] != player:
                assert chosen == policy[infostate]
                continue
            assert sorted(chosen.values()) == [0.0] * (len(chosen) - 1) + [1.0]
            worths = reference.action_cfvs(infostate, opponent, worth)
            taken = next(action for action, p in chosen.items() if p == 1.0)
            assert_allclose(worths[taken], best[infostate], atol=1e-12)


def check_update(bridge: Bridge, seed: int) -> None:
    reference, tree = bridge.reference, bridge.tree
    random = np.random.default_rng(seed)
    policy = reference.random_policy(random)
    start = {i: {a: float(random.normal()) for a in p} for i, p in policy.items()}
    step = np.array([random.random(), random.random(), random.choice([-inf, -0.1, 0.0]), 0.0])
    step[3] = random.choice([0.0, 1.0])
    positive, negative, floor, prediction = step
    work = descended(bridge, policy)
    worth = reference.history_values(policy)
    for player in PLAYERS:
        scales = {
            infostate: bridge.chance_scale(place)
            for place, mover in bridge.decisions()
            for infostate in bridge.infostates(place, mover)
        }
        flat, regrets = bridge.flat(policy), bridge.flat(start)
        ascend(tree.arrays, work.vectors[0], player, UPDATE, step, flat, regrets)
        opponent = reference.own_probabilities(policy, 1 - player)
        signed = worth if player == 0 else [-value for value in worth]
        check_values(bridge, player, work.values[player], reference.cfvs(player, opponent, signed))
        expected = {i: dict(regret) for i, regret in start.items()}
        weights: Policy = {}
        for infostate, scale in scales.items():
            if infostate[0] != player:
                continue
            worths = reference.action_cfvs(infostate, opponent, signed)
            mean = sum(policy[infostate][a] * w for a, w in worths.items())
            weights[infostate] = {}
            for action, worth_of_action in worths.items():
                gain = (worth_of_action - mean) / scale
                regret = start[infostate][action]
                regret = max(regret * (positive if regret > 0 else negative) + gain, floor)
                expected[infostate][action] = regret
                weights[infostate][action] = max(regret + prediction * gain, 0.0)
        assert_allclose(regrets, bridge.flat(expected), atol=1e-11)
        follows = {**policy, **normalised(weights)}
        assert_allclose(flat, bridge.flat(follows), atol=1e-9)


CHECKS = {
    "descend": check_descend,
    "expect": check_expect,
    "best": check_best,
    "update": check_update,
}


@pytest.mark.parametrize("fold", [True, False], ids=["folded", "unfolded"])
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("kernel", CHECKS)
def test_a_pass_agrees_with_the_reference(kernel: str, name: str, fold: bool) -> None:
    CHECKS[kernel](small_bridge(name, fold=fold), seed=1)


@pytest.mark.parametrize("kernel", CHECKS)
@given(game=random_games(), seed=seeds)
def test_a_pass_agrees_with_the_reference_on_random_games(
    kernel: str, game: RandomGame, seed: int
) -> None:
    CHECKS[kernel](random_case(game), seed)


@given(game=random_games())
def test_compatibility_is_what_chance_makes_of_each_pair(game: RandomGame) -> None:
    bridge = random_case(game)
    for place, public in bridge.publics.items():
        state = bridge.tree.state(place.node)
        cells = bridge.reference.compatibility(public)
        expected = np.zeros(state.counts)
        for (first, second), weight in cells.items():
            expected[state.privates[0].index(first), state.privates[1].index(second)] = weight
        assert_allclose(state.compatibility, expected / expected.sum(), atol=1e-12)


@pytest.mark.parametrize("copies", [1, 7, 8, 63, 64, 65, 130])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (3, 5)])
def test_a_terminal_is_a_matrix_for_any_number_of_copies(
    copies: int, shape: tuple[int, int]
) -> None:
    """A folded tree whose root is the terminal: `copies` roots of one public state."""
    random = np.random.default_rng(copies)
    game = MatrixGame(random.normal(size=shape))
    builder = Builder(game)
    tree = build_forest(builder, [builder.root] * copies)
    assert int((tree.arrays.player == TERMINAL).sum()) == 1
    beliefs = [(random.random(shape[0]), random.random(shape[1])) for _ in range(copies)]
    work = Workspace(tree, beliefs, np.float64)
    for player in PLAYERS:
        policy = np.zeros(0)
        descend(tree.arrays, player, policy, work.reach[player], policy, 0.0)
    for player in PLAYERS:
        ascend(tree.arrays, work.vectors[0], player, EXPECT, NO_STEP, policy, policy)
        for root, (first, second) in zip(tree.roots, beliefs, strict=True):
            matrix = game.payoffs / game.payoffs.size
            expected = matrix @ second if player == 0 else -(first @ matrix)
            found = tree.vectors(work.values[player], player, root.node, values=True)[root.copy]
            assert_allclose(found, expected, atol=1e-12)


def test_a_range_with_mapped_moves_sends_up_what_crosses_into_the_range_above() -> None:
    """Player 1's values below the root, as a range of their own, are those of one range."""
    tree = build_tree(load_game("pursuit-glasses"), fold=False)
    arrays, policy = tree.arrays, tree.uniform_policy()
    mapped = (arrays.player == 1) & (arrays.simple == 0)
    assert arrays.player[0] == 0
    assert mapped[1:].any()
    work = Workspace(tree, None, np.float64)
    whole = np.array([[DOWN, 0, tree.nodes, 0, 0, 0, 0], [UP, 0, tree.nodes, 0, 0, 0, 0]])
    vectors = work.vectors[0]
    respond(arrays, vectors, whole, 0, 1, EXPECT, NO_STEP, policy, policy)
    expected = tree.vectors(work.values[1], 1, 0, values=True).copy()
    edges = int(arrays.edge_count[0])
    width, size = int(arrays.info_count[1, 0]), tree.sizes.values[1]
    cross = arrays.cross_value.copy()
    cross[1, :edges] = size + width * np.arange(edges)
    entries = np.arange(edges, dtype=np.int32)
    shared = arrays.shared_start + edges * width
    ranged = replace(arrays, cross_value=cross, entry_edge=entries, shared_start=shared)
    parts = np.array(
        [whole[0], [UP, 1, tree.nodes, 0, 0, 0, edges], [UP, 0, 1, 0, 0, edges, edges]]
    )
    values = np.full(size + edges * width + tree.sizes.scratch, np.nan)
    vectors = replace(vectors, values1=values)
    respond(ranged, vectors, parts, 0, 1, EXPECT, NO_STEP, policy, policy)
    assert_allclose(tree.vectors(values, 1, 0, values=True), expected)
