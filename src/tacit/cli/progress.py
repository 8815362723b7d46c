"""The live progress bar of a solve, with an estimate of what is left."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from time import perf_counter
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TextColumn

from tacit.report.output import console
from tacit.solve import Checkpoint, Limits

PATIENCE = 1.0
"""Seconds after which a bar is shown for what is mostly quick."""


class SolveProgress:
    """A bar on standard error; give its methods to `solve_tree` as callbacks."""

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
        self.progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=12),
            TextColumn("{task.fields[iteration]:,} iterations"),
            TextColumn("{task.fields[state]}"),
            TextColumn("{task.fields[left]}"),
            console=console(err=True),
            disable=not visible,
        )
        self.task = self.progress.add_task(name, total=1.0, iteration=0, state="", left="")

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.progress.update(self.task, left="")
        self.progress.stop()

    def on_checkpoint(self, point: Checkpoint) -> None:
        """Show the newest exploitability and value."""
        self.history.append(point)
        self.progress.update(self.task, state=self.describe(point))
        self.on_chunk(point.iteration, point.seconds)

    def on_chunk(self, iteration: int, seconds: float) -> None:
        """Move the bar on."""
        if self.start is None:
            self.start = seconds
        share = done(self.limits, self.history, iteration, seconds - self.start)
        spent = seconds - self.start
        left = f"about {spent / share - spent:.0f} s left" if share > 0.02 and spent > 1 else ""
        self.progress.update(self.task, completed=share, iteration=iteration, left=left)


class BuildProgress:
    """A bar on standard error while a tree is built, if that takes longer than a second."""

    def __init__(self, *, visible: bool) -> None:
        self.start = perf_counter()
        self.progress = Progress(
            TextColumn("[bold]building the tree"),
            BarColumn(bar_width=12),
            console=console(err=True),
            disable=not visible,
            transient=True,
        )
        self.task = self.progress.add_task("", total=1.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.progress.stop()

    def on_share(self, share: float) -> None:
        """Move the bar on; `share` of the work is done."""
        if perf_counter() - self.start > PATIENCE:
            self.progress.start()
        self.progress.update(self.task, completed=share)


def _exploitability(point: Checkpoint) -> str:
    return f"exploitability {point.exploitability:.1e}  value {point.value:+.4f}"


def done(limits: Limits, history: list[Checkpoint], iteration: int, seconds: float) -> float:
    """What share of a run is behind, by the limit that comes first, in [0, 1].

    How far a target is off follows from the pace at which the exploitability has fallen over the
    latter half of the iterations, taken to be a power of their number.
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
