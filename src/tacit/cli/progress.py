"""Progress bars on standard error, with an estimate of the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import click
from rich import progress as rich_progress
from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeRemainingColumn

from tacit.report.experiment import Progress
from tacit.report.output import console

if TYPE_CHECKING:
    from tacit.solvers import Checkpoint, Limits

PATIENCE = 1.0
"""Seconds after which a bar is shown for what is mostly quick."""


class Bar(rich_progress.Progress):
    """A bar between its name and `columns`, for a `with` block; a text is a format of the task."""

    active: ClassVar[set[Bar]] = set()
    """Those on the screen, of which only one can move."""

    def __init__(self, *columns: str | ProgressColumn, visible: bool, width: int = 20) -> None:
        shown = (
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(bar_width=width),
            *(
                TextColumn(each, markup=False) if isinstance(each, str) else each
                for each in columns
            ),
        )
        super().__init__(*shown, console=console(err=True), disable=not visible)

    def start(self) -> None:
        """Show the bar."""
        self.active.add(self)
        super().start()

    def stop(self) -> None:
        """Leave the bar as it is."""
        self.active.discard(self)
        super().stop()


@contextmanager
def counting(
    name: str, total: int | None, unit: str, *, visible: bool = True
) -> Iterator[Callable[[int], None]]:
    """A bar that counts up to `total`, if known; it yields a function for the count so far."""
    count = "{task.completed}" + ("" if total is None else "/{task.total}") + f" {unit}"
    with Bar(count, TimeRemainingColumn(), visible=visible) as shown:
        task = shown.add_task(name, total=total)
        yield lambda finished: shown.update(task, completed=finished)


@contextmanager
def sharing(name: str, *, visible: bool = True) -> Iterator[Callable[[float], None]]:
    """A bar of the share that is done, which is gone at the end; it yields what moves it."""
    with Bar("{task.percentage:.0f} %", TimeRemainingColumn(), visible=visible) as shown:
        shown.live.transient = True
        task = shown.add_task(name, total=1.0)
        yield lambda share: shown.update(task, completed=share)


class StageProgress(Bar, Progress):
    """A bar for work in several stages, each with an estimate of the time left."""

    def __init__(self, name: str, *, visible: bool) -> None:
        super().__init__(
            "{task.percentage:.0f} %", TimeRemainingColumn(), visible=visible, width=24
        )
        self.name = name
        self._stage = ""

    def stage(self, name: str, share: float) -> None:
        """Move the bar, from its start if this is a new stage."""
        if not self.task_ids:
            self.add_task(self.name, total=1.0)
        [task] = self.task_ids
        if name != self._stage:
            self.reset(task, description=f"{self.name}: {name}", total=1.0)
            self._stage = name
        self.update(task, completed=share)

    def line(self, text: str) -> None:
        """Print an intermediate result, unless the output is for programs."""
        if not self.disable:
            click.echo(text, err=True)

    def warn(self, text: str) -> None:
        """Print a warning."""
        click.echo(f"tacit: {text}", err=True)


class SolveProgress(Bar):
    """The bar of a solve; `hooks` are the callbacks to give to the solver."""

    def __init__(
        self,
        limits: Limits,
        name: str,
        *,
        visible: bool,
        describe: Callable[[Checkpoint], str] | None = None,
    ) -> None:
        fields = ("{task.fields[iteration]:,} iterations", "{task.fields[state]}")
        super().__init__(*fields, "{task.fields[left]}", visible=visible, width=12)
        self.limits = limits
        self.describe = describe
        self.history: list[Checkpoint] = []
        self.begun: float | None = None
        self.task = self.add_task(name, total=1.0, iteration=0, state="", left="")
        self.hooks: Any = {"on_checkpoint": self.on_checkpoint, "on_chunk": self.on_chunk}

    def stop(self) -> None:
        """End the bar without an estimate."""
        self.update(self.task, left="")
        super().stop()

    def on_checkpoint(self, point: Checkpoint) -> None:
        """Show the newest exploitability and value."""
        self.history.append(point)
        state = f"exploitability {point.exploitability:.1e}  value {point.value:+.4f}"
        self.update(self.task, state=self.describe(point) if self.describe else state)
        self.on_chunk(point.iteration, point.seconds)

    def on_chunk(self, iteration: int, seconds: float) -> None:
        """Move the bar."""
        if self.begun is None:
            self.begun = seconds
        spent = seconds - self.begun
        share = share_done(self.limits, self.history, iteration, spent)
        left = f"about {spent / share - spent:.0f} s left" if share > 0.02 and spent > 1 else ""
        self.update(self.task, completed=share, iteration=iteration, left=left)


class BuildProgress(Bar):
    """A bar on standard error while a tree is built, if that takes longer than a second."""

    def __init__(self, *, visible: bool) -> None:
        super().__init__(visible=visible, width=12)
        self.live.transient = True
        self.begun = perf_counter()
        self.task = self.add_task("building the tree", total=1.0)

    def __enter__(self) -> Self:
        return self

    def on_share(self, share: float) -> None:
        """Move the bar on; `share` of the work is done."""
        if perf_counter() - self.begun > PATIENCE:
            self.start()
        self.update(self.task, completed=share)


class StepProgress:
    """A listener of `tacit.steps`: shows the count of a step that takes longer than a second."""

    def __init__(self) -> None:
        self.begun: float | None = None
        self.shown: Bar | None = None

    def __call__(self, text: str, count: int | None) -> None:
        """Move the count, or end the step."""
        if count is None:
            if self.shown is not None:
                self.shown.stop()
            self.begun = self.shown = None
        elif self.begun is None:
            self.begun = perf_counter()
        elif self.shown is not None:
            self.shown.update(self.shown.task_ids[0], description=text.format(count))
        elif perf_counter() - self.begun > PATIENCE and not Bar.active:
            self.shown = Bar(visible=True)
            self.shown.live.transient = True
            self.shown.add_task(text.format(count), total=None)
            self.shown.start()


STEPS = StepProgress()


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
            fall = log(then.exploitability / now.exploitability)
            power = fall / log(now.iteration / then.iteration)
            needed = now.iteration * (now.exploitability / limits.target) ** (1 / power)
            shares.append(iteration / needed)
    return min(1.0, max(shares))
