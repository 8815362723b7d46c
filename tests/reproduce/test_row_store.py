"""Rows are computed once, and read back by a later run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.files import CHECKSUM
from tacit.games import GameError
from tacit.report.table import Row
from tacit.reproduce.rebel.ablations import Ablations
from tacit.reproduce.rebel.table2 import Table2
from tacit.reproduce.row_store import RowStore
from tacit.reproduce.safe_subgames.tables import SafeTables


def kept(path: Path) -> list[Row]:
    """The rows of a file without their checksums."""
    return [
        {name: value for name, value in row.items() if name != CHECKSUM}
        for row in json.loads(path.read_text())
    ]


def test_rows_are_computed_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    first = RowStore(path, ("name",))
    row = first.add({"name": "a"}, lambda: {"value": 1})
    assert row["seconds"] >= 0
    assert first.add({"name": "b"}, lambda: {"value": 2, "seconds": 7.0})["seconds"] == 7.0
    second = RowStore(path, ("name",))
    assert second.add({"name": "b"}, dict)["value"] == 2
    assert second.rows == first.rows[1:]
    assert kept(path) == first.rows
    assert second.add({"name": "c"}, dict) == kept(path)[2]


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


def test_a_damaged_row_is_named_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    store = RowStore(path, ("name",))
    for name in "abc":
        store.add({"name": name}, lambda: {"value": 0.25, "pair": (1, 2)})
    assert RowStore(path, ("name",)).add({"name": "c"}, dict)["value"] == 0.25
    whole = path.read_text()
    for old, new in (('"b"', '"B"'), ("0.25", "0.26"), ('"pair"', '"pear"')):
        at = whole.index('"b"')
        path.write_text(whole[:at] + whole[at:].replace(old, new, 1))
        with pytest.raises(GameError, match=r"^row 2 in .*rows\.json is damaged") as caught:
            RowStore(path, ("name",))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["safe-tables", "rebel-table2", "rebel-ablations"])
def test_the_rows_that_the_docs_show_are_whole(name: str) -> None:
    path = Path(__file__).parents[2] / "docs" / "results" / f"{name}.json"
    key = {"safe-tables": SafeTables, "rebel-table2": Table2, "rebel-ablations": Ablations}
    RowStore(path, key[name].key)
