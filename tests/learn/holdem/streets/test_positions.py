"""PBSs at the ends of streets, as searches come to them."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import CHANCE, GameError
from tacit.learn.holdem.equity_evaluator import EquityEvaluator
from tacit.learn.holdem.streets.positions import (
    FLOP_MENU,
    StreetSettings,
    flop_root,
    preflop_leaves,
    search_leaves,
    shaken,
)
from tacit.tree.cards.states import CardState

SETTINGS = StreetSettings(preflop_iterations=3, flop_iterations=3)
EQUITY = EquityEvaluator()


def test_leaves_are_before_the_next_card_and_not_all_in() -> None:
    random = np.random.default_rng(0)
    reached = preflop_leaves(SETTINGS, EQUITY, random)
    assert sum(reached.chances) <= 2 + 1e-6  # of two iterations
    stacks = set()
    for pbs in reached.pbss:
        assert isinstance(pbs.state, CardState)
        assert pbs.state.mover == CHANCE
        assert min(pbs.state.betting.behind) > 0
        stacks.add(pbs.state.betting.rules.stacks)
        assert [beliefs.sum() for beliefs in pbs.beliefs] == pytest.approx([1, 1])
    assert len(stacks) == 1
    [drawn] = reached.draw(1, random)
    root = flop_root(shaken(drawn, 0.5, random), random)
    assert isinstance(drawn.state, CardState)
    assert root.committed == min(drawn.state.betting.committed)
    solver, leaves = search_leaves(root, FLOP_MENU, EQUITY, (2, 3))
    assert solver.iteration == 3
    assert len(leaves.draw(4, random)) == min(4, len(leaves.pbss))
    assert all(pbs.state.board == root.board for pbs in leaves.pbss)  # type: ignore[attr-defined]


def test_noise_is_shared_by_a_class() -> None:
    random = np.random.default_rng(1)
    pbs = preflop_leaves(SETTINGS, EQUITY, random).pbss[0]
    same, other = shaken(pbs, 0.0, random), shaken(pbs, 1.0, random)
    assert same.beliefs[0] == pytest.approx(pbs.beliefs[0])
    assert not np.allclose(other.beliefs[0], pbs.beliefs[0])
    held = pbs.beliefs[0] > 0
    factors = other.beliefs[0][held] / pbs.beliefs[0][held]
    assert len(np.unique(np.round(factors, 6))) <= 169


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(GameError, match="stacks from"):
        StreetSettings(least_stack=10, most_stack=5)
    with pytest.raises(GameError, match="3 iterations"):
        StreetSettings(flop_iterations=2)
