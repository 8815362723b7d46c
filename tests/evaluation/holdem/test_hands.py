"""One hand between two players."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.player import HoldemPolicy, RulePlayer, always_call, always_fold
from tacit.evaluation.holdem.hands import PlayedHand, play_hand, shuffled_deck
from tacit.formats.phh import HandHistory, dumps, loads
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS, parse_cards
from tacit.games.holdem.hand import PublicHand

RULES = BettingRules()
CALLER, FOLDER = RulePlayer(always_call), RulePlayer(always_fold)


def play(first: RulePlayer, second: RulePlayer, cards: str) -> PlayedHand:
    return play_hand((first, second), RULES, parse_cards(cards), np.random.default_rng(0))


def test_a_showdown_a_tie_and_a_fold() -> None:
    assert play(CALLER, CALLER, "AhAd 7c2d 3s7hTdKs2c").won == -100
    assert play(CALLER, CALLER, "AhAd 7c2d 3s8hTdKs2c").won == 100
    assert play(CALLER, CALLER, "4h5d 4d5c AsAhAdKsKc").won == 0
    folded = play(CALLER, FOLDER, "AhAd 7c2d 3s7hTdKs2c")
    assert (folded.won, folded.board, folded.actions) == (50, (), (FOLD,))


def test_a_hand_is_a_hand_history_and_plain_data() -> None:
    def jam(hand: PublicHand) -> HoldemPolicy:
        bounds = hand.betting.raise_bounds()
        return HoldemPolicy((bounds[1] if bounds else CALL,), np.ones((1, NUM_HANDS)))

    for opponent in (CALLER, FOLDER, RulePlayer(jam)):
        deck = shuffled_deck(np.random.default_rng(4))
        hand = play_hand((opponent, RulePlayer(jam)), RULES, deck, np.random.default_rng(1))
        assert PlayedHand.from_json(hand.to_json()) == hand
        history = HandHistory(rules=RULES, holes=hand.holes, board=hand.board, actions=hand.actions)
        assert loads(dumps(history)).payoffs() == (hand.won, -hand.won)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (HoldemPolicy((50_000,), np.ones((1, NUM_HANDS))), "possible: fold, call 50"),
        (HoldemPolicy((CALL,), np.full((1, NUM_HANDS), 0.5)), "do not sum to one"),
        (HoldemPolicy((CALL,), np.full((1, NUM_HANDS), np.nan)), "do not sum to one"),
        (HoldemPolicy((CALL, FOLD), np.ones((1, NUM_HANDS))), r"shape \(1, 1326\)"),
    ],
)
def test_a_bad_policy_is_refused(policy: HoldemPolicy, message: str) -> None:
    with pytest.raises(GameError, match=message):
        play(CALLER, RulePlayer(lambda _: policy), "AhAd 7c2d 3s7hTdKs2c")
