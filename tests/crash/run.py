"""Kill every command that writes at random moments: `python -m crash.run`, or `make crash`.

After each kill no process of the command may live, every file under its final name must be whole,
and the command, given again, must end with what an undisturbed run gives. The table counts how the
kills ended.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tacit.archive import open_archive, read_arrays
from tacit.files import CHECKSUM

MARK = "TACIT_CRASH"
PATIENCE = 5.0
"""Seconds within which every process of a killed command must have ended."""


@dataclass(frozen=True)
class Crash:
    """A command: its words, those that resume it, and what it leaves in the end."""

    name: str
    words: tuple[str, ...]
    result: Callable[[Path, str], object]
    """What must be equal in the end, from the folder and the command's output."""
    resumed: tuple[str, ...] = ()
    """Added to the words if the first attempt left a run."""

    def command(self, folder: Path) -> list[str]:
        again = self.resumed if (folder / "run" / "settings.json").exists() else ()
        return [sys.executable, "-m", "tacit", *self.words, *again]


def _arrays(folder: Path, _: str) -> object:
    parts = read_arrays(folder / "out.npz", "a solution")
    return {
        name: part.tobytes()
        for name, part in parts.items()
        if name not in ("about", "history")  # they state the time it took
    }


def _network(folder: Path, _: str) -> object:
    with open_archive(folder / "run" / "network.pt", "a network") as file:
        state = torch.load(file, weights_only=True)
    weights = {name: weight.numpy().tobytes() for name, weight in state["network"].items()}
    return weights, state["epoch"], state["examples"]


def _timeless(rows: list[dict[str, Any]]) -> object:
    own = ("seconds", CHECKSUM)
    return [{name: row[name] for name in row if not name.endswith(own)} for row in rows]


def _rows(folder: Path, _: str) -> object:
    return _timeless(json.loads((folder / "rows.json").read_text()))


def _printed(_: Path, output: str) -> object:
    printed = json.loads(output)
    return _timeless(printed if isinstance(printed, list) else [printed])


_SMALL = ("epochs=6", "tables=2", "table_size=4", "steps=20", "evaluate_every=0")
_SETTINGS = tuple(f"--set={change}" for change in _SMALL)
CRASHES = (
    Crash(
        "train",
        ("train", "kuhn", "--workers=2", "--out=run", *_SETTINGS),
        _network,
        resumed=("--resume",),
    ),
    Crash("solve", ("solve", "leduc", "-n", "4000", "-o", "out.npz"), _arrays),
    Crash("spot", ("spot", "river", "-n", "60", "--no-walk", "-o", "out.npz"), _arrays),
    Crash("blueprint", ("blueprint", "leduc", "-n", "2000", "-o", "out.npz"), _arrays),
    Crash(
        "reproduce",
        ("reproduce", "rebel-fig4", "--games=liars-dice-1x4", "--iterations=64", "--out=rows.json"),
        _rows,
    ),
    Crash(
        "match",
        ("match", "kuhn", "kuhn", "uniform", "--games=40", "--record=match.json", "--json"),
        _printed,
    ),
    Crash(
        "match holdem",
        (
            "match",
            "holdem",
            "always-call",
            "always-fold",
            "--hands=2000",
            "--record=match.json",
            "--json",
        ),
        _printed,
    ),
    Crash("evaluate", ("evaluate", "kuhn", "--playthroughs", "400", "--json"), _printed),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", action="append", choices=[crash.name for crash in CRASHES])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [c for c in CRASHES if not options.command or c.name in options.command]
    dice = random.Random(options.seed)
    expected: dict[str, tuple[object, float]] = {}
    counts: dict[str, Counter[str]] = {crash.name: Counter() for crash in chosen}
    kills = 0
    while kills < options.kills:
        crash = chosen[kills % len(chosen)]
        if crash.name not in expected:
            expected[crash.name] = undisturbed(crash)
        result, seconds = expected[crash.name]
        outcome = kill_once(crash, result, seconds, dice)
        counts[crash.name][outcome] += 1
        if outcome == FINISHED:
            expected[crash.name] = result, 0.8 * seconds
        else:
            kills += 1
        print(f"{kills}/{options.kills} {crash.name}: {outcome}", file=sys.stderr)
    rows = [
        {"command": name, "kills": sum(found.values()) - found[FINISHED], **found}
        for name, found in counts.items()
    ]
    if options.json:
        print(json.dumps(rows))
    else:
        for row in rows:
            print("  ".join(f"{name} {value}" for name, value in row.items()))
    bad = sum(n for found in counts.values() for name, n in found.items() if name not in GOOD)
    sys.exit(1 if bad else 0)


FINISHED = "finished before the kill"
"""It does not count as a kill."""
GOOD = ("equal", FINISHED)


def undisturbed(crash: Crash) -> tuple[object, float]:
    """What the command leaves, and how long it takes."""
    with tempfile.TemporaryDirectory() as name:
        began = time.monotonic()
        done = _finish(crash, Path(name))
        assert done.returncode == 0, done.stderr
        return crash.result(Path(name), done.stdout), time.monotonic() - began


def kill_once(crash: Crash, expected: object, seconds: float, dice: random.Random) -> str:
    """Kill the command up to twice at random moments, let it end, and say how that went."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        killed = False
        for _ in range(dice.randint(1, 2)):
            mark = f"{os.getpid()}-{dice.random()}"
            running = subprocess.Popen(
                crash.command(folder),
                cwd=folder,
                env=os.environ | {MARK: mark},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                running.wait(dice.uniform(0, 1.1 * seconds))
            except subprocess.TimeoutExpired:
                running.send_signal(dice.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
                killed = True
            try:
                running.wait(60)
            except subprocess.TimeoutExpired:
                running.kill()
                return "did not end"
            if left := _left(mark):
                for process in left:
                    os.kill(process, signal.SIGKILL)
                return "left a process"
            if broken := _broken(folder):
                return f"broke {broken}"
        done = _finish(crash, folder)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.startswith("tacit: error")]
            return "refused" if len(lines) == 1 else f"failed: {done.stderr[-300:]}"
        if crash.result(folder, done.stdout) != expected:
            return "another result"
        return "equal" if killed else FINISHED


def _finish(crash: Crash, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(crash.command(folder), cwd=folder, capture_output=True, text=True)


def _left(mark: str) -> list[int]:
    """The processes that a command has left behind."""
    end = time.monotonic() + PATIENCE
    while left := [int(p.name) for p in Path("/proc").iterdir() if _is_marked(p, mark)]:
        if time.monotonic() > end:
            break
        time.sleep(0.05)
    return left


def _is_marked(process: Path, mark: str) -> bool:
    try:
        state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        found = f"{MARK}={mark}".encode() in (process / "environ").read_bytes()
        return process.name.isdigit() and found and state != "Z"
    except (OSError, IndexError):
        return False


def _broken(folder: Path) -> str | None:
    """A file under its final name that cannot be read."""
    for path in folder.rglob("*"):
        if not path.is_file() or path.suffix == ".part":
            continue
        try:
            if path.suffix == ".npz":
                read_arrays(path, "a solution")
            elif path.suffix == ".pt":
                with open_archive(path, "a network"):
                    pass
            elif path.suffix == ".json":
                json.loads(path.read_text())
        except Exception as error:
            return f"{path.name} ({error})"
    return None


if __name__ == "__main__":
    main()
