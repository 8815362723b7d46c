"""A run's folder: its settings, which do not change once it has begun, and its log of epochs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tacit.archive import read_text, reading
from tacit.files import write_text
from tacit.games import GameError
from tacit.learn.checked_settings import Grouped

SETTINGS, LOG = "settings.json", "log.jsonl"


class Entry(Protocol):
    """What is logged of an epoch."""

    @property
    def epoch(self) -> int:
        """Its number."""


E = TypeVar("E", bound=Entry)
S = TypeVar("S", bound=Grouped)


def begin_run(folder: Path, settings: Grouped) -> None:
    """Make the folder of a new run; refuse one that holds another."""
    if (folder / SETTINGS).exists():
        raise GameError(f"{folder} holds a run already; resume it, or name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / SETTINGS, settings.to_json())


def kept_settings(folder: Path, kind: type[S]) -> S:
    """The settings of the run in `folder`."""
    path = folder / SETTINGS
    if not path.is_file():
        raise GameError(f"{folder} holds no run: {path} is missing")
    with reading(path, "a run's settings"):
        return kind.from_json(read_text(path, "a run's settings"))


def check_same(folder: Path, kept: S, given: S) -> None:
    """Refuse to resume a run with other settings than its own."""
    if changed := kept.differences(given):
        name, (begun, now) = next(iter(changed.items()))
        raise GameError(
            f"{folder} was begun with {name}={begun}, not {now}; resume it as it is, or begin "
            "another run"
        )


def log_epoch(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a line to the log."""
    with (folder / LOG).open("a") as log:
        log.write(json.dumps(entry) + "\n")


def read_epochs(folder: Path, make: Callable[..., E]) -> list[E]:
    """The log by epoch, the latest entry of each; damaged lines are left out.

    make: an entry from the names and numbers of a line.
    """
    entries: dict[int, E] = {}
    path = folder / LOG
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            found = json.loads(line)
            entry = make(**found)
        except (ValueError, TypeError, RecursionError):
            continue
        if all(isinstance(value, int | float | None) for value in found.values()):
            entries[entry.epoch] = entry
    return [entries[epoch] for epoch in sorted(entries)]
