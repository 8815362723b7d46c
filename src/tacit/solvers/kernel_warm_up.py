"""The first solve on a machine: solver and best response are compiled in parallel.

Kernels are compiled on their first call and then cached. A process compiles one at a time, so a
second process compiles the best response while this one compiles the solver.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tacit.kernel import is_kept
from tacit.solvers.kernels.iterations import respond

PATIENCE = 120.0
"""Seconds to wait for the second process before the best response is compiled here."""

_beside: list[subprocess.Popen[bytes]] = []


def prepare(dtype: type[np.floating[Any]], *, equity: bool = False) -> None:
    """Compile the best response to policies of this type in a second process, if a core is free.

    `equity`: compile the equities of ranges, too.
    """
    if _beside or cores() < 2 or is_kept(respond) or not sys.executable:
        return
    call = f"compile_best_response('{np.dtype(dtype).name}', equity={equity})"
    with suppress(OSError):  # then the best response is compiled here on its first call
        _beside.append(helper(f"from tacit.solvers.kernel_warm_up import *; {call}"))


def helper(program: str) -> subprocess.Popen[bytes]:
    """A process that runs `program` with this package, and nothing from the current folder."""
    places = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
    )
    atexit.register(child.kill)
    return child


def wait() -> None:
    """Wait until the second process has finished, before its kernels are called here."""
    while _beside:
        try:
            _beside[-1].wait(PATIENCE)
        except subprocess.TimeoutExpired:
            _beside[-1].kill()
        _beside.pop()


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_best_response(dtype: str, *, equity: bool = False) -> None:
    """Compute a best response in a small game to a policy of this type."""
    from tacit.games import load_game
    from tacit.games.holdem.ranges import parse_range
    from tacit.solvers.best_response import exploitability
    from tacit.tree import build_tree
    from tacit.tree.cards.equity import range_equity

    tree = build_tree(load_game("kuhn"))
    exploitability(tree, tree.uniform_policy().astype(dtype))
    if equity:
        held = parse_range("AA")
        range_equity((0, 5, 10, 15, 20), (held, held))
