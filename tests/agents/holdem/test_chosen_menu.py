"""Bets that a trained network chooses for a search in play."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.agents.holdem.chosen_menu import base_sizes, chosen_menu, learned_sizes
from tacit.agents.holdem.searching import search_player
from tacit.agents.holdem.settings import read_settings
from tacit.games.holdem.betting import CALL, BettingRules
from tacit.games.holdem.cards import live_hands, parse_cards
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.subgame.street import BetMenu, StreetPBS

MENU = BetMenu(now=("40%,a", "a"))
BOARD = parse_cards("2c7dJhQsKs")


def river(*line, committed=500):
    every = live_hands(BOARD).astype(np.float64)
    rules = BettingRules(stacks=(5000, 5000))
    return StreetPBS(
        rules=rules, board=BOARD, committed=committed, line=line, ranges=(every, every)
    )


def test_the_bets_of_the_root_are_chosen_and_later_ones_stay():
    chosen = chosen_menu(river(), MENU, LearnedChooser(sizes=2).at)
    assert chosen.now[0].endswith("%,a")
    assert chosen.now[0].count("%") <= 2
    assert chosen.now[0] != MENU.now[0]
    assert chosen.now[1:] == MENU.now[1:]
    raised = chosen_menu(river(1200), MENU, learned_sizes)
    assert raised.now[0] == MENU.now[0]
    assert raised.now[1] != MENU.now[1]
    assert raised.now[2] == "a"


def test_the_base_is_a_chooser_too_and_serves_deep_turns():
    assert chosen_menu(river(), MENU, base_sizes).now == ("50%,100%,200%,a", "a")
    deep, shallow = (
        replace(river(committed=committed), board=BOARD[:4]) for committed in (200, 1500)
    )
    assert chosen_menu(deep, MENU, learned_sizes).now[0] == "50%,100%,200%,a"
    assert chosen_menu(shallow, MENU, learned_sizes).now[0] != "50%,100%,200%,a"


def test_where_nothing_can_be_chosen_the_menu_stays():
    assert chosen_menu(river(5000), MENU, learned_sizes) is MENU
    first = StreetPBS.first(BettingRules())
    assert chosen_menu(first, MENU, learned_sizes) is MENU


def test_players_are_told_who_chooses_by_a_word():
    words = {"tiny": "fixed", "tiny,base-sizes": "base", "tiny,auto-sizes": "learned"}
    assert {text: read_settings(text).sizes for text in words} == words


def test_a_search_has_the_chosen_sizes_and_those_that_the_opponent_bets():
    player = search_player("tiny,equity,base-sizes")
    base = player.solve(river(), (), 0)
    assert base.decision(()).actions == (1, 1000, 1500, 2500, 5000)
    off = player.solve(river(), (CALL, 777), 0)
    assert 777 in off.decision((CALL,)).actions, "an off-tree bet is answered"
    assert off.decision(()).actions == base.decision(()).actions
