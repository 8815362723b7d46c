"""Archives: zip files of arrays or weights that carry a checksum of themselves.

The archive's comment is `SEAL` and the SHA-256 of all bytes before it, so NumPy and PyTorch read
the file as any other. Reading checks what a file claims to hold before anything is unpacked.
"""

from __future__ import annotations

import hashlib
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tacit.files import write_atomically
from tacit.games.game import GameError

SEAL = b"tacit sha256 "
DIGITS = 64
_PIECE = 1 << 20
"""The bytes of an array that are written at a time."""
MAX_BYTES = 8 << 30
"""What reading a file may take if nothing else is said."""
MAX_TEXT = 64 << 20
"""The largest text file that is read, in bytes."""


class ArchiveError(GameError):
    """A file that is missing, damaged, of another kind, or too large."""


def write_archive(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a zip file, add the checksum, and put it at `path` atomically."""

    def sealed(file: IO[bytes]) -> None:
        write(file)
        with zipfile.ZipFile(file, "a") as archive:
            archive.comment = SEAL + b"0" * DIGITS
        file.flush()
        digest = _digest(file)
        file.seek(-DIGITS, 2)
        file.write(digest)

    write_atomically(path, sealed)


@contextmanager
def open_archive(path: str | Path, what: str, *, max_bytes: int = MAX_BYTES) -> Iterator[IO[bytes]]:
    """The file at `path`, checked; `what` says in messages what was expected there.

    ArchiveError if there is no such file, if it is not an archive of ours, if its checksum is
    wrong, or if its members are larger than `max_bytes` together.
    """
    with _open(path, what) as file:
        if _tail(file, len(SEAL) + DIGITS)[: len(SEAL)] != SEAL:
            raise ArchiveError(f"{path} is not {what} of tacit, or is damaged")
        if _tail(file, DIGITS) != _digest(file):
            raise ArchiveError(f"{path} is damaged: its checksum is wrong")
        try:
            with zipfile.ZipFile(file) as archive:
                size = sum(member.file_size for member in archive.infolist())
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise ArchiveError(f"{path} is damaged: {error}") from None
        if size > max_bytes:
            raise ArchiveError(
                f"{path} holds {size / 1e9:.2f} GB, more than the limit of {max_bytes / 1e9:.2f} GB"
            )
        file.seek(0)
        yield file


def read_text(path: str | Path, what: str) -> str:
    """A text file in UTF-8; ArchiveError if it is none, or larger than `MAX_TEXT`."""
    with _open(path, what) as file:
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise ArchiveError(f"{path} is too large for {what}: more than {MAX_TEXT >> 20} MB")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ArchiveError(f"{path} is not {what}: {error}") from None


def _open(path: str | Path, what: str) -> IO[bytes]:
    """An ordinary file; a device or a pipe could be read for ever."""
    path = Path(path)
    try:
        kind = path.stat().st_mode
        if stat.S_ISREG(kind):
            return path.open("rb")
    except FileNotFoundError:
        raise ArchiveError(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArchiveError(f"{path} cannot be read: {reason}") from None
    found = "a folder" if stat.S_ISDIR(kind) else "a device or a pipe"
    raise ArchiveError(f"{path} is {found}, not {what}")


@contextmanager
def reading(path: str | Path, what: str) -> Iterator[None]:
    """Turn every error over a file's contents into an ArchiveError of one line."""
    try:
        yield
    except (ArchiveError, MemoryError):
        raise
    except GameError as error:
        raise ArchiveError(f"{path}: {error}") from None
    except Exception as error:
        line = " ".join(str(error).split())[:200]
        raise ArchiveError(
            f"{path} is not {what}, or is damaged ({type(error).__name__}: {line})"
        ) from None


def write_arrays(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False
) -> None:
    """Write arrays as an npz file with a checksum, atomically."""
    write_archive(path, lambda file: _write_npz(file, arrays, compressed=compressed))


def _write_npz(file: IO[bytes], arrays: Mapping[str, NDArray[Any]], *, compressed: bool) -> None:
    """As `numpy.savez`, which copies up to 16 MB of an array at a time."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, given in arrays.items():
            array = np.ascontiguousarray(given).reshape(given.shape)
            if array.dtype.hasobject:
                raise ValueError(f"{name} holds Python objects, not numbers")
            raw = array.reshape(-1).view(np.uint8)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array_header_1_0(member, npy.header_data_from_array_1_0(array))
                for start in range(0, len(raw), _PIECE):
                    member.write(raw[start : start + _PIECE].data)


def read_arrays(
    path: str | Path, what: str, *, max_bytes: int = MAX_BYTES
) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file by name; ArchiveError says what is wrong with the file."""
    with open_archive(path, what, max_bytes=max_bytes) as file, reading(path, what):
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                _check_header(archive, member)
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}


def _check_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse an array whose shape does not fit the size of its member."""
    with archive.open(member) as stream:
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        version = npy.read_magic(stream)
        if version not in read:
            raise ValueError(f"version {version} of {member.filename}")
        shape, _, dtype = read[version](stream)
        size = dtype.itemsize
        for length in shape:
            size *= length
        if dtype.hasobject or stream.tell() + size != member.file_size:
            raise ValueError(f"{member.filename} is not of the size that it states")


def _tail(file: IO[bytes], count: int) -> bytes:
    """The last `count` bytes."""
    size = file.seek(0, 2)
    file.seek(max(size - count, 0))
    return file.read(count)


def _digest(file: IO[bytes]) -> bytes:
    """The SHA-256 of all bytes before the last `DIGITS`, as so many hexadecimal digits."""
    left = file.seek(0, 2) - DIGITS
    file.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (block := file.read(min(left, 1 << 20))):
        digest.update(block)
        left -= len(block)
    return digest.hexdigest().encode()
