"""The player by a blueprint and nested search from the turn on."""

from __future__ import annotations

import numpy as np
import pytest

from support.blueprints import random_blueprint
from tacit.agents.holdem.blueprint_player import BlueprintMemory, BlueprintPlayer
from tacit.agents.holdem.blueprint_search import (
    BlueprintSearchPlayer,
    SearchMemory,
    blueprint_search_player,
)
from tacit.agents.holdem.settings import PRESETS
from tacit.evaluation.holdem.match import play_holdem
from tacit.games.holdem.betting import CALL, BettingRules
from tacit.games.holdem.cards import live_hands, parse_board

BLUEPRINT = random_blueprint()
PLAYER = BlueprintSearchPlayer(BLUEPRINT, PRESETS["tiny"])
BOARD = parse_board("3s7hTdKs")


def test_it_searches_from_the_turn_on_at_the_blueprints_beliefs() -> None:
    early = BlueprintPlayer(BLUEPRINT)
    memory = PLAYER.begin(BettingRules(), 0, np.random.default_rng(0))
    same = early.begin(BettingRules(), 0, np.random.default_rng(0))
    for step in (300, CALL, BOARD[:3], CALL, CALL):
        if isinstance(step, tuple):
            memory, same = PLAYER.deal(memory, step), early.deal(same, step)
        else:
            memory, same = PLAYER.act(memory, step), early.act(same, step)
    assert isinstance(memory, BlueprintMemory)
    assert memory.ranges[0] == pytest.approx(same.ranges[0])
    turn = PLAYER.deal(memory, BOARD[3:])
    assert isinstance(turn, SearchMemory)
    assert turn.root is not None
    expected = np.where(live_hands(BOARD), same.ranges[1], 0)
    assert turn.root.ranges[1] == pytest.approx(expected / expected.sum())
    assert turn.root.committed == 300
    policy = PLAYER.policy(turn)
    live = live_hands(BOARD)
    assert policy.chances[:, live].sum(axis=0) == pytest.approx(np.ones(live.sum()), abs=1e-6)


def test_it_plays_hands_to_the_end() -> None:
    found = play_holdem(PLAYER, BlueprintPlayer(BLUEPRINT), hands=8, seed=3, aivat=False)
    assert any(len(one.board) >= 4 for pair in found.played for one in pair)
    again = play_holdem(PLAYER, BlueprintPlayer(BLUEPRINT), hands=8, seed=3, aivat=False)
    assert again == found
    assert not PLAYER.model().late.settings.sampled


def test_with_leaves_it_searches_from_the_flop_on() -> None:
    player = blueprint_search_player("tiny,flop,equity")
    memory = player.begin(BettingRules(), 0, np.random.default_rng(0))
    flop = player.deal(player.act(player.act(memory, 300), CALL), BOARD[:3])
    assert isinstance(flop, SearchMemory)
    live = live_hands(BOARD[:3])
    chances = player.policy(flop).chances[:, live]
    assert chances.sum(axis=0) == pytest.approx(np.ones(live.sum()), abs=1e-6)
    assert player.model().first == player.first
