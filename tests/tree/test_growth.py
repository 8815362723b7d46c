"""Trees that grow: leaf by leaf to the whole game, with everything learnt in its place."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from support.bridge import Bridge
from support.random_games import RandomGame, random_games
from support.reference import Reference
from support.small_games import TINY, small_game, small_reference
from tacit.games import CHANCE, TERMINAL, Game, GameError, State
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.leaves import Zero
from tacit.tree import LEAF, PLAYERS, Builder, PublicTree, build_forest, build_tree, derived

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


@pytest.mark.parametrize("name", ["liars-dice-1x3", "leduc", "tic-tac-toe", "pursuit-ring"])
def test_folded_leaves_grow_with_all_their_copies(name: str) -> None:
    """Level by level a folded tree becomes the whole game, with fewer nodes than public states."""
    tree = build_tree(small_game(name), depth=1)
    while len(tree.leaves):
        before = tree.nodes
        tree.expand(tree.leaves.tolist())
        assert (tree.arrays.edge_parent < tree.arrays.edge_child).all()
        assert tree.nodes > before
    whole = build_tree(small_game(name))
    assert tree.public_states == whole.public_states
    assert tree.sizes.slots == whole.sizes.slots
    assert sum(tree.sizes.values) == sum(whole.sizes.values)
    assert tree.nodes < tree.public_states
    solvers = [Solver(t, find_algorithm("cfr+"), storage=64) for t in (tree, whole)]
    for solver in solvers:
        solver.run(20)
    one, other = (evaluate(s.tree, s.average_policy()) for s in solvers)
    assert_allclose(one.exploitability, other.exploitability, atol=1e-9)


def test_one_state_has_two_action_sets_in_two_trees() -> None:
    builder = Builder(small_game("leduc"))
    without_raises = build_forest(
        builder, [builder.root], actions=lambda state: frozenset({"check", "call", "fold"})
    )
    whole = build_forest(builder, [builder.root])
    assert without_raises.state(0) is whole.state(0) is builder.root
    assert without_raises.expansion(0).labels == ("check",)
    assert whole.expansion(0).labels == ("check", "raise")
    assert without_raises.public_states < whole.public_states


def test_an_action_set_that_leaves_an_infostate_without_an_action_is_refused() -> None:
    with pytest.raises(GameError, match="without an action"):
        build_tree(small_game("kuhn"), actions=lambda state: frozenset({"raise"}))


def test_states_that_no_tree_holds_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "REMEMBERED_CELLS", 0)
    builder = Builder(small_game("leduc"))
    tree = build_forest(builder, [builder.root])
    known = builder.root.space._known
    held = len(known)
    assert held > 100
    states = weakref.WeakSet(tree.state(node) for node in range(tree.nodes))
    del tree
    gc.collect()
    assert len(known) < 20
    assert len(states) < 20


def test_ten_thousand_searches_leave_memory_as_it_was() -> None:
    """A search at every public state of Leduc, again and again: nothing is kept between them."""
    builder = Builder(small_game("leduc"))
    whole = build_forest(builder, [builder.root])
    states = [whole.state(n) for n in range(whole.nodes) if whole.arrays.player[n] < CHANCE]

    def search(count: int) -> int:
        for number in range(count):
            tree = build_forest(builder, [states[number % len(states)]], depth=1)
            Solver(tree, find_algorithm("cfr+"), leaves=Zero()).run(1)
        gc.collect()
        return len(gc.get_objects())

    before = search(len(states))
    assert search(10_000) < before + 100


class Waiting(State):
    """A player waits or stops; whoever stops first gets one. It may take thousands of moves."""

    __slots__ = ("left", "over")

    def __init__(self, left: int, over: bool = False) -> None:
        self.left, self.over = left, over

    player = property(lambda self: TERMINAL if self.over or self.left == 0 else self.left % 2)

    def actions(self) -> tuple[int, ...]:
        return () if self.player == TERMINAL else (0, 1)

    def child(self, action: int) -> Waiting:
        return Waiting(self.left - 1, action == 1)

    def payoff(self) -> float:
        return 0.0 if not self.over else 1.0 if self.left % 2 == 1 else -1.0

    def public(self) -> tuple[int, bool]:
        return self.left, self.over

    def private(self, player: int) -> None:
        return None

    def label(self, action: int) -> str:
        return "stop" if action else "wait"

    def render(self, player: int | None = None) -> str:
        return str(self.left)


@pytest.mark.parametrize("hidden", [False, True])
def test_a_game_of_thousands_of_moves_is_built_and_grown(hidden: bool) -> None:
    class Waits(Game):
        name = title = "waits"

        def initial(self) -> State:
            return Waiting(3001)

    Waits.hidden = hidden
    tree = build_tree(Waits())
    assert tree.nodes == 6003
    solver = Solver(tree, find_algorithm("cfr+"))
    solver.run(10)
    assert evaluate(tree, solver.average_policy()).exploitability < 1
    grown = build_tree(Waits(), depth=1, fold=False)
    for _ in range(3000):
        grown.expand(grown.leaves.tolist())
    assert grown.nodes == 6003


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
