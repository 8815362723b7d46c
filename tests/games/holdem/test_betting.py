"""The betting rules, by hand and by replaying random hands in OpenSpiel and PokerKit."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import Automation, NoLimitTexasHoldem

from tacit.games.game import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import (
    BOARD_SIZES,
    CALL,
    FOLD,
    RIVER,
    TURN,
    Betting,
    BettingRules,
    replay,
)
from tacit.games.holdem.cards import format_cards
from tacit.games.holdem.hand_rank import rank_cards
from tacit.games.holdem.notation import NotationError

RULES = BettingRules()
DEALING = (Automation.HOLE_DEALING, Automation.BOARD_DEALING, Automation.CARD_BURNING)
AUTOMATIONS = tuple(automation for automation in Automation if automation not in DEALING)


def random_action(state: Betting, random: np.random.Generator) -> int:
    bounds = state.raise_bounds()
    roll = random.random()
    if bounds and roll < 0.45:
        least, most = bounds
        near = min(most, least + state.pot)
        kind = random.integers(5)
        if kind == 0:
            return most
        if kind == 1:
            return int(random.integers(least, most + 1))
        return least if kind == 2 else int(random.integers(least, near + 1))
    return FOLD if state.can_fold and roll < 0.6 else CALL


def random_stacks(random: np.random.Generator, least: int) -> tuple[int, int]:
    most = int(random.choice([300, 1000, 5000]))
    stacks = random.integers(least, most, size=2)
    if random.random() < 0.3:
        stacks[1] = stacks[0]
    return int(stacks[0]), int(stacks[1])


def showdown(deck: np.ndarray) -> int | None:
    """Player 0 holds the first two cards, player 1 the next two, then comes the board."""
    hands = np.stack([np.r_[deck[:2], deck[4:9]], np.r_[deck[2:4], deck[4:9]]])
    big, small = rank_cards(hands)
    return None if big == small else int(small > big)


def spiel_game(rules: BettingRules) -> pyspiel.Game:
    return pyspiel.load_game(
        "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,firstPlayer=2 1 1 1,numSuits=4,"
        "numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,bettingAbstraction=fullgame,"
        f"blind={rules.big_blind} {rules.small_blind},stack={rules.stacks[0]} {rules.stacks[1]})"
    )


def replay_in_openspiel(random: np.random.Generator) -> None:
    rules = BettingRules(stacks=random_stacks(random, 101))
    deck = random.permutation(52)[:9]
    theirs = spiel_game(rules).new_initial_state()
    for card in deck[:4]:
        theirs.apply_action(int(card))
    ours = rules.start()
    while ours.player != TERMINAL:
        if ours.player == CHANCE:
            for card in deck[4 + BOARD_SIZES[ours.street] : 4 + BOARD_SIZES[ours.street + 1]]:
                assert theirs.is_chance_node()
                theirs.apply_action(int(card))
            ours = ours.deal()
            continue
        assert theirs.current_player() == ours.player
        bounds = ours.raise_bounds()
        legal = [FOLD] * ours.can_fold + [CALL]
        legal += range(bounds[0], bounds[1] + 1) if bounds else []
        assert theirs.legal_actions() == legal
        action = random_action(ours, random)
        theirs.apply_action(action)
        ours = ours.act(action)
    assert theirs.is_terminal()
    winner = showdown(deck) if ours.folded is None else None
    assert tuple(theirs.returns()) == ours.payoffs(winner)


def replay_in_pokerkit(random: np.random.Generator) -> None:
    rules = BettingRules(stacks=random_stacks(random, 2), ante=int(random.choice([0, 0, 10, 100])))
    deck = random.permutation(52)[:9]
    theirs = NoLimitTexasHoldem.create_state(
        AUTOMATIONS,
        True,
        {0: rules.ante, 1: rules.ante},
        (rules.small_blind, rules.big_blind),
        rules.big_blind,
        rules.stacks,
        2,
    )
    theirs.deal_hole(format_cards(deck[:2]), 0)
    theirs.deal_hole(format_cards(deck[2:4]), 1)
    ours = rules.start()
    while ours.player != TERMINAL:
        if ours.player == CHANCE:
            assert theirs.actor_index is None
            cards = deck[4 + BOARD_SIZES[ours.street] : 4 + BOARD_SIZES[ours.street + 1]]
            theirs.burn_card("??")
            theirs.deal_board(format_cards(cards))
            ours = ours.deal()
            continue
        assert theirs.actor_index == ours.player
        assert theirs.checking_or_calling_amount == ours.to_call
        assert theirs.stacks == list(ours.behind)
        bounds = ours.raise_bounds()
        least = theirs.min_completion_betting_or_raising_to_amount
        most = theirs.max_completion_betting_or_raising_to_amount
        assert bounds == (None if least is None else (ours.to_total(least), ours.to_total(most)))
        action = random_action(ours, random)
        if action == FOLD:
            theirs.fold()
        elif action == CALL:
            theirs.check_or_call()
        else:
            theirs.complete_bet_or_raise_to(ours.to_street(action))
        ours = ours.act(action)
    assert not theirs.status
    winner = showdown(deck) if ours.folded is None else None
    assert tuple(theirs.payoffs) == ours.payoffs(winner)


@pytest.mark.parametrize("one_hand", [replay_in_openspiel, replay_in_pokerkit])
@pytest.mark.parametrize("hands", [500, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_hands_agree_chip_for_chip(one_hand, hands):
    random = np.random.default_rng(hands)
    for _ in range(hands):
        one_hand(random)


def test_blinds_and_order():
    start = RULES.start()
    assert start.committed == (100, 50)
    assert (start.player, start.to_call, start.raise_bounds()) == (1, 50, (200, 20_000))
    option = start.act(CALL)
    assert (option.player, option.to_call, option.can_fold) == (0, 0, False)
    flop = option.act(CALL).deal()
    assert (flop.player, flop.raise_bounds()) == (0, (200, 20_000))


def test_raise_sizes_grow_with_the_last_raise():
    state = replay(RULES, "r300")
    assert state.raise_bounds() == (500, 20_000)
    state = replay(RULES, "r300r900")
    assert state.raise_bounds() == (1500, 20_000)
    state = replay(RULES, "r300c/r400")
    assert state.raise_bounds() == (500, 20_000)


def test_a_short_all_in_cannot_be_raised():
    rules = BettingRules(stacks=(350, 20_000))
    state = replay(rules, "r300r350")
    assert state.raise_bounds() is None
    assert state.to_call == 50
    assert state.act(CALL).player == CHANCE


def test_all_in_runs_the_board_out():
    state = replay(RULES, "r20000c")
    for _ in range(3):
        assert state.player == CHANCE
        state = state.deal()
    assert state.player == TERMINAL
    assert state.payoffs(0) == (20_000, -20_000)
    assert state.payoffs(None) == (0, 0)


def test_uncalled_chips_come_back():
    rules = BettingRules(stacks=(1000, 5000))
    state = replay(rules, "r5000c///")
    assert state.committed == (1000, 5000)
    assert state.payoffs(0) == (1000, -1000)
    assert replay(RULES, "r5000f").payoffs() == (-100, 100)


@pytest.mark.parametrize(
    ("stacks", "player", "to_call"),
    [((60, 500), 1, 10), ((40, 500), CHANCE, 0), ((500, 30), CHANCE, 0), ((100, 100), 1, 50)],
)
def test_stacks_shorter_than_the_blinds(stacks, player, to_call):
    state = BettingRules(stacks=stacks).start()
    assert state.player == player
    if player == 1:
        assert state.to_call == to_call


def test_a_hand_from_a_pot():
    rules = BettingRules.from_pot(RIVER, pot=55, behind=(100, 300), big_blind=10)
    state = rules.start()
    assert (state.player, state.pot, state.behind) == (0, 55, (100, 300))
    assert state.raise_bounds() == (37, 127)
    over = state.act(CALL).act(CALL)
    assert over.player == TERMINAL
    assert over.payoffs(0) == (28, -27)
    assert over.payoffs(1) == (-27, 28)
    # The odd chip of a split pot goes to the player who is first to act.
    assert over.payoffs(None) == (1, 0)


def test_a_hand_that_ends_on_an_early_street():
    rules = BettingRules(last_street=1)
    assert replay(rules, "cc/cc").player == TERMINAL


def test_amounts_on_the_street_and_in_total():
    state = replay(RULES, "r300c/")
    assert state.to_street(700) == 400
    assert state.to_total(400) == 700


@pytest.mark.parametrize(
    ("text", "token", "column", "message"),
    [
        ("r150", "r150", 1, "possible: fold, call 50, raise to 200 to 20000"),
        ("cc/f", "f", 4, "fold is not possible here; possible: check, raise to 200"),
        ("r300c/kr600fc", "c", 13, "the hand is over"),
        ("ck/kb", "b", 5, "expected f, c, k, r"),
        ("k", "k", 1, "there is a bet to call"),
        ("c/", "/", 2, "no cards are due"),
        ("ccc", "c", 3, "only the cards of the next street"),
        ("r1", "r1", 1, "no raise is this small"),
    ],
)
def test_an_illegal_history_is_pointed_at(text, token, column, message):
    with pytest.raises(NotationError, match=message) as caught:
        replay(RULES, text)
    assert (caught.value.token, caught.value.column) == (token, column)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stacks": (0, 100)}, "player 0 has a stack of 0"),
        ({"stacks": (100, -5)}, "player 1 has a stack of -5"),
        ({"big_blind": 10}, "at least the small blind"),
        ({"ante": -1}, "ante is -1"),
        ({"first_street": 2, "last_street": 1}, "impossible"),
        ({"committed": 100}, "first_street"),
        ({"first_street": TURN, "committed": 30_000}, "already committed"),
    ],
)
def test_impossible_rules(options, message):
    with pytest.raises(GameError, match=message):
        BettingRules(**options)


def test_payoffs_need_a_finished_hand():
    with pytest.raises(GameError, match="not over"):
        RULES.start().payoffs(0)


def test_from_pot_needs_a_board():
    with pytest.raises(GameError, match="expected 1"):
        BettingRules.from_pot(0, pot=100, behind=(10, 10))


def test_a_history_takes_every_action():
    state = RULES.start().act(300).act(CALL).deal().act(CALL).act(500)
    assert replay(RULES, "r300c/kr500") == state


@settings(deadline=None)
@given(st.text() | st.text("fckr/0123456789 "))
def test_only_the_documented_error_comes_out(text):
    with suppress(GameError):
        replay(RULES, text)
