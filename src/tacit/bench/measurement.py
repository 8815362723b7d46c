"""What measurements have in common: time, memory, and processes of their own.

`python -m tacit.bench.measurement GAME` prints the megabytes that a solve takes. A small game is
solved first, so that interpreter, libraries and compiled kernels do not count.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tacit.tree.memory import give_back


def in_new_process(module: str, argument: str) -> str:
    """What `python -m MODULE ARGUMENT` prints; its memory and kernels are its own."""
    command = [sys.executable, "-P", "-m", module, argument]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def seconds_per_call(
    call: Callable[[], object],
    *,
    at_least: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds of one call, measured over at least `at_least` seconds."""
    count, start = 0, clock()
    while count == 0 or clock() - start < at_least:
        call()
        count += 1
    return (clock() - start) / count


def peak() -> float:
    """The most memory that this process has had so far, in megabytes."""
    # Linux hands the parent's ru_maxrss on to a new program, so it may hide what this one takes.
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def restarted_peak() -> float:
    """As `peak`, reset to the present use where the system allows it.

    Compiling kernels briefly takes more memory than a small solve, and would hide it; so would
    memory that is free but not given back to the system.
    """
    gc.collect()
    give_back()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def solve_memory(name: str) -> float:
    """Megabytes beyond what solving a small game takes."""
    from tacit.games import load_game
    from tacit.solvers import Limits, solve_tree
    from tacit.tree import build_tree

    limits = Limits(iterations=64)
    solve_tree(build_tree(load_game("kuhn")), limits, algorithm="cfr+")
    before = restarted_peak()
    solve_tree(build_tree(load_game(name)), limits, algorithm="cfr+")
    return peak() - before


if __name__ == "__main__":
    print(solve_memory(sys.argv[1]))
