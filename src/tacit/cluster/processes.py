"""The executor that runs tasks in processes of this machine.

A worker is a new interpreter that communicates over its standard input and output. It gets the
set-up once, pickled by value if this process's `__main__` defines it, and then one task after the
other. So it works in notebooks and from standard input. A worker that dies is replaced, and its
task is submitted again. When this process ends in any way, the pipes to its workers close, and they
end too.
"""

from __future__ import annotations

import contextlib
import os
import queue
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import cloudpickle

from tacit.cluster.executor import Batch, Result, Session, Setup, Task
from tacit.games import GameError

Answers = queue.SimpleQueue[tuple[int, bytes | None]]
"""The numbers of tasks, each with its pickled answer; None: its workers have died."""
PROGRAM = (
    "import sys; sys.path[:] = eval(sys.argv[1]); "
    "from tacit.cluster.processes import worker_main; worker_main()"
)
"""The program of a worker's interpreter; its argument is the module search path."""
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
        self.waiting: queue.SimpleQueue[tuple[Answers, int, bytes] | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.alive: list[subprocess.Popen[bytes]] = []
        self.threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def submit(self, tasks: Sequence[Task]) -> Batch[Result]:
        answers: Answers = queue.SimpleQueue()
        for number, task in enumerate(tasks):
            self.waiting.put((answers, number, cloudpickle.dumps(task)))
        return Batch(results_of(len(tasks), answers))

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
            answers, number, task = item
            for _ in range(MAX_DEATHS):
                answer = _ask(process, task) if process is not None else None
                if answer is not None or self.closed:
                    break
                self._stop(process)
                process = self._start()
            if self.closed:
                break
            answers.put((number, answer))
        self._stop(process)

    def _start(self) -> subprocess.Popen[bytes] | None:
        """A new worker with the set-up; None if the pool is closed."""
        with self.lock:
            if self.closed:
                return None
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, repr(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # an interrupt is for this process alone
            )
            self.alive.append(process)
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            _send(process.stdin, self.setup)
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
        _send(process.stdin, task)
        return _receive(process.stdout)
    except OSError:
        return None


def results_of(count: int, answers: Answers) -> Iterator[tuple[int, Any]]:
    """The numbers and results of tasks as they finish."""
    for _ in range(count):
        number, answer = answers.get()
        if answer is None:
            raise WorkerError(
                f"a task has lost {MAX_DEATHS} workers and is given up; is there enough memory?"
            )
        done, content = cloudpickle.loads(answer)
        if not done:
            raise content
        yield number, content


def _send(pipe: BinaryIO | Any, message: bytes) -> None:
    """Write one message: its length in eight bytes, then its bytes."""
    pipe.write(struct.pack("<Q", len(message)))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: BinaryIO | Any) -> bytes | None:
    """Read one message; None at the end of the pipe."""
    head = pipe.read(8)
    if len(head) < 8:
        return None
    (size,) = struct.unpack("<Q", head)
    message: bytes = pipe.read(size)
    return message if len(message) == size else None


def worker_main() -> None:
    """Run tasks until the pipe closes; their output goes to standard error."""
    source, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        while (message := _receive(source)) is not None:
            messages.put(message)
        os._exit(1)  # the parent process has ended

    threading.Thread(target=read, daemon=True).start()
    failure = b""
    try:
        work = cloudpickle.loads(messages.get())()
    except BaseException as error:
        failure = failure_of(error)
    while True:
        task = messages.get()
        _send(answers, failure or answer_of(work, partial(cloudpickle.loads, task)))


def answer_of(work: Callable[[Task], Result], task: Callable[[], Task]) -> bytes:
    """The pickled result of the task that `task` makes, or its error."""
    try:
        answer: bytes = cloudpickle.dumps((True, work(task())))
        return answer
    except BaseException as error:
        return failure_of(error)


def failure_of(error: BaseException) -> bytes:
    """An error as an answer; one that cannot be pickled becomes text."""
    if not isinstance(error, Exception):
        error = WorkerError(f"a worker was stopped: {error!r}")
    error.add_note("in a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        answer: bytes = cloudpickle.dumps((False, error))
        cloudpickle.loads(answer)
        return answer
    except Exception:
        return cloudpickle.dumps((False, WorkerError(f"{type(error).__name__}: {error}")))  # type: ignore[no-any-return]
