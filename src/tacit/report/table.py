"""Tables as data: rows of text under headers, for the command line and the web app alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

Row = dict[str, Any]
"""One row of a result, ready for JSON."""


@dataclass
class Table:
    """Rows of cells between a title and a note; the first `text_columns` are text, not numbers."""

    headers: tuple[str, ...]
    text_columns: int = 1
    title: str = ""
    note: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add_row(self, *cells: str) -> None:
        """Append a row with one cell for each header."""
        self.rows.append(cells)


@dataclass(frozen=True)
class Heading:
    """A line that begins a part of a report: in bold, then in plain text."""

    bold: str
    rest: str = ""


def table(*headers: str, text_columns: int = 1, title: str = "", note: str = "") -> Table:
    """An empty table."""
    return Table(headers, text_columns, title, note)


def table_of(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str], **options: Any
) -> Table:
    """A table of result rows; `options` are those of `table`.

    `columns` maps each header to a format string such as ``{seconds:.2f} s``; its cell is empty
    where the row lacks the entry, or has None.
    """
    made = table(*columns, **options)
    for row in rows:
        made.add_row(*(_cell(template, row) for template in columns.values()))
    return made


def printable(text: str) -> str:
    """`text` with escapes for characters that would steer a terminal, other than line ends."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode()
        for each in text
    )


def pick(source: object, names: str) -> Row:
    """The attributes of `source` that are named, separated by spaces."""
    return {name: getattr(source, name) for name in names.split()}


def _cell(template: str, row: Mapping[str, Any]) -> str:
    names = [name for _, name, _, _ in Formatter().parse(template) if name]
    return "" if any(row.get(name) is None for name in names) else template.format_map(row)
