"""Blueprints from abstractions of small games."""

from __future__ import annotations

import numpy as np
import pytest

from support.subgames import tree_of
from tacit.games import GameError
from tacit.solvers import Limits, evaluate, resume
from tacit.subgame.abstraction import (
    frontier,
    random_groups,
    random_removal,
    solve_abstraction,
)
from tacit.subgame.blueprint import Blueprint, BlueprintValues


def test_merged_infostates_play_alike_and_the_rest_is_as_before() -> None:
    tree = tree_of("leduc")
    groups = random_groups(tree, 2, np.random.default_rng(0))
    policy = solve_abstraction(tree, iterations=30, groups=groups).policy
    assert groups
    for node, group in groups.items():
        block = tree.block(policy, node)
        for number in set(group.tolist()):
            members = block[:, :, group == number]
            assert np.allclose(members, members[:, :, :1])


def test_missing_actions_are_never_taken_and_more_iterations_solve_what_is_left() -> None:
    tree = tree_of("leduc")
    keep = random_removal(tree, 0.5, np.random.default_rng(1))
    smaller = tree.restricted(keep)
    policy = solve_abstraction(tree, iterations=300, keep=keep, algorithm="dcfr").policy
    barred = 0
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        legal = smaller.legal(node)
        barred += int((~legal).sum())
        assert np.all(tree.block(policy, node)[~legal[:, 0]] == 0)
        assert np.allclose(tree.block(policy, node).sum(axis=0), 1)
    assert barred > 0
    assert evaluate(smaller, policy).exploitability < 0.02
    assert evaluate(tree, policy).exploitability > 0.1


def test_a_restricted_tree_leaves_every_infostate_an_action() -> None:
    with pytest.raises(GameError, match="without an action"):
        tree_of("kuhn").restricted(lambda state, label: False)


def test_a_blueprint_cannot_be_resumed() -> None:
    solution = solve_abstraction(tree_of("kuhn"), iterations=5)
    with pytest.raises(GameError, match="solved by linear-cfr; there is nothing to resume"):
        resume(solution, Limits(iterations=10))


def test_infostates_have_labels() -> None:
    with pytest.raises(GameError, match="0 labels"):
        random_groups(tree_of("kuhn"), 0, np.random.default_rng(0))


def test_a_frontier_covers_every_game_that_gets_there_once() -> None:
    tree = tree_of("leduc")
    places = frontier(tree, 2)
    assert len(set(places)) == len(places) == 8
    blueprint_values = BlueprintValues(Blueprint(tree, tree.uniform_policy()), 0)
    assert {blueprint_values.names(place).split()[-1] for place in places} == {
        "J",
        "Q",
        "K",
        "raise",
    }
    with pytest.raises(GameError, match="at least 1 move below the root"):
        frontier(tree, 0)
