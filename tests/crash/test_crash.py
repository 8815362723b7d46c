"""A few kills of every command that writes; `make crash` does a hundred."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from crash.run import CRASHES, GOOD, Crash, _broken, kill_once, undisturbed


@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash.name)
def test_a_killed_command_breaks_nothing(crash: Crash) -> None:
    assert kill_once(crash, *undisturbed(crash), random.Random(crash.name)) in GOOD


def test_broken_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text("[")
    assert "rows.json" in str(_broken(tmp_path))
    shutil.move(tmp_path / "rows.json", tmp_path / "rows.json.part")
    assert _broken(tmp_path) is None
