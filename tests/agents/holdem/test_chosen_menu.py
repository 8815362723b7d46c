"""Bets that a trained network chooses for a search in play."""

from __future__ import annotations

import numpy as np

from tacit.agents.holdem.chosen_menu import chosen_menu
from tacit.agents.holdem.settings import read_settings
from tacit.games.holdem.betting import BettingRules
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
    chosen = chosen_menu(river(), MENU, LearnedChooser(sizes=2))
    assert chosen.now[0].endswith("%,a")
    assert chosen.now[0].count("%") <= 2
    assert chosen.now[0] != MENU.now[0]
    assert chosen.now[1:] == MENU.now[1:]
    raised = chosen_menu(river(1200), MENU, LearnedChooser())
    assert raised.now[0] == MENU.now[0]
    assert raised.now[1] != MENU.now[1]
    assert raised.now[2] == "a"


def test_where_nothing_can_be_chosen_the_menu_stays():
    assert chosen_menu(river(5000), MENU, LearnedChooser()) is MENU
    first = StreetPBS.first(BettingRules())
    assert chosen_menu(first, MENU, LearnedChooser()) is MENU


def test_players_are_told_by_a_switch():
    assert read_settings("tiny,auto-sizes").chosen_sizes
    assert not read_settings("tiny").chosen_sizes
