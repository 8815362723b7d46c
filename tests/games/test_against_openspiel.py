"""Random playouts pay the same in OpenSpiel's version of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.games import CHANCE, TERMINAL, State, load_game

pyspiel: Any = pytest.importorskip("pyspiel")


def follow(state: State, theirs: Any, random: np.random.Generator) -> None:
    """Play both to the end, taking the actions of `state`, which are numbered as in OpenSpiel."""
    while state.player != TERMINAL:
        assert state.player == theirs.current_player()
        assert list(state.actions()) == theirs.legal_actions()
        action = state.actions()[int(random.integers(len(state.actions())))]
        state = state.child(action)
        theirs.apply_action(action)
        if theirs.is_chance_node():
            state, theirs = deal_board(state, theirs, random)
    assert theirs.is_terminal()
    assert theirs.returns() == [state.payoff(), -state.payoff()]


def deal_board(state: State, theirs: Any, random: np.random.Generator) -> tuple[State, Any]:
    """Deal Leduc's board: two of OpenSpiel's cards make a rank."""
    assert state.player == CHANCE
    cards = [card for card, _ in theirs.chance_outcomes()]
    ranks = [card // 2 for card in cards]
    for rank, weight in zip(state.actions(), state.chance(), strict=True):
        assert ranks.count(rank) / len(ranks) == pytest.approx(weight)
    card = int(random.choice(cards))
    theirs.apply_action(card)
    return state.child(card // 2), theirs


def test_kuhn() -> None:
    for seed in range(100):
        random = np.random.default_rng(seed)
        theirs = pyspiel.load_game("kuhn_poker").new_initial_state()
        first, second = random.permutation(3)[:2]
        theirs.apply_action(first)
        theirs.apply_action(second)
        follow(load_game("kuhn").replay("JQK"[first] + "JQK"[second]), theirs, random)


def test_leduc() -> None:
    for seed in range(300):
        random = np.random.default_rng(seed)
        theirs = pyspiel.load_game("leduc_poker").new_initial_state()
        first, second = random.permutation(6)[:2]
        theirs.apply_action(first)
        theirs.apply_action(second)
        follow(load_game("leduc").replay("JQK"[first // 2] + "JQK"[second // 2]), theirs, random)


def test_liars_dice() -> None:
    for seed in range(100):
        random = np.random.default_rng(seed)
        theirs = pyspiel.load_game("liars_dice").new_initial_state()
        first, second = random.integers(6, size=2)
        theirs.apply_action(first)
        theirs.apply_action(second)
        follow(load_game("liars-dice-1x6").replay(f"{first + 1}|{second + 1}"), theirs, random)


def test_tic_tac_toe() -> None:
    for seed in range(100):
        theirs = pyspiel.load_game("tic_tac_toe").new_initial_state()
        follow(load_game("tic-tac-toe").initial(), theirs, np.random.default_rng(seed))


def test_connect_four() -> None:
    for seed in range(100):
        theirs = pyspiel.load_game("connect_four").new_initial_state()
        follow(load_game("connect-four").initial(), theirs, np.random.default_rng(seed))
