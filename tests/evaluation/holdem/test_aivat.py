"""AIVAT of hold'em hands: the mean of plain results, with less variance."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.player import HoldemPolicy, RulePlayer, always_call
from tacit.evaluation.holdem.match import play_holdem
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS
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
