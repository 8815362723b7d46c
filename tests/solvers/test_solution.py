"""Policies in words: there and back, and what words cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from support.subgames import tree_of
from tacit.games import GameError
from tacit.solvers.solution import policy_in_words, written_policy
from tacit.tree import CHANCE, PublicTree

GAMES = ("coin-toss", "kuhn", "leduc", "liars-dice-1x2")


def some_policy(tree: PublicTree) -> np.ndarray[Any, Any]:
    """A policy whose numbers all differ."""
    random = np.random.default_rng(5)
    policy = tree.uniform_policy() * random.uniform(0.5, 1.5, tree.sizes.slots)
    for node in np.flatnonzero(tree.arrays.player < CHANCE).tolist():
        block = tree.block(policy, node)
        block /= block.sum(axis=0)
    return policy


@pytest.mark.parametrize("game", GAMES)
def test_a_policy_in_words_is_the_same_when_it_is_written_back(game: str) -> None:
    tree = tree_of(game)
    policy = some_policy(tree)
    assert_allclose(written_policy(tree, policy_in_words(tree, policy)), policy, atol=1e-12)


def test_what_words_leave_out_is_uniform() -> None:
    tree = tree_of("kuhn")
    assert np.array_equal(written_policy(tree, {}), tree.uniform_policy())
    policy = written_policy(tree, {"pass": {"Q": {"bet": 1.0}}})
    node = tree.find("pass").node
    names = tree.state(node).names(1)
    betting = dict(zip(names, tree.block(policy, node)[1, 0], strict=True))
    assert betting == {"J": 0.5, "Q": 1.0, "K": 0.5}


def test_words_say_what_one_player_does_below_a_public_state() -> None:
    tree = tree_of("kuhn")
    policy = some_policy(tree)
    start = tree.find("pass")
    words = policy_in_words(tree, policy, start, player=0, before="pass")
    assert list(words) == ["pass bet"]
    assert set(words["pass bet"]) == {"J", "Q", "K"}
    whole = policy_in_words(tree, policy)
    assert words["pass bet"] == whole["pass bet"]
    assert sum(words["pass bet"]["J"].values()) == pytest.approx(1)
    assert set(policy_in_words(tree, policy, player=1)) == {"pass", "bet"}


def test_actions_that_an_infostate_does_not_have_are_not_named() -> None:
    tree = tree_of("liars-dice-1x2")
    words = policy_in_words(tree, tree.uniform_policy())
    assert all("liar" not in chances for chances in words[""].values())
    assert all("liar" in chances for chances in words["1x1"].values())


def test_moves_lead_to_public_states() -> None:
    tree = tree_of("kuhn")
    assert tree.find("") == tuple(tree.roots[0])
    passed = tree.find("pass")
    assert dict(tree.children(passed))["bet"] == tree.find(" pass  bet ")
    with pytest.raises(GameError, match="'raise' is not possible here; possible: pass, bet"):
        tree.find("pass raise")
    with pytest.raises(GameError, match="possible: none: the game is over"):
        tree.find("pass pass bet")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"pass pass": {"J": {"pass": 1.0}}}, "no player moves after 'pass pass'"),
        ({"": {"A": {"pass": 1.0}}}, "no infostate 'A' after ''"),
        ({"": {"J": {"pass": 0.6}}}, "'J' has no distribution"),
        ({"": {"J": {"pass": 1.0, "fold": 0.0}}}, "'J' has no distribution"),
    ],
)
def test_words_that_make_no_policy_are_refused(words: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        written_policy(tree_of("kuhn"), words)
