"""The protocol of executors, and the executor of this process."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from tacit.games import GameError
from tacit.suggest import unknown

Task = TypeVar("Task")
Result = TypeVar("Result")
Setup = Callable[[], Callable[[Task], Result]]
"""Makes, once in each process, the function that runs tasks there."""
Each = Callable[[int, Any], None]
"""Called for each finished task with its number and its result."""


class Batch(Generic[Result]):
    """Tasks that were submitted together; `done`: their numbers and results as they finish."""

    def __init__(self, done: Iterable[tuple[int, Result]]) -> None:
        self.done = done

    def results(self, each: Each | None = None) -> list[Result]:
        """Wait for all; the results in the order of the tasks. Raises a task's error."""
        results = {}
        for number, result in self.done:
            results[number] = result
            if each is not None:
                each(number, result)
        return [results[number] for number in range(len(results))]


class Session(ABC, Generic[Task, Result]):
    """A running set-up; close it after the last task."""

    @abstractmethod
    def submit(self, tasks: Sequence[Task]) -> Batch[Result]:
        """Submit tasks; they may start at once."""

    def close(self) -> None:
        """Stop; unfinished tasks are dropped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Executor(Protocol):
    """Where tasks run."""

    def open(self, setup: Setup[Task, Result]) -> Session[Task, Result]:
        """Start a session for tasks of one kind."""


@dataclass(frozen=True)
class ThisProcess:
    """Runs tasks here, one after the other, when their results are requested."""

    def open(self, setup: Setup[Task, Result]) -> Session[Task, Result]:
        """Set up in this process."""
        return _Here(setup())


class _Here(Session[Task, Result]):
    def __init__(self, work: Callable[[Task], Result]) -> None:
        self.work = work

    def submit(self, tasks: Sequence[Task]) -> Batch[Result]:
        return Batch(enumerate(map(self.work, tasks)))


def executor_of(workers: int) -> Executor:
    """The executor of this process for 0 workers, else of `workers` processes."""
    from tacit.cluster.processes import Processes

    return Processes(workers) if workers > 0 else ThisProcess()


def find_executor(name: str) -> Executor:
    """The executor of that name: processes, processes:N, ray or ray:ADDRESS."""
    from tacit.cluster.processes import Processes
    from tacit.cluster.ray_cluster import RayCluster

    word, _, text = name.partition(":")
    if word == "ray":
        return RayCluster(text or None)
    if word != "processes":
        raise GameError(unknown("executor", word, ("processes", "ray")))
    if text and not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise GameError(f"{name!r} has no number of processes; write it as processes:4")
    return Processes(int(text) if text else os.cpu_count() or 1)
