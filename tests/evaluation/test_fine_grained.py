"""Exploitability of few sizes in the fine-grained game."""

from __future__ import annotations

import pytest

from tacit.evaluation.fine_grained import fine_grained, street_tree
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.rewards import solved
from tacit.learn.rl_cfr.sizes import HOLDEM
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


def test_with_every_size_it_is_the_exploitability_of_the_solve():
    decision = decision_of(SPOT)
    found = fine_grained(decision, (ALL, ALL), iterations=400, nested=400)
    tree = street_tree(decision, (ALL, ALL))
    own = evaluate(tree, solved(tree, 400))
    assert found.exploitability < 0.4
    assert found.value == pytest.approx(own.value, abs=0.05)


def test_missing_sizes_are_exploited_and_a_best_response_never_wins_less_than_the_value():
    decision = decision_of(SPOT)
    few = fine_grained(decision, (HOLDEM.set_of((0.1,)),) * 2, iterations=300)
    fine = fine_grained(decision, (ALL, ALL), iterations=300)
    assert few.exploitability > fine.exploitability + 0.1
    assert few.best_response[0] >= few.value - 0.2
    assert few.best_response[1] >= -few.value - 0.2
