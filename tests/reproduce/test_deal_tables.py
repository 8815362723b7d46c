"""Tables of subgame solving behind a deal: figures, going on after a stop, and damage."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.buckets import ByEquity, two_streets
from tacit.games.holdem.betting import FLOP, TURN
from tacit.reproduce.deal_tables import (
    BLUEPRINT,
    TABLE_METHODS,
    TableColumn,
    TableSettings,
    column_of,
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
