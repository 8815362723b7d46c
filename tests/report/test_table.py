"""Tables as data."""

from __future__ import annotations

from tacit.report.table import pick, table, table_of


def test_cells_are_formatted_and_missing_entries_are_empty() -> None:
    rows = [{"name": "a", "size": 1234, "share": 0.5}, {"name": "b", "size": None}]
    made = table_of(rows, {"name": "{name}", "size": "{size:,}", "share": "{share:.0%} of all"})
    assert made.headers == ("name", "size", "share")
    assert made.rows == [("a", "1,234", "50% of all"), ("b", "", "")]


def test_attributes_are_picked_in_order() -> None:
    assert list(pick(1 + 2j, "imag real").items()) == [("imag", 2.0), ("real", 1.0)]


def test_rows_are_appended() -> None:
    made = table("a", "b", title="t")
    made.add_row("1", "2")
    assert (made.rows, made.title) == ([("1", "2")], "t")
