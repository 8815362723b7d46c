"""Folders of runs: settings that stay, and logs that damage does not spoil."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tacit.games import GameError
from tacit.learn.checked_settings import Grouped, number
from tacit.learn.run_folder import begin_run, check_same, kept_settings, log_epoch, read_epochs


@dataclass(frozen=True, kw_only=True)
class Few(Grouped):
    """Settings of a run."""

    epochs: int = number(3)
    """Number of epochs."""


@dataclass(frozen=True)
class Line:
    """An epoch."""

    epoch: int
    loss: float


def test_settings_are_kept_and_may_not_change(tmp_path: Path) -> None:
    folder, settings = tmp_path / "a" / "run", Few(epochs=5)
    begin_run(folder, settings)
    assert kept_settings(folder, Few) == settings
    check_same(folder, settings, Few(epochs=5))
    with pytest.raises(GameError, match="begun with epochs=5, not 3; resume it as it is"):
        check_same(folder, settings, Few())
    with pytest.raises(GameError, match="holds a run already"):
        begin_run(folder, settings)
    with pytest.raises(GameError, match="holds no run"):
        kept_settings(tmp_path, Few)


def test_the_log_has_the_latest_entry_of_each_epoch(tmp_path: Path) -> None:
    assert read_epochs(tmp_path, Line) == []
    for epoch, loss in ((2, 0.5), (1, 0.7), (2, 0.4)):
        log_epoch(tmp_path, {"epoch": epoch, "loss": loss})
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write('nonsense\n[1]\n{"epoch": 3}\n{"epoch": 3, "loss": "low"}\n')
    assert read_epochs(tmp_path, Line) == [Line(1, 0.7), Line(2, 0.4)]
