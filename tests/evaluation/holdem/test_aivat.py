"""AIVAT of hold'em hands: the mean of plain results, with less variance."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest

from tacit.agents.holdem.player import HoldemPolicy, RulePlayer, always_call
from tacit.evaluation.holdem.aivat import (
    HandEstimate,
    checked_value,
    is_over,
    street_end_value,
)
from tacit.evaluation.holdem.match import play_holdem
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS, parse_cards
from tacit.games.holdem.hand import PublicHand

SHORT = BettingRules(stacks=(1_000, 1_000))


class Random(RulePlayer):
    """Plays probabilities that depend on the hand, the board and the betting."""

    def __init__(self, seed: int) -> None:
        super().__init__(self.rule)
        self.seed = seed

    def rule(self, hand: PublicHand) -> HoldemPolicy:
        bounds = hand.betting.raise_bounds()
        actions = (*([FOLD] if hand.betting.can_fold else []), CALL, *sorted(set(bounds or ())))
        history = [self.seed, *hand.actions, *hand.board]
        weights = np.random.default_rng(history).exponential(size=(len(actions), NUM_HANDS)) ** 2
        return HoldemPolicy(actions, weights / weights.sum(axis=0))


@pytest.mark.slow
def test_it_has_the_mean_of_plain_results_and_less_variance() -> None:
    found = play_holdem(Random(1), Random(2), hands=3000, rules=SHORT, seed=5)
    assert found.aivat is not None
    error = np.hypot(found.plain.error, found.aivat.error)
    assert found.aivat.mean == pytest.approx(found.plain.mean, abs=3 * error)
    for ours, plain in zip(found.aivat.seats, found.plain.seats, strict=True):
        assert ours == pytest.approx(plain, abs=5 * error)
    assert found.aivat.deviation < found.plain.deviation / 2


def test_it_reduces_the_variance() -> None:
    found = play_holdem(Random(1), Random(2), hands=60, rules=SHORT, seed=5)
    assert found.aivat is not None
    error = np.hypot(found.plain.error, found.aivat.error)
    assert found.aivat.mean == pytest.approx(found.plain.mean, abs=4 * error)
    assert found.aivat.deviation < found.plain.deviation / 2


def river_totals(
    estimate: HandEstimate, players: tuple[Random, Random], known: bool
) -> list[float]:
    """The estimates of all ways in which players may act to the end of the hand."""
    hand = estimate.hand
    if is_over(hand):
        return [estimate.total]

    def foresight(actions: tuple[int, ...]) -> HoldemPolicy:
        after = hand
        for action in actions:
            after = after.act(action)
        return players[after.mover].rule(after)

    policy, totals = players[hand.mover].rule(hand), []
    for action in policy.actions:
        after = copy(estimate)
        after.act(policy, action, foresight if known else None)
        totals += river_totals(after, players, known)
    return totals


def test_where_all_policies_are_known_actions_add_no_variance() -> None:
    hand = PublicHand.start(SHORT).act(CALL).act(CALL)
    for cards in ("3s7hTd", "Ks", "2c"):
        hand = hand.deal(parse_cards(cards))
        hand = hand if cards == "2c" else hand.act(CALL).act(CALL)
    players = Random(1), Random(2)
    known = river_totals(HandEstimate(hand), players, known=True)
    assert len(known) > 20
    # All but lines that are too rare to be followed.
    assert np.median(np.abs(known - np.median(known))) < 0.5
    unknown = river_totals(HandEstimate(hand), players, known=False)
    assert np.std(unknown) > 10 * np.std(known)


def test_with_nothing_behind_the_value_at_the_end_of_a_street_is_equity() -> None:
    hand = PublicHand.start(SHORT).act(1_000).act(CALL)
    random = np.random.default_rng(0)
    reach = random.random(NUM_HANDS), random.random(NUM_HANDS) ** 3
    assert street_end_value(hand, reach) == pytest.approx(checked_value(hand, reach), abs=0.1)
    open_ = PublicHand.start(SHORT).act(300).act(CALL)
    assert abs(street_end_value(open_, reach) - checked_value(open_, reach)) > 0.1


def test_equal_ranges_are_worth_nothing() -> None:
    caller = RulePlayer(always_call)
    found = play_holdem(caller, caller, hands=20, seed=1)
    assert found.aivat is not None
    assert found.aivat.deviation == pytest.approx(0, abs=1e-9)
    assert any(one.won for one, _ in found.played)


def test_all_in_hands_are_averaged_over_runouts() -> None:
    def jam(hand: PublicHand) -> HoldemPolicy:
        bounds = hand.betting.raise_bounds()
        return HoldemPolicy((bounds[1] if bounds else CALL,), np.ones((1, NUM_HANDS)))

    found = play_holdem(RulePlayer(jam), RulePlayer(always_call), hands=12, seed=2)
    assert found.aivat is not None
    assert abs(found.aivat.mean) < 1e-6  # all hands against all hands, on any board
    assert all(abs(one.won) in (0, 20_000) for one, _ in found.played)
    assert all(len(one.board) == 5 for one, _ in found.played)
