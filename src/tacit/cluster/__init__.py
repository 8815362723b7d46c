"""Executors: where tasks run, plain data in and plain data out.

A *set-up* is called once in each process and returns the function that runs tasks there. A task is
a pure function of its data, so its result does not depend on the process or on their number.
"""

from tacit.cluster.executor import (
    Batch,
    Executor,
    Session,
    Setup,
    ThisProcess,
    executor_of,
    find_executor,
)
from tacit.cluster.processes import Processes, WorkerError
from tacit.cluster.ray_cluster import RayCluster

__all__ = [
    "Batch",
    "Executor",
    "Processes",
    "RayCluster",
    "Session",
    "Setup",
    "ThisProcess",
    "WorkerError",
    "executor_of",
    "find_executor",
]
