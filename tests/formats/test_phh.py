"""PHH: hands written here are read by PokerKit, and the other way round."""

from __future__ import annotations

from contextlib import suppress
from datetime import time

import numpy as np
import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.formats.phh import HandHistory, dumps, loads
from tacit.games.game import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FOLD, BettingRules
from tacit.games.holdem.cards import parse_cards

EXAMPLE = """\
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = [
  "d dh p1 AcKd",
  "d dh p2 ????",
  "p2 cbr 300 # min is 200",
  "p1 cc",
  "d db Jc3d5c",
  "p1 cc",
  "p2 cbr 400",
  "p1 f",
]
players = ["Ann", "Bob"]
_note = "kept"
"""


def random_hand(random: np.random.Generator) -> HandHistory:
    stacks = random.integers(150, int(random.choice([500, 3000])), size=2)
    rules = BettingRules(stacks=(int(stacks[0]), int(stacks[1])), ante=int(random.choice([0, 10])))
    deck = [int(card) for card in random.permutation(52)[:9]]
    state = rules.start()
    actions = []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal()
            continue
        bounds = state.raise_bounds()
        roll = random.random()
        action = CALL
        if bounds and roll < 0.4:
            action = int(random.integers(bounds[0], min(bounds[1], bounds[0] + state.pot) + 1))
        elif state.can_fold and roll < 0.55:
            action = FOLD
        actions.append(action)
        state = state.act(action)
    board = deck[4 : 4 + BOARD_SIZES[state.street]]
    return HandHistory(
        rules=rules,
        holes=((deck[0], deck[1]), (deck[2], deck[3])),
        board=tuple(board),
        actions=tuple(actions),
        fields={"players": ["Ann", "Bob"], "hand": int(random.integers(1000))},
    )


def test_the_example():
    hand = loads(EXAMPLE)
    assert hand.holes == (parse_cards("AcKd"), ())
    assert hand.board == parse_cards("Jc3d5c")
    assert hand.actions == (300, CALL, CALL, 700, FOLD)
    assert hand.payoffs() == (-300, 300)
    assert hand.fields == {"players": ["Ann", "Bob"], "_note": "kept"}
    assert loads(dumps(hand)) == hand


def test_pokerkit_reads_what_is_written():
    random = np.random.default_rng(0)
    for _ in range(200):
        hand = random_hand(random)
        text = dumps(hand)
        assert loads(text) == hand
        theirs = pokerkit.HandHistory.loads(text)
        *_, last = theirs
        assert not last.status
        assert tuple(last.payoffs) == hand.payoffs()
        # What PokerKit writes again is the same hand.
        again = loads(theirs.dumps())
        assert (again.rules, again.holes, again.board) == (hand.rules, hand.holes, hand.board)
        assert again.actions == hand.actions


def test_fields_survive():
    fields = {
        "event": 'a "quoted" \\ name\x7f',
        "time": time(12, 30),
        "_odd key": {"nested": [1, 2.5, True]},
        "year": 2009,
    }
    hand = HandHistory(rules=BettingRules(), fields=fields)
    assert loads(dumps(hand)).fields == fields
    with pytest.raises(GameError, match="cannot be written as TOML"):
        dumps(HandHistory(rules=BettingRules(), fields={"_x": object()}))


def test_unfinished_and_unknown():
    rules = BettingRules()
    assert HandHistory(rules=rules, actions=(300,)).payoffs() is None
    board = parse_cards("Jc3d5c8s9d")
    shown = HandHistory(rules=rules, board=board, actions=(CALL,) * 8)
    assert shown.payoffs() is None
    mucked = HandHistory(rules=rules, board=board, actions=(CALL,) * 8, mucked=0)
    assert mucked.payoffs() == (-100, 100)
    assert loads(dumps(mucked)) == mucked


def test_cards_shown_at_the_end_become_known():
    words = ["p2 cc", "p1 cc", "d db Jc3d5c", "p1 cc", "p2 cc", "d db 8s", "p1 cc", "p2 cc"]
    words += ["d db 9d", "p1 cc", "p2 cc", "p1 sm AcKd", "p2 sm JdJs"]
    rules = BettingRules()
    text = dumps(HandHistory(rules=rules)).replace('"d dh p2 ????"', str(words)[1:-1])
    text = text.replace('"d dh p1 ????", ', '"d dh p1 ????", "d dh p2 ????", ')
    hand = loads(text)
    assert hand.holes == (parse_cards("AcKd"), parse_cards("JdJs"))
    assert hand.payoffs() == (-100, 100)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"NT"', '"PO"', "variant 'PO' is not played here; expected 'NT'"),
        ('variant = "NT"\n', "", "'variant' is missing"),
        ("min_bet = 100", "min_bet = 200", "expected the big blind, 100"),
        ("antes = [0, 0]", "antes = [0, 5]", "expected the same ante"),
        ("[20000, 20000]", "[20000]", "one amount for each of 2 players"),
        ("[20000, 20000]", "[20000, 0]", "player 1 has a stack of 0"),
        ("[50, 100]", "[0.5, 100]", "expected whole chips"),
        ("p2 cbr 300", "p2 cbr 150", "PHH action 3, .*: a raise to 150 .* possible: fold, call 50"),
        ("p2 cbr 300", "p2 cbr 1", "too small"),
        ("p2 cbr 300", "p2 cbr x", "the amount is 'x'"),
        ("p2 cbr 300", "p1 cbr 300", "p1 cannot act now: it is p2's turn"),
        ("p2 cbr 300", "p3 cbr 300", "'p3' is not a player"),
        ("d dh p2 ????", "d dh p3 ????", "'p3' is not a player"),
        ("p2 cbr 300", "p2 bets 300", "expected d dh pN cards"),
        ("d db Jc3d5c", "d db Jc3d", "2 board cards; expected 3"),
        ("d db Jc3d5c", "d db JcAc5c", "Ac is there twice"),
        ("d db Jc3d5c", "p2 sm AcKd", "action 6, 'p1 cc': p1 cannot act now: board cards are due"),
        ("p1 f", "p1 sm", "mucked at a showdown"),
        ("AcKd", "Ac", "1 hole cards; expected 2"),
        ("d dh p2 ????", "d dh p1 AcKh", "p1 was dealt AcKd"),
        ("actions = [", "actions = [3,", "list of texts"),
        ("antes = [0, 0]", "antes = [0, 0", "not a PHH document"),
    ],
)
def test_a_bad_document(old, new, message):
    assert old in EXAMPLE
    with pytest.raises(GameError, match=message) as caught:
        loads(EXAMPLE.replace(old, new))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"actions": (CALL, 150)}, "action 2 of the hand history: a raise to 150"),
        ({"actions": (300,), "board": parse_cards("Jc3d5c")}, "expected 0"),
        ({"board": parse_cards("Jc3d")}, "expected 0, 3, 4 or 5"),
        ({"holes": ((1,), ())}, "two cards"),
        ({"holes": ((1, 2), (2, 3))}, "2h is there twice"),
        ({"mucked": 1}, "mucked at a showdown"),
        ({"rules": BettingRules.from_pot(3, pot=200, behind=(1, 1))}, "whole hands"),
    ],
)
def test_a_bad_hand(options, message):
    with pytest.raises(GameError, match=message):
        HandHistory(**({"rules": BettingRules()} | options))


@settings(deadline=None)
@given(st.text() | st.text("d bhpcbrfsm12 AcKd?0#-\n"))
def test_only_the_documented_error_comes_out(text):
    for document in (text, EXAMPLE.replace("p2 cbr 300 # min is 200", text), f"{EXAMPLE}\n{text}"):
        with suppress(GameError):
            loads(document)
