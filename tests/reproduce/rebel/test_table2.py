"""ReBeL's Table 2: rows beside the paper's, kept in a file, and a picture."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from support.commands import call, fails
from tacit.games import GameError
from tacit.learn import shipped
from tacit.report.table import Row
from tacit.reproduce.rebel.table2 import Table2

GAME = "liars-dice-1x4"


def test_there_is_a_row_for_each_algorithm_and_a_run_is_resumed(tmp_path: Path) -> None:
    kept, plot = tmp_path / "rows.json", tmp_path / "table2.png"
    arguments = [
        "reproduce", "rebel-table2", f"--games={GAME}", "--playthroughs=2",
        "--sampled-playthroughs=2", "--iterations=64", "--seeds=2", f"--out={kept}", "--json",
    ]  # fmt: skip
    code, text, errors = call(*arguments, f"--plot={plot}")
    assert code == 0, errors
    rows = {row["algorithm"]: row for row in json.loads(text)}
    assert [*rows] == ["cfr", "fp", "rebel-cfr-d", "rebel-fp", "rebel-cfr-avg", "rebel-play"]
    assert rows["rebel-cfr-d"]["paper"] == 0.017
    assert 0 < rows["cfr"]["mean"] < rows["rebel-cfr-d"]["mean"] < 0.5
    assert rows["rebel-cfr-d"]["trainings"][0].startswith(f"tacit train {GAME}-cfr-d --seed")
    assert rows["rebel-cfr-avg"]["trainings"] == [f"tacit train {GAME} --seed {n}" for n in (0, 1)]
    assert rows["rebel-fp"]["trainings"] == [f"tacit train {GAME}-fp --seed 0"]
    assert rows["rebel-fp"]["updates"] == rows["rebel-cfr-d"]["updates"] == 64
    assert rows["rebel-play"]["trainings"] == rows["rebel-cfr-avg"]["trainings"]
    assert rows["rebel-play"]["max"] < rows["rebel-cfr-avg"]["min"] / 2
    assert {row["depth"] for row in json.loads(kept.read_text()) if "depth" in row} == {2, 6}
    for name in ("rebel-cfr-d", "rebel-fp", "rebel-cfr-avg", "rebel-play"):
        for form in ("", "sampled_"):
            figures = [rows[name][form + figure] for figure in ("min", "mean", "max")]
            assert figures == sorted(figures)
            assert figures[0] < figures[2]
            assert rows[name][f"{form}seeds"] == 2
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert json.loads(call(*arguments)[1]) == json.loads(text)
    kept.write_text("[{")
    assert "is damaged" in fails(*arguments)


def _figure(_: Table2, head: Row, __: object) -> Row:
    figure = 0.5 + head["seed"] + (0.25 if head["runs"] else 0)
    return {"exploitability": figure, "iterations": 2, "training_seconds": 60.0,
            "training": f"seed {1 if head['runs'] else 0}"}  # fmt: skip


def test_networks_of_further_trainings_are_averaged_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table2, "_search", _figure)
    monkeypatch.setattr(shipped, "SECOND", tmp_path)
    runs = tmp_path / "seed-1"
    (runs / GAME).mkdir(parents=True)
    small = Table2(games=(GAME,), forms=("exact",), iterations=4, seeds=2, runs=(str(runs),))
    rows = {row["algorithm"]: row for row in small.rows()}
    both = rows["rebel-cfr-avg"]
    assert (both["networks"], both["min"], both["mean"], both["max"]) == (2, 0.5, 1.125, 1.75)
    assert both["sampled_mean"] is None
    assert rows["rebel-cfr-d"]["networks"] == 1
    assert rows["rebel-cfr-d"]["mean"] == 1
    with pytest.raises(GameError, match="there is no folder nowhere"):
        Table2(runs=("nowhere",))


def test_rows_of_another_scale_are_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table2, "_search", _figure)
    monkeypatch.setattr(shipped, "SECOND", tmp_path)
    small = Table2(games=(GAME,), forms=("exact",), seeds=1, iterations=4)
    kept = tmp_path / "rows.json"
    for experiment in (small, replace(small, iterations=8)):
        rows = experiment.rows(out=kept)
    assert [row["updates"] for row in json.loads(kept.read_text())] == [4] * 6 + [8] * 6
    shown = small.tables(rows)[0]
    assert shown.headers[:3] == ("game", "algorithm", "mean")
    assert [row[2] for row in shown.rows][2:] == ["0.5000"] * 4
