"""Executors: where tasks run, plain data in and plain data out.

A *set-up* is called once in each process and returns the function that does tasks there. A task is
a pure function of its data, so it does not matter which process does it, nor how many there are.
"""

from tacit.cluster.executor import Batch, Executor, Session, Setup, ThisProcess, executor_of
from tacit.cluster.processes import Processes, WorkerError

__all__ = [
    "Batch",
    "Executor",
    "Processes",
    "Session",
    "Setup",
    "ThisProcess",
    "WorkerError",
    "executor_of",
]
