"""Stored solutions before the flop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.agents.holdem.search_player import SearchPlayer
from tacit.agents.holdem.settings import PRESETS, Menus
from tacit.agents.holdem.stored import PATH, STACKS, load_plans, save_plans, solve_preflop
from tacit.archive import ArchiveError
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import parse_hand
from tacit.learn.holdem.equity_evaluator import EquityEvaluator


def test_solutions_are_read_as_they_were_written(tmp_path: Path) -> None:
    plan = solve_preflop(2000, Menus().preflop, EquityEvaluator(), iterations=3)
    path = tmp_path / "plans.npz"
    save_plans(path, {2000: plan})
    [(stack, read)] = load_plans(path).items()
    assert stack == 2000
    assert read.decisions.keys() == plan.decisions.keys()
    for history, decision in plan.decisions.items():
        assert read.decisions[history].actions == decision.actions
        assert read.decisions[history].player == decision.player
        assert read.decisions[history].played == pytest.approx(decision.played, abs=2e-3)
    assert read.values[0] == pytest.approx(plan.values[0], abs=1)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ArchiveError):
        load_plans(path)


def test_the_package_holds_every_stack() -> None:
    plans = load_plans()
    assert PATH.exists()
    assert tuple(plans) == STACKS
    aces, trash = parse_hand("AsAh"), parse_hand("7c2d")
    for plan in plans.values():
        opening = plan.decisions[""]
        assert opening.played[0, aces] < 0.01  # nobody folds aces
        assert opening.played[0, trash] > opening.played[0, aces]
        assert opening.played.sum(axis=0) == pytest.approx(1, abs=1e-3)
        assert plan.values[1][aces] > plan.values[1][trash]


def test_stored_solutions_are_played() -> None:
    plan = solve_preflop(2000, Menus().preflop, EquityEvaluator(), iterations=3)
    player = SearchPlayer(PRESETS["tiny"], {}, stored={2000: plan})
    memory = player.begin(BettingRules(stacks=(2000, 2000)), 1, np.random.default_rng(0))
    assert memory.point.subgame.plan is plan
    assert np.allclose(player.policy(memory).chances, plan.decisions[""].played, atol=1e-3)
