"""Rivers as they come up in play."""

from __future__ import annotations

import numpy as np

from tacit.games.holdem.cards import live_hands
from tacit.learn.rl_cfr.rewards import Solves, solve_sets
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.states import next_decision, random_rivers, random_turn


def test_a_random_turn_is_a_spot_of_few_hands_that_the_seed_decides():
    one, two = (random_turn(np.random.default_rng(4), most_hands=40) for _ in range(2))
    assert one.board == two.board
    assert np.array_equal(one.ranges[0], two.ranges[0])
    for weights in one.ranges:
        assert 0 < np.count_nonzero(weights) <= 40
        assert not weights[~live_hands(one.board)].any()


def test_walks_lead_to_rivers_whose_ranges_are_reaches():
    rivers = random_rivers(np.random.default_rng(5), walks=6, most_hands=30)
    assert rivers
    for river in rivers:
        assert len(river.spot.board) == 5
        assert river.has_choice
        assert river.betting.player == 0
        assert river.betting.pot >= 200
        assert all(weights.max() == 1 for weights in river.spot.ranges)


def test_beliefs_follow_the_policy_of_the_action_taken():
    river = random_rivers(np.random.default_rng(5), walks=6, most_hands=30)[0]
    solved = solve_sets(river, [HOLDEM.base], solves=Solves(30))
    found = [next_decision(river, solved, 0, np.random.default_rng(seed)) for seed in range(8)]
    after = next(decision for decision in found if decision is not None)
    taken = solved.actions[0].index(1) if after.history == "k" else None
    assert np.array_equal(after.spot.ranges[1], river.spot.ranges[1])
    if taken is not None:
        hands = river.state.deal.hands[0]
        expected = river.spot.ranges[0][hands] * solved.policies[0][taken]
        kept = after.spot.ranges[0][hands]
        assert np.allclose(kept[kept > 0], (expected / expected.max())[kept > 0], atol=1e-5)
