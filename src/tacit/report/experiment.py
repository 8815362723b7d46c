"""What tables of papers and measurements have in common: options, rows, tables and pictures.

An experiment is a frozen dataclass whose fields are its options. The command line makes its options
and help from the fields and the docstring; a program makes the object and calls `rows`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tacit.games import GameError
from tacit.report.table import Row, Table


def option(
    default: Any,
    help_text: str = "",
    *,
    least: float | None = None,
    shown_default: str | None = None,
) -> Any:
    """A field of an experiment: its default, what `--help` says of it, and its smallest value."""
    metadata = {"help": help_text, "least": least, "shown_default": shown_default}
    return dataclasses.field(default=default, metadata=metadata)


class Progress:
    """Where an experiment reports its progress; this one ignores the reports."""

    def stage(self, name: str, share: float) -> None:
        """The share in [0, 1] of the stage `name` that is finished."""

    def line(self, text: str) -> None:
        """An intermediate result in one line."""

    def warn(self, text: str) -> None:
        """A problem that does not end the run."""


SILENT = Progress()


class Experiment:
    """The base of all experiments.

    quick: the options with which the same rows take under five minutes.
    """

    quick: ClassVar[Mapping[str, Any]] = {}

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """What people read of the rows."""
        raise NotImplementedError

    def check_plot(self) -> None:
        """Raise GameError if these options give nothing that `plot` can draw."""

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """Draw the rows as a PNG file."""
        raise NotImplementedError


def has_plot(experiment: type[Experiment]) -> bool:
    """Whether an experiment draws pictures."""
    return experiment.plot is not Experiment.plot


def check_names(names: Collection[str], known: Collection[str], what: str) -> None:
    """Raise GameError at the first of `names` that is not `known`."""
    for name in names:
        if name not in known:
            raise GameError(f"no {what} {name!r}; known: {', '.join(known)}")
