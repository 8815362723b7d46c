"""The executor that runs tasks on all nodes of a Ray cluster (Ray Core; Moritz et al. 2018).

A task is a Ray task of one CPU. Its process keeps the set-up, and what the tasks of a batch have in
common: fields of task dataclasses that are one object in all of them, such as a network's weights,
are put in the object store once for each batch. Few tasks more than there are CPUs are submitted at
a time, and results are fetched as they finish, so the store stays small. A task whose process or
node is lost is run again by Ray, also if only its result is lost; as it is a pure function of its
data, the results are the same.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import queue
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import cloudpickle

from tacit.cluster.executor import Batch, Result, Session, Setup, Task
from tacit.cluster.processes import (
    MAX_DEATHS,
    Answers,
    WorkerError,
    answer_of,
    failure_of,
    results_of,
)
from tacit.games import GameError

CONNECT_SECONDS = 10.0
"""The longest wait for the head of a cluster."""
AHEAD = 2
"""Number of tasks for each CPU of the cluster that are submitted at a time."""
POLL = 0.1
"""Seconds after which the session looks for new tasks, nodes and the end."""


@dataclass(frozen=True)
class RayCluster:
    """Runs tasks on the Ray cluster at `address`, as given to `ray.init`.

    Without an address it is the one that the environment variable RAY_ADDRESS names or that runs on
    this machine; if there is none, Ray is started here. A connection that exists is used as it is.
    """

    address: str | None = None

    def open(self, setup: Setup[Task, Result]) -> Session[Task, Result]:
        """Connect to the cluster."""
        ray = _import_ray()
        connecting = not ray.is_initialized()
        if connecting:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            try:
                _check_address(self.address)
                ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR)
            except Exception as error:
                reason = " ".join(str(error).split())[:200]
                raise GameError(
                    f"there is no Ray cluster at {self.address or 'this machine'} ({reason}); "
                    "start one with `ray start --head` and give its address, HOST:PORT"
                ) from None
        return _RaySession(ray, cloudpickle.dumps(setup), disconnect=connecting)


def _check_address(address: str | None) -> None:
    """Raise an error if nothing listens at HOST:PORT; Ray itself would try for minutes."""
    if address not in (None, "auto", "local"):
        host, _, port = address.removeprefix("ray://").rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def _import_ray() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        raise GameError("Ray is not installed; install it with: pip install 'tacit[ray]'") from None


class _Submitted(NamedTuple):
    """A task: where its answer goes, its number, its references and its own data, pickled."""

    answers: Answers
    number: int
    references: tuple[Any, Any]
    own: bytes


class _RaySession(Session[Task, Result]):
    """A thread gives Ray the waiting tasks and fetches what has finished."""

    def __init__(self, ray: Any, setup: bytes, *, disconnect: bool) -> None:
        self.ray = ray
        self.disconnect = disconnect
        self.setup = ray.put(cloudpickle.dumps((sys.path, setup)))
        self.run = ray.remote(num_cpus=1, max_retries=MAX_DEATHS - 1)(run_task)
        self.waiting: queue.SimpleQueue[_Submitted | None] = queue.SimpleQueue()
        self.running: dict[Any, _Submitted] = {}
        self.closed = False
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def submit(self, tasks: Sequence[Task]) -> Batch[Result]:
        answers: Answers = queue.SimpleQueue()
        common, owns = split(tasks)
        reference = self.ray.put(cloudpickle.dumps(common))
        for number, own in enumerate(owns):
            task = _Submitted(answers, number, (self.setup, reference), cloudpickle.dumps(own))
            self.waiting.put(task)
        return Batch(results_of(len(tasks), answers))

    def close(self) -> None:
        self.closed = True
        self.waiting.put(None)
        self.thread.join()
        for reference in self.running:
            self.ray.cancel(reference, force=True)
        self.running.clear()
        if self.disconnect:
            self.ray.shutdown()

    def _serve(self) -> None:
        while not self.closed:
            try:
                self._step()
            except Exception as error:  # the cluster itself is lost
                for task in self.running.values():
                    task.answers.put((task.number, _lost(error)))
                self.running.clear()

    def _step(self) -> None:
        """Give Ray as many tasks as it may have, and fetch what has finished."""
        if not self.running:
            self._start(block=True)
        while 0 < len(self.running) < self._limit() and self._start(block=False):
            pass
        if self.running:
            done, _ = self.ray.wait(list(self.running), timeout=POLL)
            for reference in done:
                task = self.running.pop(reference)
                task.answers.put((task.number, self._fetch(reference)))

    def _start(self, *, block: bool) -> bool:
        """Give Ray the next task; False if there is none. `block`: wait for one."""
        try:
            task = self.waiting.get(block=block)
        except queue.Empty:
            return False
        if task is None:
            return False
        try:
            self.running[self.run.remote(task.references, task.own)] = task
        except Exception as error:
            task.answers.put((task.number, _lost(error)))
        return True

    def _limit(self) -> int:
        """The number of tasks that Ray is given at a time."""
        return AHEAD * int(self.ray.cluster_resources().get("CPU", 0))

    def _fetch(self, reference: Any) -> bytes | None:
        """The answer of a finished task; None if Ray has given it up."""
        try:
            answer: bytes = self.ray.get(reference)
            return answer
        except self.ray.exceptions.RayTaskError as error:  # before the task itself has begun
            reason = " ".join(str(error.cause).split())[:200]
            return failure_of(
                WorkerError(f"a node cannot run tasks, is tacit installed there? ({reason})")
            )
        except self.ray.exceptions.RayError:
            return None


def _lost(error: Exception) -> bytes:
    return failure_of(WorkerError(f"the Ray cluster is lost: {error}"))


def split(tasks: Sequence[Any]) -> tuple[tuple[Any, dict[str, Any]], list[Any]]:
    """What all tasks have in common, and of each the rest; `joined` puts them together again.

    Tasks of one dataclass share the fields that are the same object in all; others share nothing.
    """
    kinds = {type(task) for task in tasks}
    if len(kinds) != 1 or not dataclasses.is_dataclass(kind := kinds.pop()):
        return (None, {}), list(tasks)
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    first = tasks[0]
    shared = {
        name: getattr(first, name)
        for name in names
        if all(getattr(task, name) is getattr(first, name) for task in tasks)
    }
    rest = [{n: getattr(task, n) for n in names if n not in shared} for task in tasks]
    return (kind, shared), rest


def joined(common: tuple[Any, dict[str, Any]], own: Any) -> Any:
    """A task from what `split` gives."""
    kind, shared = common
    return own if kind is None else kind(**shared, **own)


_KEPT: dict[str, tuple[str, Any]] = {}
"""In a worker: the set-up's function and the common part, each with its reference."""


def run_task(references: tuple[Any, Any], own: bytes) -> bytes:
    """Run a task in a process of the cluster; its answer as that of `processes`."""
    try:
        work = _kept("work", references[0], _set_up)
        common = _kept("common", references[1], cloudpickle.loads)
    except BaseException as error:
        return failure_of(error)
    return answer_of(work, lambda: joined(common, cloudpickle.loads(own)))


def _set_up(data: bytes) -> Any:
    """The function that runs tasks; modules are found where the session's process finds them."""
    paths, setup = cloudpickle.loads(data)
    sys.path += [path for path in paths if path not in sys.path and os.path.isdir(path)]
    return cloudpickle.loads(setup)()


def _kept(name: str, reference: Any, make: Callable[[bytes], Any]) -> Any:
    """What `make` gives for an object of the store; the last one is kept."""
    key = reference.hex()
    if name not in _KEPT or _KEPT[name][0] != key:
        _KEPT.pop(name, None)
        _KEPT[name] = key, make(import_module("ray").get(reference))
    return _KEPT[name][1]
