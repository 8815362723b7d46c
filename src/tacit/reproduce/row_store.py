"""Rows of a long table: made one by one, and kept in a file, from which a later run goes on."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tacit.games import GameError


class KeptRows:
    """Rows that some of their entries, the `names`, tell apart; kept in `path` if it is given.

    found: the rows of this run, in its order. The file also keeps rows that were asked for before
    and are not now.
    """

    def __init__(self, path: Path | None, names: Sequence[str]) -> None:
        self.path = path
        self.names = tuple(names)
        self.found: list[dict[str, Any]] = []
        self.kept: dict[tuple[Any, ...], dict[str, Any]] = {}
        if path is not None:
            from tacit.files import check_writable

            check_writable(path)
        if path is not None and path.exists():
            try:
                rows = json.loads(path.read_text())
                self.kept = {tuple(row[name] for name in self.names): row for row in rows}
            except (ValueError, TypeError, KeyError) as error:
                raise GameError(f"{path} is damaged ({error}); move it away") from None

    def add(self, head: Mapping[str, Any], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The row that begins with `head`: kept from before, or made now and timed."""
        key = tuple(head[name] for name in self.names)
        row = self.kept.get(key)
        if row is None:
            began = time.perf_counter()
            row = {**head, **make(), "seconds": time.perf_counter() - began}
            self.kept[key] = row
            self._save()
        self.found.append(row)
        return row

    def _save(self) -> None:
        if self.path is not None:
            aside = self.path.with_name(self.path.name + ".part")
            lines = ",\n".join(json.dumps(row) for row in self.kept.values())
            aside.write_text(f"[\n{lines}\n]\n")
            os.replace(aside, self.path)
