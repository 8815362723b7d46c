"""Rows of a long table, computed one by one and kept in a file from which a later run resumes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from tacit.archive import ArchiveError, read_text, reading
from tacit.files import CHECKSUM, check_writable, json_checksum, write_json_rows
from tacit.report.experiment import SILENT, Experiment, Progress
from tacit.report.table import Row


class RowStore:
    """Rows keyed by the columns in `key`, kept in the JSON file `path` if one is given.

    Each row in the file has a checksum of itself, which is not among `rows`.
    rows: those of this run, in its order, each once. The file also keeps rows of earlier runs that
    this run does not ask for.
    """

    def __init__(self, path: Path | None, key: Sequence[str]) -> None:
        self.path = path
        self.key = tuple(key)
        self.rows: list[Row] = []
        self._known: dict[tuple[object, ...], Row] = {}
        check_writable(path)
        if path is not None and path.exists():
            what = "a file of rows of this table"
            with reading(path, what):
                for number, row in enumerate(json.loads(read_text(path, what)), start=1):
                    if row.pop(CHECKSUM, None) != json_checksum(row):
                        raise ArchiveError(
                            f"row {number} in {path} is damaged: its checksum is wrong; without "
                            "it, the row is computed again"
                        )
                    self._known[tuple(row[name] for name in self.key)] = row

    def add(self, head: Mapping[str, object], compute: Callable[[], Row]) -> Row:
        """The row that begins with `head`: the one in the file, or a new one, timed and saved."""
        key = tuple(head[name] for name in self.key)
        row = self._known.get(key)
        if row is None:
            began = time.perf_counter()
            row = {**head, **compute()}
            row.setdefault("seconds", time.perf_counter() - began)
            self._known[key] = row
            if self.path is not None:
                kept = [{**row, CHECKSUM: json_checksum(row)} for row in self._known.values()]
                write_json_rows(self.path, kept)
        if not any(row is each for each in self.rows):
            self.rows.append(row)
        return row


class Reproduction(Experiment):
    """A paper's table or figure, computed here.

    key: the columns that identify a row.
    """

    key: ClassVar[tuple[str, ...]]

    def rows(self, progress: Progress = SILENT, out: Path | None = None) -> list[Row]:
        """All rows: those in the file `out`, and new ones, which are added to it."""
        store = RowStore(out, self.key)
        self.add_rows(store, progress)
        return store.rows

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """Add every row to `store`, which computes those that it does not have yet."""
        raise NotImplementedError
