"""Actions in words, and words as actions."""

from __future__ import annotations

import pytest

from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD, BettingRules, replay
from tacit.games.holdem.wording import describe_action, describe_options, read_action

RULES = BettingRules(stacks=(2000, 2000))


@pytest.mark.parametrize(
    ("history", "text", "action"),
    [
        ("", "f", FOLD), ("", "Fold", FOLD), ("", "c", CALL), ("c", "check", CALL),
        ("c", "k", CALL), ("c", "x", CALL), ("", "300", 300), ("", "raise 300", 300),
        ("", "raise to 1,300", 1300), ("", "r300", 300), ("", "pot", 300), ("", "50%", 200),
        ("", "a", 2000), ("", "all in", 2000), ("", "min", 200), ("r300c/", "bet 200", 500),
        ("r300c/", "half", 600), ("r300c/r600", "min", 900), ("", "500%", 1100),
        ("", "5000%", 2000), ("r300c/k", " 1700 ", 2000),
    ],
)  # fmt: skip
def test_words_are_read(history: str, text: str, action: int) -> None:
    assert read_action(replay(RULES, history), text) == action


@pytest.mark.parametrize(
    ("history", "text"),
    [
        ("", "check"), ("c", "fold"), ("", "150"), ("", "2001"), ("", "raise"), ("", ""),
        ("", "1%"), ("r2000", "pot"), ("r2000", "3000"), ("", "1"), ("", "0"), ("", "hello"),
        ("", "300.5"), ("", "9" * 400), ("", "\x1b[31m"), ("", "1e9"), ("", "-300"),
    ],
)  # fmt: skip
def test_other_words_are_refused_in_one_line(history: str, text: str) -> None:
    with pytest.raises(GameError, match="is not possible; possible: ") as error:
        read_action(replay(RULES, history), text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ("", "fold, call 50, raise to 200 to 2,000"),
        ("c", "check, raise to 200 to 2,000"),
        ("r300c/", "check, bet 100 to 1,700"),
        ("r300c/r1600", "fold, call 1,300, raise to 1,700 (all in)"),
        ("r2000", "fold, call 1,900"),
    ],
)
def test_options_in_words(history: str, expected: str) -> None:
    assert describe_options(replay(RULES, history)) == expected


def test_actions_in_words() -> None:
    start, flop = replay(RULES, ""), replay(RULES, "r300c/")
    assert describe_action(start, FOLD) == "fold"
    assert describe_action(start, CALL) == "call 50"
    assert describe_action(flop, CALL) == "check"
    assert describe_action(start, 300) == "raise to 300 (100 % of the pot)"
    assert describe_action(flop, 600) == "bet 300 (50 % of the pot)"
    assert describe_action(flop, 2000) == "bet 1,700 (283 % of the pot, all in)"
