"""Tables for people and JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tacit.tree import PublicState

LEAST_SHOWN = 0.005
MOST_ROWS = 60


def console(*, err: bool = False) -> Console:
    """Standard output (or error), as wide as its terminal; wide enough if it has none."""
    file = sys.stderr if err else sys.stdout
    return Console(file=file, width=None if file.isatty() else 120, highlight=False)


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False))


def table(*headers: str, text_columns: int = 1) -> Table:
    """A plain table: the first columns are text, the others numbers."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_header=any(headers))
    for number, header in enumerate(headers):
        made.add_column(header, justify="left" if number < text_columns else "right", no_wrap=True)
    return made


def print_table(screen: Console, shown: Table, *, title: str = "", note: str = "") -> None:
    """A table between its title and a note, which rich would break to the table's width."""
    if title:
        screen.print(f"[bold]{escape(title)}[/]", soft_wrap=True, end="")
    screen.print(shown)
    if note:
        screen.print(escape(note), soft_wrap=True)


def rows_in_order(state: PublicState, player: int) -> list[int]:
    """The infostates to show, by their private keys where these have an order."""
    privates: Any = state.privates[player]
    rows = list(range(len(privates)))
    with suppress(TypeError):
        rows.sort(key=lambda row: privates[row])
    return rows[:MOST_ROWS]


def print_policy(
    screen: Console,
    state: PublicState,
    chosen: NDArray[np.float64],
    *,
    title: str,
    columns: Sequence[tuple[str, Sequence[str]]] = (),
) -> None:
    """What each infostate of the mover does: `chosen` [A, K]; `columns` come before the actions.

    Actions that nobody takes are named below the table instead of having a column.
    """
    names = state.names(state.mover)
    labels = state.expansion.labels
    shown = [a for a in range(len(labels)) if chosen[a].max() >= LEAST_SHOWN]
    made = table("infostate", *(name for name, _ in columns), *(labels[a] for a in shown))
    for row in rows_in_order(state, state.mover):
        shares = [f"{chosen[a, row]:.2f}" if chosen[a, row] >= LEAST_SHOWN else "·" for a in shown]
        made.add_row(escape(names[row]) or "any", *(texts[row] for _, texts in columns), *shares)
    never = [label for a, label in enumerate(labels) if a not in shown]
    notes = [f"Never: {', '.join(never)}."] if never else []
    if len(names) > MOST_ROWS:
        notes.append(f"{len(names) - MOST_ROWS} more infostates are not shown.")
    print_table(screen, made, title=title, note=" ".join(notes))
