"""Methods that choose sizes, measured on rivers."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.evaluation.river_sizes import (
    fine_grain,
    fixed,
    learned,
    measure,
    measure_auto,
    mul_action,
    refined,
    summary,
)
from tacit.games.holdem.betting import RIVER as RIVER_STREET
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import LearnedChooser, shipped_actors
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.sizes import FINE_GRAIN, HOLDEM, MUL_ACTION

RIVER = decision_of(
    Spot.of(
        "2c7dJhQsKs",
        ranges=("AsTs,65s,QJs,KTs,88", "QQ,JJ,K9s,A7s,T8s"),
        pot=400,
        behind=1200,
        bets="a",
    )
)


def test_each_method_answers_with_sets_and_iterations():
    river = shipped_actors()["river"].learner
    for method in (learned(river), learned(river, 6), fixed(HOLDEM.base)):
        sets = method.sets(RIVER)
        assert all(1 <= len(chosen) <= 6 for chosen in sets)
        assert method.iterations(RIVER, sets) == 250
    chooser = LearnedChooser(actors=shipped_actors())
    chosen = chooser.decide(RIVER.spot).plans[RIVER_STREET]
    assert refined(chooser).sets(RIVER) == (chosen[0].bets, chosen[1].bets)
    mul = mul_action(equal_time=True)
    assert mul.sets(RIVER)[0] in MUL_ACTION
    assert mul.iterations(RIVER, mul.sets(RIVER)) == 83
    fine = fine_grain(equal_time=True)
    assert fine.sets(RIVER) == (FINE_GRAIN, FINE_GRAIN)
    assert fine.iterations(RIVER, fine.sets(RIVER)) < 250, "the tree is larger"


def test_a_river_is_measured_in_mbb():
    row = measure(RIVER, fixed(HOLDEM.base))
    assert 0 < row.exploitability < 1000 * 4, "less than the pot of four big blinds"
    assert abs(row.value) < 1000 * 2


def test_auto_is_measured_beside_the_base():
    row = measure_auto(LearnedChooser(actors=shipped_actors()), RIVER, iterations=60)
    assert row.worse < 1
    assert row.error > 0


def test_the_error_is_that_of_a_mean():
    mean, error = summary([1.0, 3.0])
    assert mean == 2
    assert error == pytest.approx(np.sqrt(2) / np.sqrt(2))
