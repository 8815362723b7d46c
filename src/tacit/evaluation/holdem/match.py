"""Matches of hold'em: each deal is played twice, with the hands exchanged.

A file keeps the pairs of hands that have been played, and the match can be resumed; the result
depends on the seed only, not on the number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tacit.agents.holdem.named import find_player
from tacit.agents.holdem.player import HoldemPlayer
from tacit.cluster import executor_of
from tacit.evaluation.holdem.hands import PlayedHand, play_hand, shuffled_deck
from tacit.evaluation.holdem.local_best_response import HoldemLBR
from tacit.evaluation.match import Winnings, winnings
from tacit.evaluation.match_record import MatchRecord
from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules

LBR = "lbr"
SECONDS = 2.0
"""The least time between two writes of the record."""
Pair = tuple[PlayedHand, PlayedHand]
"""A deal played twice; the first player is player 0, the big blind, in the first hand."""


@dataclass(frozen=True)
class HoldemResult:
    """The first player's winnings in mbb/h: plain, and by AIVAT if it was asked for.

    played: the pairs of hands, in order.
    """

    hands: int
    plain: Winnings
    aivat: Winnings | None
    played: tuple[Pair, ...] = field(repr=False)

    @property
    def best(self) -> Winnings:
        """AIVAT's estimate if there is one."""
        return self.aivat or self.plain


def play_holdem(
    first: HoldemPlayer | str,
    second: HoldemPlayer | str,
    *,
    hands: int,
    seed: int = 0,
    rules: BettingRules | None = None,
    aivat: bool = True,
    record: str | Path | None = None,
    workers: int = 0,
    each: Callable[[int], None] | None = None,
) -> HoldemResult:
    """Play `hands` hands, half of them in each seat.

    Players are given by name, or as objects. ``lbr:fold-call`` and ``lbr:fcpa`` as `first` are the
    local best response to `second`. record: a file with the hands that have been played; if it is
    there already, the match is resumed. workers: processes, 0 for this one. each: called with the
    number of hands that have been played.
    """
    if hands < 2 or hands % 2:
        raise GameError(
            f"a match has an even number of hands, half in each seat, not {hands}; "
            f"play {hands + hands % 2 or 2}"
        )
    rules = rules or BettingRules()
    if rules.stacks[0] != rules.stacks[1]:
        raise GameError(f"hands are exchanged between equal stacks, not {rules.stacks}")
    make_players(first, second)
    kept = _Record(record, [_name(first), _name(second), seed, aivat, asdict(rules)])
    missing = [number for number in range(hands // 2) if number not in kept.pairs]
    setup = partial(_set_up, first, second, rules, seed, aivat)

    def report() -> None:
        if each is not None:
            each(2 * sum(number < hands // 2 for number in kept.pairs))

    report()
    try:
        if missing:
            with executor_of(workers).open(setup) as session:
                for number, pair in session.submit(missing).done:
                    kept.add(missing[number], pair)
                    report()
    finally:
        kept.write()
    played = tuple(kept.pairs[number] for number in range(hands // 2))
    scale = 1000 / rules.big_blind
    won = np.array([(one.won, -two.won) for one, two in played], np.float64)
    estimates = [(one.estimate, two.estimate) for one, two in played]
    better = None
    if aivat:
        better = winnings(scale * np.array([(one, -(two or 0)) for one, two in estimates]).ravel())
    return HoldemResult(hands, winnings(scale * won.ravel()), better, played)


def make_players(
    first: HoldemPlayer | str, second: HoldemPlayer | str
) -> tuple[HoldemPlayer, HoldemPlayer]:
    """The players of these names; LBR is one against the second."""
    if isinstance(second, str) and second.partition(":")[0] == LBR:
        raise GameError(f"{second} is a local best response to the second player; name it first")
    opponent = find_player(second) if isinstance(second, str) else second
    if isinstance(first, str) and first.partition(":")[0] == LBR:
        setting = first.partition(":")[2] or "fold-call"
        return HoldemLBR(opponent.model(), setting), opponent
    return find_player(first) if isinstance(first, str) else first, opponent


def _set_up(
    first: HoldemPlayer | str,
    second: HoldemPlayer | str,
    rules: BettingRules,
    seed: int,
    aivat: bool,
) -> Callable[[int], Pair]:
    """The function that plays one pair of hands."""
    players = make_players(first, second)

    def play(number: int) -> Pair:
        deck = shuffled_deck(np.random.default_rng((seed, number)))
        one, two = (
            play_hand(seated, rules, deck, np.random.default_rng((seed, number, game)), aivat=aivat)
            for game, seated in enumerate((players, players[::-1]))
        )
        return one, two

    return play


def _name(player: HoldemPlayer | str) -> str:
    return player if isinstance(player, str) else type(player).__name__


class _Record:
    """The pairs that have been played, by number."""

    def __init__(self, path: str | Path | None, match: list[Any]) -> None:
        self.pairs: dict[int, Pair] = {}
        words = "players, seed, AIVAT, rules"
        self._record = MatchRecord(path, match, words=words, read=self._read)
        self.written, self.time = len(self.pairs), time.monotonic()

    def _read(self, kept: Mapping[str, Any]) -> None:
        for number, (one, two) in kept["pairs"].items():
            self.pairs[int(number)] = PlayedHand.from_json(one), PlayedHand.from_json(two)

    def add(self, number: int, pair: Pair) -> None:
        """Keep a pair; the file is written now and then."""
        self.pairs[number] = pair
        if time.monotonic() - self.time > SECONDS:
            self.write()

    def write(self) -> None:
        """Write what is new."""
        if self.written < len(self.pairs):
            pairs = {n: [hand.to_json() for hand in self.pairs[n]] for n in sorted(self.pairs)}
            self._record.write({"pairs": pairs})
            self.written, self.time = len(self.pairs), time.monotonic()
