"""Tables of subgame solving after a deal: figures, resumed runs, damaged files, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.buckets import ByEquity, two_streets
from support.commands import call, fails
from tacit.games.holdem.betting import FLOP, TURN
from tacit.reproduce.deal_tables import (
    BLUEPRINT,
    TABLE_METHODS,
    HoldemTables,
    TableColumn,
    TableSettings,
    column_of,
    column_table,
    paper_figures,
    table_column,
)

SETTINGS = TableSettings(
    game="turn-holdem",
    blueprint_iterations=10,
    iterations=20,
    methods=("unsafe", "resolve", "reach-maxmargin"),
)


def column(place: Path, most: int | None = None, **options: object) -> TableColumn:
    return column_of(SETTINGS, two_streets(), ByEquity(), place=place, most_boards=most, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> TableColumn:
    return column(tmp_path_factory.mktemp("table"))


def test_every_method_has_a_row_and_helps(whole: TableColumn) -> None:
    assert [row.method for row in whole.rows] == [BLUEPRINT, *SETTINGS.methods]
    assert whole.solved == whole.boards > 10
    first, *others = (row.exploitability_mbb for row in whole.rows)
    assert all(0 < other < first for other in others)
    for row in whole.rows:
        assert sum(row.best_response_mbb) / 2 == pytest.approx(row.exploitability_mbb)
    assert json.loads(json.dumps(whole.to_json()))["rows"][0]["method"] == BLUEPRINT


def test_a_stopped_run_goes_on_and_comes_to_the_same(tmp_path: Path, whole: TableColumn) -> None:
    part = column(tmp_path, most=3)
    assert part.solved == 3
    values = [row.exploitability_mbb for row in part.rows]
    assert whole.rows[1].exploitability_mbb < values[1] < values[0]
    stages: list[str] = []
    again = column(tmp_path, on_stage=lambda stage, share: stages.append(stage))
    assert "the blueprint" not in stages
    assert sum("boards" in stage for stage in stages) == whole.boards - 3
    for one, other in zip(again.rows, whole.rows, strict=True):
        assert one.exploitability_mbb == pytest.approx(other.exploitability_mbb, rel=1e-9)


def test_damaged_results_are_reported_and_computed_anew(tmp_path: Path) -> None:
    first = column(tmp_path, most=2)
    for name in ("blueprint.npz", "boards.npz"):
        path = tmp_path / name
        path.write_bytes(path.read_bytes()[:100])
    told: list[str] = []
    again = column(tmp_path, most=2, report=told.append)
    assert [name in line for name, line in zip(("blueprint", "boards"), told, strict=True)]
    assert [row.exploitability_mbb for row in again.rows] == pytest.approx(
        [row.exploitability_mbb for row in first.rows]
    )


def test_the_papers_figures_stand_beside_their_methods() -> None:
    figures = paper_figures("flop-holdem", 200)
    assert list(figures) == [BLUEPRINT, *TABLE_METHODS]
    assert figures["maxmargin"] == 300.5
    assert paper_figures("turn-holdem", 20_000)["unsafe"] == 79.34
    assert paper_figures("flop-holdem", 77) == {}


def test_settings_name_their_runs_apart_and_make_their_games() -> None:
    settings = TableSettings()
    assert replace(settings, seed=1).key() != settings.key() == TableSettings().key()
    assert settings.spot().rules.last_street == FLOP
    turn = replace(settings, game="turn-holdem")
    assert turn.spot().rules.last_street == TURN
    assert turn.bucket_settings().counts == (200, 200)
    assert any("Kh7h2d" in line for line in turn.differences())


def test_a_column_is_shown_beside_the_papers(tmp_path: Path) -> None:
    settings = TableSettings(
        game="turn-holdem", blueprint_iterations=5, iterations=10, methods=("unsafe", "resolve")
    )
    column = column_of(settings, two_streets(), ByEquity(), place=tmp_path, most_boards=1)
    made = column_table(json.loads(json.dumps(column.to_json())))
    shown = " ".join(cell for row in made.rows for cell in row) + made.title + made.note
    assert "684.60" in shown
    assert "130.40" in shown
    assert "1 of" in shown
    assert f"{column.rows[1].exploitability_mbb:,.2f}" in shown
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: TableColumn
) -> None:
    asked: list[tuple[TableSettings, int | None]] = []

    def compute(settings: TableSettings, **options: object) -> TableColumn:
        asked.append((settings, options["most_boards"]))
        return whole

    monkeypatch.setattr("tacit.reproduce.deal_tables.table_column", compute)
    words = ["reproduce", "holdem-tables", "--bets", "100%", "50%", "--stack=2000", "--quick"]
    words += ["--iterations=7", f"--out={tmp_path / 'rows.json'}", "--json"]
    code, out, errors = call(*words)
    assert (code, errors) == (0, "")
    ((settings, boards),) = asked
    quick = HoldemTables.quick
    assert boards == quick["boards"]
    assert settings == TableSettings(
        stack=2000,
        bets=("100%", "50%"),
        iterations=7,
        blueprint_iterations=quick["blueprint_iterations"],
    )
    (row,) = json.loads(out)
    assert row["rows"] == json.loads(json.dumps(whole.to_json()))["rows"]
    assert json.loads(call(*words)[1]) == [row]
    assert len(asked) == 1
    assert "mbb/h" in call(*words[:-1])[1]


@pytest.mark.slow
def test_flop_holdem_in_the_papers_form(tmp_path: Path) -> None:
    """Some flops of the real game: each method lowers the exploitability."""
    settings = TableSettings(blueprint_iterations=30, iterations=60)
    found = table_column(settings, folder=tmp_path, most_boards=20)
    assert found.boards == 1755
    assert found.solved == 20
    first, *others = (row.exploitability_mbb for row in found.rows)
    assert all(other < first for other in others)
    assert np.isfinite(first)
