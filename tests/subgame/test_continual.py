"""Continual re-solving: what is carried from one search to the next."""

import numpy as np
import pytest

from tacit.games import GameError, load_game
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.subgame.continual import first_position, resolve
from tacit.tree import LEAF, Builder


def settle(builder, position, **settings):
    return resolve(
        builder, [position], Zero(), GrowingSettings(**settings), random=np.random.default_rng(0)
    )[0]


def follow(builder, position, *labels):
    for label in labels:
        names = [t.label for t in position.state.expansion.transitions]
        position = position.after(names.index(label))
    return position


def test_the_first_search_starts_at_the_game():
    builder = Builder(load_game("leduc"))
    first = first_position(builder)
    assert not first.searched
    with pytest.raises(GameError, match="not been searched"):
        _ = first.policy
    found = settle(builder, first, simulations=10)
    assert found.searched
    assert found.policy.shape == (2, 3)


def test_the_second_player_starts_with_a_branch_from_the_game():
    builder = Builder(load_game("leduc"))
    position = follow(builder, first_position(builder), "raise")
    assert position.start is builder.root
    assert position.branch == (1,)
    found = settle(builder, position, simulations=30)
    tree, node = found.search.tree, int(found.search.focus[0])
    assert tree.state(node).key == position.state.key
    beside = [int(tree.arrays.edge_child[edge]) for edge in tree.edges(0)]
    beside.remove(node)
    assert all(tree.arrays.player[other] == LEAF for other in beside)
    assert found.policy.shape == (3, 3)


def test_a_later_search_starts_at_the_nearest_public_state():
    builder = Builder(load_game("leduc"))
    found = settle(builder, first_position(builder), simulations=1)
    position = follow(builder, found, "check")
    assert position.branch == ()
    assert position.start.key == position.state.key
    below = follow(builder, position, "raise", "raise")
    assert len(below.branch) > 0
    assert below.search is found.search
    again = settle(builder, below, simulations=5)
    assert again.search is not found.search
    assert again.search.tree.state(0).key == below.start.key
    assert again.searched


def test_own_reach_is_that_of_the_policy_played():
    builder = Builder(load_game("kuhn"))
    found = settle(builder, first_position(builder), simulations=40)
    after = follow(builder, found, found.search.tree.labels(0)[1])
    assert after.reach(0) == pytest.approx(found.policy[1], abs=1e-6)
    assert after.reach(1) == pytest.approx(np.ones(3))


def test_a_child_that_no_update_has_seen_is_not_in_the_tree():
    builder = Builder(load_game("connect-four"))
    found = settle(builder, first_position(builder), simulations=30)
    newest = found.search.tree.nodes - 1
    edge = int(found.search.tree.parent_edge[newest])
    parent = int(found.search.tree.arrays.edge_parent[edge])
    number = found.search.path(newest)[-1]
    assert found.search.child(parent, number) is None


def test_the_opponent_may_play_what_the_search_ruled_out():
    builder = Builder(load_game("tic-tac-toe"))
    position = settle(builder, first_position(builder), simulations=300, expansions=10)
    position = follow(builder, position, "a1", "a2")
    found = settle(builder, position, simulations=300, expansions=10)
    assert found.policy.shape == (7, 1)


def test_positions_with_the_same_task_share_a_search():
    builder = Builder(load_game("leduc"))
    first = first_position(builder)
    other = follow(builder, first, "raise")
    found = resolve(
        builder, [first, other, first], Zero(), GrowingSettings(simulations=5),
        random=np.random.default_rng(0),
    )  # fmt: skip
    assert found[0] is found[2]
    assert found[0].search is not found[1].search  # players have forests of their own
    assert found[0].policy.shape == (2, 3)
    assert found[1].policy.shape == (3, 3)


def test_only_decisions_are_searched():
    builder = Builder(load_game("leduc"))
    deal = follow(builder, first_position(builder), "check", "check")
    assert deal.state.mover == 2
    with pytest.raises(GameError, match="where a player moves"):
        settle(builder, deal, simulations=5)


def test_the_opponent_gets_no_more_than_the_last_search_allowed():
    """The gadget holds the opponent's values at a re-solved state near those of the last search."""
    builder = Builder(load_game("kuhn"))
    random = np.random.default_rng(0)
    settings = GrowingSettings(simulations=300)
    oracle = Oracle(builder)
    start = follow(builder, first_position(builder), "bet")
    root = resolve(builder, [first_position(builder)], oracle, settings, random=random)[0]
    after = follow(builder, root, "bet")
    safe = resolve(builder, [after], oracle, settings, random=random)[0]
    from_start = resolve(builder, [start], oracle, settings, random=random)[0]
    assert safe.policy == pytest.approx(from_start.policy, abs=0.1)
    offered = root.search.values(0, after.node)
    assert np.all(safe.search.values(0) < offered + 0.1)
