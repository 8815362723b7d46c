"""`tacit play holdem`: moves, bad input, what the opponent thought, the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import call, fails

AGENT = ("--agent", "search:tiny,equity", "--seed", "5", "--stack", "2000")


def played(*options: object, words: list[str]) -> str:
    """What is shown when a person types these words."""
    code, shown, _ = call("play", "holdem", *options, given="".join(f"{w}\n" for w in words))
    assert code == 0
    return shown


def test_a_match_is_played_and_recorded(tmp_path: Path) -> None:
    log = tmp_path / "match"
    words = ["hello", "?", *["c", "k", "think", "grid 1", "grid 99", "what"] * 8, "quit", "quit"]
    shown = played(*AGENT, "--log", log, words=words)
    assert "You are the big blind" in shown
    assert "your cards" in shown
    assert "Score after 1 hand" in shown
    assert "Final score after" in shown
    assert (tmp_path / "match.phhs").read_text().count("starting_stacks") >= 1


def test_thoughts_are_shown_on_request() -> None:
    words = ["", "c", "k", "k", "k", "think", "grid 1"] * 6
    shown = played(*AGENT, words=[*words, "quit", "quit"])
    assert "its belief about you" in shown
    assert "chips it expected to win" in shown
    assert "frequency" in shown


def test_quitting_in_a_hand_loses_nothing() -> None:
    shown = played(*AGENT, "--seat", 2, words=[])
    assert "does not count" in shown
    assert "Final score after 0 hands: +0 chips" in shown


@pytest.mark.parametrize(
    ("options", "code", "error"),
    [
        (("--agent", "nobody"), 1, "always-call"),
        (("--agent", "search:slower"), 1, "option of the search player"),
        (("--stack", 10), 2, "10"),
        (("--solve",), 2, "--agent"),
    ],
)
def test_wrong_options_are_one_line(options: tuple[object, ...], code: int, error: str) -> None:
    assert error in fails("play", "holdem", *options, code=code)
