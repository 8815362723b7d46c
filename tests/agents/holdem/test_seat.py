"""A player in a seat follows the play and makes only legal choices."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.player import HoldemPolicy, RulePlayer
from tacit.agents.holdem.seat import Decisions, Seat, legalised
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS, parse_cards, parse_hand
from tacit.games.holdem.hand import PublicHand

RULES = BettingRules()
FLOP = parse_cards("2c3d4s")


def seat_of(chances: np.ndarray, actions: tuple[int, ...], cards: str = "AhKd") -> Seat:
    player = RulePlayer(lambda hand: HoldemPolicy(actions, chances))
    return Seat(player, RULES, 1, parse_cards(cards), np.random.default_rng(0))


def test_a_choice_is_drawn_for_the_cards_held() -> None:
    chances = np.zeros((2, NUM_HANDS))
    chances[0] = 1
    chances[:, parse_hand("AhKd")] = 0, 1
    assert seat_of(chances, (CALL, 300)).choose((), ()) == 300
    assert seat_of(chances, (CALL, 300), "KdAh").choose((), ()) == 300
    assert seat_of(chances, (CALL, 300), "AhKs").choose((), ()) == CALL


def test_the_memory_follows_actions_and_cards() -> None:
    seen: list[PublicHand] = []

    def rule(hand: PublicHand) -> HoldemPolicy:
        seen.append(hand)
        return HoldemPolicy((CALL,), np.ones((1, NUM_HANDS)))

    seat = Seat(RulePlayer(rule), RULES, 1, parse_cards("AhKd"), np.random.default_rng(0))
    seat.choose((), ())
    seat.choose((CALL, 300), ())
    seat.choose((CALL, 300, CALL, 600), FLOP)
    assert [hand.history for hand in seen] == ["", "cr300", "cr300c/r600"]
    assert seen[-1].board == FLOP
    with pytest.raises(GameError, match="each message should add to the last"):
        seat.choose((CALL, 300, CALL, 700), FLOP)
    with pytest.raises(GameError, match="player 1 does not move"):
        seat.choose((CALL, 300, CALL, 600, CALL), (*FLOP, 30))


def test_what_is_not_legal_is_replaced_and_counted() -> None:
    start = RULES.start()
    assert legalised(start, 150) == 200
    assert legalised(start, 99999) == 20000
    assert legalised(start, 300, may_raise=False) == CALL
    assert legalised(start, FOLD) == FOLD
    assert legalised(start.act(CALL), FOLD) == CALL
    assert legalised(start.act(20000), 20000) == CALL
    for chances, actions, expected in (
        (np.ones((1, NUM_HANDS)), (150,), 200),
        (np.full((1, NUM_HANDS), np.nan), (300,), CALL),
        (np.zeros((1, NUM_HANDS)), (300,), CALL),
    ):
        seat = seat_of(chances, actions)
        assert seat.choose((), ()) == expected
        assert seat.adjusted == 1


def test_decisions_are_summed() -> None:
    decisions = Decisions()
    decisions.add(1.0, 0)
    decisions.add(3.0, 1)
    assert decisions == Decisions(2, 4.0, 3.0, 1)
