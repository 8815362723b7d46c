"""Files are written whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tacit.files import FolderLock, check_writable, write_atomically, write_json_rows, write_text
from tacit.games import GameError


def test_unwritable_places_are_found_before_solving(tmp_path):
    check_writable(tmp_path / "new.npz")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(GameError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(GameError, match="there is no folder"):
        check_writable(tmp_path / "none" / "x.npz")
    with pytest.raises(GameError, match="cannot write /proc/x"):
        check_writable("/proc/x")
    with pytest.raises(GameError, match="not an ordinary file"):
        check_writable("/dev/null")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "kept.txt"
    write_text(path, "old")

    def fill_the_disk(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(GameError, match=r"No space left on device.*is unchanged"):
        write_atomically(path, fill_the_disk)
    with pytest.raises(GameError, match=r"could not be written \(No space left on device\)$"):
        write_atomically(tmp_path / "new.txt", fill_the_disk)

    def interrupt(file):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, interrupt)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.txt"]


def test_permissions_are_the_usual_ones_or_those_of_the_old_file(tmp_path):
    plain, written = tmp_path / "plain", tmp_path / "written"
    plain.write_text("")
    write_text(written, "a")
    assert written.stat().st_mode == plain.stat().st_mode
    written.chmod(0o600)
    write_text(written, "b")
    assert written.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "text")
    assert os.readlink(tmp_path / "link") == str(tmp_path / "real")
    assert (tmp_path / "real").read_text() == "text"


def test_rows_are_written_one_a_line(tmp_path):
    write_json_rows(tmp_path / "rows.json", [{"a": 1}, {"a": 2}])
    assert (tmp_path / "rows.json").read_text() == '[\n{"a": 1},\n{"a": 2}\n]\n'


def test_a_folder_is_locked_for_one_process(tmp_path):
    lock = FolderLock(tmp_path)
    with pytest.raises(GameError, match=rf"is in use by process {os.getpid()} since"):
        FolderLock(tmp_path)
    lock.release()
    FolderLock(tmp_path).release()


def test_a_lock_ends_with_its_process(tmp_path):
    program = f"from tacit.files import *; FolderLock(Path({str(tmp_path)!r})); os._exit(0)"
    subprocess.run([sys.executable, "-c", program], check=True)
    FolderLock(tmp_path).release()


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "file"

    def meanwhile(file):
        file.write(b"the first")
        write_text(path, "the second")
        assert path.read_text() == "the second"

    write_atomically(path, meanwhile)
    assert path.read_text() == "the first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append((tmp_path / "file").exists()))
    write_text(tmp_path / "file", "text")
    assert synced == [False]
