"""`tacit reproduce rebel-…`: rows beside the paper's, kept in a file, and pictures."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import call, fails

GAME = "liars-dice-1x4"


def test_table_2_has_a_row_for_each_algorithm_and_goes_on_from_a_file(tmp_path: Path) -> None:
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


def test_figure_4_ends_at_table_2(tmp_path: Path) -> None:
    plot = tmp_path / "figure4.png"
    code, text, errors = call(
        "reproduce", "rebel-fig4", f"--games={GAME}", f"--plot={plot}", "--json"
    )
    assert code == 0, errors
    last = {
        row["algorithm"]: row["exploitability"]
        for row in json.loads(text)
        if row["iteration"] == 1024
    }
    assert last["linear-cfr"] < 0.0015 < last["flop"] < last["linear-fp"]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_another_game_is_refused() -> None:
    assert "is not in the paper's table" in fails("reproduce", "rebel-fig4", "--games=kuhn")
