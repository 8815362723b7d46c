"""Matches of hold'em in files: the dealer's log and PHH, written hand by hand and read again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from tacit.archive import read_text, reading
from tacit.files import check_writable, write_text
from tacit.formats import phh
from tacit.formats.acpc.log import names_of, read_log, score_line, state_line
from tacit.formats.phh import HandHistory
from tacit.games.game import GameError
from tacit.games.holdem.betting import BettingRules

SUFFIXES = (".log", ".phhs")


@dataclass(frozen=True)
class PlayerTotal:
    """What a player has won: in chips, and in thousandths of a big blind a hand."""

    hands: int
    chips: int
    mbb: float
    error: float
    """The standard error of `mbb`; 0 for fewer than two hands."""


def player_total(hands: Sequence[HandHistory], name: str) -> PlayerTotal:
    """What the player of that name has won over the hands that it played."""
    won: list[int] = []
    blinds: list[int] = []
    for hand in hands:
        payoffs = hand.payoffs()
        if payoffs is None:
            raise GameError("a hand is not over, or cards of a showdown are missing")
        if name in (names := names_of(hand)):
            won.append(sum(chips for chips, who in zip(payoffs, names, strict=True) if who == name))
            blinds.append(hand.rules.big_blind)
    mbb = 1000 * np.array(won) / blinds
    error = mbb.std(ddof=1) / np.sqrt(len(mbb)) if len(mbb) > 1 else 0.0
    return PlayerTotal(len(won), sum(won), float(mbb.mean()) if won else 0.0, float(error))


def load_hands(path: Path, rules: BettingRules) -> tuple[HandHistory, ...]:
    """The hands of a file: PHH (.phh), many of them (.phhs), or else a dealer's log.

    rules: those of a log, which does not state them.
    """
    with reading(path, "a match"):
        text = read_text(path, "a match")
        if path.suffix == ".phh":
            return (phh.loads(text),)
        return tuple(phh.loads_all(text)) if path.suffix == ".phhs" else read_log(text, rules).hands


def save_hands(path: Path, hands: Sequence[HandHistory]) -> None:
    """Write hands in the format that the suffix names: .phhs, .phh for one hand, or .log."""
    match path.suffix:
        case ".phhs":
            write_text(path, phh.dumps_all(hands))
        case ".phh" if len(hands) == 1:
            write_text(path, phh.dumps(hands[0]))
        case ".log":
            if len({hand.rules for hand in hands}) > 1:
                raise GameError("a log has hands of one game; these differ in blinds or stacks")
            numbered = [
                replace(hand, fields={"hand": number, **hand.fields})
                for number, hand in enumerate(hands)
            ]
            lines = [*map(state_line, numbered), *([score_line(numbered)] if hands else [])]
            write_text(path, "".join(f"{line}\n" for line in lines))
        case _:
            raise GameError(f"{path} names no format; write .log, .phhs, or .phh for one hand")


@contextmanager
def saying_what_is_kept(record: MatchRecord) -> Iterator[None]:
    """Let errors of a match say where its hands are."""
    try:
        yield
    except GameError as error:
        if not record.paths:
            raise
        raise GameError(
            f"{error}; {len(record.hands)} hands are kept in {record.paths[0]}"
        ) from None


class MatchRecord:
    """The hands of a match in play: in memory, and in NAME.log and NAME.phhs if there is a name.

    Each hand is on the disk when `add` returns. A match that was interrupted is resumed after its
    last whole hand, by a player of the same description.
    """

    def __init__(
        self, name: Path | None, rules: BettingRules, about: str, *, resume: bool = False
    ) -> None:
        self.hands: list[HandHistory] = []
        if name is not None and name.suffix in SUFFIXES:
            name = name.with_suffix("")
        self.paths = [name.with_name(name.name + suffix) for suffix in SUFFIXES] if name else []
        check_writable(*self.paths)
        comment = f"# tacit {about}"
        if resume:
            if name is None:
                raise GameError("name the log of the match that is to be resumed")
            with reading(self.paths[0], "a log"):
                log = read_log(read_text(self.paths[0], "a log"), rules)
                if comment not in log.comments:
                    begun = next(iter(log.comments), "no comment")
                    raise GameError(f"it was begun with {begun!r}, not {comment!r}")
            self.hands += log.hands
        elif kept := next((path for path in self.paths if path.exists()), None):
            raise GameError(f"{kept} is there already; resume its match, or name another log")
        if self.paths:
            lines = [comment, *map(state_line, self.hands)]
            write_text(self.paths[0], "".join(f"{line}\n" for line in lines))
            write_text(self.paths[1], phh.dumps_all(self.hands))
        self.files = [path.open("a", encoding="utf-8") for path in self.paths]

    def add(self, hand: HandHistory) -> None:
        """Write a hand that is over."""
        self._write(f"{state_line(hand)}\n", phh.dumps_all([hand], first=len(self.hands) + 1))
        self.hands.append(hand)

    def finish(self) -> None:
        """Write the score."""
        if self.hands:
            self._write(f"{score_line(self.hands)}\n", "")

    def _write(self, *texts: str) -> None:
        for file, text in zip(self.files, texts, strict=False):
            file.write(text)
            file.flush()
            os.fsync(file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self.files:
            file.close()
