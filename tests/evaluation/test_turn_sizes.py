"""Methods that choose sizes, measured on turns."""

from __future__ import annotations

from tacit.evaluation.river_sizes import measure_auto
from tacit.evaluation.turn_sizes import (
    deep_share,
    held_out_turn,
    learned_plans,
    measure_plan,
    mixed_turns,
)
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.refinement import TURN_BASE, turn_plan
from tacit.learn.rl_cfr.sizes import HOLDEM

TURN = decision_of(
    Spot.of("2c7dJhQs", ranges=("QQ,JJ,T8s", "AsTs,A7s,KTs"), pot=400, behind=900, bets="a")
)


def test_few_sizes_lose_more_than_many():
    few, more = (
        measure_plan(TURN, turn_plan(sizes, sizes), 0, 200)
        for sizes in map(HOLDEM.set_of, ((0.1,), (0.33, 0.75, 1.5)))
    )
    assert few.response > more.response
    base = measure_plan(TURN, TURN_BASE, 0, 200)
    assert base.value > few.value, "with the stronger range larger bets are worth more"


def test_the_plans_of_both_players_are_exploitable_together():
    first, second = (measure_plan(TURN, TURN_BASE, player, 200) for player in (0, 1))
    assert first.response + second.response > 0
    assert second.value is None


def test_sizes_are_chosen_for_the_turn_and_for_the_river():
    decision = held_out_turn(0)
    for plan in learned_plans(LearnedChooser(refine=False), decision):
        assert 0 < len(plan.bets) <= 3
        assert plan.later is not None
        assert 0 < len(plan.later) <= 3


def test_deep_turns_have_more_than_four_pots_behind():
    for number in range(3):
        usual, deep = (held_out_turn(number, deep=deep).betting for deep in (False, True))
        assert usual.behind[0] <= 4 * usual.pot
        assert deep.behind[0] > 4 * deep.pot


def test_somewhat_more_than_half_of_the_turns_are_deep():
    assert 0.5 < deep_share(200) < 0.65


def test_auto_on_a_turn_is_compared_with_the_base():
    row = measure_auto(LearnedChooser(), TURN, iterations=200)
    assert row.worse <= row.error
    assert row.error < 1


def test_mixed_turns_have_large_ranges_and_every_fifth_all_hands():
    counts = [decision.state.counts for decision in mixed_turns(6)]
    assert counts[0] == counts[5] == (1128, 1128)
    assert all(100 < hands <= 250 for both in counts[1:5] for hands in both)


def test_refined_plans_are_some_of_those_that_the_chooser_proposes():
    chooser = LearnedChooser(sizes=2)
    plans = learned_plans(chooser, TURN)
    assert all(plan in tried for plan, tried in zip(plans, chooser.turn_plans([TURN]), strict=True))
