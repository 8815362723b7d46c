"""Matches in files: written hand by hand, resumed, converted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pokerkit
import pytest

from tacit.formats.match_log import (
    MatchRecord,
    load_hands,
    player_total,
    save_hands,
    saying_what_is_kept,
)
from tacit.formats.phh import HandHistory
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import parse_cards

RULES = BettingRules()


def hand(number: int) -> HandHistory:
    """Ann wins 100 in even hands and loses 300 in odd ones."""
    first, second = ("Bob", "Ann") if number % 2 else ("Ann", "Bob")
    return HandHistory(
        rules=RULES,
        holes=(parse_cards("AhKd"), ()),
        actions=(300, FOLD) if number % 4 == 3 else (CALL, 300, FOLD),
        fields={"players": [first, second], "hand": number},
    )


def test_hands_are_kept_as_they_end_and_a_match_is_resumed(tmp_path: Path) -> None:
    name = tmp_path / "m"
    with MatchRecord(name, RULES, "acpc Ann") as record:
        record.add(hand(0))
        record.add(hand(1))
        assert load_hands(tmp_path / "m.log", RULES) == (hand(0), hand(1))
    text = (tmp_path / "m.log").read_text()
    (tmp_path / "m.log").write_text(text + "STATE:2:cr3")  # cut off by an interrupt
    (tmp_path / "m.phhs").write_text("[3]\nvar")
    with pytest.raises(GameError, match=r"m\.log is there already; resume"):
        MatchRecord(name, RULES, "acpc Ann")
    with pytest.raises(GameError, match=r"begun with '# tacit acpc Ann', not '# tacit acpc Bob'"):
        MatchRecord(name, RULES, "acpc Bob", resume=True)
    with MatchRecord(name, RULES, "acpc Ann", resume=True) as record:
        assert record.hands == [hand(0), hand(1)]
        record.add(hand(2))
        record.finish()
    whole = tuple(hand(number) for number in range(3))
    assert load_hands(tmp_path / "m.log", RULES) == whole
    assert load_hands(tmp_path / "m.phhs", RULES) == whole
    assert (tmp_path / "m.log").read_text().endswith("SCORE:100|-100:Ann|Bob\n")
    with MatchRecord(name, RULES, "acpc Ann", resume=True) as record:  # more hands than planned
        record.add(hand(3))
        record.finish()
    assert len(load_hands(tmp_path / "m.log", RULES)) == 4


def test_a_name_may_have_the_suffix_of_one_of_its_files(tmp_path: Path) -> None:
    for name in ("m.log", "m.phhs", "m"):
        with MatchRecord(tmp_path / name, RULES, "x", resume=name != "m.log") as record:
            assert record.paths == [tmp_path / "m.log", tmp_path / "m.phhs"]
    with MatchRecord(tmp_path / "v1.5", RULES, "x") as record:
        assert record.paths[0] == tmp_path / "v1.5.log"


def test_errors_say_what_is_kept(tmp_path: Path) -> None:
    with MatchRecord(tmp_path / "m", RULES, "x") as record:
        record.add(hand(0))
        with (
            pytest.raises(GameError, match=r"gone; 1 hands are kept in .*m\.log"),
            saying_what_is_kept(record),
        ):
            raise GameError("gone")
    with pytest.raises(GameError, match="name the log"):
        MatchRecord(None, RULES, "x", resume=True)
    with pytest.raises(GameError, match="no folder"):
        MatchRecord(tmp_path / "none" / "m", RULES, "x")


def test_winnings_are_those_of_a_name() -> None:
    found = player_total([hand(number) for number in range(4)], "Ann")
    assert (found.hands, found.chips) == (4, 100 - 100 + 100 + 100)
    assert found.mbb == pytest.approx(500)
    assert found.error == pytest.approx(500)
    assert player_total([], "Ann").hands == 0


def test_formats_convert(tmp_path: Path) -> None:
    whole = tuple(hand(number) for number in range(3))
    for name in ("a.log", "a.phhs"):
        save_hands(tmp_path / name, whole)
        assert load_hands(tmp_path / name, RULES) == whole
    theirs = list(pokerkit.HandHistory.loads_all((tmp_path / "a.phhs").read_text()))
    assert [each.players for each in theirs] == [each.fields["players"] for each in whole]
    for each, ours in zip(theirs, whole, strict=True):
        *_, last = each
        assert tuple(last.payoffs) == ours.payoffs()
    (tmp_path / "b.phhs").write_text(pokerkit.HandHistory.dumps_all(theirs))
    again = load_hands(tmp_path / "b.phhs", RULES)
    assert [each.actions for each in again] == [each.actions for each in whole]
    save_hands(tmp_path / "one.phh", whole[:1])
    assert load_hands(tmp_path / "one.phh", RULES) == whole[:1]
    short = replace(hand(3), rules=BettingRules(stacks=(500, 500)))
    for path, hands, message in (
        ("a.txt", whole, "names no format"),
        ("a.phh", whole, "names no format"),
        ("a.log", (*whole, short), "differ in blinds or stacks"),
    ):
        with pytest.raises(GameError, match=message):
            save_hands(tmp_path / path, hands)
    (tmp_path / "bad.phhs").write_text("[1]\nvariant = 'NT'\n")
    with pytest.raises(GameError, match=r"bad\.phhs: hand \[1\]: PHH field 'antes' is missing"):
        load_hands(tmp_path / "bad.phhs", RULES)
    (tmp_path / "bad.phhs").write_text("variant = 'NT'\n")
    with pytest.raises(GameError, match="'variant' is not a hand"):
        load_hands(tmp_path / "bad.phhs", RULES)
