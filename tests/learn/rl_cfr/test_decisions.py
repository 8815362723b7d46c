"""Decisions and their features."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import BINS, FEATURES, decision_of, meeting_weights, pruned
from tacit.tree.cards.equity import range_equity

SPOT = Spot.of("2c7dJhQsKs", ranges=("AA,KQs,T9s", "QQ,AJs"), pot=100, behind=900, bets="a")


def test_features_hold_both_densities_over_equity():
    features = decision_of(SPOT).features
    assert features.shape == (FEATURES,)
    own = features[13 : 13 + BINS]
    other = features[13 + BINS + 3 : 13 + 2 * BINS + 3]
    assert own.sum() == pytest.approx(3)
    assert other.sum() == pytest.approx(3)
    total = range_equity(SPOT.board, SPOT.ranges).total
    assert features[13 + BINS] == pytest.approx(total[0])
    assert decision_of(SPOT, "k").features[13 + BINS] == pytest.approx(total[1]), (
        "the mover's first"
    )


def test_hands_that_meet_none_of_the_opponents_weigh_nothing():
    spot = Spot.of("2c7dJhQsKs", ranges=("AhAd,AhAc", "AdAs,QdQc"), pot=100, behind=900, bets="a")
    weights = meeting_weights(spot, 0)
    assert weights.sum() == pytest.approx(1)
    held = weights[spot.ranges[0] > 0]
    assert sorted(held.tolist()) == pytest.approx([1 / 3, 2 / 3]), "one of them blocks half"


def test_small_weights_are_dropped_and_the_largest_is_one():
    assert pruned(np.array([0.5, 1e-4, 0.25, np.nan])).tolist() == [1, 0, 0.5, 0]


@pytest.mark.parametrize(("behind", "history"), [(2, ""), (900, "r950")])
def test_a_decision_without_a_size_to_choose_is_refused(behind, history):
    spot = Spot.of("2c7dJhQsKs", ranges=("AA", "QQ"), pot=100, behind=behind, bets="a")
    with pytest.raises(GameError, match="no bet size to choose"):
        decision_of(spot, history)


def test_before_the_flop_nothing_is_chosen():
    with pytest.raises(GameError, match="after the flop"):
        decision_of(Spot.from_the_blinds("a", stack=1000))
