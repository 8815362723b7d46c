"""What experiments share: names are checked, progress may be ignored."""

from __future__ import annotations

import pytest

from tacit.games import GameError
from tacit.report.experiment import SILENT, Experiment, check_names, has_plot


def test_unknown_names_are_refused() -> None:
    check_names(("a",), ("a", "b"), "row for")
    with pytest.raises(GameError, match="no row for 'c'; known: a, b"):
        check_names(("a", "c"), ("a", "b"), "row for")


def test_pictures_are_optional() -> None:
    class Drawn(Experiment):
        def plot(self, rows, path):
            pass

    assert has_plot(Drawn)
    assert not has_plot(Experiment)
    Drawn().check_plot()


def test_silent_progress_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    SILENT.stage("a", 0.5)
    SILENT.line("b")
    SILENT.warn("c")
    assert capsys.readouterr() == ("", "")
