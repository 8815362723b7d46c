"""Reports in the terminal: text, tables and grids, with and without colours."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from tacit.games.holdem.ranges import parse_range
from tacit.report.holdem.grid import Action, Cell, Grid, range_grid
from tacit.report.output import print_json, print_report
from tacit.report.table import Heading, table


def shown(*blocks, colours: bool = False) -> str:
    file = io.StringIO()
    system = "truecolor" if colours else None
    print_report(Console(file=file, width=120, color_system=system, force_terminal=colours), blocks)
    return file.getvalue()


def test_brackets_are_printed_as_they_are() -> None:
    made = table("name", title="[bold]title", note="[x]")
    made.add_row("[red]cell")
    text = shown("[a] line", Heading("[b]", " [c]"), made)
    for part in ("[a] line", "[b] [c]", "[bold]title", "[red]cell", "[x]"):
        assert part in text


def test_a_grid_has_letters_without_colours_and_a_legend() -> None:
    cells = [None] * 169
    cells[0] = Cell("AA", 1.0, (0.5, 0.5))
    actions = [Action("k", "check", "k", (0, 200, 0)), Action("r9", "bet 9", "1", (200, 0, 0))]
    grid = Grid(cells, actions, [0.25, 0.75])
    text = shown(grid)
    assert "AA kk11" in text
    assert "bet 9" in text
    assert "75.0 %" in text
    coloured = shown(grid, colours=True)
    assert "\x1b[" in coloured
    assert "bet 9" in coloured


def test_a_range_is_drawn_without_a_legend() -> None:
    text = shown(range_grid(parse_range("AA"), np.ones(1326, np.bool_)))
    assert "AA ####" in text
    assert "frequency" not in text


def test_json_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": "ä"})
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == {"a": "ä"}


def test_what_would_steer_a_terminal_is_escaped() -> None:
    made = table("a", title="\x1b[31mred")
    made.add_row(":smile: \u202e\udcff")
    text = shown(made, "two\nlines \x07")
    assert "\\x1b[31mred" in text
    assert ":smile: \\u202e\\udcff" in text
    assert "two\nlines \\x07" in text


def test_a_terminal_without_box_characters_gets_plain_ones() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    made = table("name", title="title")
    made.add_row("cell")
    print_report(Console(file=file, width=80), [made])
    file.seek(0)
    assert file.read().split() == ["title", "name", "----", "cell"]
