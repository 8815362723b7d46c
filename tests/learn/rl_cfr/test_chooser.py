"""The learned chooser of sizes."""

from __future__ import annotations

import pytest

from tacit.games import GameError
from tacit.games.holdem.betting import FLOP, RIVER, TURN
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.chooser import (
    LearnedChooser,
    chooser_of,
    settings_of_plans,
    shipped_actors,
)
from tacit.learn.rl_cfr.decisions import decision_of
from tacit.learn.rl_cfr.learners import Bandit
from tacit.learn.rl_cfr.refinement import BASE_PLAN, FLOP_BASE, TURN_BASE
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.street_game import Plan
from tacit.learn.rl_cfr.training import PRESETS, TrainedActor, make_learner

RANGES = ("AsTs,65s,QJs,KTs,88", "QQ,JJ,K9s,A7s,T8s")
SPOT = Spot.of("2c7dJhQsKs", ranges=RANGES, pot=400, behind=1200, bets="a")
TURN_SPOT = Spot.of("2c7dJhQs", ranges=RANGES, pot=400, behind=1200, bets="a")
DEEP_TURN_SPOT = Spot.of("2c7dJhQs", ranges=RANGES, pot=400, behind=4801, bets="a")


def test_a_river_is_refined_and_no_plan_is_worth_less_than_the_base():
    choice = chooser_of().decide(SPOT)
    assert set(choice.plans) == {RIVER}
    assert min(choice.gains) >= 0
    before, after = choice.exploitability
    assert 0 <= after <= before
    assert all(len(plan.bets) <= 3 for plan in choice.plans[RIVER])
    assert chooser_of().choose(SPOT) == choice.bets, "the same spot, the same sizes"


def test_a_turn_has_sizes_for_both_streets():
    actors = {"river": shipped_actors()["river"]}
    untrained = PRESETS["rl-cfr-turn"]
    actors["turn"] = TrainedActor(make_learner(untrained), untrained)
    choice = LearnedChooser(actors=actors, sizes=2, refine=False).decide(TURN_SPOT)
    assert set(choice.plans) == {TURN, RIVER}
    assert choice.gains is None
    assert all(1 <= len(plan.bets) <= 2 for plans in choice.plans.values() for plan in plans)


def test_a_turn_is_refined_and_the_river_has_the_sizes_that_were_solved():
    chooser = LearnedChooser()
    choice = chooser.decide(TURN_SPOT)
    assert choice.gains is not None
    assert min(choice.gains) >= 0
    assert choice.exploitability is not None
    assert min(choice.exploitability) >= 0
    for turn, river in zip(choice.plans[TURN], choice.plans[RIVER], strict=True):
        assert turn.later_bets == river.bets
        assert len(turn.bets) <= 3


def test_plans_of_a_turn_differ_in_the_number_of_bets_and_the_base_is_first():
    for tried in LearnedChooser().turn_plans([decision_of(TURN_SPOT)]):
        assert tried[0] == TURN_BASE
        assert {len(plan.bets) for plan in tried[1:]} == {1, 2, 3}
        assert tried[-1].later == HOLDEM.base
        assert len(set(tried)) == len(tried)


def test_a_flop_is_refined_with_the_streets_behind_it(monkeypatch):
    room = "tacit.learn.rl_cfr.refinement"
    small = {"FLOP_GAMES": 2, "FLOP_HANDS": 8, "FLOP_DECK": 4, "FLOP_ITERATIONS": 30}
    for name, value in (small | {"TURN_ITERATIONS": 10}).items():
        monkeypatch.setattr(f"{room}.{name}", value)
    spot = Spot.of("2c7dJh", ranges=RANGES, pot=400, behind=1200, bets="a")
    chooser = LearnedChooser(sizes=2)
    shares: list[float] = []
    choice = chooser.decide(spot, on_share=shares.append)
    assert len(shares) == 8, "two flops and two turns, for each player"
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert set(choice.plans) == {FLOP, TURN, RIVER}
    assert len(choice.gains) == 2
    assert min(choice.exploitability) >= 0
    for plan, tried in zip(choice.plans[FLOP], chooser.flop_plans(decision_of(spot)), strict=True):
        assert plan in tried
        assert tried[0] == FLOP_BASE
        assert {len(each.bets) for each in tried[1:]} == {1, 2}
    alone = LearnedChooser(sizes=2, refine=False).decide(spot)
    assert set(alone.plans) == {FLOP, TURN, RIVER}
    assert alone.gains is None


@pytest.mark.parametrize("sizes", [1, 2])
def test_no_more_sizes_are_chosen_than_asked_for_even_if_the_base_is_worth_more(sizes):
    for spot in (SPOT, TURN_SPOT, DEEP_TURN_SPOT):
        choice = LearnedChooser(sizes=sizes).decide(spot)
        for plans in choice.plans.values():
            assert all(1 <= len(plan.bets) <= sizes for plan in plans)


def test_a_turn_with_up_to_twelve_pots_behind_is_refined(monkeypatch):
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.TURN_ITERATIONS", 5)
    spot = Spot.of("2c7dJhQs", ranges=RANGES, pot=400, behind=4800, bets="a")
    assert LearnedChooser().decide(spot).gains is not None


def test_a_turn_with_deeper_stacks_keeps_the_base():
    choice = LearnedChooser().decide(DEEP_TURN_SPOT)
    assert choice.plans[TURN] == (TURN_BASE, TURN_BASE)
    assert [plan.bets for plan in choice.plans[RIVER]] == [HOLDEM.base] * 2
    assert choice.gains is None
    assert "more than 12 pots behind" in choice.unrefined


def test_settings_say_plans_in_the_notation_of_bet_sizes():
    bets = settings_of_plans({RIVER: (BASE_PLAN, Plan((0,), (1.0,)))})
    start = SPOT.rules.start()
    assert bets.raises(start) == (400, 600, 1000, 1400)
    assert bets.raises(start.act(1)) == (300, 1400), "a tenth of the pot is less than a bet"
    assert not bets.sizes[TURN][0].bets


def test_a_street_without_a_chooser_is_named():
    with pytest.raises(GameError, match="tacit train rl-cfr-river"):
        LearnedChooser(actors={}).decide(SPOT)
    river = LearnedChooser(actors={"river": shipped_actors()["river"]})
    assert set(river.decide(TURN_SPOT).plans) == {TURN, RIVER}, "the river's serves the turn"


def test_an_actor_of_another_game_or_kind_is_refused(tmp_path):
    settings = PRESETS["rl-cfr-preflop43"]
    TrainedActor(make_learner(settings), settings).save_actor(tmp_path / "actor.pt")
    with pytest.raises(GameError, match="chooses sizes of preflop43, not of hold'em"):
        chooser_of(tmp_path)
    settings = PRESETS["rl-cfr-river"].changed({"learner": "actor-critic"})
    TrainedActor(make_learner(settings), settings).save_actor(tmp_path / "actor.pt")
    with pytest.raises(GameError, match="learnt by the bandit"):
        chooser_of(tmp_path).decide(SPOT)


def test_shipped_actors_say_how_they_were_trained():
    river = shipped_actors()["river"]
    assert isinstance(river.learner, Bandit)
    assert river.learner.grid == HOLDEM
    assert river.epoch == river.settings.epochs
    assert river.command.startswith("tacit train rl-cfr-river --seed")
