"""Plans of sizes that are solved to find the best."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.formats.spot_file import load_spot_file
from tacit.games.holdem.cards import HAND_CARDS
from tacit.games.holdem.spot import Spot
from tacit.learn.rl_cfr.decisions import decision_of, meeting_weights
from tacit.learn.rl_cfr.refinement import (
    BASE_PLAN,
    EVERY_SIZE,
    FLOP_BASE,
    FLOP_DECK,
    FLOP_GAMES,
    FLOP_HANDS,
    TURN_BASE,
    TURN_SAMPLE,
    flop_plan,
    is_deep,
    refine_flop,
    refine_river,
    refine_turns,
    sampled_games,
    thinned,
    turn_games,
    turn_plan,
)
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.street_game import Plan, game_of_plans
from tacit.solvers.best_response import BestResponse
from tacit.tree.kernels.passes import BEST

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
    best = refine_river(RIVER_START, (tried, [BASE_PLAN]))
    assert best.plans == (BASE_PLAN, BASE_PLAN), "a tenth of the pot is worth less than the base"
    assert best.gains == (0, 0)
    assert best.losses.base == best.losses.chosen
    best = refine_river(RIVER_START, (tried, [BASE_PLAN, Plan(POT)]), keep_base=False)
    assert best.plans == (Plan(TENTH), Plan(POT)), "the base only stands beside"


def test_plans_lose_what_a_best_response_with_more_sizes_wins():
    poor, start = Plan(TENTH), decision_of(load_spot_file("river").spot())
    losses = refine_river(start, ([poor], [poor])).losses
    lost = 0.0
    for player, plans in enumerate(((poor, EVERY_SIZE), (EVERY_SIZE, poor))):
        tree = game_of_plans(start, [plans])
        policy = solved(tree, Solves(1000))
        lost += BestResponse(tree, policy).value(1 - player, BEST) / 2
    assert losses.base == pytest.approx(lost, rel=0.05)
    assert lost > 0.001 * start.betting.pot


def test_the_best_plan_of_a_turn_is_taken_by_the_player_who_gains_from_it():
    poor = turn_plan(TENTH, TENTH)
    rich = turn_plan(POT, POT)
    best = refine_turns([TURN_START], ([TURN_BASE, poor], [TURN_BASE]))
    assert best.plans[0] == TURN_BASE
    best = refine_turns([TURN_START], ([poor, TURN_BASE, rich], [TURN_BASE]))
    assert best.plans[0] != poor
    assert best.gains[0] > 0.01 * TURN_START.betting.pot
    assert best.gains[1] == 0
    assert best.losses.chosen < best.losses.base, "the base is here the poor plan"


def test_a_plan_of_a_turn_has_to_gain_more_than_its_solves_are_off(monkeypatch):
    poor, rich = turn_plan(TENTH, TENTH), turn_plan(POT, POT)
    gains = {}
    for iterations in (3, 250):
        monkeypatch.setattr("tacit.learn.rl_cfr.refinement.TURN_ITERATIONS", iterations)
        best = refine_turns([TURN_START], ([poor, rich], [TURN_BASE]))
        gains[iterations] = best.gains[0]
    assert gains[3] == 0 < gains[250]


def test_turns_with_more_than_four_pots_behind_are_deep():
    for behind, deep in ((1600, False), (1601, True)):
        start = Spot.of("2c7dJhQs", ranges=POLAR, pot=400, behind=behind, bets="a", big_blind=2)
        assert is_deep(decision_of(start)) == deep


def test_raises_of_raises_are_all_in_where_turns_are_solved():
    tree = game_of_plans(TURN_START, [(TURN_BASE, TURN_BASE)])
    raised = tree.find(["r400", "r1040"])
    assert tree.labels(raised.node) == ("f", "c", "r1800")


def test_thinned_ranges_keep_their_density_over_equity():
    every = decision_of(
        Spot.of("2c7dJhQs", ranges=("random", "22+,A2+"), pot=400, behind=1600, bets="a")
    )
    thin = thinned(every, 40)
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


def test_several_turns_count_by_their_shares_of_the_pot():
    small = decision_of(
        Spot.of("2c7dJhQs", ranges=POLAR, pot=40, behind=160, bets="a", big_blind=2)
    )
    poor = turn_plan(TENTH, TENTH)
    best = refine_turns([TURN_START, small], ([poor, TURN_BASE], [TURN_BASE]))
    alone = refine_turns([TURN_START], ([poor, TURN_BASE], [TURN_BASE]))
    assert best.plans == alone.plans == (TURN_BASE, TURN_BASE)
    assert best.gains[0] == pytest.approx(alone.gains[0], rel=0.05), "the smaller game is alike"


def test_large_ranges_of_a_turn_are_thinned_out_in_different_ways():
    assert turn_games(TURN_START, 2) == [TURN_START]
    large = decision_of(
        Spot.of("2c7dJhQs", ranges=("random", "22+,A2+"), pot=400, behind=1600, bets="a")
    )
    first, second = turn_games(large, 2)
    for player in (0, 1):
        one, two = (np.flatnonzero(game.spot.ranges[player]) for game in (first, second))
        assert max(len(one), len(two)) <= TURN_SAMPLE
        assert len(np.intersect1d(one, two)) < TURN_SAMPLE / 4


FLOP_START = decision_of(
    Spot.of("2c7dJh", ranges=("22+,A2s+,KTo+", "55+,K9s+,AJo+,T9s"), pot=400, behind=1200, bets="a")
)


def test_sampled_games_of_a_flop_have_few_hands_and_a_deck_that_no_hand_holds():
    games = sampled_games(FLOP_START)
    assert len(games) == FLOP_GAMES
    for game in games:
        assert len({card // 4 for card in game.deck}) == FLOP_DECK, "of different ranks"
        suits = np.bincount([card % 4 for card in game.deck], minlength=4)
        assert suits.max() - suits.min() <= 1
        for player, held in enumerate(game.spot.ranges):
            hands = np.flatnonzero(held)
            assert 0 < len(hands) <= FLOP_HANDS
            assert not np.isin(HAND_CARDS[hands], game.deck).any()
            assert (FLOP_START.spot.ranges[player][hands] > 0).all()
    assert len({game.deck for game in games}) == FLOP_GAMES
    assert [game.deck for game in sampled_games(FLOP_START)] == [game.deck for game in games]
    assert sampled_games(FLOP_START, 1)[0].deck != games[0].deck


def test_the_best_plan_of_a_flop_is_taken(monkeypatch):
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.FLOP_GAMES", 2)
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.FLOP_HANDS", 10)
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.FLOP_DECK", 4)
    polar, middle = "JJ,77,65s,54s,43s", "AJs,KJs,QJs,TT,99,88"
    deep = decision_of(Spot.of("2c7dJh", ranges=(polar, middle), pot=400, behind=8000, bets="a"))
    nothing = flop_plan(())
    best = refine_flop(deep, ([nothing, FLOP_BASE], [FLOP_BASE]))
    assert best.plans == (FLOP_BASE, FLOP_BASE), "bets are worth more than all-in alone"
    assert best.gains[0] > 0 == best.gains[1]
    assert 0 <= best.losses.chosen < best.losses.base


def test_ranges_that_no_deck_leaves_are_not_sampled(monkeypatch):
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement._apart", lambda deck: np.zeros(1326, bool))
    assert refine_flop(FLOP_START, ([FLOP_BASE], [FLOP_BASE])) is None
