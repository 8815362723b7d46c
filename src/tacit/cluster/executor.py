"""What an executor is, and the one that runs tasks in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Setup = Callable[[], Callable[[Task], Result]]
"""Makes, once in each process, the function that does tasks there."""
Each = Callable[[int, Any], None]
"""Is told of each task that is done: its number, and its result."""


class Batch(Protocol, Generic[Result]):
    """Tasks that have been given out together."""

    def results(self, each: Each | None = None) -> list[Result]:
        """Wait for all; the results in the order of the tasks. A task's error is raised here."""


class Session(Protocol, Generic[Task, Result]):
    """A set-up at work; close it when there are no more tasks."""

    def submit(self, tasks: Sequence[Task]) -> Batch[Result]:
        """Give out tasks; they may be at work before anybody waits for them."""

    def close(self) -> None:
        """Stop; tasks that are not done are dropped."""

    def __enter__(self) -> Session[Task, Result]: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Executor(Protocol):
    """Where tasks run."""

    def open(self, setup: Setup[Task, Result]) -> Session[Task, Result]:
        """Make ready for tasks of one kind."""


@dataclass(frozen=True)
class ThisProcess:
    """Runs tasks here, one after the other, when their results are asked for."""

    def open(self, setup: Setup[Task, Result]) -> Session[Task, Result]:
        """Set up in this process."""
        return _Here(setup())


class _Here(Generic[Task, Result]):
    def __init__(self, work: Callable[[Task], Result]) -> None:
        self.work = work

    def submit(self, tasks: Sequence[Task]) -> _Waiting[Task, Result]:
        return _Waiting(self.work, list(tasks))

    def close(self) -> None: ...

    def __enter__(self) -> _Here[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class _Waiting(Generic[Task, Result]):
    work: Callable[[Task], Result]
    tasks: list[Task]

    def results(self, each: Each | None = None) -> list[Result]:
        found = []
        for number, task in enumerate(self.tasks):
            found.append(self.work(task))
            if each is not None:
                each(number, found[-1])
        return found


def executor_of(workers: int) -> Executor:
    """The executor of this process for 0 workers, else of as many processes."""
    from tacit.cluster.processes import Processes

    return Processes(workers) if workers > 0 else ThisProcess()
