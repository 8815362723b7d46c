"""Chosen sizes, measured on flops."""

from __future__ import annotations

import pytest

from tacit.evaluation import flop_sizes
from tacit.evaluation.flop_sizes import flop_choices, flop_gains, held_out_flop
from tacit.games.holdem.betting import FLOP
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.learn.rl_cfr.refinement import FLOP_BASE, flop_plan, sampled_games


@pytest.fixture(autouse=True)
def small_games(monkeypatch):
    for name, value in (("FLOP_GAMES", 2), ("FLOP_DECK", 4), ("FLOP_ITERATIONS", 30)):
        monkeypatch.setattr(f"tacit.learn.rl_cfr.refinement.{name}", value)
    monkeypatch.setattr(flop_sizes, "HANDS", 10)


def test_the_base_gains_nothing_on_itself_and_no_bets_lose():
    flop = held_out_flop(0)
    nothing = flop_plan(())
    gains = flop_gains(flop, {"base": (FLOP_BASE, FLOP_BASE), "nothing": (nothing, nothing)}, 60)
    assert gains["base"] == pytest.approx([0, 0], abs=1e-6)
    assert sum(gains["nothing"]) < 0


def test_flops_are_measured_in_other_games_than_they_are_chosen_in():
    flop = held_out_flop(1)
    assert flop.betting.street == FLOP
    assert len(flop.spot.board) == 3
    own, other = ({game.deck for game in sampled_games(flop, seed)} for seed in (0, 7_000_061))
    assert not own & other


def test_both_choices_have_plans_for_both_players(monkeypatch):
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.FLOP_HANDS", 8)
    chooser = LearnedChooser()
    flop = held_out_flop(2)
    choices = flop_choices(chooser, flop)
    assert list(choices) == ["refined", "actor alone"]
    for plan, tried in zip(choices["refined"], chooser.flop_plans(flop), strict=True):
        assert plan in tried
