"""Rendering in the terminal: tables, grids and reports for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from tacit.games.holdem.cards import CLASS_NAMES, RANKS
from tacit.report.holdem.grid import EMPTY, Cell, Colour, Grid, fill, hex_colour, mix
from tacit.report.table import Heading, Table, printable

COLOUR_WIDTH, LETTER_WIDTH = 6, 8
PLAIN_HEAD = Box(str(SIMPLE_HEAD).replace("─", "-"), ascii=True)

Block = str | Heading | Table | Grid
"""A part of a report: a line of text, a heading, a table or a grid."""


def console(*, err: bool = False) -> Console:
    """Standard output (or error), as wide as its terminal, or 120 columns without one."""
    file = sys.stderr if err else sys.stdout
    width = None if file.isatty() else 120
    return Console(file=file, width=width, highlight=False, markup=False, emoji=False)


def as_text(text: str, style: str = "") -> Text:
    """A text as it is, whatever rich's markup or a terminal would make of its characters."""
    return Text(printable(text), style)


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=plain), flush=True)


def show(as_json: bool, value: Any, blocks: Iterable[Block]) -> None:
    """A result on standard output: as one JSON value, or as a report."""
    if as_json:
        print_json(value)
    else:
        print_report(console(), blocks)


def print_report(screen: Console, blocks: Iterable[Block]) -> None:
    """Print the parts of a report one below the other."""
    for block in blocks:
        match block:
            case Table():
                print_table(screen, block)
            case Grid():
                print_grid(screen, block)
            case Heading(bold, rest):
                screen.print(as_text(bold, "bold") + as_text(rest), soft_wrap=True)
            case text:
                screen.print(as_text(text), soft_wrap=True)


def print_table(screen: Console, shown: Table) -> None:
    """A table between its title and its note, which rich would wrap to the table's width."""
    made = RichTable(box=_box(screen), pad_edge=False, show_header=any(shown.headers))
    for number, header in enumerate(shown.headers):
        side: Any = "left" if number < shown.text_columns else "right"
        made.add_column(as_text(header), justify=side, no_wrap=True)
    for row in shown.rows:
        made.add_row(*map(as_text, row))
    if shown.title:
        screen.print(as_text(shown.title, "bold"), soft_wrap=True, end="")
    screen.print(made)
    if shown.note:
        screen.print(as_text(shown.note), soft_wrap=True)


def _box(screen: Console) -> Box:
    """A line below the header, in characters that the terminal knows."""
    return PLAIN_HEAD if screen.options.ascii_only else SIMPLE_HEAD


def print_grid(screen: Console, grid: Grid) -> None:
    """A grid with its legend: in colour where the terminal has any, else with letters."""
    coloured = screen.color_system is not None
    if not coloured:
        ranks = "   ".join(f"{rank:<{LETTER_WIDTH - 3}}" for rank in reversed(RANKS))
        screen.print(f"  {ranks}".rstrip(), soft_wrap=True)
    for row in range(13):
        numbers = range(13 * row, 13 * row + 13)
        if coloured:
            palette = [action.colour for action in grid.actions]
            cells = [_colours(CLASS_NAMES[n], grid.cells[n], palette) for n in numbers]
            screen.print(Text().join(cells), soft_wrap=True)
        else:
            marks = [action.letter for action in grid.actions]
            line = "".join(_letters(grid.cells[n], marks) for n in numbers)
            screen.print(f"{RANKS[12 - row]} {line}".rstrip(), soft_wrap=True)
    if grid.frequencies:
        legend = RichTable(box=_box(screen), pad_edge=False)
        for header in ("", "action", "", "frequency"):
            legend.add_column(header, justify="right" if header == "frequency" else "left")
        for action, share in zip(grid.actions, grid.frequencies, strict=True):
            style = f"on {hex_colour(action.colour)}"
            swatch = Text("   ", style) if coloured else action.letter
            words = action.label, action.description, f"{100 * share:.1f} %"
            legend.add_row(swatch, *map(as_text, words))
        screen.print(legend)


def _letters(cell: Cell | None, marks: Sequence[str]) -> str:
    if cell is None:
        return "·".ljust(LETTER_WIDTH)
    parts = fill(cell.shares, LETTER_WIDTH - 4)
    bar = "".join("." if part is None else marks[part] for part in parts)
    return f"{cell.name:<3}{bar} "


def _colours(name: str, cell: Cell | None, palette: Sequence[Colour]) -> Text:
    label = f" {name}".ljust(COLOUR_WIDTH)
    if cell is None:
        return Text(label, style=f"rgb(90,90,96) on {hex_colour(EMPTY)}")
    text = Text()
    for character, part in zip(label, fill(cell.shares, COLOUR_WIDTH), strict=True):
        colour = EMPTY if part is None else mix(palette[part], cell.strength)
        ink = "rgb(240,240,240)" if sum(colour) < 330 else "rgb(16,16,16)"
        text.append(character, style=f"{ink} on {hex_colour(colour)}")
    return text
