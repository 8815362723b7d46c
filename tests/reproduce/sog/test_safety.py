"""The table of safe and unsafe continual re-solving."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import call, fails


def test_safe_play_is_less_exploitable(tmp_path: Path) -> None:
    words = ("reproduce", "sog-safety", "--games=kuhn", "--seeds=2", "--most=100", "--oracle=20")
    out = tmp_path / "rows.json"
    code, printed, _ = call(*words, f"--out={out}", "--json")
    assert code == 0
    rows = {(row["play"], row["simulations"]): row for row in json.loads(printed)}
    assert rows["safe", 100]["max"] < rows["safe", 10]["min"]
    assert rows["safe", 100]["mean"] < 0.5 * rows["unsafe", 100]["mean"]
    assert json.loads(call(*words, f"--out={out}", "--json")[1]) == json.loads(printed)


def test_games_without_rows_are_refused() -> None:
    assert "no row for 'leducc'" in fails("reproduce", "sog-safety", "--games=leducc")
