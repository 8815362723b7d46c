"""The commands of hold'em's tables, as far as they go without the long runs."""

from __future__ import annotations

import pytest

from support.buckets import ByEquity, two_streets
from support.commands import call, fails
from tacit.cli.holdem_tables import StageBar, show_column
from tacit.reproduce.deal_tables import TableSettings, column_of


def test_a_column_is_shown_beside_the_papers(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = TableSettings(
        game="turn-holdem", blueprint_iterations=5, iterations=10, methods=("unsafe", "resolve")
    )
    column = column_of(settings, two_streets(), ByEquity(), place=tmp_path, most_boards=1)
    show_column(column)
    shown = capsys.readouterr().out
    assert "684.60" in shown
    assert "130.40" in shown
    assert "1 of" in shown
    assert f"{column.rows[1].exploitability_mbb:,.2f}" in shown
    assert "the paper does not state its sizes" in " ".join(shown.split())


def test_stages_follow_each_other_on_the_bar() -> None:
    with StageBar("flop-holdem", visible=False) as bar:
        for stage in ("the tree", "the blueprint"):
            for share in (0.0, 0.5):
                bar.on_stage(stage, share)
        task = bar.progress.tasks[0]
        assert task.description == "flop-holdem: the blueprint"
        assert task.completed == 0.5


def test_help_and_errors() -> None:
    code, out, _ = call("reproduce", "--help")
    assert code == 0
    assert "holdem-tables" in out
    assert "holdem-off-tree" in out
    line = fails("reproduce", "holdem-tables", "--game", "river-holdem", code=2)
    assert "flop-holdem" in line
    line = fails("reproduce", "holdem-tables", "--game", "turn-holdem", "--flop", "Kh7h2x")
    assert "2x" in line
