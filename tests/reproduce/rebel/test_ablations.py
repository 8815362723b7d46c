"""ReBeL's ablations on a small scale: a row for each training and search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import call
from tacit.learn.presets import find_preset
from tacit.reproduce.rebel.ablations import TRAININGS
from tacit.reproduce.rebel.perfect_values import SEARCHES


def test_trainings_and_searches_have_rows_and_are_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = find_preset("kuhn").changed(
        {"tables": "1", "table_size": "4", "rounds": "1", "iterations": "20", "hidden": "8",
         "steps": "1", "play_iterations": "20"}
    )  # fmt: skip
    monkeypatch.setattr("tacit.learn.presets.find_preset", lambda name: small)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    words = ["reproduce", "rebel-ablations", "--game=kuhn", "--epochs=1", "--seeds=1"]
    words += ["--perfect-games=kuhn", "--perfect-iterations=2", f"--runs={tmp_path / 'runs'}"]
    words += [f"--out={tmp_path / 'rows.json'}", f"--plot={tmp_path / 'bars.png'}", "--json"]
    code, text, errors = call(*words)
    assert code == 0, errors
    rows = json.loads(text)
    names = [f"{kind}-seed-0" for kind in TRAININGS] + [f"perfect-{name}" for name in SEARCHES]
    assert [row["algorithm"] for row in rows] == names
    assert all(row["exploitability"] > 0 for row in rows)
    assert all(row["full_game"] > 0 for row in rows[len(TRAININGS) :])
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(call(*words)[1]) == rows
