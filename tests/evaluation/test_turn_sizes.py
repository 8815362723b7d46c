"""Methods that choose sizes, measured on turns."""

from __future__ import annotations

from tacit.evaluation.turn_sizes import held_out_turn, learned_plans, measure_turn
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import BASE_PLAN, LearnedChooser
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.street_game import Plan

TURN = decision_of(
    Spot.of("2c7dJhQs", ranges=("QQ,JJ,T8s", "AsTs,A7s,KTs"), pot=400, behind=900, bets="a")
)


def test_few_sizes_lose_more_than_many():
    tenth, many = Plan(HOLDEM.set_of((0.1,))), Plan(HOLDEM.set_of((0.33, 0.75, 1.5)))
    few = measure_turn(TURN, (tenth, tenth), 200)
    more = measure_turn(TURN, (many, many), 200)
    assert few.exploitability > more.exploitability > 0
    base = measure_turn(TURN, (BASE_PLAN, BASE_PLAN), 200)
    assert base.value > few.value, "with the stronger range larger bets are worth more"


def test_sizes_are_chosen_for_the_turn_and_for_the_river():
    decision = held_out_turn(0)
    for plan in learned_plans(LearnedChooser(), decision):
        assert 0 < len(plan.bets) <= 3
        assert plan.later is not None
        assert 0 < len(plan.later) <= 3
