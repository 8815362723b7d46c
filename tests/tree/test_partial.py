"""Moves that are added to a tree one after the other."""

import numpy as np
import pytest

from tacit.games import load_game
from tacit.solvers import Solver, find_algorithm
from tacit.solvers.leaves import Zero
from tacit.tree import LEAF, TERMINAL, Builder, build_forest
from tacit.tree.partial import PartialExpansion


def start(path):
    builder = Builder(load_game("tic-tac-toe"))
    return build_forest(builder, [builder.at(path)], depth=1, fold=False)


def added(tree, node, order):
    state = tree.state(node)
    return PartialExpansion(state, state.expand(), order)


def test_moves_come_in_the_given_order():
    tree = start("a1 b1 a2")
    leaf = int(tree.leaves[0])
    order = [4, 0, 3, 1, 2]
    tree.expand_partly({leaf: added(tree, leaf, order)}, [leaf])
    whole = tree.state(leaf).expansion
    for count in range(1, 6):
        assert tree.labels(leaf) == tuple(whole.labels[number] for number in order[:count])
        assert tree.expansion(leaf).legal.shape == (count, 1)
        for number, edge in enumerate(tree.edges(leaf)):
            child = int(tree.arrays.edge_child[edge])
            assert tree.parent_edge[child] == edge
            assert tree.state(child).key == whole.child(order[number]).key
            assert tree.transition(edge).sources[tree.state(leaf).mover] == [number]
        if count < 5:
            tree.expand_partly({}, [leaf])


def test_ends_of_the_game_have_their_payoff():
    tree = start("a1 b1 a2")
    leaf = tree.find("c1").node
    whole = tree.state(leaf).expansion
    wins = whole.labels.index("a3")
    other = (wins + 1) % len(whole.labels)
    tree.expand_partly({leaf: added(tree, leaf, [wins, other])}, [leaf])
    child = int(tree.arrays.edge_child[tree.edges(leaf)[0]])
    assert tree.arrays.player[child] == TERMINAL
    assert tree.arrays.terminal_scale[child] == 1
    tree.expand_partly({}, [leaf])
    assert tree.arrays.player[tree.nodes - 1] == LEAF


@pytest.mark.parametrize("alternating", [True, False])
def test_a_tree_with_all_moves_is_solved_as_if_built_at_once(alternating):
    """With another numbering of nodes, the policies are the same."""
    random = np.random.default_rng(0)
    whole = start("a1 b1 a2 b2 b3 a3 c1")
    parts = start("a1 b1 a2 b2 b3 a3 c1")
    whole.expand(whole.leaves.tolist(), depth=2)
    while len(parts.leaves):
        leaf = int(random.choice(parts.leaves))
        state = parts.state(leaf)
        count = len(state.expand().actions)
        expansion = added(parts, leaf, range(count))
        parts.expand_partly({leaf: expansion}, [leaf])
        for _ in range(count - 1):
            parts.expand_partly({}, [leaf])
    values = []
    for tree in (whole, parts):
        solver = Solver(tree, find_algorithm("cfr+", alternating=alternating), leaves=Zero())
        solver.run(50)
        values.append((solver.root_values(0)[0][0], tree.block(solver.average_policy(), 0).ravel()))
    assert values[0][0] == pytest.approx(values[1][0], abs=1e-6)
    assert values[0][1] == pytest.approx(values[1][1], abs=1e-5)
