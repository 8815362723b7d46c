from __future__ import annotations

from tacit.suggest import closest, unknown

KNOWN = ("kuhn", "leduc", "liars-dice-1x6")


def test_a_slip_finds_its_name() -> None:
    assert closest("leducc", KNOWN) == "leduc"
    assert closest("liars-dice", iter(KNOWN)) == "liars-dice-1x6"


def test_what_is_not_near_finds_nothing() -> None:
    assert closest("go", KNOWN) is None
    assert closest("chess", KNOWN) is None
    assert closest("", KNOWN) is None


def test_a_message_says_what_to_do() -> None:
    assert unknown("game", "leducc", KNOWN) == "unknown game 'leducc'; did you mean 'leduc'?"
    assert unknown("game", "go", KNOWN) == "unknown game 'go'; known: kuhn, leduc, liars-dice-1x6"
    assert unknown("game", "go", KNOWN, otherwise="see there") == "unknown game 'go'; see there"


def test_a_suggestion_is_near_or_not_made() -> None:
    names = ("euchre", "kuhn_poker", "leduc_poker", "tic_tac_toe", "zerosum", "go_fish")
    assert closest("nosuch", names) is None
    assert closest("kuhn", names) == "kuhn_poker"
    assert closest("ku", names) is None
    assert closest("tictactoe", names) == "tic_tac_toe"
    assert closest("x" * 100_000, names) is None
