"""Plans of sizes that are solved to find the best."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import decision_of, meeting_weights
from tacit.learn.rl_cfr.refinement import (
    BASE_PLAN,
    TURN_BASE,
    refine_river,
    refine_turn,
    thinned,
    turn_losses,
    turn_plan,
)
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.street_game import Plan, game_of_plans

POLAR = ("QQ,JJ,77,65s,54s", "AJ,KJ,AQ")
RIVER_START = decision_of(
    Spot.of("2c7dJhQs3s", ranges=POLAR, pot=400, behind=1600, bets="a", big_blind=2)
)
TURN_START = decision_of(
    Spot.of("2c7dJhQs", ranges=POLAR, pot=400, behind=1600, bets="a", big_blind=2)
)
TENTH, POT = HOLDEM.set_of((0.1,)), HOLDEM.set_of((0.7, 1.5))


def test_the_best_plan_of_a_river_is_taken():
    tried = [BASE_PLAN, Plan(TENTH)]
    best, losses = refine_river(RIVER_START, (tried, [BASE_PLAN]))
    assert best.plans == (BASE_PLAN, BASE_PLAN), "a tenth of the pot is worth less than the base"
    assert best.gains == (0, 0)
    assert losses.base == losses.chosen > 0


def test_the_best_plan_of_a_turn_is_taken_by_the_player_who_gains_from_it():
    poor = turn_plan(TENTH, TENTH)
    rich = turn_plan(POT, POT)
    best = refine_turn(TURN_START, ([TURN_BASE, poor], [TURN_BASE]))
    assert best.plans[0] == TURN_BASE
    best = refine_turn(TURN_START, ([poor, TURN_BASE, rich], [TURN_BASE]))
    assert best.plans[0] != poor
    assert best.gains[0] > 0.01 * TURN_START.betting.pot
    assert best.gains[1] == 0
    bad, good = (turn_losses(TURN_START, (plan, TURN_BASE)).chosen for plan in (poor, TURN_BASE))
    assert bad > good


def test_raises_of_raises_are_all_in_where_turns_are_solved():
    tree = game_of_plans(TURN_START, [(TURN_BASE, TURN_BASE)])
    raised = tree.find(["r400", "r1040"])
    assert tree.labels(raised.node) == ("f", "c", "r1800")


def test_thinned_ranges_keep_their_density_over_equity():
    every = decision_of(
        Spot.of("2c7dJhQs", ranges=("random", "22+,A2+"), pot=400, behind=1600, bets="a")
    )
    thin = thinned(every)
    for player in (0, 1):
        held = thin.spot.ranges[player]
        assert 30 <= np.count_nonzero(held) <= 40
        assert thin.equity.total[player] == pytest.approx(every.equity.total[player], abs=0.03)
        weights = meeting_weights(every.spot, player)
        shares = [
            (weight * (np.nan_to_num(equity) > 0.7)).sum()
            for weight, equity in (
                (weights, every.equity.hands[player]),
                (held / held.sum(), every.equity.hands[player]),
            )
        ]
        assert shares[1] == pytest.approx(shares[0], abs=0.03)
    assert (thin.spot.ranges[0] * thin.spot.ranges[1]).sum() <= 4, "few hands block each other"
    same = thinned(TURN_START, 100).spot.ranges
    assert np.array_equal(same, TURN_START.spot.ranges), "small ranges stay as they are"
