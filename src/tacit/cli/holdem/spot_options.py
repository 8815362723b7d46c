"""The flags of `tacit spot` read as a spot, its locks and limits."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from tacit.report.experiment import option

if TYPE_CHECKING:
    from tacit.formats.spot_file import Lock, SpotFile

THRESHOLDS = ("add_all_in", "force_all_in", "merge")
CARDS_AND_CHIPS = ("name", "board", "oop", "ip", "pot", "stacks", "big_blind")
SPOT = (*CARDS_AND_CHIPS, "bets", "sizes", "actor", *THRESHOLDS, "add", "lock")
LIMITS = ("target", "time", "iterations")


@dataclass(frozen=True)
class SpotOptions:
    """Solve a spot of heads-up hold'em until the first of --target, --time and --iterations.

    The spot comes from flags, from a TOML file, or from an example (see --list); flags override
    the file. Afterwards a prompt walks through the tree: type an action, cards, a hand (AhKd, AKs),
    back, top or quit.
    """

    name: str | None = option(metavar="[NAME|FILE.toml]")
    _: KW_ONLY
    examples: bool = option(False, "List the spots that come with tacit.", "--list")
    board: str | None = option(None, "3, 4 or 5 cards: 3s7hTdKs.", "-b", metavar="CARDS")
    oop: str | None = option(
        None, "Who acts first: 22+,A2s+,KTo+.  [default: random]", metavar="RANGE"
    )
    ip: str | None = option(None, "Who acts last.  [default: random]", metavar="RANGE")
    pot: int | None = option(None, "The chips in the middle.", metavar="CHIPS")
    stacks: str | None = option(None, "The chips behind: 19000, or 19000,15000.", metavar="CHIPS")
    big_blind: int | None = option(None, "The smallest bet.  [default: 100]", metavar="CHIPS")
    bets: Sequence[str] = option(
        (),
        "bets/raises: 50%,a/3x,a for all streets, or turn=50%/3x, once for each street; or auto.",
        metavar="SIZES",
    )
    sizes: int | None = option(
        None, "With --bets auto: at most this many bets of each player.  [default: 3]", metavar="N"
    )
    actor: Path | None = option(
        None, "With --bets auto: choose by this run of `tacit train rl-cfr-river`."
    )
    add_all_in: float | None = option(None, "Add an all-in of at most X pots.", metavar="X")
    force_all_in: float | None = option(None, "All in if X pots would be left.", metavar="X")
    merge: float | None = option(None, "Join bets of nearly the same size.", metavar="X")
    add: Sequence[str] = option((), "Add a raise: k:2500.", metavar="PATH:TOTAL")
    lock: Sequence[str] = option((), "Fix a policy: 'k: k=0.7 r3000=0.3'.", metavar="PATH:POLICY")
    algorithm: str | None = option(
        None, "As of `tacit solve`.  [default: dcfr]", "-a", metavar="NAME"
    )
    target: str | None = option(
        None, "Stop at 0.5% of the pot, or at 20mbb.  [default: 0.5%]", "-t", metavar="SIZE"
    )
    time: float | None = option(None, "Stop after this time.", metavar="SECONDS")
    iterations: int | None = option(None, "Stop after this many iterations.", "-n")
    threads: int | None = option(None, "[default: all cores]", least=1, most=1024)
    storage: Literal["32", "16"] | None = option(
        None, "Bits of a regret or policy sum; 16 takes about half the memory.  [default: 32]"
    )
    no_isomorphism: bool = option(False, "Do not merge suits that are equivalent.")
    memory: int
    at: str = option("", "The node to show: 'k r3000 c 2h'.", metavar="PATH")
    hands: bool = option(False, "With --json: every hand, not only classes.")
    out: Path | None = option(None, "Save the solution here.", "-o")
    small: bool = option(False, "With --out: leave out rivers.")
    resumable: bool = option(False, "With --out: keep what --resume needs.")
    resume: Path | None = option(None, "Resume a solve from such a file.")
    load: Path | None = option(None, "Show a saved solution.")
    plot: Path | None = option(None, "Save a picture of the grid (PNG).")
    no_walk: bool = option(False, "Show the result without a prompt.")
    as_json: bool

    def given(self, names: Collection[str]) -> dict[str, Any]:
        """Those of the options `names` that are on the command line."""
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, ())}

    def refuse(self, names: Collection[str], message: str) -> None:
        """A usage error if one of the options `names` is on the command line."""
        if self.given(names):
            raise click.UsageError(message)

    def solve_settings(self, file: Mapping[str, Any]) -> dict[str, Any]:
        """How to solve: a file's table `solve`, changed by flags.

        Limits on the command line replace all limits of the file.
        """
        if self.given(LIMITS):
            file = {name: value for name, value in file.items() if name not in LIMITS}
        return {**file, **self.given(("algorithm", *LIMITS, "threads", "storage"))}

    def spot_file(self) -> SpotFile:
        """The spot of a file or example, changed by the flags."""
        from tacit.formats.spot_file import SpotFile, load_spot_file

        found = load_spot_file(self.name) if self.name else SpotFile()
        changes = self.given(("board", "pot", "big_blind", "sizes"))
        if self.stacks is not None:
            changes["stacks"] = _stacks(self.stacks)
        if self.bets:
            changes["bets"] = _bets(self.bets)
        if self.board is not None and not self.name:
            changes["title"] = f"Spot {self.board}"
        first, second = found.ranges
        file = replace(
            found,
            ranges=(
                first if self.oop is None else self.oop,
                second if self.ip is None else self.ip,
            ),
            thresholds={**found.thresholds, **self.given(THRESHOLDS)},
            additions=_additions(self.add, found.additions),
            locks={**found.locks, **_locks(self.lock)},
            **changes,
        )
        if self.actor is not None and not file.chooses:
            raise click.UsageError("--actor chooses sizes; it needs --bets auto")
        return file


def _stacks(text: str) -> tuple[int, int]:
    parts = text.replace(",", " ").split()
    if len(parts) not in (1, 2) or not all(re.fullmatch(r"-?\d{1,18}", part) for part in parts):
        raise click.UsageError(f"--stacks {text!r}: expected chips: 19000, or 19000,15000")
    return int(parts[0]), int(parts[-1])


def _bets(texts: Sequence[str]) -> str | Mapping[str, str] | None:
    """One text for all streets, or one for each street that is named."""
    from tacit.formats.spot_file import read_spot

    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    streets: dict[str, str] = {}
    for text in texts:
        street, equals, sizes = text.partition("=")
        if not equals:
            raise click.UsageError(f"--bets {text!r}: several need their street: turn=50%/3x")
        streets[street.strip()] = sizes
    return read_spot({"bets": streets}, where="--bets").bets


def _additions(
    texts: Sequence[str], known: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """The raises of flags, added to the `known` ones."""
    found = dict(known)
    for text in texts:
        path, colon, totals = text.rpartition(":")
        parts = totals.replace(",", " ").split()
        if not colon or not parts or not all(re.fullmatch(r"\d{1,18}", part) for part in parts):
            raise click.UsageError(f"--add {text!r}: expected a path and a total: k:2500")
        key = "".join(path.split())
        found[key] = (*found.get(key, ()), *map(int, parts))
    return found


def _locks(texts: Sequence[str]) -> dict[str, Lock]:
    found: dict[str, Lock] = {}
    for text in texts:
        path, _, policy = text.partition(":")
        parts = [word.partition("=") for word in policy.split()]
        if not parts or not all(label and share for label, _, share in parts):
            raise click.UsageError(
                f"--lock {text!r}: expected a path and shares: 'k: k=0.7 r3000=0.3'"
            )
        found[path.strip()] = {label: _share(share) for label, _, share in parts}
    return found


def _share(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
