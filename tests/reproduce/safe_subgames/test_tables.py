"""Tables over weak blueprints: safe methods keep their promise, in the order that they should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import call, fails
from support.subgames import tree_of
from tacit.files import CHECKSUM
from tacit.report.table import Row
from tacit.reproduce.safe_subgames.tables import (
    BLUEPRINT,
    WEAKNESSES,
    Weakness,
    blueprint_worths,
    off_tree_answers,
    summary,
)
from tacit.subgame.methods import METHODS, SolveBudget


def safe_table(
    game: str, weakness: Weakness, *, seeds: int, methods: tuple[str, ...], budget: SolveBudget
) -> list[Row]:
    """The blueprints' row and one for each method."""
    return summary(
        [
            blueprint_worths(tree_of(game), weakness, seed, methods=methods, budget=budget)
            for seed in range(seeds)
        ]
    )


@pytest.mark.parametrize("weakness", WEAKNESSES)
def test_leduc_comes_out_in_order(weakness: Weakness) -> None:
    rows = {
        row["method"]: row
        for row in safe_table(
            "leduc",
            weakness,
            seeds=2,
            methods=("unsafe", "resolve", "maxmargin", "reach-maxmargin", "continual"),
            budget=SolveBudget(iterations=300, double=True),
        )
    }
    assert rows[BLUEPRINT]["worst_rise"] == 0
    for method in ("resolve", "maxmargin", "reach-maxmargin"):
        assert rows[method]["worst_rise"] < 2e-3
        assert rows[method]["exploitability"] < rows[BLUEPRINT]["exploitability"]
    assert rows["reach-maxmargin"]["exploitability"] <= rows["maxmargin"]["exploitability"] + 1e-3
    assert rows["maxmargin"]["exploitability"] <= rows["resolve"]["exploitability"] + 1e-3


SAFE = ("resolve", "maxmargin", "reach-maxmargin")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["leduc", "liars-dice-1x3", "pursuit-glasses"])
def test_over_many_seeds_safe_methods_are_safe_and_come_out_in_order(game: str) -> None:
    budget = SolveBudget(iterations=1000, double=True)
    means = dict.fromkeys(SAFE, 0.0)
    raised = 0
    for weakness in WEAKNESSES:
        rows = safe_table(game, weakness, seeds=8, methods=("unsafe", *SAFE), budget=budget)
        found = {row["method"]: row for row in rows}
        raised += found["unsafe"]["raised"]
        for method in SAFE:
            assert found[method]["raised"] == 0
            means[method] += found[method]["exploitability"]
    assert means["reach-maxmargin"] < means["maxmargin"] < means["resolve"]
    assert raised > 0 or game == "leduc"


def test_a_summary_has_means_and_rises() -> None:
    worths = [{BLUEPRINT: 0.5, "unsafe": 0.3}, {BLUEPRINT: 0.1, "unsafe": 0.2}]
    first, second = summary(worths)
    names = ("method", "exploitability", "worst_rise", "raised")
    assert [first[name] for name in names] == [BLUEPRINT, pytest.approx(0.3), 0.0, 0]
    expected = ["unsafe", pytest.approx(0.25), pytest.approx(0.1), 1]
    assert [second[name] for name in names] == expected


@pytest.mark.slow
def test_nested_solving_beats_both_translations() -> None:
    answers = off_tree_answers(methods=SAFE)
    worths = {name: measure().exploitability for name, measure in answers.items()}
    translated = min(worth for name, worth in worths.items() if name.startswith("translation"))
    nested = [worth for name, worth in worths.items() if name.startswith("nested")]
    assert len(nested) == 6
    assert max(nested) < translated


ARGUMENTS = ("reproduce", "safe-tables", "--games=liars-dice-1x3", "--iterations=40")


def test_rows_are_kept_and_a_run_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    written = json.loads(kept.read_text())
    assert [{n: row[n] for n in row if n != CHECKSUM} for row in written] == rows

    code, text, _ = call(*ARGUMENTS, "--seeds=2", f"--out={kept}", "--json")
    more = json.loads(text)
    assert code == 0
    assert [row for row in more if row["seed"] == 0] == rows
    assert len(more) == len(json.loads(kept.read_text())) == 6

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a kept row was computed again")

    monkeypatch.setattr("tacit.reproduce.safe_subgames.tables.blueprint_worths", never)
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
    assert "no table for 'chess'" in fails("reproduce", "safe-tables", "--games=chess")
    missing = tmp_path / "none" / "rows.json"
    assert "there is no folder" in fails(*ARGUMENTS, f"--out={missing}")
