"""How much memory a solve takes: `python -m tacit.bench.peak_memory GAME` prints megabytes.

A small game is solved first, so that interpreter, libraries and compiled kernels do not count.
"""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from pathlib import Path


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

    Compiling kernels briefly takes more memory than a small solve, and would hide it.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def measure(name: str) -> float:
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
    print(measure(sys.argv[1]))
