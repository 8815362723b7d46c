"""`tacit reproduce safe-tables`: tables as they are ready, rows that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import call, fails
from tacit.subgame.methods import METHODS

ARGUMENTS = ("reproduce", "safe-tables", "--games=liars-dice-1x3", "--iterations=40")


def test_rows_are_kept_and_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "rows.json"
    code, text, errors = call(*ARGUMENTS, "--seeds=1", f"--out={kept}", "--json")
    assert code == 0, errors
    rows = json.loads(text)
    assert [row["blueprint"] for row in rows] == [
        "few iterations", "merged infostates", "missing actions",
    ]  # fmt: skip
    for row in rows:
        assert (row["game"], row["seed"], row["iterations"]) == ("liars-dice-1x3", 0, 40)
        assert list(row["exploitability"]) == ["blueprint", *METHODS]
    assert json.loads(kept.read_text()) == rows

    code, text, _ = call(*ARGUMENTS, "--seeds=2", f"--out={kept}", "--json")
    more = json.loads(text)
    assert code == 0
    assert [row for row in more if row["seed"] == 0] == rows
    assert len(more) == len(json.loads(kept.read_text())) == 6

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a kept row was made anew")

    monkeypatch.setattr("tacit.reproduce.safe_tables.blueprint_worths", never)
    code, shown, _ = call(*ARGUMENTS, "--seeds=2", f"--out={kept}")
    assert code == 0
    for words in ("liars-dice-1x3", "2 seeds each", "reach-maxmargin-not-split", "worst rise"):
        assert words in shown
    mean = sum(row["exploitability"]["resolve"] for row in more[:2]) / 2
    assert f"{mean:.4f}" in shown


def test_damaged_files_and_unknown_games_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "rows.json"
    for text in ("[{", '[{"game": "leduc"}]', "3"):
        kept.write_text(text)
        assert "is damaged" in fails(*ARGUMENTS, f"--out={kept}")
    assert "no table for chess" in fails("reproduce", "safe-tables", "--games=chess")
    missing = tmp_path / "none" / "rows.json"
    assert "there is no folder" in fails(*ARGUMENTS, f"--out={missing}")
