"""The dealer's log of a match: a line for each hand with what it was worth, then the score.

``STATE:7:r300f:AhKd|QsQd:-100|100:Ann|Bob`` has the hand's number, the betting, all cards, the
chips that each position has won, and the names. ``SCORE:100|-100:Bob|Ann`` has the sums by seat:
seat 0 is position 0 in the first hand. Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tacit.formats.acpc.protocol import betting_text, cards_text, read_hand
from tacit.formats.phh import HandHistory
from tacit.games.game import GameError
from tacit.games.holdem.betting import BettingRules

_NUMBER = r"(-?\d{1,15}(?:\.\d{1,6})?)"
_STATE = re.compile(
    rf"STATE:(\d{{1,9}}):([^:]*):([^:]*):{_NUMBER}\|{_NUMBER}:([^|]*)\|([^|]*)", re.ASCII
)
_SCORE = re.compile(rf"SCORE:{_NUMBER}\|{_NUMBER}:([^|]*)\|([^|]*)", re.ASCII)
_COMMENTS = ("#", ";")


@dataclass(frozen=True)
class MatchLog:
    """The hands of a log; `hand` and `players`, in order of position, are among their fields.

    complete: whether the log ends with a score, which then is that of the hands.
    """

    hands: tuple[HandHistory, ...]
    comments: tuple[str, ...] = ()
    complete: bool = False


def read_log(text: str, rules: BettingRules) -> MatchLog:
    """A log, each hand checked against the rules and its value, the score against all hands.

    A last line that was cut off, as an interrupted match may leave one, is dropped.
    """
    hands: list[HandHistory] = []
    comments: list[str] = []
    complete = False
    whole = text[: text.rfind("\n") + 1]
    for number, line in enumerate(whole.split("\n"), start=1):
        line = line.removesuffix("\r")
        if line.startswith(_COMMENTS):
            comments.append(line)
        elif line and complete:
            raise GameError(f"line {number} of the log comes after the score, which is the last")
        elif line:
            try:
                if line.startswith("SCORE"):
                    _check_score(line, hands)
                    complete = True
                else:
                    hands.append(_read_state(line, rules))
            except GameError as error:
                raise GameError(f"line {number} of the log: {error}") from None
    return MatchLog(tuple(hands), tuple(comments), complete)


def _read_state(line: str, rules: BettingRules) -> HandHistory:
    match = _STATE.fullmatch(line)
    if match is None:
        raise GameError(
            f"{line[:80]!r} is not understood; expected STATE:hand:betting:cards:values:names"
        )
    hand = read_hand(match[2], match[3], rules)
    won = hand.payoffs()
    if won is None:
        raise GameError("the hand is not over, or cards of a showdown are missing")
    if won != (float(match[4]), float(match[5])):
        raise GameError(
            f"the log says that the hand is worth {match[4]}|{match[5]}, "
            f"but the cards and the betting give {won[0]}|{won[1]}"
        )
    return replace(hand, fields={"players": [match[6], match[7]], "hand": int(match[1])})


def _check_score(line: str, hands: Sequence[HandHistory]) -> None:
    match = _SCORE.fullmatch(line)
    if match is None:
        raise GameError(f"{line[:80]!r} is not understood; expected SCORE:sums:names")
    names = match[3], match[4]
    found = totals(hands, names)
    if found != (float(match[1]), float(match[2])):
        raise GameError(
            f"the score is {match[1]}|{match[2]}, but the hands sum to {found[0]}|{found[1]}"
        )


def totals(hands: Iterable[HandHistory], names: tuple[str, str]) -> tuple[int, int]:
    """What the players in both seats have won over all hands.

    Seats are told apart by their names; if both are the same, they change with every hand.
    """
    sums = [0, 0]
    for hand in hands:
        players, won = names_of(hand), hand.payoffs()
        assert won is not None
        if set(players) != set(names):
            raise GameError(f"a hand is of {' and '.join(players)}, not of {' and '.join(names)}")
        first = names.index(players[0])
        if names[0] == names[1]:
            number = hand.fields["hand"]
            assert isinstance(number, int)
            first = number % 2
        sums[first] += won[0]
        sums[1 - first] += won[1]
    return sums[0], sums[1]


def names_of(hand: HandHistory) -> tuple[str, str]:
    """The names of positions 0 and 1; p1 and p2 if the hand has none."""
    players = hand.fields.get("players", ["p1", "p2"])
    match players:
        case [str(first), str(second)]:
            return first, second
    raise GameError(f"the players {players!r} are not the names of two")


def state_line(hand: HandHistory) -> str:
    """A hand that is over as a line of the log, without its end."""
    won, number = hand.payoffs(), hand.fields.get("hand")
    if won is None or not isinstance(number, int):
        raise GameError("a log has hands that are over, with all cards of a showdown and a number")
    names = names_of(hand)
    for name in names:
        if "|" in name or not name.isprintable():
            raise GameError(f"the name {name!r} cannot stand in a log; write it without | and ends")
    parts = str(number), betting_text(hand), cards_text(hand), f"{won[0]}|{won[1]}"
    return ":".join(["STATE", *parts, "|".join(names)])


def score_line(hands: Sequence[HandHistory]) -> str:
    """The last line of a log."""
    names = names_of(hands[0])
    sums = totals(hands, names)
    return f"SCORE:{sums[0]}|{sums[1]}:{names[0]}|{names[1]}"
