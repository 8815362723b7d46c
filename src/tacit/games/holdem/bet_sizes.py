"""Bet sizes in the notation of solvers, per street and player, and the bets they allow.

A list of sizes is split by commas:

- ``50%``: half the pot; as a raise, half of the pot as it is after calling, on top of the call
- ``2.5x``: raise to 2.5 times the bet faced (raises only)
- ``100c``: bet 100 chips; as a raise, 100 chips more than the bet faced
- ``e``: geometric, the fraction of the pot that is all in on the last street if it is bet and
  called on this and every later street; ``2e``: in two bets; ``2e150%``: at most 150 % of the pot
- ``a``: all in

The sizes of a street are ``bets/raises`` for both players or ``bets/raises|bets/raises`` for the
player who acts first after the flop (player 0) and the one who acts last (player 1). Without a
slash the list holds for bets and raises; an empty list allows none. Before the flop the big blind
counts as a bet, so every size there is a raise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tacit.games.game import GameError
from tacit.games.holdem.betting import STREETS, Betting
from tacit.games.holdem.notation import NotationError, split_tokens


class Unit(StrEnum):
    """The unit of a bet size."""

    POT = "%"
    PREVIOUS = "x"
    CHIPS = "c"
    GEOMETRIC = "e"
    ALL_IN = "a"


@dataclass(frozen=True, slots=True)
class BetSize:
    """One size: `amount` is a fraction of the pot, a factor, chips, or a number of bets."""

    unit: Unit
    amount: float = 0.0
    """0 in a geometric size: one bet on each street that is left."""
    cap: float = math.inf
    """The largest fraction of the pot of a geometric size."""

    def __post_init__(self) -> None:
        if not (0 <= self.amount < math.inf and self.cap > 0):
            raise GameError(f"a bet size of {self.amount} with a cap of {self.cap} is impossible")


@dataclass(frozen=True, slots=True)
class StreetSizes:
    """The sizes of one player on one street."""

    bets: tuple[BetSize, ...] = ()
    raises: tuple[BetSize, ...] = ()


BothSizes = tuple[StreetSizes, StreetSizes]
"""The sizes of players 0 and 1 on one street."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BetSettings:
    """The bets and raises of a betting tree; a threshold of 0 has no effect."""

    sizes: tuple[BothSizes, BothSizes, BothSizes, BothSizes]
    """[street][player]."""
    add_all_in: float = 0.0
    """Add an all-in where it is at most this fraction of the pot (after calling)."""
    force_all_in: float = 0.0
    """Make a bet all in if, once called, the chips behind are at most this fraction of the pot."""
    merge: float = 0.0
    """Drop a bet next to a larger one: of fractions x > y of the pot, y if
    (1 + x) / (1 + y) < 1 + merge."""

    def __post_init__(self) -> None:
        for name in ("add_all_in", "force_all_in", "merge"):
            if not getattr(self, name) >= 0:
                raise GameError(
                    f"{name} is {getattr(self, name)}; expected 0 or more (1 = the pot)"
                )

    @classmethod
    def parse(cls, sizes: str | Mapping[str, str], **thresholds: float) -> BetSettings:
        """Settings from one text for all streets, or a text per street's name (none: no bets)."""
        if isinstance(sizes, str):
            sizes = dict.fromkeys(STREETS, sizes)
        for name in sizes:
            if name not in STREETS:
                raise GameError(f"unknown street {name!r}; expected {', '.join(STREETS)}")
        one, two, three, four = (parse_street_sizes(sizes.get(name, "")) for name in STREETS)
        return cls(sizes=(one, two, three, four), **thresholds)

    def raises(self, state: Betting) -> tuple[int, ...]:
        """The bets or raises at `state`, smallest first, as totals over the hand; all are legal."""
        bounds = state.raise_bounds()
        if bounds is None:
            return ()
        least, most = bounds
        mover = state.player
        level = max(state.committed)
        street_level = level - state.before[mover]
        called_pot = state.pot + state.to_call
        # More than the opponent can call is the same as all in, so all in means the smaller stack.
        all_in = min(max(min(state.rules.stacks), least), most)
        street = self.sizes[state.street][mover]
        sizes = street.bets if street_level == 0 else street.raises

        totals = {
            min(max(_total(size, state, level, street_level, called_pot, all_in), least), all_in)
            for size in sizes
        }
        if all_in - level <= self.add_all_in * called_pot:
            totals.add(all_in)
        totals = {
            all_in
            if all_in - total <= self.force_all_in * (called_pot + 2 * (total - level))
            else total
            for total in totals
        }
        kept: list[int] = []
        for total in sorted(totals, reverse=True):
            larger = called_pot + kept[-1] - level if kept else math.inf
            if larger >= (1 + self.merge) * (called_pot + total - level):
                kept.append(total)
        return tuple(reversed(kept))


def parse_street_sizes(text: str) -> BothSizes:
    """The sizes of both players on one street, as in ``50%,a/75%,a`` or ``50%/3x|a/a``."""
    players = []
    reason = "expected at most two players' sizes, split by |"
    for part, column in _at_most_two(text, split_tokens(text, "|"), reason):
        halves = split_tokens(part, "/", column)
        lists = _at_most_two(text, halves, "expected at most one /: bets/raises")
        bets = _parse_list(text, *lists[0], raises=False)
        players.append(StreetSizes(bets, _parse_list(text, *lists[-1], raises=True)))
    return players[0], players[-1]


_SIZE = re.compile(r"(?P<number>\d+\.?\d*|\.\d+)?(?P<unit>[%xcea])(?P<cap>.+%)?", re.ASCII)
_CAP = re.compile(r"(\d+\.?\d*|\.\d+)%", re.ASCII)
_EXPECTED = "expected a size such as 50%, 2.5x, 100c, e, 2e or a"


def _at_most_two(
    text: str, tokens: Iterable[tuple[str, int]], reason: str
) -> list[tuple[str, int]]:
    listed = list(tokens)
    if len(listed) > 2:
        raise NotationError("bet sizes", text, *listed[2], reason)
    return listed


def _parse_list(text: str, part: str, column: int, *, raises: bool) -> tuple[BetSize, ...]:
    sizes = []
    for token, place in split_tokens(part, ",", column) if part else ():
        size = _parse_size(token.lower())
        if isinstance(size, BetSize) and size.unit is Unit.PREVIOUS and not raises:
            size = "a bet has no previous bet to multiply; write bets/raises, as in 50%/2.5x"
        if isinstance(size, str):
            raise NotationError("bet sizes", text, token, place, size)
        sizes.append(size)
    return tuple(sizes)


def _parse_size(token: str) -> BetSize | str:
    """The size of `token`, or the reason why it is none."""
    match = _SIZE.fullmatch(token)
    if not match:
        return _EXPECTED
    unit = Unit(match["unit"])
    number = float(match["number"]) if match["number"] else None
    cap = _CAP.fullmatch(match["cap"]) if match["cap"] else None
    if bool(cap) != bool(match["cap"]) or (cap and unit is not Unit.GEOMETRIC):
        return _EXPECTED
    if unit is Unit.ALL_IN:
        return BetSize(unit) if number is None else "all in takes no number; write a"
    if unit is Unit.GEOMETRIC:
        if number is not None and not (number.is_integer() and 1 <= number <= 100):
            return "a geometric size takes a whole number of bets, as in 2e"
        if cap and not 0 < float(cap[1]) < 1e9:
            return "the cap must be above 0 % of the pot, as in 2e150%"
        return BetSize(unit, number or 0.0, float(cap[1]) / 100 if cap else math.inf)
    if number is None or not 0 < number < 1e9:
        return f"expected a number above 0 before {unit.value}, as in 50%, 2.5x or 100c"
    if unit is Unit.PREVIOUS and number <= 1:
        return "a raise is more than 1x the bet it faces, as in 2.5x"
    if unit is Unit.CHIPS and not number.is_integer():
        return "chips are whole, as in 100c"
    return BetSize(unit, number / 100 if unit is Unit.POT else number)


def _total(
    size: BetSize, state: Betting, level: int, street_level: int, called_pot: int, all_in: int
) -> int:
    """The total over the hand of a bet of `size`, rounded to a chip, legal or not."""
    if size.unit is Unit.ALL_IN:
        return all_in
    if size.unit is Unit.CHIPS:
        return level + int(size.amount)
    if size.unit is Unit.PREVIOUS:
        return level - street_level + _round(size.amount * street_level)
    fraction = size.amount
    if size.unit is Unit.GEOMETRIC:
        bets = size.amount or state.rules.last_street - state.street + 1
        growth = (called_pot + 2 * (all_in - level)) / max(called_pot, 1)
        fraction = min((growth ** (1 / bets) - 1) / 2, size.cap)
    return level + _round(fraction * called_pot)


def _round(chips: float) -> int:
    return math.floor(chips + 0.5)
