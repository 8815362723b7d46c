"""Progress bars on standard error, with an estimate of the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click
from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from tacit.report.experiment import Progress
from tacit.report.output import console

if TYPE_CHECKING:
    from tacit.solvers import Checkpoint, Limits

NAME = "[bold]{task.description}"

PATIENCE = 1.0
"""Seconds after which a bar is shown for what is mostly quick."""


def bar(*columns: ProgressColumn, visible: bool, width: int = 20) -> Bar:
    """A bar between its name and `columns`."""
    shown = (TextColumn(NAME), BarColumn(bar_width=width), *columns)
    return Bar(*shown, console=console(err=True), disable=not visible)


@contextmanager
def counting(
    name: str, total: int, unit: str, *, visible: bool = True
) -> Iterator[Callable[[int], None]]:
    """A bar that counts up to `total`; it yields a function that takes the count so far."""
    count = TextColumn("{task.completed}/{task.total} " + unit)
    with bar(count, TimeRemainingColumn(), visible=visible) as shown:
        task = shown.add_task(name, total=total)
        yield lambda finished: shown.update(task, completed=finished)


class _Started:
    """A bar that runs inside a `with` block."""

    progress: Bar

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.progress.stop()


class StageProgress(_Started, Progress):
    """A bar for work in several stages, each with an estimate of the time left."""

    def __init__(self, name: str, *, visible: bool) -> None:
        percent = TextColumn("{task.percentage:.0f} %")
        self.progress = bar(percent, TimeRemainingColumn(), visible=visible, width=24)
        self.name = name
        self.visible = visible
        self._stage = ""
        self._task: Any = None

    def stage(self, name: str, share: float) -> None:
        """Move the bar, from its start if this is a new stage."""
        if self._task is None:
            self._task = self.progress.add_task(self.name, total=1.0)
        if name != self._stage:
            self.progress.reset(self._task, description=f"{self.name}: {name}", total=1.0)
            self._stage = name
        self.progress.update(self._task, completed=share)

    def line(self, text: str) -> None:
        """Print an intermediate result, unless the output is for programs."""
        if self.visible:
            click.echo(text, err=True)

    def warn(self, text: str) -> None:
        """Print a warning."""
        click.echo(f"tacit: {text}", err=True)


class SolveProgress(_Started):
    """The bar of a solve; give its methods to `solve_tree` as callbacks."""

    def __init__(
        self,
        limits: Limits,
        name: str,
        *,
        visible: bool,
        describe: Callable[[Checkpoint], str] | None = None,
    ) -> None:
        self.limits = limits
        self.describe = describe or _exploitability
        self.history: list[Checkpoint] = []
        self.start: float | None = None
        self.progress = bar(
            TextColumn("{task.fields[iteration]:,} iterations"),
            TextColumn("{task.fields[state]}"),
            TextColumn("{task.fields[left]}"),
            visible=visible,
            width=12,
        )
        self.task = self.progress.add_task(name, total=1.0, iteration=0, state="", left="")

    def __exit__(self, *details: Any) -> None:
        self.progress.update(self.task, left="")
        super().__exit__(*details)

    def on_checkpoint(self, point: Checkpoint) -> None:
        """Show the newest exploitability and value."""
        self.history.append(point)
        self.progress.update(self.task, state=self.describe(point))
        self.on_chunk(point.iteration, point.seconds)

    def on_chunk(self, iteration: int, seconds: float) -> None:
        """Move the bar."""
        if self.start is None:
            self.start = seconds
        spent = seconds - self.start
        share = share_done(self.limits, self.history, iteration, spent)
        left = f"about {spent / share - spent:.0f} s left" if share > 0.02 and spent > 1 else ""
        self.progress.update(self.task, completed=share, iteration=iteration, left=left)


class BuildProgress(_Started):
    """A bar on standard error while a tree is built, if that takes longer than a second."""

    def __init__(self, *, visible: bool) -> None:
        self.start = perf_counter()
        self.progress = bar(visible=visible, width=12)
        self.progress.live.transient = True
        self.task = self.progress.add_task("building the tree", total=1.0)

    def __enter__(self) -> Self:
        return self

    def on_share(self, share: float) -> None:
        """Move the bar on; `share` of the work is done."""
        if perf_counter() - self.start > PATIENCE:
            self.progress.start()
        self.progress.update(self.task, completed=share)


def _exploitability(point: Checkpoint) -> str:
    return f"exploitability {point.exploitability:.1e}  value {point.value:+.4f}"


def share_done(limits: Limits, history: list[Checkpoint], iteration: int, seconds: float) -> float:
    """The share of a run in [0, 1] that is finished, by the limit that comes first.

    A target is extrapolated: the exploitability is assumed to fall as a power of the iterations,
    with the exponent of the second half of the history.
    """
    shares = [0.0]
    if limits.last is not None:
        shares.append(iteration / limits.last)
    if limits.seconds is not None:
        shares.append(seconds / limits.seconds)
    if limits.target is not None and len(history) >= 2:
        now = history[-1]
        then = min(history[:-1], key=lambda point: abs(point.iteration - now.iteration / 2))
        if now.exploitability <= limits.target:
            shares.append(1.0)
        elif 0 < now.exploitability < then.exploitability:
            power = log(then.exploitability / now.exploitability) / log(
                now.iteration / then.iteration
            )
            needed = now.iteration * (now.exploitability / limits.target) ** (1 / power)
            shares.append(iteration / needed)
    return min(1.0, max(shares))
