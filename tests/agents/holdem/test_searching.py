"""The search player by name."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.named import find_player
from tacit.agents.holdem.search_player import SearchPlayer
from tacit.agents.holdem.searching import NETWORKS, evaluators
from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules
from tacit.learn.holdem.equity_evaluator import EquityEvaluator


def test_search_is_found_by_name() -> None:
    player = find_player("search:tiny,equity")
    assert isinstance(player, SearchPlayer)
    memory = player.begin(BettingRules(), 1, np.random.default_rng(0))
    assert len(player.policy(memory).actions) > 2
    with pytest.raises(GameError, match="fast"):
        find_player("search:fastt")


def test_every_street_has_an_evaluator() -> None:
    assert set(evaluators(network=True)) == set(NETWORKS)
    assert all(isinstance(each, EquityEvaluator) for each in evaluators(network=False).values())
