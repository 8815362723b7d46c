"""Players of hold'em by rules and by name."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.named import PLAYERS, find_player
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules


def test_simple_players() -> None:
    random = np.random.default_rng(0)
    expected = {"always-fold": (FOLD, CALL), "always-call": (CALL, CALL)}
    for name, (to_bet, to_check) in expected.items():
        player = find_player(name)
        memory = player.begin(BettingRules(), 1, random)
        assert player.policy(memory).actions == (to_bet,)
        memory = player.act(player.act(memory, CALL), CALL)
        memory = player.deal(memory, (0, 1, 2))
        assert player.policy(memory).actions == (to_check,)
        assert player.policy(memory).chances.sum(axis=0) == pytest.approx(1)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(GameError, match="always-fold"):
        find_player("always-fol")
    assert "always-call" in PLAYERS
