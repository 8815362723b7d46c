"""Chosen sizes as text, JSON and pictures."""

from __future__ import annotations

from tacit.games.holdem.betting import FLOP, RIVER, TURN
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import SizeChoice
from tacit.learn.rl_cfr.refinement import BASE_PLAN
from tacit.learn.rl_cfr.street_game import Plan
from tacit.learn.rl_cfr.training import ActorProgress
from tacit.report.holdem.sizes import (
    choice_json,
    choice_report,
    plan_text,
    plot_rewards,
    rewards_table,
)

SPOT = Spot.of("2c7dJhQsKs", ranges=("AA", "QQ"), pot=400, behind=1200, bets="a")
PLANS = BASE_PLAN, Plan((3, 6))
REFINED = SizeChoice({RIVER: PLANS}, 0.5, (0.0, 2.0), (3.0, 2.0))


def test_a_plan_is_written_as_bet_sizes():
    assert plan_text(BASE_PLAN) == "50%,100%,200%,a/80%,a"
    assert plan_text(Plan((3, 6), (1.25,))) == "33%,75%,a/125%,a"


def test_the_report_says_sizes_gains_and_time():
    _, line = choice_report(REFINED, SPOT)
    assert "OOP +0.000 %, IP +0.500 % of the pot" in line
    assert "0.750 -> 0.500 %" in line
    assert "against every size" in line
    assert "chosen in 0.50 s" in line
    _, line = choice_report(SizeChoice({TURN: (BASE_PLAN, BASE_PLAN)}, 0.1), SPOT)
    assert line == "chosen in 0.10 s, by the actor alone"
    kept = SizeChoice({TURN: (BASE_PLAN, BASE_PLAN)}, 0.1, unrefined="the base: stacks are deep")
    assert choice_report(kept, SPOT)[1] == "chosen in 0.10 s, the base: stacks are deep"
    _, line = choice_report(SizeChoice({TURN: PLANS, RIVER: PLANS}, 0.5, (0.0, 2.0), (3, 2)), SPOT)
    assert "against six sizes" in line
    flop = {FLOP: PLANS, TURN: PLANS, RIVER: PLANS}
    _, line = choice_report(SizeChoice(flop, 0.5, (0.0, 2.0), (3, 2)), SPOT)
    assert "against three sizes" in line


def test_programs_get_chips():
    found = choice_json(REFINED, SPOT)
    assert found["bets"] == {"river": "50%,100%,200%,a/80%,a|33%,75%,a/80%,a"}
    assert found["ev_gain"] == {"oop": 0.0, "ip": 2.0}
    assert (found["exploitability_base"], found["exploitability"]) == (3.0, 2.0)


def test_a_curve_of_rewards_is_drawn(tmp_path):
    measured = [ActorProgress(n, n, 10 * n, 0.1, 0.0, 0.01 * n, 0.02) for n in (1, 2)]
    assert len(rewards_table(measured, "rl-cfr-river").rows) == 2
    plot_rewards(measured, tmp_path / "curve.png", title="rewards")
    assert (tmp_path / "curve.png").stat().st_size > 1000
