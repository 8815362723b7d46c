"""Spots as TOML files: board, ranges, chips, bet sizes, and how to solve them.

    board = "3s7hTdKs2c"
    pot = 2000
    stacks = 19000                       # behind; [18000, 19000] for different ones
    big_blind = 100
    ranges.oop = "random"                # who acts first after the flop
    ranges.ip = "22+,A2s+,KTo+"
    bets = "50%,100%,a/75%,a"            # or bets.turn = ..., bets.river = ...
    thresholds.add_all_in = 0.5          # see `tacit.games.holdem.bet_sizes.BetSettings`
    add."k" = [2500]                     # further raises, as totals over the hand
    lock."k" = {k = 1.0}                 # player 1's policy there is fixed, not solved
    solve.target = "0.5%"

Texts stay as they are written until `SpotFile.spot` parses them, so that errors can point into
them. `example_names` lists the examples in the package.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import STREETS
from tacit.games.holdem.spot import Spot
from tacit.suggest import closest

PLAYERS = ("oop", "ip")
THRESHOLDS = ("add_all_in", "force_all_in", "merge")
SOLVE_KEYS = ("algorithm", "iterations", "storage", "target", "threads", "time")
KEYS = (
    "title",
    "board",
    "pot",
    "stacks",
    "big_blind",
    "ranges",
    "bets",
    "thresholds",
    "add",
    "lock",
    "solve",
)

Lock = Mapping[str, float | str]
"""By action: its share in every hand, a range whose weights are the shares, or ``rest``."""


@dataclass(frozen=True, kw_only=True)
class SpotFile:
    """The contents of a file (or a command line), not yet parsed as cards and ranges."""

    title: str = "hold'em"
    board: str = ""
    pot: int | None = None
    stacks: tuple[int, int] | None = None
    big_blind: int = 100
    ranges: tuple[str, str] = ("random", "random")
    bets: str | Mapping[str, str] | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    additions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    locks: Mapping[str, Lock] = field(default_factory=dict)
    solve: Mapping[str, Any] = field(default_factory=dict)

    def spot(self) -> Spot:
        """The spot; GameError names what is missing or impossible."""
        missing = [name for name in ("board", "pot", "stacks", "bets") if not getattr(self, name)]
        if missing:
            raise GameError(
                f"the spot has no {missing[0]}; give it as --{missing[0]} or in a TOML file "
                "(`tacit spot --list` names examples)"
            )
        assert self.pot is not None
        assert self.stacks is not None
        assert self.bets is not None
        for player, chips in zip(PLAYERS, self.stacks, strict=True):
            if chips < 1:
                raise GameError(
                    f"the stack of {player} is {chips}; expected 1 chip or more behind the pot"
                )
        return Spot.of(
            self.board,
            ranges=self.ranges,
            pot=self.pot,
            behind=self.stacks,
            bets=BetSettings.parse(self.bets, **self.thresholds),
            big_blind=self.big_blind,
            additions=self.additions,
            name=self.title,
        )


def load_spot_file(name: str | Path) -> SpotFile:
    """The spot of a TOML file, or of the example with this name."""
    path = Path(name)
    source = files("tacit.formats") / "spots" / f"{name}.toml"
    if path.is_dir():
        raise GameError(f"{path} is a folder; name a TOML file in it")
    if path.exists():
        data = path.read_bytes()
    elif "/" not in str(name) and source.is_file():
        data = source.read_bytes()
    else:
        raise GameError(
            f"there is no spot {str(name)!r}: neither a file nor one of the examples "
            f"{', '.join(example_names())}{_nearest(str(name), example_names())}"
        )
    try:
        content = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GameError(f"{name} is not TOML: {error}") from None
    return read_spot(content, where=str(name))


def example_names() -> list[str]:
    """The example spots in the package."""
    folder = files("tacit.formats") / "spots"
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    )


def read_spot(content: Mapping[str, Any], *, where: str) -> SpotFile:
    """The spot that a parsed file describes; GameError names the bad key, `where` the file."""
    _check_keys(content, KEYS, where)
    changes: dict[str, Any] = {}
    for key in ("title", "board"):
        if key in content:
            changes[key] = _typed(content[key], str, f"{where}: {key}", "a text")
    for key in ("pot", "big_blind"):
        if key in content:
            changes[key] = _typed(content[key], int, f"{where}: {key}", "a whole number of chips")
    if "stacks" in content:
        changes["stacks"] = _stacks(content["stacks"], f"{where}: stacks")
    if "ranges" in content:
        ranges = _table(content["ranges"], f"{where}: ranges")
        _check_keys(ranges, PLAYERS, f"{where}: ranges")
        changes["ranges"] = tuple(
            _typed(ranges.get(name, "random"), str, f"{where}: ranges.{name}", "a text")
            for name in PLAYERS
        )
    if "bets" in content:
        changes["bets"] = _bets(content["bets"], f"{where}: bets")
    if "thresholds" in content:
        thresholds = _table(content["thresholds"], f"{where}: thresholds")
        _check_keys(thresholds, THRESHOLDS, f"{where}: thresholds")
        changes["thresholds"] = {
            key: float(_typed(value, (int, float), f"{where}: thresholds.{key}", "a number"))
            for key, value in thresholds.items()
        }
    if "add" in content:
        expected = "whole numbers of chips: totals over the hand"
        changes["additions"] = {
            path: tuple(
                _typed(total, int, f"{where}: add.{path!r}", expected)
                for total in (totals if isinstance(totals, list) else [totals])
            )
            for path, totals in _table(content["add"], f"{where}: add").items()
        }
    if "lock" in content:
        changes["locks"] = {
            path: _lock(lock, f"{where}: lock.{path!r}")
            for path, lock in _table(content["lock"], f"{where}: lock").items()
        }
    if "solve" in content:
        changes["solve"] = _solve(_table(content["solve"], f"{where}: solve"), f"{where}: solve")
    return SpotFile(**changes)


def parse_target(text: str) -> tuple[float | None, float | None]:
    """``0.5%`` or ``0.5``: percent of the pot; ``20mbb``: thousandths of a big blind a hand.

    Returns both; the one that is not given is None.
    """
    number = text.strip().lower().removesuffix("/h").removesuffix("mbb")
    mbb = text.strip().lower().endswith(("mbb/h", "mbb"))
    try:
        value = float(number if mbb else text.strip().removesuffix("%"))
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise GameError(
            f"{text!r} is not a target; write 0.5% (of the pot) or 20mbb (thousandths of a big "
            "blind a hand)"
        )
    return (None, value) if mbb else (value, None)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = closest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            hint = _nearest(key, known) or f"; known: {', '.join(known)}"
            raise GameError(f"{where}: unknown key {key!r}{hint}")


def _typed(value: Any, kind: Any, where: str, expected: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise GameError(f"{where} is {value!r}; expected {expected}")
    return value


def _table(value: Any, where: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = _typed(value, dict, where, "a table")
    return table


def _stacks(value: Any, where: str) -> tuple[int, int]:
    expected = "the chips behind: a whole number, or two for oop and ip"
    both = value if isinstance(value, list) else [value, value]
    if len(both) != 2:
        raise GameError(f"{where} is {value!r}; expected {expected}")
    first, second = (_typed(chips, int, where, expected) for chips in both)
    return first, second


def _bets(value: Any, where: str) -> str | dict[str, str]:
    if isinstance(value, str):
        return value
    table = _table(value, where)
    _check_keys(table, STREETS[1:], where)
    return {
        street: _typed(sizes, str, f"{where}.{street}", "a text such as '50%,a/3x'")
        for street, sizes in table.items()
    }


def _lock(value: Any, where: str) -> dict[str, float | str]:
    expected = "a share from 0 to 1, a range whose weights are shares, or 'rest'"
    return {
        action: _typed(share, (int, float, str), f"{where}.{action}", expected)
        for action, share in _table(value, where).items()
    }


def _solve(table: Mapping[str, Any], where: str) -> dict[str, Any]:
    _check_keys(table, SOLVE_KEYS, where)
    read: dict[str, Any] = {}
    for key, value in table.items():
        if key == "target":
            read[key] = str(value)
            parse_target(read[key])
        elif key == "algorithm":
            read[key] = _typed(value, str, f"{where}.{key}", "a name")
        elif key == "storage":
            read[key] = _typed(value, int, f"{where}.{key}", "16 or 32")
            if read[key] not in (16, 32):
                raise GameError(f"{where}.{key} is {value}, expected 16 or 32")
        elif key == "time":
            read[key] = float(_typed(value, (int, float), f"{where}.{key}", "seconds"))
        else:
            read[key] = _typed(value, int, f"{where}.{key}", "a whole number")
    return read
