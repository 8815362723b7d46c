"""Tables of subgame solving after a deal: figures, resumed runs, damaged files, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.buckets import ByEquity, two_streets
from support.commands import call, fails
from tacit.cli.options import default_memory
from tacit.games.holdem.betting import FLOP, TURN
from tacit.report.experiment import SILENT, Progress
from tacit.report.table import Row
from tacit.reproduce.safe_subgames.deal_tables import (
    BLUEPRINT,
    TABLE_METHODS,
    HoldemTables,
    column_table,
    paper_figures,
)

SETTINGS = HoldemTables(
    game="turn-holdem",
    blueprint_iterations=10,
    iterations=20,
    methods=("unsafe", "resolve", "reach-maxmargin"),
)


class Told(Progress):
    """Keeps what is reported."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.warnings: list[str] = []

    def stage(self, name: str, share: float) -> None:
        self.stages.append(name)

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def column(place: Path, most: int | None = None, progress: Progress = SILENT) -> Row:
    settings = replace(SETTINGS, boards=most)
    return settings.column_of(two_streets(), ByEquity(), place, progress)


def exploitabilities(column: Row) -> list[float]:
    return [row["exploitability_mbb"] for row in column["rows"]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Row:
    return column(tmp_path_factory.mktemp("table"))


def test_every_method_has_a_row_and_helps(whole: Row) -> None:
    assert [row["method"] for row in whole["rows"]] == [BLUEPRINT, *SETTINGS.methods]
    assert whole["boards_solved"] == whole["boards"] > 10
    first, *others = exploitabilities(whole)
    assert all(0 < other < first for other in others)
    for row in whole["rows"]:
        assert sum(row["best_response_mbb"]) / 2 == pytest.approx(row["exploitability_mbb"])
    assert json.loads(json.dumps(whole))["rows"][0]["method"] == BLUEPRINT


def test_a_stopped_run_goes_on_and_comes_to_the_same(tmp_path: Path, whole: Row) -> None:
    part = column(tmp_path, most=3)
    assert part["boards_solved"] == 3
    values = exploitabilities(part)
    assert exploitabilities(whole)[1] < values[1] < values[0]
    told = Told()
    again = column(tmp_path, progress=told)
    assert "the blueprint" not in told.stages
    assert sum("boards" in stage for stage in told.stages) == whole["boards"] - 3
    assert exploitabilities(again) == pytest.approx(exploitabilities(whole), rel=1e-9)


def test_damaged_results_are_reported_and_computed_anew(tmp_path: Path) -> None:
    first = column(tmp_path, most=2)
    for name in ("blueprint.npz", "boards.npz"):
        path = tmp_path / name
        path.write_bytes(path.read_bytes()[:100])
    told = Told()
    again = column(tmp_path, most=2, progress=told)
    assert all(
        name in line for name, line in zip(("blueprint", "boards"), told.warnings, strict=True)
    )
    assert exploitabilities(again) == pytest.approx(exploitabilities(first))


def test_the_papers_figures_stand_beside_their_methods() -> None:
    figures = paper_figures("flop-holdem", 200)
    assert list(figures) == [BLUEPRINT, *TABLE_METHODS]
    assert figures["maxmargin"] == 300.5
    assert paper_figures("turn-holdem", 20_000)["unsafe"] == 79.34
    assert paper_figures("flop-holdem", 77) == {}


def test_settings_name_their_runs_apart_and_make_their_games() -> None:
    settings = HoldemTables()
    assert replace(settings, seed=1).run_name() != settings.run_name() == HoldemTables().run_name()
    assert replace(settings, boards=3).run_name() == settings.run_name()
    assert settings.spot().rules.last_street == FLOP
    turn = replace(settings, game="turn-holdem")
    assert turn.spot().rules.last_street == TURN
    assert turn.bucket_settings().counts == (200, 200)
    assert any("Kh7h2d" in line for line in turn.differences())


def test_a_column_is_shown_beside_the_papers(tmp_path: Path) -> None:
    methods = ("unsafe", "resolve")
    settings = replace(SETTINGS, blueprint_iterations=5, iterations=10, methods=methods, boards=1)
    column = settings.column_of(two_streets(), ByEquity(), tmp_path)
    made = column_table(json.loads(json.dumps(column)))
    shown = " ".join(cell for row in made.rows for cell in row) + made.title + made.note
    assert "684.60" in shown
    assert "130.40" in shown
    assert "1 of" in shown
    assert f"{exploitabilities(column)[1]:,.2f}" in shown
    assert "the paper does not state its sizes" in shown


def test_help_and_errors() -> None:
    code, out, _ = call("reproduce", "--help")
    assert code == 0
    assert "holdem-tables" in out
    assert "holdem-off-tree" in out
    line = fails("reproduce", "holdem-tables", "--game", "river-holdem", code=2)
    assert "flop-holdem" in line
    line = fails("reproduce", "holdem-tables", "--game", "turn-holdem", "--flop", "Kh7h2x")
    assert "2x" in line


def test_options_become_settings_and_a_finished_column_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Row
) -> None:
    asked: list[HoldemTables] = []

    def compute(settings: HoldemTables, progress: Progress) -> Row:
        asked.append(settings)
        return whole

    monkeypatch.setattr(HoldemTables, "column", compute)
    words = ["reproduce", "holdem-tables", "--bets", "100%", "50%", "--stack=2000", "--quick"]
    words += ["--iterations=7", f"--out={tmp_path / 'rows.json'}", "--json"]
    code, out, errors = call(*words)
    assert (code, errors) == (0, "")
    quick = HoldemTables.quick
    assert asked == [
        HoldemTables(
            stack=2000,
            bets=("100%", "50%"),
            iterations=7,
            blueprint_iterations=quick["blueprint_iterations"],
            boards=quick["boards"],
            memory=default_memory(),
        )
    ]
    (row,) = json.loads(out)
    assert row["rows"] == json.loads(json.dumps(whole))["rows"]
    assert json.loads(call(*words)[1]) == [row]
    assert len(asked) == 1
    assert "mbb/h" in call(*words[:-1])[1]


@pytest.mark.slow
def test_flop_holdem_in_the_papers_form(tmp_path: Path) -> None:
    """Some flops of the real game: each method lowers the exploitability."""
    settings = HoldemTables(blueprint_iterations=30, iterations=60, folder=tmp_path, boards=20)
    found = settings.column()
    assert found["boards"] == 1755
    assert found["boards_solved"] == 20
    first, *others = exploitabilities(found)
    assert all(other < first for other in others)
    assert np.isfinite(first)
