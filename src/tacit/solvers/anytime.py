"""Anytime solving: iterate until a target exploitability, a time or a number of iterations.

The policy is evaluated at fixed iterations, so two runs with the same limits have the same history;
this costs at most about a tenth of the iterations. Between evaluations the solver runs in short
chunks. An interrupt (Ctrl-C) takes effect between them, so the solver can be resumed.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isfinite

from tacit.games import GameError
from tacit.solvers.best_response import evaluate
from tacit.solvers.engine import Solver

DEFAULT_ITERATIONS = 1_000
"""The limit when none is given."""
TARGET_ITERATIONS = 1_000_000
"""The limit when only a target is given."""
CHUNK_SECONDS = 0.07
STALL_ITERATIONS = 1_024
STALL_WINDOW = 4
STALL_IMPROVEMENT = 0.9


class Stop(StrEnum):
    """Why a run ended."""

    TARGET = "target"
    ITERATIONS = "iterations"
    TIME = "time"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"
    EXACT = "exact"


@dataclass(frozen=True)
class Checkpoint:
    """How good the average policy was: `value` to player 1, and its exploitability."""

    iteration: int
    seconds: float
    exploitability: float
    value: float


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When a run ends: at the first of these that is reached.

    `iterations` counts from the solver's first iteration, `seconds` from the start of this run.
    """

    target: float | None = None
    seconds: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        for name, limit in (("target", self.target), ("time", self.seconds)):
            if limit is not None and not (limit > 0 and isfinite(limit)):
                raise GameError(f"the {name} must be a positive number, not {limit:g}")
        if self.iterations is not None and self.iterations < 1:
            raise GameError(f"the number of iterations must be 1 or more, not {self.iterations}")

    @property
    def last(self) -> int | None:
        """The last iteration; None if only the time limits a run."""
        if self.iterations is not None or self.seconds is not None:
            return self.iterations
        return DEFAULT_ITERATIONS if self.target is None else TARGET_ITERATIONS


@dataclass(frozen=True, kw_only=True)
class Run:
    """The result of a run: why it ended, and its checkpoints, the last at its end."""

    stop: Stop
    history: tuple[Checkpoint, ...] = field(repr=False)

    @property
    def iterations(self) -> int:
        """How many iterations were run, all runs together."""
        return self.history[-1].iteration

    @property
    def seconds(self) -> float:
        """How long they took."""
        return self.history[-1].seconds

    @property
    def value(self) -> float:
        """The value to player 1 when both follow the policy."""
        return self.history[-1].value

    @property
    def exploitability(self) -> float:
        """NashConv / 2 of the policy, in the game's units."""
        return self.history[-1].exploitability


OnCheckpoint = Callable[[Checkpoint], None]
OnChunk = Callable[[int, float], None]
"""Called with the iterations and the seconds so far."""
Measure = Callable[[Solver], tuple[float, float]]
"""Exploitability, and value to player 1, of a solver's average policy."""
NextCheck = Callable[[int, Sequence[Checkpoint]], int]
"""The first iteration after a given one whose policy is evaluated, by the checkpoints so far."""


def _measure(solver: Solver) -> tuple[float, float]:
    evaluation = evaluate(solver.tree, solver.average_policy())
    return evaluation.exploitability, evaluation.value


def next_checkpoint(iteration: int, seen: Sequence[Checkpoint] = ()) -> int:
    """Of the iterations 1, 2, 4, …, 128, multiples of 128 to 1,024, then eight per doubling."""
    if iteration < 128:
        return 1 << iteration.bit_length()
    if iteration < 1024:
        return (iteration // 128 + 1) * 128
    step = 1 << (iteration.bit_length() - 4)
    return (iteration // step + 1) * step


def run(
    solver: Solver,
    limits: Limits,
    *,
    history: Sequence[Checkpoint] = (),
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
    measure: Measure = _measure,
    next_check: NextCheck = next_checkpoint,
) -> Run:
    """Run `solver` until a limit is reached; `history` is that of its earlier runs.

    With a target, a run also ends when it has stalled: when four times the iterations have reduced
    the exploitability by less than a tenth, as happens at the precision of the floats. An interrupt
    ends the run as a limit does.
    """
    seen = list(history)
    before = seen[-1].seconds if seen else 0.0
    start = time.perf_counter()
    last, longest = limits.last or inf, limits.seconds or inf
    chunk = 1

    def seconds() -> float:
        return time.perf_counter() - start

    def checked() -> bool:
        return bool(seen) and seen[-1].iteration == solver.iteration

    def check() -> None:
        if not checked():
            exploitability, value = measure(solver)
            seen.append(Checkpoint(solver.iteration, before + seconds(), exploitability, value))
            if on_checkpoint is not None:
                on_checkpoint(seen[-1])

    def reached() -> Stop | None:
        if limits.target is not None and checked():
            if seen[-1].exploitability <= limits.target:
                return Stop.TARGET
            if stalled(seen):
                return Stop.STALLED
        if solver.iteration >= last:
            return Stop.ITERATIONS
        return Stop.TIME if seconds() >= longest else None

    with _held_interrupts() as interrupted:
        stop = reached()
        while stop is None:
            due = next_check(solver.iteration, seen)
            count = int(min(chunk, min(due, last) - solver.iteration))
            began = seconds()
            solver.run(count)
            pace = max(seconds() - began, 1e-9) / count
            allowed = min(CHUNK_SECONDS, max(longest - seconds(), 0.0))
            # At most four times more: the first chunks are a poor estimate of the pace.
            chunk = max(1, min(int(allowed / pace), 4 * chunk))
            if on_chunk is not None:
                on_chunk(solver.iteration, before + seconds())
            if solver.iteration == due:
                check()
            stop = Stop.INTERRUPTED if interrupted() else reached()
        # A run may end between two checkpoints; its policy may meet the target.
        check()
        if stop is not Stop.INTERRUPTED and reached() is Stop.TARGET:
            stop = Stop.TARGET
    return Run(stop=stop, history=tuple(seen))


def stalled(history: Sequence[Checkpoint]) -> bool:
    """Whether the last three quarters of the iterations have hardly improved the policy."""
    if not history or history[-1].iteration < STALL_ITERATIONS:
        return False
    border = history[-1].iteration // STALL_WINDOW
    early = [point.exploitability for point in history if point.iteration <= border]
    late = [point.exploitability for point in history if point.iteration > border]
    return bool(early) and min(late) > STALL_IMPROVEMENT * min(early)


@contextmanager
def _held_interrupts() -> Iterator[Callable[[], bool]]:
    """Record Ctrl-C instead of raising; yields a function that says whether it was pressed.

    Raised inside an iteration it would leave regrets and sums of different iterations.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, before)
