"""Exploitability of few sizes in the fine-grained game."""

from __future__ import annotations

import pytest

from tacit.evaluation.fine_grained import fine_grained, river_plans
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.street_game import game_of_plans
from tacit.solvers.best_response import evaluate

SPOT = Spot.of(
    "2c7dJhQsKs",
    ranges=("AsTs,65s,QJs,KTs,88", "QQ,JJ,K9s,A7s,T8s"),
    pot=100,
    behind=300,
    bets="a",
    big_blind=2,
)
ALL = HOLDEM.everything
TENTH = HOLDEM.set_of((0.1,))


def test_with_every_size_it_is_the_exploitability_of_the_solve():
    decision = decision_of(SPOT)
    found = fine_grained(decision, river_plans((ALL, ALL)), iterations=400, nested=400)
    tree = game_of_plans(decision, [river_plans((ALL, ALL))])
    own = evaluate(tree, solved(tree, Solves(400)))
    assert found.exploitability < 0.4
    assert found.value == pytest.approx(own.value, abs=0.05)


def test_missing_sizes_are_exploited_and_a_best_response_never_wins_less_than_the_value():
    decision = decision_of(SPOT)
    few = fine_grained(decision, river_plans((TENTH, TENTH)), iterations=300)
    fine = fine_grained(decision, river_plans((ALL, ALL)), iterations=300)
    assert few.exploitability > fine.exploitability + 0.1
    assert few.best_response[0] >= few.value - 0.2
    assert few.best_response[1] >= -few.value - 0.2
