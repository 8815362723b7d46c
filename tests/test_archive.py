"""Archives: arrays come back, damage is found, sizes are checked before anything is unpacked."""

from __future__ import annotations

import io
import os
import resource
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from tacit import archive
from tacit.archive import (
    ArchiveError,
    open_archive,
    read_arrays,
    read_text,
    write_archive,
    write_arrays,
)

ARRAYS = {"numbers": np.arange(12.0).reshape(3, 4), "text": np.array("kuhn"), "none": np.zeros(0)}


@pytest.mark.parametrize("compressed", [False, True])
def test_arrays_come_back(tmp_path: Path, compressed: bool) -> None:
    path = tmp_path / "a.npz"
    write_arrays(path, ARRAYS, compressed=compressed)
    for read in (read_arrays(path, "arrays"), dict(np.load(path))):
        assert read.keys() == ARRAYS.keys()
        assert all(np.array_equal(read[name], ARRAYS[name]) for name in ARRAYS)


def test_weights_come_back(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    write_archive(path, lambda file: torch.save({"w": torch.arange(3)}, file))
    with open_archive(path, "weights") as file:
        assert torch.load(file, weights_only=True)["w"].tolist() == [0, 1, 2]


def test_every_damaged_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_arrays(path, ARRAYS)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ArchiveError):
            read_arrays(path, "arrays")
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ArchiveError):
            read_arrays(path, "arrays")


def test_large_members_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    write_arrays(path, {"zeros": np.zeros(1 << 28, np.uint8)}, compressed=True)
    assert path.stat().st_size < 1 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ArchiveError, match=r"holds 0\.27 GB, more than the limit of 0\.10 GB"):
        read_arrays(path, "arrays", max_bytes=10**8)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 16  # KiB


def test_a_header_that_states_another_size_is_refused(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
    )

    def write(file: object) -> None:
        with zipfile.ZipFile(file, "w") as archive:  # type: ignore[call-overload]
            archive.writestr("a.npy", header.getvalue() + b"\0" * 8)

    write_archive(tmp_path / "a.npz", write)
    with pytest.raises(ArchiveError, match=r"a\.npy is not of the size that it states"):
        read_arrays(tmp_path / "a.npz", "arrays")


@pytest.mark.parametrize("path", ["/dev/zero", "/", "/nonexistent/a.npz", "bad\0name"])
def test_what_is_not_a_file_is_refused(path: str) -> None:
    with pytest.raises(ArchiveError):
        read_arrays(path, "arrays")


@pytest.mark.parametrize("path", ["/dev/zero", "/", "/nonexistent/a.toml", "bad\0name"])
def test_what_is_not_a_text_file_is_refused(path: str) -> None:
    with pytest.raises(ArchiveError) as caught:
        read_text(path, "a text")
    assert "\n" not in str(caught.value)


def test_pipes_and_long_texts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArchiveError, match="is a device or a pipe, not a text"):
        read_text(tmp_path / "pipe", "a text")
    monkeypatch.setattr(archive, "MAX_TEXT", 10)
    (tmp_path / "short").write_text("ä" * 5)
    assert read_text(tmp_path / "short", "a text") == "ä" * 5
    (tmp_path / "long").write_text("ä" * 6)
    with pytest.raises(ArchiveError, match="is too large for a text"):
        read_text(tmp_path / "long", "a text")
    (tmp_path / "short").write_bytes(b"\xff")
    with pytest.raises(ArchiveError, match="is not a text: 'utf-8' codec"):
        read_text(tmp_path / "short", "a text")
