"""The worker's side of `tacit.cluster.processes`: messages over standard input and output."""

from __future__ import annotations

import os
import queue
import struct
import threading
import traceback
from typing import Any, BinaryIO

import cloudpickle

PROGRAM = "import sys; sys.path[:] = eval(sys.argv[1]); import tacit.cluster.worker as w; w.main()"
"""The program of a worker's interpreter; its argument is the module search path."""


def send(pipe: BinaryIO | Any, message: bytes) -> None:
    """Write one message: its length in eight bytes, then its bytes."""
    pipe.write(struct.pack("<Q", len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: BinaryIO | Any) -> bytes | None:
    """Read one message; None at the end of the pipe."""
    head = pipe.read(8)
    if len(head) < 8:
        return None
    (size,) = struct.unpack("<Q", head)
    message: bytes = pipe.read(size)
    return message if len(message) == size else None


def main() -> None:
    """Run tasks until the pipe closes; their output goes to standard error."""
    source, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        while (message := receive(source)) is not None:
            messages.put(message)
        os._exit(1)  # the parent process has ended

    threading.Thread(target=read, daemon=True).start()
    failure = b""
    try:
        work = cloudpickle.loads(messages.get())()
    except BaseException as error:
        failure = _failure(error)
    while True:
        task = messages.get()
        try:
            answer = failure or cloudpickle.dumps((True, work(cloudpickle.loads(task))))
        except BaseException as error:
            answer = _failure(error)
        send(answers, answer)


def _failure(error: BaseException) -> bytes:
    """An error as an answer; one that cannot be pickled becomes text."""
    from tacit.cluster.processes import WorkerError

    if not isinstance(error, Exception):
        error = WorkerError(f"a worker was stopped: {error!r}")
    error.add_note("in a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        answer: bytes = cloudpickle.dumps((False, error))
        cloudpickle.loads(answer)
        return answer
    except Exception:
        return cloudpickle.dumps((False, WorkerError(f"{type(error).__name__}: {error}")))  # type: ignore[no-any-return]
