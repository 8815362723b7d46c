"""Workers that die are replaced, and end with the process that made them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tacit.cluster import Processes, WorkerError

HEAD = (
    "import os, signal, sys, time\n"
    "from tacit.cluster import Processes\n"
    "def setup():\n"
    "    return lambda task: (os.getpid(), task)\n"
)
"""A program whose set-up its own `__main__` defines."""


def made_here():  # type: ignore[no-untyped-def]
    return lambda task: (os.getpid(), task)


def fatal():  # type: ignore[no-untyped-def]
    return lambda task: os.kill(os.getpid(), signal.SIGKILL)


def die_once(mark: str):  # type: ignore[no-untyped-def]
    def work(task: int) -> int:
        if task == 2 and not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return task * task

    return work


def gone(process: int) -> bool:
    """Whether a process ends within a few seconds."""
    for _ in range(100):
        state = Path(f"/proc/{process}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return True
        time.sleep(0.1)
    os.kill(process, signal.SIGKILL)
    return False


def test_a_task_whose_worker_dies_is_done_by_another(tmp_path: Path) -> None:
    mark = str(tmp_path / "died")
    with Processes(2).open(lambda: die_once(mark)) as session:
        assert session.submit(range(5)).results() == [0, 1, 4, 9, 16]
    assert Path(mark).exists()


def test_a_killed_worker_is_replaced() -> None:
    with Processes(1).open(made_here) as session:
        [(first, _)] = session.submit([0]).results()
        os.kill(first, signal.SIGKILL)
        [(second, task)] = session.submit([7]).results()
    assert task == 7
    assert second != first


def test_a_task_that_kills_every_worker_is_given_up() -> None:
    with (
        Processes(1).open(fatal) as session,
        pytest.raises(WorkerError, match="lost 5 workers"),
    ):
        session.submit([0]).results()


def test_closing_ends_the_workers() -> None:
    session = Processes(2).open(made_here)
    workers = {worker for worker, _ in session.submit(range(8)).results()}
    session.close()
    assert all(map(gone, workers))


def test_it_runs_from_standard_input_with_what_main_defines() -> None:
    script = (
        HEAD
        + "with Processes(2).open(setup) as session:\n"
        + "    print([task for _, task in session.submit([3, 1, 2]).results()])\n"
    )
    made = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True)
    assert made.stdout == "[3, 1, 2]\n", made.stderr


def test_what_a_task_prints_does_not_disturb_its_answer() -> None:
    with Processes(1).open(lambda: lambda task: print("noise", flush=True) or task) as session:
        assert session.submit([1, 2]).results() == [1, 2]


@pytest.mark.parametrize("moment", ["working", "starting"])
def test_workers_end_when_the_process_that_made_them_is_killed(moment: str) -> None:
    wait = "[(pid, _)] = session.submit([0]).results()\nsession.submit([0])\n"
    if moment == "starting":
        wait = "while not session.processes(): time.sleep(0.01)\npid = session.processes()[0]\n"
    script = (
        HEAD
        + "session = Processes(1).open(setup)\n"
        + wait
        + "print(pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert gone(int(made.stdout)), "the worker stayed"


def test_workers_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    for name in ("tacit", "pickle", "signal"):
        (tmp_path / f"{name}.py").write_text("import os; open('ran', 'w')")
    ask = "with Processes(1).open(setup) as session: print(session.submit([5]).results())\n"
    made = subprocess.run(
        [sys.executable, "-P", "-"], input=HEAD + ask, capture_output=True, text=True, cwd=tmp_path
    )
    assert made.stdout.endswith(", 5)]\n"), made.stderr
    assert not (tmp_path / "ran").exists()
