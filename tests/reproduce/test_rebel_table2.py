"""ReBeL's Table 2: rows beside the paper's, kept in a file, and a picture."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from support.commands import call, fails
from tacit.reproduce.rebel_table2 import Table2

GAME = "liars-dice-1x4"


def test_there_is_a_row_for_each_algorithm_and_a_run_is_resumed(tmp_path: Path) -> None:
    kept, plot = tmp_path / "rows.json", tmp_path / "table2.png"
    arguments = [
        "reproduce", "rebel-table2", f"--games={GAME}", "--playthroughs=2", "--iterations=64",
        f"--out={kept}", "--json",
    ]  # fmt: skip
    code, text, errors = call(*arguments, f"--plot={plot}")
    assert code == 0, errors
    rows = {row["algorithm"]: row for row in json.loads(text)}
    assert [*rows] == ["cfr", "fp", "rebel-cfr-d", "rebel-fp", "rebel-cfr-avg"]
    assert rows["rebel-cfr-d"]["paper"] == 0.017
    assert 0 < rows["cfr"]["exploitability"] < rows["rebel-cfr-d"]["exploitability"] < 0.5
    assert rows["rebel-cfr-d"]["training"].startswith(f"tacit train {GAME}-cfr-d --seed")
    assert rows["rebel-cfr-avg"]["training"] == f"tacit train {GAME} --seed 0"
    assert rows["rebel-fp"]["training"] == f"tacit train {GAME}-fp --seed 0"
    assert rows["rebel-fp"]["iterations"] == rows["rebel-cfr-d"]["iterations"] == 32
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert json.loads(call(*arguments)[1]) == json.loads(text)
    kept.write_text("[{")
    assert "is damaged" in fails(*arguments)


def test_rows_of_another_scale_are_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table2, "_search", lambda *_: {"exploitability": 0.5, "iterations": 2,
                                                       "training_seconds": 60.0})  # fmt: skip
    small = Table2(games=(GAME,), playthroughs=1, iterations=4)
    kept = tmp_path / "rows.json"
    for experiment in (small, replace(small, iterations=8)):
        rows = experiment.rows(out=kept)
    assert [row["updates"] for row in json.loads(kept.read_text())] == [4] * 5 + [8] * 5
    shown = small.tables(rows)[0]
    assert shown.headers[:3] == ("game", "algorithm", "exploitability")
    assert [row[4] for row in shown.rows] == ["8", "8", "4", "4", "4"]
    assert [row[6] for row in shown.rows] == ["", "", "1 min", "1 min", "1 min"]
