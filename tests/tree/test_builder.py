"""Building: depth, stop rules, forests, sizes, folding, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge, Unshared, publics
from support.general import general_tree
from support.random_games import RandomGame, random_games
from support.reference import Reference
from support.small_games import BUILT_IN, TINY, small_bridge, small_game, small_reference
from tacit.games import CHANCE, GameError
from tacit.solvers import evaluate, infostate_values
from tacit.tree import (
    LEAF,
    PLAYERS,
    TERMINAL,
    Builder,
    GameTooLargeError,
    PublicState,
    PublicTree,
    Size,
    SolveKind,
    build_forest,
    build_tree,
    readable_bytes,
)
from tacit.tree import builder as builder_module
from tacit.tree.layout import EDGE_FIELDS, NODE_FIELDS, Place

seeds = st.integers(0, 2**32 - 1)


def decisions_above(tree: PublicTree, path: tuple[str, ...]) -> int:
    """How many moves of players lead to a place."""
    place, found = Place(*tree.roots[0]), 0
    for label in path:
        found += tree.arrays.player[place.node] < CHANCE
        place = dict(tree.children(place))[label]
    return found


# Depth and stop rules


@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_tree_ends_at_its_depth(name: str, depth: int, fold: bool) -> None:
    whole = build_tree(small_game(name), fold=fold)
    tree = build_tree(small_game(name), depth=depth, fold=fold)
    expected = {
        path: int(whole.arrays.player[place.node])
        for place, path in whole.walk()
        if decisions_above(whole, path) <= depth
    }
    found = {path: int(tree.arrays.player[place.node]) for place, path in tree.walk()}
    for path, player in found.items():
        ends = decisions_above(whole, path) == depth and expected[path] != TERMINAL
        assert player == (LEAF if ends else expected[path])
    above = {path for path in expected if decisions_above(whole, path) < depth}
    assert above <= set(found)
    assert tree.leaves.tolist() == np.flatnonzero(tree.arrays.player == LEAF).tolist()


def test_a_deep_enough_tree_is_whole() -> None:
    assert len(build_tree(small_game("kuhn"), depth=3).leaves) == 0
    assert build_tree(small_game("kuhn"), depth=3).nodes == build_tree(small_game("kuhn")).nodes


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_is_at_least_one(depth: int) -> None:
    with pytest.raises(ValueError, match="depth"):
        build_tree(small_game("kuhn"), depth=depth)


@pytest.mark.parametrize("fold", [True, False])
def test_a_stop_rule_ends_the_tree_where_it_says(fold: bool) -> None:
    def on_the_board(state: PublicState) -> bool:
        return state.sample.public()[1] is not None  # type: ignore[attr-defined]

    tree = build_tree(small_game("leduc"), stop=on_the_board, fold=fold)
    for place, path in tree.walk():
        dealt = any(label in "JQK" for label in path)
        player = tree.arrays.player[place.node]
        assert (player == LEAF) == dealt
    leaf = tree.state(tree.leaves[0])
    assert leaf.sample.public()[1] is not None  # type: ignore[index]


def test_the_root_is_never_a_leaf() -> None:
    tree = build_tree(small_game("kuhn"), stop=lambda state: True)
    assert tree.public_states == 3
    assert tree.arrays.player[tree.roots[0].node] == 0


# Sizes


@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize("depth", [None, 1, 2])
@pytest.mark.parametrize("name", BUILT_IN)
def test_size_is_that_of_the_built_tree(name: str, depth: int | None, fold: bool) -> None:
    builder = Builder(small_game(name))
    size = builder.size(builder.root, depth=depth)
    tree = build_forest(builder, [builder.root], depth=depth, fold=fold)
    assert size == Size(tree.public_states, tree.sizes.slots, sum(tree.sizes.values))
    assert sum(1 for _ in tree.walk()) == tree.public_states


@given(game=random_games())
def test_size_is_that_of_the_built_tree_on_random_games(game: RandomGame) -> None:
    builder = Builder(game)
    tree = build_forest(builder, [builder.root])
    bridge = Bridge(tree, Reference(game))
    assert builder.size(builder.root) == Size(
        tree.public_states, tree.sizes.slots, sum(tree.sizes.values)
    )
    infostates = {
        infostate
        for place in bridge.publics
        for player in PLAYERS
        for infostate in bridge.infostates(place, player)
    }
    assert len(infostates) == sum(tree.sizes.values)
    assert infostates <= set(bridge.reference.groups)
    assert set(bridge.reference.decisions) <= infostates


def test_a_game_too_large_is_refused_with_an_estimate_before_it_is_visited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(builder_module, "_expand", lambda *_: pytest.fail("a state was expanded"))
    with pytest.raises(GameTooLargeError, match=r"liars-dice-5x6 .* (memory|smaller game)"):
        build_tree(small_game("liars-dice-5x6"))


def test_the_limit_on_memory_is_the_callers() -> None:
    size = build_tree(small_game("leduc")).memory().peak
    build_tree(small_game("leduc"), max_bytes=size)
    with pytest.raises(GameTooLargeError) as caught:
        build_tree(small_game("leduc"), max_bytes=size - 1)
    message = str(caught.value)
    assert f"needs about {readable_bytes(size)}" in message
    assert "240 public states" in message
    assert "\n" not in message
    kinds = [SolveKind(storage=64), SolveKind(exact=True)]
    for kind in kinds:  # what takes more is refused sooner
        with pytest.raises(GameTooLargeError):
            build_tree(small_game("leduc"), max_bytes=size, kind=kind)


def test_a_tree_is_refused_as_soon_as_what_is_known_of_it_is_too_large() -> None:
    with pytest.raises(GameTooLargeError, match="needs at least"):
        build_tree(small_game("leduc"), fold=False, max_bytes=5_000)


@pytest.mark.parametrize(
    ("count", "text"),
    [(12, "12 B"), (1234, "1.23 kB"), (5_600_000, "5.6 MB"), (8e9, "8 GB"), (3e12, "3 TB")],
)
def test_bytes_are_readable(count: float, text: str) -> None:
    assert readable_bytes(count) == text


# Folding and subgame keys


@pytest.mark.parametrize("name", [*BUILT_IN, "liars-dice-1x3"])
def test_folded_unfolded_and_unshared_trees_are_worth_the_same(name: str) -> None:
    game, reference = small_game(name), small_reference(name)
    policy = reference.random_policy(np.random.default_rng(5))
    trees = [
        build_tree(game),
        build_tree(game, fold=False),
        build_tree(Unshared(game)),
        build_tree(Unshared(game), fold=False),
    ]
    found = []
    for tree in trees:
        bridge = Bridge(tree, reference)
        flat = bridge.flat(policy)
        worth = evaluate(tree, flat)
        infostates = {}
        for player in PLAYERS:
            values = infostate_values(tree, flat, player)
            for place in bridge.publics:
                names = bridge.infostates(place, player)
                infostates.update(zip(names, values[place.node][place.copy], strict=True))
        found.append(([worth.value, *worth.best_response], infostates))
    for worth, infostates in found[1:]:
        assert_allclose(worth, found[0][0], atol=1e-12)
        assert infostates.keys() == found[0][1].keys()
        for infostate, value in infostates.items():
            assert_allclose(value, found[0][1][infostate], atol=1e-12)


def test_folding_makes_copies_of_equal_subgames() -> None:
    game = small_game("liars-dice-1x3")
    folded, unfolded = build_tree(game), build_tree(game, fold=False)
    unshared = build_tree(Unshared(game))
    assert folded.nodes < unfolded.nodes == unfolded.public_states == folded.public_states
    assert unshared.nodes == unshared.public_states == folded.public_states
    assert sorted(path for _, path in folded.walk()) == sorted(p for _, p in unfolded.walk())


@given(game=random_games(), seed=seeds)
def test_a_tree_without_its_fast_loops_computes_the_same(game: RandomGame, seed: int) -> None:
    check_general(Bridge(build_tree(game), Reference(game)), seed)


@pytest.mark.parametrize("name", TINY)
def test_a_built_in_tree_without_its_fast_loops_computes_the_same(name: str) -> None:
    check_general(small_bridge(name), 3)


def check_general(bridge: Bridge, seed: int) -> None:
    """The same tree with no node simple and no map left out."""
    tree = general_tree(bridge.tree)
    assert not tree.arrays.simple.any()
    assert (tree.arrays.map_count[:, : len(tree.arrays.edge_parent)] >= 0).all()
    policy = bridge.flat(bridge.reference.random_policy(np.random.default_rng(seed)))
    simple, general = evaluate(bridge.tree, policy), evaluate(tree, policy)
    assert_allclose(general.value, simple.value, atol=1e-12)
    assert_allclose(general.best_response, simple.best_response, atol=1e-12)
    for player in PLAYERS:
        for best in (False, True):
            for one, other in zip(
                infostate_values(bridge.tree, policy, player, best=best),
                infostate_values(tree, policy, player, best=best),
                strict=True,
            ):
                assert_allclose(other, one, atol=1e-12)


def test_terminal_matrices_are_shared_up_to_a_factor() -> None:
    """Kuhn: two folds that differ in sign, and showdowns for one chip and for two."""
    tree = build_tree(small_game("kuhn"))
    assert len(tree.arrays.matrix_start) == 2
    terminals = tree.arrays.player == TERMINAL
    assert len(set(np.abs(tree.arrays.terminal_scale[terminals]).round(12))) == 2


# Forests and roots at any PBS


def all_paths(tree: PublicTree) -> list[tuple[str, ...]]:
    return [path for _, path in tree.walk()]


@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize("name", ["kuhn", "liars-dice-1x3", "leduc", "pursuit-ring"])
def test_a_forest_is_its_trees_side_by_side(name: str, fold: bool) -> None:
    game = small_game(name)
    random = np.random.default_rng(2)
    paths = all_paths(build_tree(game))
    chosen = [paths[n] for n in random.integers(len(paths), size=12)]
    builder = Builder(game)
    states = [builder.at(path) for path in chosen]
    forest = build_forest(builder, states, fold=fold)
    bridge = Bridge(forest, small_reference(name), *chosen)
    policy = small_reference(name).random_policy(random)
    beliefs = [(random.random(s.counts[0]), random.random(s.counts[1])) for s in states]
    together = evaluate(forest, bridge.flat(policy), beliefs=beliefs)
    alone = []
    for state, path, belief in zip(states, chosen, beliefs, strict=True):
        tree = build_forest(Builder(game), [state], fold=fold)
        flat = Bridge(tree, small_reference(name), path).flat(policy)
        alone.append(evaluate(tree, flat, beliefs=[belief]))
    assert_allclose(together.value, np.mean([each.value for each in alone]))
    for player in PLAYERS:
        assert_allclose(
            together.best_response[player],
            np.mean([each.best_response[player] for each in alone]),
        )


def test_a_forest_of_one_state_many_times_is_one_node_with_copies() -> None:
    builder = Builder(small_game("kuhn"))
    forest = build_forest(builder, [builder.root] * 5)
    assert forest.nodes == 9
    assert (forest.arrays.copies == 5).all()
    assert [root.copy for root in forest.roots] == [0, 1, 2, 3, 4]


def check_subgames(game: RandomGame | None, name: str | None, seed: int) -> None:
    """At every public state, with the beliefs of a policy: value and best responses given it."""
    reference = Reference(game) if game else small_reference(name)  # type: ignore[arg-type]
    actual = game or small_game(name)  # type: ignore[arg-type]
    random = np.random.default_rng(seed)
    policy = reference.random_policy(random)
    builder = Builder(actual)
    whole = build_forest(builder, [builder.root], fold=False)
    reaches = [reference.reaches(policy, player) for player in PLAYERS]
    own = [reference.own_probabilities(policy, player) for player in PLAYERS]
    values = reference.history_values(policy)
    best = [reference.best_response(policy, player)[1] for player in PLAYERS]
    found = publics(whole)
    chosen = [pair for pair in whole.walk() if random.random() < 30 / whole.public_states]
    for place, path in chosen:
        state = builder.at(path)
        public = found[place]
        beliefs = tuple(
            np.array([reaches[p][p, public, private] for private in state.privates[p]])
            for p in PLAYERS
        )
        cells = reference.compatibility(public)
        histories = [
            n
            for n, h in enumerate(reference.histories)
            if h.state.public() == public and h.state.player == state.mover
        ]
        mass = sum(reference.histories[n].chance * own[0][n] * own[1][n] for n in histories)
        tree = build_forest(builder, [state])
        flat = Bridge(tree, reference, path).flat(policy)
        if mass == 0:
            with pytest.raises(ValueError, match="contradict"):
                evaluate(tree, flat, beliefs=[beliefs])
            continue
        scaled = tuple(vector * random.uniform(0.1, 10) for vector in beliefs)
        worth = evaluate(tree, flat, beliefs=[scaled])
        expected = [
            sum(reference.histories[n].chance * own[0][n] * own[1][n] * of[n] for n in histories)
            / mass
            for of in (values, *best)
        ]
        assert len(cells) == np.count_nonzero(state.compatibility)
        assert_allclose(worth.value, expected[0], atol=1e-9)
        assert_allclose(worth.best_response, expected[1:], atol=1e-9)


@given(game=random_games(), seed=seeds)
def test_a_subgame_is_worth_what_it_is_worth_in_the_game_on_random_games(
    game: RandomGame, seed: int
) -> None:
    check_subgames(game, None, seed)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-1x2", "pursuit-ring"])
def test_a_subgame_is_worth_what_it_is_worth_in_the_game(name: str) -> None:
    check_subgames(None, name, 1)


# Views


def test_walk_names_every_public_state_once() -> None:
    tree = build_tree(small_game("kuhn"))
    assert [" ".join(path) for _, path in tree.walk()] == [
        "", "pass", "pass pass", "pass bet", "pass bet pass", "pass bet bet", "bet", "bet pass",
        "bet bet",
    ]  # fmt: skip
    (pass_label, first), _ = tree.children(Place(*tree.roots[0]))
    assert pass_label == "pass"
    assert [" ".join(path) for _, path in tree.walk(first)] == [
        "", "pass", "bet", "bet pass", "bet bet",
    ]  # fmt: skip


@given(game=random_games())
def test_the_uniform_policy_plays_every_legal_action_alike(game: RandomGame) -> None:
    bridge = Bridge(build_tree(game), Reference(game))
    assert bridge.policy(bridge.tree.uniform_policy()) == bridge.reference.uniform()


def test_the_public_state_of_a_leaf_can_be_solved_on() -> None:
    tree = build_tree(small_game("kuhn"), depth=1)
    states: list[PublicState] = [tree.state(leaf) for leaf in tree.leaves]
    assert [state.mover for state in states] == [1, 1]
    below = build_forest(tree.builder, states)
    assert len(below.roots) == 2
    with pytest.raises(GameError, match="not a leaf"):
        tree.expand([tree.roots[0].node])


def test_one_move_below_open_roots_is_laid_out_as_any_other_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builder = Builder(small_game("tic-tac-toe"))
    first = builder.root.expansion
    states = [builder.root, first.child(4), first.child(0)]

    def forest() -> PublicTree:
        return build_forest(builder, states, depth=1, stop=lambda state: True, fold=False)

    fast = forest()
    monkeypatch.setattr("tacit.tree.builder.append_open", lambda *arguments: False)
    general = forest()
    assert fast.roots == general.roots
    for name in (*NODE_FIELDS, *EDGE_FIELDS):
        one, other = getattr(fast.arrays, name), getattr(general.arrays, name)
        if name not in ("map_start", "edge_start"):  # of no meaning without a map, or edges
            np.testing.assert_array_equal(one, other, err_msg=name)
    assert fast.sizes == general.sizes
