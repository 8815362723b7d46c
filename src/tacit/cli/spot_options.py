"""The flags of `tacit spot` read as a spot, its locks and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tacit.formats.spot_file import Lock, SpotFile, load_spot_file, parse_target, read_spot

if TYPE_CHECKING:
    from tacit.solvers.spot import SpotLimits


def spot_settings(name: str | None, given: Mapping[str, Any]) -> SpotFile:
    """The spot of a file or example, changed by the flags in `given`."""
    found = load_spot_file(name) if name else SpotFile()
    changes: dict[str, Any] = {
        key: given[key] for key in ("board", "pot", "big_blind") if given[key] is not None
    }
    if given["stacks"] is not None:
        changes["stacks"] = _stacks(given["stacks"])
    both = zip((given["oop"], given["ip"]), found.ranges, strict=True)
    changes["ranges"] = tuple(kept if flag is None else flag for flag, kept in both)
    if given["bets"]:
        changes["bets"] = _bets(given["bets"])
    thresholds = {
        key: given[key] for key in ("add_all_in", "force_all_in", "merge") if given[key] is not None
    }
    changes["thresholds"] = {**found.thresholds, **thresholds}
    changes["additions"] = _additions(given["add"], found.additions)
    changes["locks"] = {**found.locks, **_locks(given["lock"])}
    if not name and "board" in changes:
        changes["title"] = f"Spot {changes['board']}"
    return replace(found, **changes)


def _stacks(text: str) -> tuple[int, int]:
    parts = text.replace(",", " ").split()
    if len(parts) not in (1, 2) or not all(part.lstrip("-").isdecimal() for part in parts):
        raise click.UsageError(f"--stacks {text!r}: expected chips: 19000, or 19000,15000")
    return int(parts[0]), int(parts[-1])


def _bets(texts: Sequence[str]) -> str | dict[str, str]:
    """One text for all streets, or one for each street that is named."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    streets: dict[str, str] = {}
    for text in texts:
        street, equals, sizes = text.partition("=")
        if not equals:
            raise click.UsageError(f"--bets {text!r}: several need their street: turn=50%/3x")
        streets[street.strip()] = sizes
    read = read_spot({"bets": streets}, where="--bets").bets
    assert isinstance(read, dict)
    return read


def _additions(
    texts: Sequence[str], known: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """The raises of flags, added to the `known` ones."""
    found = dict(known)
    for text in texts:
        path, colon, totals = text.rpartition(":")
        parts = totals.replace(",", " ").split()
        if not colon or not parts or not all(part.isdecimal() for part in parts):
            raise click.UsageError(f"--add {text!r}: expected a path and a total: k:2500")
        key = "".join(path.split())
        found[key] = (*found.get(key, ()), *map(int, parts))
    return found


def _locks(texts: Sequence[str]) -> dict[str, Lock]:
    found: dict[str, Lock] = {}
    for text in texts:
        path, colon, policy = text.partition(":")
        shares: dict[str, float | str] = {}
        for word in policy.split():
            label, equals, share = word.partition("=")
            if not equals or not label or not share:
                colon = ""
                break
            try:
                shares[label] = float(share)
            except ValueError:
                shares[label] = share
        if not colon or not shares:
            raise click.UsageError(
                f"--lock {text!r}: expected a path and shares: 'k: k=0.7 r3000=0.3'"
            )
        found[path.strip()] = shares
    return found


def spot_limits(chosen: Mapping[str, Any]) -> SpotLimits:
    """When to stop, from the flags and the file's table `solve`."""
    from tacit.solvers.spot import SpotLimits

    percent, mbb = parse_target(chosen["target"]) if "target" in chosen else (None, None)
    return SpotLimits(
        percent=percent,
        mbb=mbb,
        seconds=chosen.get("time"),
        iterations=chosen.get("iterations"),
    )
