"""Writing files: atomically, so that an interrupt or a full disk leaves the old file."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tacit.games.game import GameError

CHECKSUM = "sha256"
"""The name of a checksum in a JSON file."""


def write_atomically(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Give `write` a temporary file beside `path`, then rename it; a symbolic link stays a link.

    GameError if the file cannot be written; what was at `path` before is then unchanged.
    """
    path = Path(path).resolve()
    part: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        part = Path(name)
        with os.fdopen(handle, "w+b") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode(path))
        part.replace(path)
    except BaseException as error:
        if part is not None:
            part.unlink(missing_ok=True)
        # torch.save raises RuntimeError when the disk is full.
        if isinstance(error, OSError | RuntimeError):
            reason = getattr(error, "strerror", None) or error
            kept = "; the file that was there is unchanged" if path.exists() else ""
            raise GameError(f"{path} could not be written ({reason}){kept}") from None
        raise


class FolderLock:
    """Keeps other processes out of a run's folder until `release`; GameError says who holds it."""

    def __init__(self, folder: Path) -> None:
        try:
            self.file = (folder / "lock").open("a+")
        except OSError as error:
            raise GameError(f"{folder} cannot be written to: {error.strerror}") from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.seek(0)
            holder = self.file.read() or "another process"
            self.file.close()
            raise GameError(
                f"{folder} is in use by {holder}; wait for it, or name another folder"
            ) from None
        self.file.truncate(0)
        self.file.write(f"process {os.getpid()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        self.file.flush()

    def release(self) -> None:
        """Let others in."""
        self.file.truncate(0)
        self.file.close()


def _mode(path: Path) -> int:
    """The permissions that a new file at `path` gets: the old file's, or the usual ones."""
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(path, lambda file: file.write(text.encode()))


def write_json_rows(path: str | Path, rows: list[dict[str, Any]]) -> None:
    """Write a JSON list atomically, one row a line."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    write_text(path, f"[\n{lines}\n]\n")


def json_checksum(data: object) -> str:
    """The SHA-256 of data as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def check_writable(*paths: str | Path | None) -> None:
    """Raise GameError if a file cannot be written at one of `paths`, before a long run."""
    for path in (Path(name).resolve() for name in paths if name is not None):
        if path.is_dir():
            raise GameError(f"cannot write {path}: it is a folder; name a file in it")
        if path.exists() and not path.is_file():
            raise GameError(f"cannot write {path}: it is not an ordinary file; name another")
        if not path.parent.is_dir():
            raise GameError(f"cannot write {path}: there is no folder {path.parent}; make it first")
        try:
            tempfile.TemporaryFile(dir=path.parent).close()
        except OSError as error:
            raise GameError(f"cannot write {path}: {error.strerror}") from None
