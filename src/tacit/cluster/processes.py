"""The executor that runs tasks in processes of this machine.

A worker is a new interpreter that communicates over its standard input and output. It gets the
set-up once, pickled by value if this process's `__main__` defines it, and then one task after the
other. So it works in notebooks and from standard input. A worker that dies is replaced, and its
task is submitted again. When this process ends in any way, the pipes to its workers close, and they
end too.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

import cloudpickle

from tacit.cluster import worker
from tacit.cluster.executor import Each, Result, Session, Setup, Task
from tacit.games import GameError

MAX_DEATHS = 5
"""Number of workers that a task may kill before it fails."""


class WorkerError(GameError):
    """A task that fails: its workers die, or its error cannot be sent back."""


@dataclass(frozen=True)
class Processes:
    """Runs tasks in `count` processes."""

    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise GameError(f"an executor has at least 1 process, not {self.count}")

    def open(self, setup: Setup[Task, Result]) -> Session[Task, Result]:
        """Start the processes."""
        return _Pool(self.count, cloudpickle.dumps(setup))


class _Pool(Session[Task, Result]):
    """A thread for each worker takes tasks from one queue and sends them to its process."""

    def __init__(self, count: int, setup: bytes) -> None:
        self.setup = setup
        self.closed = False
        self.waiting: queue.SimpleQueue[tuple[_Sent[Any], int, bytes] | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.alive: list[subprocess.Popen[bytes]] = []
        self.threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def submit(self, tasks: Sequence[Task]) -> _Sent[Result]:
        batch: _Sent[Result] = _Sent(len(tasks))
        for number, task in enumerate(tasks):
            self.waiting.put((batch, number, cloudpickle.dumps(task)))
        return batch

    def processes(self) -> list[int]:
        """The ids of the running workers."""
        with self.lock:
            return [process.pid for process in self.alive]

    def close(self) -> None:
        with self.lock:
            self.closed = True
            for process in self.alive:
                process.kill()
        for _ in self.threads:
            self.waiting.put(None)
        for thread in self.threads:
            thread.join()

    def _serve(self) -> None:
        process = self._start()
        while (item := self.waiting.get()) is not None and not self.closed:
            batch, number, task = item
            for _ in range(MAX_DEATHS):
                answer = _ask(process, task) if process is not None else None
                if answer is not None or self.closed:
                    break
                self._stop(process)
                process = self._start()
            if self.closed:
                break
            batch.put(number, answer)
        self._stop(process)

    def _start(self) -> subprocess.Popen[bytes] | None:
        """A new worker with the set-up; None if the pool is closed."""
        with self.lock:
            if self.closed:
                return None
            process = subprocess.Popen(
                [sys.executable, "-c", worker.PROGRAM, repr(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # an interrupt is for this process alone
            )
            self.alive.append(process)
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            worker.send(process.stdin, self.setup)
        return process

    def _stop(self, process: subprocess.Popen[bytes] | None) -> None:
        if process is None:
            return
        process.kill()
        with contextlib.suppress(OSError):
            process.communicate()
        with self.lock:
            self.alive.remove(process)


def _ask(process: subprocess.Popen[bytes], task: bytes) -> bytes | None:
    """A worker's answer to a task; None if it has died."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        worker.send(process.stdin, task)
        return worker.receive(process.stdout)
    except OSError:
        return None


class _Sent(Generic[Result]):
    """Submitted tasks and their answers."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.answers: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()

    def put(self, number: int, answer: bytes | None) -> None:
        self.answers.put((number, answer))

    def results(self, each: Each | None = None) -> list[Result]:
        results: dict[int, Result] = {}
        while len(results) < self.count:
            number, answer = self.answers.get()
            if answer is None:
                raise WorkerError(
                    f"a task has lost {MAX_DEATHS} workers and is given up; is there enough memory?"
                )
            done, content = cloudpickle.loads(answer)
            if not done:
                raise content
            results[number] = content
            if each is not None:
                each(number, content)
        return [results[number] for number in range(self.count)]
