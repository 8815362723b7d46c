"""Rows are computed once, and read back by a later run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.games import GameError
from tacit.reproduce.row_store import RowStore


def test_rows_are_computed_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    first = RowStore(path, ("name",))
    row = first.add({"name": "a"}, lambda: {"value": 1})
    assert row["seconds"] >= 0
    assert first.add({"name": "b"}, lambda: {"value": 2, "seconds": 7.0})["seconds"] == 7.0
    second = RowStore(path, ("name",))
    assert second.add({"name": "b"}, dict)["value"] == 2
    assert second.rows == first.rows[1:]
    assert json.loads(path.read_text()) == first.rows
    assert second.add({"name": "c"}, dict) == json.loads(path.read_text())[2]


def test_without_a_file_nothing_is_written(tmp_path: Path) -> None:
    store = RowStore(None, ("name",))
    store.add({"name": "a"}, dict)
    assert len(store.rows) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["[{", '[{"game": 1}]', "3"])
def test_damaged_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.json").write_text(text)
    with pytest.raises(GameError, match="is damaged"):
        RowStore(tmp_path / "rows.json", ("name",))
