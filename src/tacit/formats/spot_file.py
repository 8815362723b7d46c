"""Spots as TOML files: board, ranges, chips, bet sizes, and how to solve them.

    board = "3s7hTdKs2c"
    pot = 2000
    stacks = 19000                       # behind; [18000, 19000] for different ones
    big_blind = 100
    ranges.oop = "random"                # who acts first after the flop
    ranges.ip = "22+,A2s+,KTo+"
    bets = "50%,100%,a/75%,a"            # or bets.turn = ..., bets.river = ...; "auto": chosen
    sizes = 3                            # with bets = "auto": the most bets of a player
    thresholds.add_all_in = 0.5          # see `tacit.games.holdem.bet_sizes.BetSettings`
    add."k" = [2500]                     # further raises, as totals over the hand
    lock."k" = {k = 1.0}                 # player 1's policy there is fixed, not solved
    solve.target = "0.5%"

Texts stay as they are written until `SpotFile.spot` parses them, so that errors can point into
them. `example_names` lists the examples in the package.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.archive import read_text
from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import STREETS
from tacit.games.holdem.spot import Spot
from tacit.steps import OnShare, ignore_share
from tacit.suggest import closest

if TYPE_CHECKING:
    from tacit.learn.rl_cfr.chooser import SizeChoice

AUTO = "auto"
"""In place of bet sizes: choose them for the spot."""
SIZES = 3
"""How many are chosen unless a number is given."""
PLAYERS = ("oop", "ip")

Lock = Mapping[str, float | str]
"""By action: its share in every hand, a range whose weights are the shares, or ``rest``."""


_NO_BETS = BetSettings.parse("")


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
    sizes: int | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    additions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    locks: Mapping[str, Lock] = field(default_factory=dict)
    solve: Mapping[str, Any] = field(default_factory=dict)

    @property
    def chooses(self) -> bool:
        """Whether bet sizes are to be chosen; GameError if a number of them has no use."""
        chooses = isinstance(self.bets, str) and self.bets.strip().lower() == AUTO
        if self.sizes is not None and not chooses:
            raise GameError(f'sizes = {self.sizes} needs bets = "{AUTO}", which chooses them')
        return chooses

    def choice(self, actor: Path | None = None, *, on_share: OnShare = ignore_share) -> SizeChoice:
        """The sizes that are chosen for this spot, by the shipped actor or another.

        on_share: is told the share of the work that is done.
        """
        from tacit.learn.rl_cfr.chooser import chooser_of  # imports torch

        sizes = SIZES if self.sizes is None else self.sizes
        return chooser_of(actor, sizes=sizes).decide(self._spot(_NO_BETS), on_share=on_share)

    def spot(self, choice: SizeChoice | None = None) -> Spot:
        """The spot; GameError names what is missing or impossible.

        choice: of `bets = "auto"`, if it has been made already.
        """
        if self.chooses:
            chosen = (choice or self.choice()).bets
            return self._spot(BetSettings(sizes=chosen.sizes, **self.thresholds))
        return self._spot(None)

    def _spot(self, bets: BetSettings | None) -> Spot:
        """The spot with these bets, or with those of the file."""
        missing = [name for name in ("board", "pot", "stacks", "bets") if not getattr(self, name)]
        if missing:
            raise GameError(
                f"the spot has no {missing[0]}; give it as --{missing[0]} or in a TOML file "
                "(`tacit spot --list` names examples)"
            )
        assert self.pot and self.stacks and self.bets  # noqa: PT018
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
            bets=bets or BetSettings.parse(self.bets, **self.thresholds),
            big_blind=self.big_blind,
            additions={} if bets is _NO_BETS else self.additions,
            name=self.title,
        )


def load_spot_file(name: str | Path) -> SpotFile:
    """The spot of a TOML file, or of the example with this name."""
    source = files("tacit.formats") / "spots" / f"{name}.toml"
    if Path(name).exists():
        text = read_text(name, "a spot")
    elif "/" not in str(name) and source.is_file():
        text = source.read_text(encoding="utf-8")
    else:
        raise GameError(
            f"there is no spot {str(name)!r}: neither a file nor one of the examples "
            f"{', '.join(example_names())}{_nearest(str(name), example_names())}"
        )
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise GameError(f"{name} is not TOML: {error}") from None
    return read_spot(content, where=str(name))


def example_names() -> list[str]:
    """The example spots in the package."""
    folder = files("tacit.formats") / "spots"
    names = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def read_spot(content: Mapping[str, Any], *, where: str) -> SpotFile:
    """The spot that a parsed file describes; GameError names the bad key, `where` the file."""
    _check_keys(content, _READERS, where)
    fields = {key: _READERS[key](value, f"{where}: {key}") for key, value in content.items()}
    if "ranges" in fields:
        fields["ranges"] = tuple(fields["ranges"].get(name, "random") for name in PLAYERS)
    renamed = {"add": "additions", "lock": "locks"}
    return SpotFile(**{renamed.get(key, key): value for key, value in fields.items()})


def parse_target(text: str) -> tuple[float | None, float | None]:
    """``0.5%`` or ``0.5``: percent of the pot; ``20mbb``: thousandths of a big blind a hand.

    Returns both; the one that is not given is None.
    """
    match = re.fullmatch(r"(.*?)(%|mbb|mbb/h)?", text.strip().lower())
    try:
        value = float(match[1]) if match else float("nan")
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise GameError(
            f"{text!r} is not a target; write 0.5% (of the pot) or 20mbb (thousandths of a big "
            "blind a hand)"
        )
    return (value, None) if match and match[2] in (None, "%") else (None, value)


Reader = Callable[[Any, str], Any]
"""Checks the value of a key; a GameError begins with the text, which names the key."""


def _one(kind: Any, expected: str, among: Container[Any] | None = None) -> Reader:
    """A single value of a type, one of those in `among`."""

    def read(value: Any, where: str) -> Any:
        right = isinstance(value, kind) and not isinstance(value, bool)
        if not right or (among is not None and value not in among):
            raise GameError(f"{where} is {value!r}; expected {expected}")
        return value

    return read


def _table(reader: Reader | Mapping[str, Reader]) -> Reader:
    """A table of any keys, or of those in a mapping."""

    def read(value: Any, where: str) -> dict[str, Any]:
        table = _one(dict, "a table")(value, where)
        readers = reader if isinstance(reader, Mapping) else dict.fromkeys(table, reader)
        _check_keys(table, readers, where)
        return {key: readers[key](item, f"{where}.{key}") for key, item in table.items()}

    return read


def _check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            hint = _nearest(key, known) or f"; known: {', '.join(known)}"
            raise GameError(f"{where}: unknown key {key!r}{hint}")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = closest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def _stacks(value: Any, where: str) -> tuple[int, int]:
    expected = "the chips behind: a whole number, or two for oop and ip"
    both = value if isinstance(value, list) else [value, value]
    if len(both) != 2:
        raise GameError(f"{where} is {value!r}; expected {expected}")
    first, second = (_one(int, expected)(chips, where) for chips in both)
    return first, second


def _bets(value: Any, where: str) -> str | dict[str, str]:
    streets = dict.fromkeys(STREETS[1:], _one(str, "a text such as '50%,a/3x'"))
    read: str | dict[str, str] = value if isinstance(value, str) else _table(streets)(value, where)
    return read


def _totals(value: Any, where: str) -> tuple[int, ...]:
    total = _one(int, "whole numbers of chips: totals over the hand")
    return tuple(total(chips, where) for chips in (value if isinstance(value, list) else [value]))


def _target(value: Any, where: str) -> str:
    parse_target(str(value))
    return str(value)


_TEXT = _one(str, "a text")
_CHIPS = _one(int, "a whole number of chips")
_SHARE = _one((int, float, str), "a share from 0 to 1, a range whose weights are shares, or 'rest'")
_READERS: dict[str, Reader] = {
    "title": _TEXT,
    "board": _TEXT,
    "pot": _CHIPS,
    "stacks": _stacks,
    "big_blind": _CHIPS,
    "ranges": _table(dict.fromkeys(PLAYERS, _TEXT)),
    "bets": _bets,
    "sizes": _one(int, "a whole number of sizes"),
    "thresholds": _table(
        dict.fromkeys(("add_all_in", "force_all_in", "merge"), _one((int, float), "a number"))
    ),
    "add": _table(_totals),
    "lock": _table(_table(_SHARE)),
    "solve": _table(
        {
            "algorithm": _one(str, "a name"),
            "iterations": _one(int, "1 or more iterations", range(1, 2**63)),
            "storage": _one(int, "16 or 32", (16, 32)),
            "target": _target,
            "threads": _one(int, "1 to 1024 threads", range(1, 1025)),
            "time": _one((int, float), "seconds"),
        }
    ),
}
