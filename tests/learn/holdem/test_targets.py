"""Targets against solving the whole subgame, card by card."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tacit.games import GameError
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.learn.holdem.examples import draw_hands
from tacit.learn.holdem.knots import Situation, locate, zero_sum
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork, Origin
from tacit.learn.holdem.random_positions import checked_through
from tacit.learn.holdem.targets import (
    FOREST,
    CardAverage,
    CorrectedEvaluator,
    TargetSettings,
    as_shares,
    average_by_network,
    corrected_average,
    next_pbss,
    solve_before_card,
    solve_starts,
    together,
)
from tacit.solvers.oracle import PBSOracle
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS

RANGES = ("AA,KQs,65s,87o", "KK,AJs,T8s,22")
RANDOM = np.random.default_rng(0)
SETTINGS = TargetSettings(iterations=300, cards=48)


def position(*, before_card: bool) -> PBS:
    spot = Spot.of("2c7dJhQs", ranges=RANGES, pot=100, behind=200, bets="75%,a/a")
    state = CardState.of(spot, isomorphism=False)
    random = np.random.default_rng(0)
    beliefs = (random.random(state.counts[0]), random.random(state.counts[1]))
    return PBS(checked_through(state) if before_card else state, beliefs)


def test_all_cards_give_the_values_of_the_oracle_that_solves_them_together() -> None:
    pbs = position(before_card=True)
    found, after = solve_before_card([pbs], SETTINGS, np.random.default_rng(0))
    assert len(after.positions) == 48
    oracle = PBSOracle(CardBuilder(), iterations=300)
    positions = locate([pbs])
    known = zero_sum(as_shares([pbs], positions, list(oracle.values([pbs]))), positions.weight)
    held = np.zeros((1, 2, 1326), np.bool_)
    for player in (0, 1):
        held[0, player, pbs.state.deal.hands[player]] = True
    assert np.abs(found.shares - known)[held].max() < 0.01


def test_nothing_is_learnt_of_hands_that_hold_the_drawn_card() -> None:
    pbs = position(before_card=True)
    one = TargetSettings(iterations=20, cards=1)
    found, after = solve_before_card([pbs], one, np.random.default_rng(0))
    assert found.known is not None
    assert not found.known[0][:, ~after.positions.live[0]].any()
    blocked = ~found.known.reshape(2, -1)
    marked = np.where(found.known, found.shares, np.float32(99))
    examples = draw_hands(found.positions, marked, np.random.default_rng(0), found.known)
    assert blocked.any()
    assert (examples.target < 99).all()


def test_values_do_not_depend_on_the_forest_that_a_pbs_is_solved_in() -> None:
    after = next_pbss(position(before_card=True), FOREST + 1, np.random.default_rng(0))
    few = TargetSettings(iterations=20)
    together = solve_starts(after, few)
    assert len(together.positions) == FOREST + 1
    for number, pbs in enumerate(after):
        alone = solve_starts([pbs], few)
        assert np.allclose(alone.shares[0], together.shares[number], atol=1e-4)


def test_some_cards_give_about_the_same() -> None:
    pbs = position(before_card=True)
    whole, _ = solve_before_card([pbs], SETTINGS, np.random.default_rng(0))
    errors = []
    for seed in range(4):
        some = TargetSettings(iterations=300, cards=16)
        part, after = solve_before_card([pbs], some, np.random.default_rng(seed))
        assert len(after.positions) == 16
        errors.append((np.abs(part.shares - whole.shares) * whole.positions.weight).sum() / 2)
    equity = whole.positions.equity - 0.5
    alone = (np.abs(equity - whole.shares) * whole.positions.weight).sum() / 2
    assert 0 < np.mean(errors) < alone


def test_a_network_that_is_corrected_on_every_card_answers_the_solutions() -> None:
    network = KnotNetwork((16,), seed=1)
    with torch.no_grad():
        network.body[-1].weight.normal_(0, 0.1, generator=torch.Generator().manual_seed(0))
    evaluator = KnotEvaluator(network, [Situation.RIVER], Origin(command="", seed=0))
    pbs = position(before_card=True)
    few = TargetSettings(iterations=20, cards=48)
    whole, after = solve_before_card([pbs], few, np.random.default_rng(0))
    twice = together([after, after])
    found = corrected_average(evaluator, [pbs, pbs], twice, [48, 48])
    alone = average_by_network(evaluator, [pbs])
    weight = whole.positions.weight[0]
    assert (np.abs(alone.shares[0] - whole.shares[0]) * weight).sum() > 0.02
    for shares in found.shares:
        assert (np.abs(shares - whole.shares[0]) * weight).sum() < 1e-3


def test_a_network_is_averaged_over_the_cards_by_the_reach_that_they_leave() -> None:
    network = KnotNetwork((16,), seed=1)
    with torch.no_grad():
        network.body[-1].weight.normal_(0, 0.1, generator=torch.Generator().manual_seed(0))
    evaluator = KnotEvaluator(network, [Situation.RIVER], Origin(command="", seed=0))
    pbs = position(before_card=True)
    found = average_by_network(evaluator, [pbs, pbs])
    assert np.array_equal(found.shares[0], found.shares[1])
    own, other = pbs.state.deal.hands
    values, reach = np.zeros((2, 1326)), np.zeros((2, 1326))
    for each in next_pbss(pbs, 99, RANDOM):
        for player, chips in enumerate(evaluator.values([each])[0]):
            met = each.state.compatible_reach(player, each.beliefs[1 - player])
            hands = each.state.deal.hands[player]
            values[player, hands] += met * chips / 100
            reach[player, hands] += met
    mean = np.divide(values, reach, out=np.zeros_like(values), where=reach > 0)
    gap = sum((found.positions.weight[0, p] * mean[p]).sum() for p in (0, 1))
    for player, hands in enumerate((own, other)):
        assert np.abs(found.shares[0, player, hands] - (mean - gap / 2)[player, hands]).max() < 1e-3
    chips = CardAverage(evaluator).values([pbs])[0]
    for player, hands in enumerate((own, other)):
        assert np.allclose(chips[player], 100 * found.shares[0, player, hands], atol=1e-2)
    some = average_by_network(evaluator, [pbs], deals=[(0,), (1,)])
    assert not np.allclose(some.shares[0], found.shares[0], atol=1e-3)


def test_a_network_is_corrected_by_its_mean_over_the_cards() -> None:
    network = KnotNetwork((16,), seed=1)
    with torch.no_grad():
        network.body[-1].weight.normal_(0, 0.1, generator=torch.Generator().manual_seed(0))
    trained = [Situation.BEFORE_RIVER, Situation.RIVER]
    evaluator = KnotEvaluator(network, trained, Origin(command="", seed=0))
    pbs = position(before_card=True)
    other = PBS(pbs.state, (pbs.beliefs[0] ** 2, pbs.beliefs[1]))
    corrected = CorrectedEvaluator(evaluator, growth=3)
    [exact], [quick] = CardAverage(evaluator).values([pbs]), evaluator.values([pbs])
    assert not np.allclose(exact[0], quick[0], atol=0.1), "there is something to correct"
    for found, wanted in zip(corrected.values([pbs])[0], exact, strict=True):
        assert np.allclose(found, wanted, atol=1e-6)
    # The second call is before the next correction: the difference of the first is kept.
    [there], [moved] = corrected.values([other]), evaluator.values([other])
    for player in (0, 1):
        difference = exact[player] - quick[player]
        assert np.allclose(there[player], moved[player] + difference, atol=1e-6)
    for _ in range(7):
        corrected.values([pbs])
    assert (corrected.calls, corrected.corrections) == (9, 3), "at calls 1, 3 and 9"
    corrected.values([position(before_card=True)])
    assert corrected.corrections == 3, "a public state is known by its key"
    with pytest.raises(GameError, match="cannot grow"):
        CorrectedEvaluator(evaluator, growth=0.9)


def test_values_are_zero_sum_and_defined_for_hands_of_no_reach() -> None:
    pbs = position(before_card=False)
    first = pbs.beliefs[0].copy()
    first[3:] = 0
    solved = solve_starts([PBS(pbs.state, (first, pbs.beliefs[1]))], TargetSettings(iterations=100))
    total = (solved.shares * solved.positions.weight).sum()
    assert abs(total) < 1e-5
    own = pbs.state.deal.hands[0]
    aces = [number for number, hand in enumerate(own) if parse_range("AA")[hand] > 0]
    without = [number for number in aces if number >= 3]
    assert without
    assert (solved.shares[0, 0, own[without]] > 0).all()


def test_next_pbss_map_the_ranges() -> None:
    pbs = position(before_card=True)
    after = next_pbss(pbs, 99, RANDOM)
    assert len(after) == 48
    for each in after:
        names = dict(zip(pbs.state.privates[0], pbs.beliefs[0], strict=True))
        expected = [names[name] for name in each.state.privates[0]]
        assert np.array_equal(each.beliefs[0], expected)
    with pytest.raises(GameError, match="no card is due"):
        next_pbss(position(before_card=False), 99, RANDOM)


def test_renamed_suits_and_bad_settings_are_refused() -> None:
    spot = Spot.of("2c7cJcQc", pot=100, behind=200, bets="a/a")
    state = checked_through(CardState.of(spot))
    with pytest.raises(GameError, match="isomorphism=False"):
        next_pbss(PBS(state, state.beliefs()), 99, RANDOM)
    with pytest.raises(GameError, match="cards must be at least 1"):
        TargetSettings(cards=0)
