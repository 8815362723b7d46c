"""Bet sizes: what is read, what it comes to in chips, and where a bad one is bad."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.games.game import CHANCE, TERMINAL, GameError
from tacit.games.holdem.bet_sizes import (
    BetSettings,
    BetSize,
    StreetSizes,
    Unit,
    parse_street_sizes,
)
from tacit.games.holdem.betting import CALL, FLOP, RIVER, TURN, BettingRules, replay
from tacit.games.holdem.notation import NotationError

TURN_SPOT = BettingRules.from_pot(TURN, pot=2000, behind=(19_000, 19_000))
RIVER_SPOT = BettingRules.from_pot(RIVER, pot=1000, behind=(2000, 2000))


def sizes(text: str, rules: BettingRules, history: str = "", **thresholds: float) -> list[int]:
    """The bets or raises after `history`, in chips beyond what each had when the hand started."""
    state = replay(rules, history)
    totals = BetSettings.parse(text, **thresholds).raises(state)
    assert all(state.legal(total) for total in totals)
    return [total - rules.committed for total in totals]


def parse_raises(text: str) -> tuple[BetSize, ...]:
    return parse_street_sizes(f"/{text}")[0].raises


def test_every_notation():
    assert parse_raises("50%, 2.5x,100c, e ,2e,3e200%,A") == (
        BetSize(Unit.POT, 0.5),
        BetSize(Unit.PREVIOUS, 2.5),
        BetSize(Unit.CHIPS, 100),
        BetSize(Unit.GEOMETRIC),
        BetSize(Unit.GEOMETRIC, 2),
        BetSize(Unit.GEOMETRIC, 3, 2.0),
        BetSize(Unit.ALL_IN),
    )
    assert parse_raises(" ") == ()


def test_players_and_raises():
    half, third, all_in = (parse_raises(text) for text in ("50%", "33%", "a"))
    assert parse_street_sizes("50%/a") == (StreetSizes(half, all_in),) * 2
    assert parse_street_sizes("50%") == (StreetSizes(half, half),) * 2
    assert parse_street_sizes("50%/|33%/a") == (StreetSizes(half, ()), StreetSizes(third, all_in))
    assert parse_street_sizes("") == (StreetSizes(), StreetSizes())


@settings(deadline=None)
@given(
    st.lists(
        st.builds(BetSize, st.just(Unit.POT), st.integers(1, 999).map(lambda n: n / 100))
        | st.builds(BetSize, st.just(Unit.PREVIOUS), st.integers(11, 99).map(lambda n: n / 10))
        | st.builds(BetSize, st.just(Unit.CHIPS), st.integers(1, 10**8).map(float))
        | st.builds(BetSize, st.just(Unit.GEOMETRIC), st.integers(0, 5).map(float))
        | st.just(BetSize(Unit.ALL_IN))
    ).map(tuple)
)
def test_what_is_written_is_read(sizes):
    def text(size: BetSize) -> str:
        number = size.amount * (100 if size.unit is Unit.POT else 1)
        return f"{number:.10g}{size.unit}" if number else str(size.unit)

    written = StreetSizes((), sizes)
    assert parse_street_sizes("/" + ", ".join(map(text, sizes))) == (written, written)


def test_the_papers_turn_endgame():
    text = "50%,100%,a/75%,a"
    assert sizes(text, TURN_SPOT) == [1000, 2000, 19_000]
    # The pot after calling 1,000 is 4,000; a raise by three quarters of it goes to 4,000.
    assert sizes(text, TURN_SPOT, "r2000") == [4000, 19_000]


def test_each_notation_in_chips():
    assert sizes("50%,100c,a/a", RIVER_SPOT) == [100, 500, 2000]
    assert sizes("a/2.5x,500c,50%", RIVER_SPOT, "r900") == [900, 1000, 1300]


def test_before_the_flop_sizes_are_raises():
    assert sizes("/2.5x,100%", BettingRules()) == [250, 300]
    assert sizes("/3x", BettingRules(), "c") == [300]


def test_geometric_bets_end_all_in():
    rules = BettingRules.from_pot(FLOP, pot=100, behind=(1000, 1000), big_blind=2)
    settings = BetSettings.parse("e/a")
    state = rules.start()
    fractions = []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal()
            continue
        before = state.pot
        [bet] = settings.raises(state)
        fractions.append((bet - max(state.committed)) / before)
        state = state.act(bet).act(CALL)
    assert state.behind == (0, 0)
    assert max(fractions) - min(fractions) < 0.01
    assert sizes("1e/a", rules) == [1000]
    assert sizes("1e200%/a", rules) == [200]


def test_sizes_are_clipped_to_what_is_legal():
    assert sizes("1%,1000%", RIVER_SPOT) == [100, 2000]
    assert sizes("a", RIVER_SPOT, "r2500") == []
    # Against a shorter stack, all in is what the opponent can call.
    short = BettingRules.from_pot(RIVER, pot=1000, behind=(2000, 700))
    assert sizes("50%,100%,a", short) == [500, 700]
    # Unless that is less than a legal bet: then it is the smallest one.
    shorter = BettingRules.from_pot(RIVER, pot=1000, behind=(2000, 30))
    assert sizes("50%,a", shorter) == [100]


def test_add_all_in():
    assert sizes("50%/a", RIVER_SPOT, add_all_in=1.9) == [500]
    assert sizes("50%/a", RIVER_SPOT, add_all_in=2.0) == [500, 2000]


def test_force_all_in():
    # A called bet of 1,500 leaves 500 behind and 4,000 in the pot.
    assert sizes("50%,150%/a", RIVER_SPOT, force_all_in=0.12) == [500, 1500]
    assert sizes("50%,150%/a", RIVER_SPOT, force_all_in=0.125) == [500, 2000]


def test_merge():
    # (1 + 1.0) / (1 + 0.9) is 1.053, (1 + 1.0) / (1 + 0.5) is 1.33.
    assert sizes("50%,90%,100%/a", RIVER_SPOT, merge=0.05) == [500, 900, 1000]
    assert sizes("50%,90%,100%/a", RIVER_SPOT, merge=0.06) == [500, 1000]


def test_sizes_per_street():
    settings = BetSettings.parse({"turn": "50%", "river": "a"})
    assert settings.raises(TURN_SPOT.start()) == (2000,)
    assert settings.raises(RIVER_SPOT.start()) == (2500,)
    assert settings.raises(BettingRules().start()) == ()
    with pytest.raises(GameError, match="unknown street 'rivr'; expected preflop"):
        BetSettings.parse({"rivr": "a"})


def test_no_bets_when_nobody_can_bet():
    state = replay(TURN_SPOT, "r20000c")
    assert BetSettings.parse("a").raises(state) == ()


def test_bad_thresholds():
    with pytest.raises(GameError, match="merge is -1"):
        BetSettings.parse("a", merge=-1)


@pytest.mark.parametrize(
    ("text", "token", "column", "message"),
    [
        ("50%,2.5x", "2.5x", 5, "no previous bet"),
        ("50%, 60 ,a", "60", 6, "expected a size such as"),
        ("50%/2.5x| a/ 3y", "3y", 14, "expected a size"),
        ("50%,,a", "", 5, "expected a size"),
        ("0%", "0%", 1, "above 0"),
        ("50%/0.9x", "0.9x", 5, "more than 1x"),
        ("1.5c", "1.5c", 1, "chips are whole"),
        ("1.5e", "1.5e", 1, "whole number of bets"),
        ("2e0%", "2e0%", 1, "cap must be above 0"),
        ("2a", "2a", 1, "takes no number"),
        ("50%50%", "50%50%", 1, "expected a size"),
        ("a/a/a", "a", 5, "at most one /"),
        ("a|a|a", "a", 5, "at most two players"),
    ],
)
def test_bad_sizes_are_pointed_at(text, token, column, message):
    with pytest.raises(NotationError, match=message) as caught:
        parse_street_sizes(text)
    assert (caught.value.token, caught.value.column) == (token, column)
    assert "\n" not in str(caught.value)


@settings(deadline=None)
@given(st.text() | st.text("0123456789.%xcea,/| "))
def test_only_the_documented_error_comes_out(text):
    for read in (parse_street_sizes, parse_raises):
        with suppress(GameError):
            read(text)
