"""The dealer's log is read with its results checked, and written in the same form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit.formats.acpc.log import names_of, read_log, score_line, state_line, totals
from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules

RULES = BettingRules()
HANDS = """\
STATE:0:r300c/cr600f:AhKd|QsQd/2c3d4s:-300|300:Ann|Bob
STATE:1:cc/cc/cc/cc:7h7d|AcKc/2c3d4s/9h/Th:100|-100:Bob|Ann
STATE:2:r20000c///:AhKd|AcKc/2s3d4s/9h/Th:0|0:Ann|Bob
"""
LOG = f"# name/game/hands/seed m g 3 7\n{HANDS}SCORE:-400|400:Ann|Bob\n"


def test_a_log_is_read_and_written_again() -> None:
    log = read_log(LOG, RULES)
    assert log.complete
    assert [hand.payoffs() for hand in log.hands] == [(-300, 300), (100, -100), (0, 0)]
    assert [hand.fields["hand"] for hand in log.hands] == [0, 1, 2]
    assert names_of(log.hands[1]) == ("Bob", "Ann")
    assert "".join(f"{state_line(hand)}\n" for hand in log.hands) == HANDS
    assert score_line(log.hands) == "SCORE:-400|400:Ann|Bob"


def test_an_interrupted_log_loses_only_the_line_that_was_cut() -> None:
    log = read_log(LOG[:-40], RULES)
    assert (len(log.hands), log.complete) == (2, False)


def test_players_of_one_name_change_seats_with_every_hand() -> None:
    log = read_log(LOG.replace("Bob", "Ann"), RULES)
    assert totals(log.hands, ("Ann", "Ann")) == (-400, 400)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-300|300", "-200|200", "line 2 of the log: the log says .* -200|200, but .* -300|300"),
        ("SCORE:-400|400", "SCORE:400|-400", "the score is 400|-400, but the hands sum to -400"),
        ("SCORE", "STATE", "is not understood"),
        ("Ann|Bob\nSTATE:1", "Ann|Eve\nSTATE:1", "line 5 .* Ann and Eve, not of Ann and Bob"),
        ("r300c/cr600f", "r300c/cr600c", "do not fit|not over"),
        ("r300c/cr600f", "r300c/cr350f", "a raise to 350"),
        ("# name", "name", "line 1 of the log"),
        ("Bob\nSCORE", "Bob\nSCORE:-400|400:Ann|Bob\nSCORE", "comes after the score"),
    ],
)
def test_a_log_that_does_not_add_up_is_refused(old: str, new: str, message: str) -> None:
    assert old in LOG
    with pytest.raises(GameError, match=message) as caught:
        read_log(LOG.replace(old, new, 1), RULES)
    assert "\n" not in str(caught.value)


def test_hands_that_no_log_can_hold_are_refused() -> None:
    hand = read_log(LOG, RULES).hands[0]
    for fields, message in (
        ({"players": ["a|b", "c"], "hand": 0}, "cannot stand in a log"),
        ({"players": ["a"], "hand": 0}, "not the names of two"),
        ({"players": ["a", "b"]}, "with all cards of a showdown and a number"),
    ):
        with pytest.raises(GameError, match=message):
            state_line(replace(hand, fields=fields))
    assert names_of(replace(hand, fields={})) == ("p1", "p2")
