"""A progress bar that counts what is done, with an estimate of what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tacit.report.output import console


@contextmanager
def counting(
    name: str, total: int, unit: str, *, visible: bool = True
) -> Iterator[Callable[[int], None]]:
    """A bar on standard error; what it gives is told how many of `total` are done."""
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.completed}/{task.total} " + unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(err=True), disable=not visible) as bar:
        task = bar.add_task(name, total=total)
        yield lambda done: bar.update(task, completed=done)
