"""ReBeL's Figure 4: curves that end where Table 2 has its figures."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import call, fails
from tacit.reproduce.rebel.figure4 import convergence_cells, powers_of_two

GAME = "liars-dice-1x4"


def test_the_last_iteration_may_be_no_power_of_two() -> None:
    assert powers_of_two(1) == [1]
    assert powers_of_two(8) == [1, 2, 4, 8]
    assert powers_of_two(6) == [1, 2, 4, 6]


def test_iterations_stand_below_each_other() -> None:
    rows = [{"iteration": x, "algorithm": y, "z": 1000 * x + y} for y in (3, 4) for x in (2, 1)]
    assert list(convergence_cells(rows, "{z:,}")) == [
        ("1", "1,003", "1,004"),
        ("2", "2,003", "2,004"),
    ]


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
    assert "no curve in the paper's figure for 'kuhn'" in fails(
        "reproduce", "rebel-fig4", "--games=kuhn"
    )


def test_a_run_is_resumed_and_has_a_quick_form(tmp_path: Path) -> None:
    kept = tmp_path / "rows.json"
    words = ("reproduce", "rebel-fig4", f"--games={GAME}", f"--out={kept}")
    code, text, _ = call(*words, "--quick", "--json")
    rows = json.loads(text)
    assert code == 0
    assert {row["iteration"] for row in rows} == {1, 2, 4, 8, 16, 32, 64}
    more = json.loads(call(*words, "--iterations=100", "--json")[1])
    assert [row for row in more if row["iteration"] <= 64] == rows
    assert len(more) == len(json.loads(kept.read_text())) == 3 * 8
    shown = call(*words, "--quick")[1]
    assert f"{rows[-1]['exploitability']:.5f}" in shown
