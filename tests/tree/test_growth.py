"""Trees that grow: leaf by leaf to the whole game, with everything learnt in its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import RandomGame, random_games
from support.reference import Reference
from support.small_games import TINY, small_game, small_reference
from tacit.games import CHANCE, Game, GameError
from tacit.solve import Solver, evaluate, find_algorithm
from tacit.tree import LEAF, PLAYERS, PublicTree, build_tree

seeds = st.integers(0, 2**32 - 1)


def places(tree: PublicTree) -> dict[int, tuple[int, ...]]:
    """Where each node's slots, reaches and values stand; slots of deciders only."""
    arrays = tree.arrays
    return {
        node: (
            int(arrays.slot_start[node]) if arrays.player[node] < CHANCE else -1,
            *arrays.reach_start[:, node].tolist(),
            *arrays.value_start[:, node].tolist(),
        )
        for node in range(tree.nodes)
    }


def check_growth(game: Game, reference: Reference, seed: int) -> None:
    random = np.random.default_rng(seed)
    tree = build_tree(game, depth=1, fold=False)
    while len(tree.leaves):
        before, sizes, count = places(tree), tree.sizes, tree.nodes
        was_leaf = tree.arrays.player == LEAF
        leaves = tree.leaves
        chosen = random.choice(leaves, size=random.integers(1, len(leaves) + 1), replace=False)
        tree.expand(chosen.tolist(), depth=int(random.integers(1, 3)))
        after = places(tree)
        for node in range(count):
            assert after[node][1:] == before[node][1:]
            if not was_leaf[node]:
                assert after[node] == before[node]
            elif after[node][0] >= 0:
                assert after[node][0] >= sizes.slots
        for node in range(count, tree.nodes):
            assert after[node][0] == -1 or after[node][0] >= sizes.slots
            for player in PLAYERS:
                assert after[node][3 + player] >= sizes.values[player]
    whole = build_tree(game)
    assert tree.public_states == whole.public_states
    assert tree.sizes.slots == whole.sizes.slots
    grown, built = Bridge(tree, reference), Bridge(whole, reference)
    policy = reference.random_policy(random)
    one = evaluate(tree, grown.flat(policy))
    other = evaluate(whole, built.flat(policy))
    assert_allclose([one.value, *one.best_response], [other.value, *other.best_response])
    solvers = [Solver(t, find_algorithm("cfr+"), storage=64) for t in (tree, whole)]
    for solver in solvers:
        solver.run(5)
    assert_allclose(
        grown.flat(built.policy(solvers[1].average_policy())),
        solvers[0].average_policy(),
        atol=1e-9,
    )


@pytest.mark.parametrize("name", [*TINY, "leduc"])
def test_a_tree_grows_into_the_whole_game(name: str) -> None:
    check_growth(small_game(name), small_reference(name), 1)


@given(game=random_games(), seed=seeds)
def test_a_tree_grows_into_the_whole_game_on_random_games(game: RandomGame, seed: int) -> None:
    check_growth(game, Reference(game), seed)


def test_a_folded_leaf_does_not_grow() -> None:
    tree = build_tree(small_game("liars-dice-1x3"), depth=2)
    folded = [leaf for leaf in tree.leaves if tree.arrays.copies[leaf] > 1]
    with pytest.raises(GameError, match="is folded; build the tree with fold=False"):
        tree.expand(folded[:1])


def test_only_leaves_grow() -> None:
    tree = build_tree(small_game("kuhn"), depth=1, fold=False)
    with pytest.raises(GameError, match="node 0 is not a leaf"):
        tree.expand([0])
    leaf = int(tree.leaves[0])
    with pytest.raises(GameError, match=f"node {leaf} is not a leaf"):
        tree.expand([leaf, leaf])


def test_a_tree_grows_by_at_least_one_move() -> None:
    tree = build_tree(small_game("kuhn"), depth=1, fold=False)
    with pytest.raises(GameError, match="depth"):
        tree.expand(tree.leaves.tolist(), depth=0)


def test_a_failed_growth_leaves_the_tree_as_it_was() -> None:
    tree = build_tree(small_game("kuhn"), depth=1, fold=False)
    leaf = int(tree.leaves[0])
    with pytest.raises(GameError):
        tree.expand([leaf, 0])
    assert tree.arrays.player[leaf] == LEAF
    tree.expand([leaf])
    assert tree.nodes == 5
