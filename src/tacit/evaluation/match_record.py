"""The record of a match: what has been played so far, in a file from which the match resumes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tacit.archive import ArchiveError, read_text, reading
from tacit.files import CHECKSUM, check_writable, json_checksum, write_text
from tacit.games import GameError


class MatchRecord:
    """What a match has played, in a JSON file with a checksum, or nowhere if there is no path.

    match: what identifies the match, described by `words` where it differs from the file's; read:
    takes the results in the file, once. A file that is damaged, or that `read` cannot take, raises
    ArchiveError.
    """

    def __init__(
        self,
        path: str | Path | None,
        match: list[Any],
        *,
        words: str,
        read: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self.path = None if path is None else Path(path)
        self.match: list[Any] = json.loads(json.dumps(match))
        if self.path is None:
            return
        check_writable(self.path)
        if not self.path.exists():
            return
        what = "the record of a match of this kind"
        with reading(self.path, what):
            kept = json.loads(read_text(self.path, what))
            if kept.pop(CHECKSUM) != json_checksum(kept):
                raise ArchiveError(f"{self.path} is damaged: its checksum is wrong")
            before = kept.pop("match")
            if before == self.match:
                read(kept)
        if before != self.match:
            raise GameError(
                f"{self.path} is the record of another match, {before!r} and not {self.match} "
                f"({words}); name another file"
            )

    def write(self, results: Mapping[str, Any]) -> None:
        """Keep all results so far."""
        if self.path is None:
            return
        kept = json.loads(json.dumps({"match": self.match, **results}))
        write_text(self.path, json.dumps({**kept, CHECKSUM: json_checksum(kept)}) + "\n")
