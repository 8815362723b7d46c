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
from tacit.report.table import Row, Table, table_of


def option(
    default: Any = None,
    help_text: str = "",
    *flags: str,
    least: float | None = None,
    most: float | None = None,
    shown_default: str | None = None,
    metavar: str | None = None,
) -> Any:
    """An option of an experiment or a command: its default, what `--help` says of it, its range.

    default: ``...`` where it must be given; flags: a short one, or a long one that is not the name.
    """
    return dataclasses.field(default=default, metadata={**locals()})


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

    quick: the options with which the same rows take under five minutes; title: of the table, a
    format of options and of entries of the first row; columns: as those of `table_of`.
    """

    quick: ClassVar[Mapping[str, Any]] = {}
    title: ClassVar[str]
    columns: ClassVar[Mapping[str, str]]
    text_columns: ClassVar[int] = 1

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """Compute the rows."""
        raise NotImplementedError

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """What people read of the rows."""
        title = self.title.format_map({**vars(self), **next(iter(rows), {})})
        return [table_of(rows, self.columns, text_columns=self.text_columns, title=title)]

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
