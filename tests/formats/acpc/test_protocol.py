"""Game definitions and match states, read strictly and written as the dealer writes them."""

from __future__ import annotations

import pytest

from support.dealer import source
from tacit.formats.acpc.protocol import (
    betting_text,
    cards_text,
    game_text,
    load_game_definition,
    on_street,
    read_game,
    read_match_state,
)
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import parse_cards

RULES = BettingRules()
SAME = """# comment
gamedef
NoLimit
numplayers 2
numrounds = 4
stack = 20000 20000

blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
end gamedef
anything
"""


def test_a_definition_is_read_and_written(tmp_path) -> None:
    assert read_game(SAME) == RULES == load_game_definition(None)
    rules = BettingRules(stacks=(1500, 900), big_blind=20, small_blind=10)
    path = tmp_path / "game"
    path.write_text(game_text(rules))
    assert load_game_definition(path) == rules


def test_the_dealers_own_definition_is_the_default() -> None:
    path = source() / "holdem.nolimit.2p.reverse_blinds.game"
    assert load_game_definition(path) == load_game_definition(None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NoLimit", "limit", "not of a no-limit game"),
        ("numplayers 2", "numplayers 3", "numPlayers is 3 .* heads-up hold'em has 2"),
        ("numplayers 2\n", "", "numPlayers is missing"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 1 1 1 1", "firstPlayer is 1 1 1 1"),
        ("blind = 100 50", "blind = 50 100", "expected the big blind first"),
        ("blind = 100 50", "blind = 100", "blind is '100' .* expected two"),
        ("blind = 100 50", "blind = 100 fifty", "line 8 .* expected whole numbers"),
        ("stack = 20000 20000", "stack = 20000 100", "stacks larger than it"),
        ("stack = 20000 20000\n", "", "stack is ''"),
        ("numSuits = 4", "numSuits = 4\nmaxRaises = 3 4 4 4", "limits raises by maxRaises"),
        ("numSuits = 4", "numSuits = 4\nantes = 3", "line 11 .* is not known"),
    ],
)
def test_another_game_is_refused(old: str, new: str, message: str) -> None:
    assert old in SAME
    with pytest.raises(GameError, match=message):
        read_game(SAME.replace(old, new))


def test_amounts_are_totals_over_the_hand() -> None:
    line = "MATCHSTATE:1:7:r300c/cr600c/r1000f:|AhKd/2c3d4s/5h"
    state = read_match_state(line, RULES)
    assert (state.position, state.number, state.finished) == (1, 7, True)
    assert state.hand.actions == (300, CALL, CALL, 600, CALL, 1000, FOLD)
    assert state.hand.payoffs() == (600, -600)
    assert state.hand.holes == ((), parse_cards("AhKd"))
    assert betting_text(state.hand) == "r300c/cr600c/r1000f"
    assert cards_text(state.hand) == "|AhKd/2c3d4s/5h"


def test_an_all_in_before_the_river_has_all_streets() -> None:
    state = read_match_state("MATCHSTATE:0:0:r20000c///:AhKd|2c2d/3d4s5h/6c/9s", RULES)
    assert state.finished
    assert state.hand.payoffs() == (-20000, 20000)
    assert betting_text(state.hand) == "r20000c///"


def test_the_dealer_has_room_for_64_actions_on_a_street() -> None:
    raises = "".join(f"r{100 * number}" for number in range(2, 64))
    state = read_match_state(f"MATCHSTATE:1:0:{raises}:|AhKd", RULES)
    assert (on_street(state.hand), state.may_raise) == (62, True)
    state = read_match_state(f"MATCHSTATE:0:0:{raises}r6400:AhKd|", RULES)
    assert (on_street(state.hand), state.may_raise) == (63, False)
    assert read_match_state(f"MATCHSTATE:0:0:{raises}r6400c/:AhKd|/2c3d4s", RULES).may_raise


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MATCHSTATE:2:0::AhKd|", "is not understood; expected MATCHSTATE:position"),
        ("MATCHSTATE:0:0:AhKd|", "is not understood"),
        ("HELLO", "is not understood"),
        ("MATCHSTATE:0:0::|AhKd", "lacks the cards of position 0"),
        ("MATCHSTATE:0:0:r150:AhKd|", "'r150' at column 1: a raise to 150"),
        ("MATCHSTATE:0:0:r30000:AhKd|", "a raise to 30000"),
        ("MATCHSTATE:0:0:cc:AhKd|/2c3d4s", "do not fit the betting"),
        ("MATCHSTATE:0:0:cc/:AhKd|/2c3d", "expected 3 cards"),
        ("MATCHSTATE:0:0:cc/:AhKd|/2cAh3d", "Ah is there twice"),
        ("MATCHSTATE:0:0::AhK|", "is not a card"),
        ("MATCHSTATE:0:0::Ah|", "two cards"),
        ("MATCHSTATE:0:0:/:AhKd|/2c3d4s", "no cards are due"),
        ("MATCHSTATE:0:0:cx:AhKd|", "'x' at column 2"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(line: str, message: str) -> None:
    with pytest.raises(GameError, match=message) as caught:
        read_match_state(line, RULES)
    assert "\n" not in str(caught.value)
