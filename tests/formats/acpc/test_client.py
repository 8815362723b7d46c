"""Matches through the real dealer, and dealers that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.dealer import EXAMPLE, play, random_player, rule_player, scripted_dealer
from tacit.agents.holdem.named import find_player
from tacit.formats.acpc.client import MAX_LINE, TablePlayer, play_at
from tacit.formats.acpc.log import read_log, totals
from tacit.formats.match_log import MatchRecord, load_hands
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, BettingRules

RULES = BettingRules()
SHORT = BettingRules(stacks=(1500, 900), big_blind=20, small_blind=10)


@pytest.mark.parametrize(("name", "hands"), [("always-call", 1000), ("always-fold", 100)])
def test_a_match_against_the_dealers_player(tmp_path: Path, name: str, hands: int) -> None:
    played = play(tmp_path, [find_player(name), EXAMPLE], hands=hands)
    check(played.messages)
    log = read_log(played.log, RULES)
    [table] = played.tables
    assert log.complete
    assert len(log.hands) == len(table.record.hands) == hands
    ours, theirs = totals(log.hands, ("ours", EXAMPLE))
    assert ours == -theirs == totals(table.record.hands, ("ours", "opponent"))[0]
    assert table.decisions.adjusted == 0
    assert load_hands(tmp_path / "ours.log", RULES) == tuple(table.record.hands)
    assert load_hands(tmp_path / "ours.phhs", RULES) == tuple(table.record.hands)


@pytest.mark.slow
def test_the_searching_player_makes_no_illegal_choice(tmp_path: Path) -> None:
    played = play(tmp_path, [find_player("search:tiny"), EXAMPLE], hands=100)
    check(played.messages)
    [table] = played.tables
    assert len(table.record.hands) == 100
    assert table.decisions.adjusted == 0


@pytest.mark.parametrize("rules", [RULES, SHORT], ids=["200 blinds", "short"])
def test_both_clients_and_the_dealer_keep_the_same_hands(
    tmp_path: Path, rules: BettingRules
) -> None:
    players = [random_player(1, wild=True), random_player(2)]
    played = play(tmp_path, players, hands=300, rules=rules)
    check(played.messages)
    log = read_log(played.log, rules)
    first, second = (table.record.hands for table in played.tables)
    assert len(log.hands) == len(first) == len(second) == 300
    for theirs, *ours in zip(log.hands, first, second, strict=True):
        for hand in ours:
            assert (hand.actions, hand.board) == (theirs.actions, theirs.board)
            assert hand.payoffs() == theirs.payoffs()
            for mine, whole in zip(hand.holes, theirs.holes, strict=True):
                assert mine in ((), whole)
    assert totals(first, ("first", "opponent")) == totals(log.hands, ("first", "second"))
    assert played.tables[0].decisions.adjusted > 0  # the wild player's choices were made legal
    assert played.tables[1].decisions.adjusted == 0


def test_a_street_of_64_actions(tmp_path: Path) -> None:
    least = rule_player(lambda hand: (hand.betting.raise_bounds() or (CALL,))[0])
    played = play(tmp_path, [least, least], hands=4)
    check(played.messages)
    assert any(len(hand.actions) >= 64 for hand in read_log(played.log, RULES).hands)


def check(messages: str) -> None:
    """The dealer warns of every action that it had to change, and of time-outs."""
    assert "WARNING" not in messages
    assert "ERROR" not in messages
    assert "SCORE" in messages


FIRST = "MATCHSTATE:1:0::|AhKd\r\n"
ENDED = "MATCHSTATE:1:0:cr300f:|AhKd\r\n"
HAND = (FIRST, "MATCHSTATE:1:0:c:|AhKd\r\n", "MATCHSTATE:1:0:cr300:|AhKd\r\n", ENDED)


@pytest.mark.parametrize(
    ("lines", "hands", "message", "kept"),
    [
        ((FIRST,), 0, "hung up within hand 0, after 0 whole ones", 0),
        ((*HAND, "MATCHSTATE:0:1::AhKd|\r\n"), 0, "hung up within hand 1, after 1 whole ones", 1),
        ((*HAND, "MATCHSTATE:0:1::Ah"), 0, "hung up within a line", 1),
        (HAND, 2, "hung up after 1 hands; expected 2", 1),
        ((), 0, "hung up after 0 hands; expected some", 0),
        ((*HAND, "\udcff\udcfe!\r\n"), 0, "is not understood", 1),
        ((*HAND, "x" * (MAX_LINE + 1)), 0, "a line of more than 4096 bytes", 1),
        ((*HAND, FIRST), 0, "deals hand 0 after hand 0", 1),
        ((FIRST, "MATCHSTATE:0:1::AhKd|\r\n"), 0, "deals hand 1 before hand 0 has ended", 0),
        ((FIRST, "MATCHSTATE:1:0:c:|AhQd\r\n"), 0, "changes our cards", 0),
        ((FIRST, "MATCHSTATE:1:0:cr100:|AhKd\r\n"), 0, "a raise to 100", 0),
        ((*HAND[:3], "MATCHSTATE:1:0:r300r900:|AhKd\r\n"), 0, "should add to the last", 0),
        (("MATCHSTATE:1:0:cc:|AhKd\r\n",), 0, "lacks the cards of the next street", 0),
    ],
)  # fmt: skip
def test_a_dealer_that_fails_is_one_line_and_the_log_is_kept(
    tmp_path: Path, lines: tuple[str, ...], hands: int, message: str, kept: int
) -> None:
    with MatchRecord(tmp_path / "m", RULES, "x") as record, scripted_dealer(*lines) as port:
        table = TablePlayer(find_player("always-fold"), "us", RULES, record)
        with pytest.raises(GameError, match=message) as caught:
            play_at("localhost", port, table, hands=hands or None)
        assert "\n" not in str(caught.value)
    assert len(load_hands(tmp_path / "m.log", RULES)) == kept
    assert len(load_hands(tmp_path / "m.phhs", RULES)) == kept


def test_comments_are_ignored_and_a_question_is_answered_again() -> None:
    with MatchRecord(None, RULES, "x") as record:
        table = TablePlayer(random_player(1), "us", RULES, record)
        assert table.answer("# hello") is None
        assert table.answer("; hello") is None
        first = table.answer(FIRST.strip())
        assert first is not None
        assert {table.answer(FIRST.strip()) for _ in range(20)} == {first}


def test_a_silent_dealer_and_none_at_all(tmp_path: Path) -> None:
    with MatchRecord(None, RULES, "x") as record:
        table = TablePlayer(find_player("always-call"), "us", RULES, record)
        with (
            scripted_dealer(FIRST, stay=True) as port,
            pytest.raises(GameError, match="silent for 1 s in hand 0"),
        ):
            play_at("localhost", port, table, patience=1)
        with pytest.raises(GameError, match=f"no dealer at localhost:{port}"):
            play_at("localhost", port, table, wait=0)
        with pytest.raises(GameError, match="no dealer at"):
            play_at("no such host.invalid", 1, table, wait=0)
        with pytest.raises(GameError, match="no dealer at"):
            play_at("localhost", 99999, table, wait=0)
