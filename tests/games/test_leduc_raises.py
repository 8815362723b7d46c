"""Leduc with several sizes of raises."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError, load_game
from tacit.solvers import Limits, solve_tree
from tacit.tree import build_tree


def test_one_size_is_leduc() -> None:
    limits = Limits(iterations=300)
    plain = solve_tree(build_tree(load_game("leduc")), limits)
    single = solve_tree(build_tree(load_game("leduc-raises-1")), limits)
    assert single.value == pytest.approx(plain.value, abs=1e-9)
    assert single.tree.public_states == plain.tree.public_states


def test_raises_put_in_what_they_say() -> None:
    game = load_game("leduc-raises-1-3")
    state = game.replay("JQ raise6 raise2 call K")
    assert state.render().endswith("In the pot: 9 and 9. Betting: 21c/.")
    assert [state.label(action) for action in state.actions()] == ["check", "raise4", "raise12"]
    assert [state.action_size(action) for action in state.actions()] == [None, 4 / 18, 12 / 18]
    end = game.replay("JQ raise6 raise2 call K check raise12 fold")
    assert end.payoff() == -9


def test_no_more_than_two_raises_a_round() -> None:
    state = load_game("leduc-raises-1-2-4").replay("JQ raise8 raise8")
    assert [state.label(action) for action in state.actions()] == ["fold", "call"]


def test_sizes_are_written_in_order() -> None:
    for wrong in ("2-1", "1-1", "-".join(map(str, range(1, 12)))):
        with pytest.raises(GameError, match="the smallest first"):
            load_game(f"leduc-raises-{wrong}")


def test_players_alternate_whatever_the_size() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        end, notation = load_game("leduc-raises-1-2-4").playout(random)
        assert abs(end.payoff()) <= 1 + 2 * 8 + 2 * 16, notation
