"""Games in which both players have plans of sizes."""

from __future__ import annotations

import pytest

from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.street_game import Plan, game_of_plans, plan_values
from tacit.solvers.best_response import evaluate
from tacit.tree.cards.builder import build_spot

SPOT = Spot.of(
    "2c7dJhQsKs",
    ranges=("AsTs,65s,QJs", "QQ,JJ,K9s"),
    pot=100,
    behind=300,
    bets=BetSettings.parse("50%,100%,a/80%,a"),
    big_blind=2,
)
PLAN = Plan(HOLDEM.set_of((0.5, 1.0)))


def test_plans_that_are_bet_settings_give_the_spots_own_tree():
    tree, own = game_of_plans(decision_of(SPOT), [(PLAN, PLAN)]), build_spot(SPOT)
    assert tree.nodes == own.nodes
    policy = solved(tree, Solves(50))
    assert evaluate(tree, policy).value == pytest.approx(
        evaluate(own, solved(own, Solves(50))).value, abs=1e-3
    )


def test_each_root_has_its_own_plans_and_value():
    fine = Plan(HOLDEM.everything)
    tree = game_of_plans(decision_of(SPOT), [(PLAN, PLAN), (fine, PLAN), (PLAN, fine)])
    sizes = [tree.arrays.action_count[root.node] for root in tree.roots]
    assert sizes[0] == sizes[2] < sizes[1]
    values = plan_values(tree, solved(tree, Solves(400)), 0)
    assert values[1] >= values[0] - 0.1, "more sizes of one's own cost nothing"
    assert values[2] <= values[0] + 0.1, "more sizes of the opponent gain nothing"
    assert values == pytest.approx(-plan_values(tree, solved(tree, Solves(400)), 1), abs=1e-6)


def test_raises_are_those_of_the_plan_once_and_then_the_same_for_all():
    tree = game_of_plans(decision_of(SPOT), [(PLAN, Plan((0,), (0.5,)))])
    bet = tree.find(["r100"])
    assert tree.labels(bet.node) == ("f", "c", "r200", "r350")
    assert tree.labels(tree.find(["r100", "r200"]).node) == ("f", "c", "r350")
