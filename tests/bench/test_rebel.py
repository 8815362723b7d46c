"""`tacit bench rebel`: its rows on a short measurement."""

from __future__ import annotations

import pytest

from support.commands import fails
from tacit.bench import rebel


def test_rows_compare_both_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebel, "PLACES", 4)
    monkeypatch.setattr(rebel, "CONVERGED", 64)
    monkeypatch.setattr(rebel, "examples_per_second", lambda *_, **__: 48.0)
    rows = rebel.Rebel(games=("liars-dice-1x4",)).rows()
    assert [row["settings"] for row in rows] == ["rebel", "own"]
    for row in rows:
        assert row["ratio"] == 2.0
        assert 0 < row["value_error"] < 1
    (table,) = rebel.Rebel().tables(rows)
    assert [row[1] for row in table.rows] == ["rebel", "own"]


def test_games_without_a_figure_are_refused() -> None:
    assert "no figure of ReBeL's for 'kuhn'" in fails("bench", "rebel", "--games", "kuhn")
