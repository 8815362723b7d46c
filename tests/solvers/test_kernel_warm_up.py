"""Compiling beside: a first process leaves all kernels, and none is compiled twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tacit.solvers import kernel_warm_up as preparation

SOLVE = """
import json, sys
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, happened):
        compiled.append(happened.data["dispatcher"].py_func.__name__)
    def on_end(self, happened):
        pass
event.register("numba:compile", Listener())
from tacit.games import load_game
from tacit.solvers import Limits, solve_tree
from tacit.tree import build_tree
solve_tree(build_tree(load_game("kuhn")), Limits(iterations=3))
print(json.dumps(compiled))
"""


def solve(cache: Path) -> list[str]:
    """The kernels that a process compiles when it solves a small game."""
    answer = subprocess.run(
        [sys.executable, "-c", SOLVE],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        check=True,
        capture_output=True,
        text=True,
    )
    found: list[str] = json.loads(answer.stdout)
    return found


@pytest.mark.slow
@pytest.mark.skipif(preparation.cores() < 2, reason="needs a second core")
def test_the_judge_is_compiled_beside_and_everything_is_kept(tmp_path):
    first = solve(tmp_path)
    assert "match_regrets" in first
    assert "respond" not in first
    assert solve(tmp_path) == []


def test_nothing_is_started_where_kernels_are_kept():
    preparation.compile_best_response("float32")
    preparation.prepare(np.float32)
    assert preparation._beside == []


def test_the_second_process_imports_nothing_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tacit.py").write_text("raise SystemExit('a file of the current folder has run')")
    answers: list[bytes] = []
    start = subprocess.Popen

    class Child:
        def __init__(self, command: list[str], *, env: dict[str, str], **_: object) -> None:
            ask = [*command[:-1], "import tacit; print(tacit.__file__)"]
            answers.append(
                start(ask, env=env, cwd=tmp_path, stdout=subprocess.PIPE).communicate()[0]
            )

        def kill(self) -> None:
            pass

        def wait(self, _: float) -> None:
            pass

    monkeypatch.setattr(preparation, "is_kept", lambda _: False)
    monkeypatch.setattr(preparation, "cores", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", Child)
    preparation.prepare(np.float32)
    preparation.wait()
    (answer,) = answers
    assert answer.decode().strip() == str(Path(preparation.__file__).parents[1] / "__init__.py")
