"""The public part of a hand in play."""

from __future__ import annotations

import pytest

from tacit.games import CHANCE, GameError
from tacit.games.holdem.betting import CALL, BettingRules, replay
from tacit.games.holdem.cards import parse_cards
from tacit.games.holdem.hand import PublicHand


def test_a_hand_keeps_board_history_and_betting() -> None:
    rules = BettingRules()
    hand = PublicHand.start(rules).act(300).act(CALL)
    assert hand.mover == CHANCE
    hand = hand.deal(parse_cards("Td9d6h")).act(CALL).act(600)
    assert hand.history == "r300c/kr600"
    assert hand.actions == (300, CALL, CALL, 600)
    assert hand.betting == replay(rules, hand.history)


@pytest.mark.parametrize("cards", ["Td9d", "Td9d6h5h", "TdTd6h"])
def test_wrong_boards_are_refused(cards: str) -> None:
    hand = PublicHand.start(BettingRules()).act(CALL).act(CALL)
    packed = tuple(parse_cards(cards[k : k + 2])[0] for k in range(0, len(cards), 2))
    with pytest.raises(GameError):
        hand.deal(packed)
