"""Open public states: one infostate each, and a game that hides something is refused."""

from __future__ import annotations

import numpy as np
import pytest

from support.small_games import small_game
from tacit.games import CHANCE, GameError, load_game
from tacit.tree import Builder, OpenState, build_tree


def test_an_open_state_is_its_world_state() -> None:
    root = Builder(load_game("connect-four")).root
    assert isinstance(root, OpenState)
    assert (root.counts, root.mover, root.names(0)) == ((1, 1), 0, [""])
    assert root.compatible_reach(0, np.array([0.25])).tolist() == [0.25]
    expansion = root.expand()
    assert len(expansion.transitions) == len(expansion.children) == 7  # type: ignore[attr-defined]
    assert expansion.simple
    assert all(t.child.mover == 1 and t.factor == 1 for t in expansion.transitions)
    assert expansion.transitions[2].carry_reach(0, np.ones(1), np.full((7, 1), 1 / 7)) == 1 / 7


def test_an_action_set_chooses_among_the_moves() -> None:
    root = Builder(load_game("tic-tac-toe")).root
    assert root.expand(frozenset({"a1", "b2"})).labels == ("b2", "a1")


@pytest.mark.parametrize("name", ["kuhn", "rock-paper-scissors", "pursuit-ring"])
def test_a_game_that_hides_something_is_no_open_game(name: str) -> None:
    game = small_game(name)
    open_game = type("Claims", (type(game),), {"hidden": False})
    claims = object.__new__(open_game)
    claims.__dict__.update(game.__dict__)
    assert game.initial().player in (0, 1, CHANCE)
    with pytest.raises(GameError, match="the game says hidden = False"):
        build_tree(claims)
