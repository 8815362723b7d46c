"""A long run: `python -m fuzz.run --minutes 60`, or `make fuzz`.

Inputs are numbered, and the number of the next one of each reader is kept, so an interrupted run
resumes. Each worker has a limit of memory. An input that takes `HANG` seconds of the processor, or
`STUCK` seconds without an end, kills its worker or lets a foreign exception out is a failure. It is
made smaller and kept in the folder `cases`, which the tests read again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fuzz.readers import READERS, Reader
from tacit.files import write_text

HANG = 10.0
STUCK = 120.0
"""Longer than a busy machine may keep a process waiting."""
MEMORY = 6 << 30
CASES = Path(__file__).parent / "cases"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", action="append", choices=[reader.name for reader in READERS])
    parser.add_argument("--state", type=Path, default=Path("fuzz.json"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [
        reader
        for reader in READERS
        if options.reader in (None, []) or reader.name in options.reader
    ]
    run = Run(options.state, options.seed, chosen)
    try:
        run.go(options.minutes * 60, options.workers)
    except KeyboardInterrupt:
        print("interrupted; the same command resumes", file=sys.stderr)
    rows = run.rows()
    print(json.dumps(rows) if options.json else table(rows))
    sys.exit(1 if run.failures else 0)


class Run:
    """The state of a run: for each reader how many inputs were read, and what failed."""

    def __init__(self, path: Path, seed: int, readers: list[Reader]) -> None:
        self.path, self.seed, self.readers = path, seed, readers
        kept = json.loads(path.read_text()) if path.exists() else {}
        self.next: dict[str, int] = kept.get(str(seed), {})
        self.seconds: dict[str, float] = {}
        self.failures: dict[str, list[str]] = {}

    def go(self, seconds: float, workers: int) -> None:
        """Read inputs for this long."""
        end = time.monotonic() + seconds
        shown = 0.0
        team = [Worker(self.seed) for _ in range(workers)]
        turn = 0
        try:
            while time.monotonic() < end:
                for worker in team:
                    if worker.job is None:
                        reader = self.readers[turn % len(self.readers)]
                        turn += 1
                        first = self.next.get(reader.name, 0)
                        self.next[reader.name] = first + reader.weight
                        worker.give(reader, first, reader.weight)
                    elif (done := worker.poll()) is not None:
                        self.note(*done)
                if time.monotonic() - shown > 5:
                    shown = time.monotonic()
                    total = sum(self.next.values())
                    bad = sum(map(len, self.failures.values()))
                    left = max(0, end - shown)
                    print(
                        f"\r{total:,} inputs, {bad} failures, {left:.0f} s left ",
                        end="",
                        file=sys.stderr,
                    )
                    self.save()
                time.sleep(0.01)
        finally:
            for worker in team:
                worker.stop()
            self.save()
            print(file=sys.stderr)

    def note(self, reader: Reader, faults: list[tuple[int, str]], seconds: float) -> None:
        self.seconds[reader.name] = self.seconds.get(reader.name, 0.0) + seconds
        for number, fault in faults:
            self.failures.setdefault(reader.name, []).append(fault)
            keep(reader, reader.input(self.seed, number), fault)

    def save(self) -> None:
        kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        write_text(self.path, json.dumps(kept | {str(self.seed): self.next}))

    def rows(self) -> list[dict[str, Any]]:
        """One row for each reader."""
        return [
            {
                "reader": reader.name,
                "inputs": self.next.get(reader.name, 0),
                "failures": len(self.failures.get(reader.name, [])),
                "seconds": round(self.seconds.get(reader.name, 0.0), 1),
            }
            for reader in self.readers
        ]


class Worker:
    """A process that reads inputs, watched for hangs and deaths."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.job: tuple[Reader, int, int] | None = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.at = context.Value("q", -1)
        self.process = context.Process(target=_work, args=(other, self.at, self.seed), daemon=True)
        self.process.start()
        other.close()
        self.seen, self.since, self.used = -2, time.monotonic(), 0.0

    def _processor_seconds(self) -> float:
        """The time that the process has had of the processor."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def give(self, reader: Reader, first: int, count: int) -> None:
        self.job = (reader, first, count)
        self.began = self.since = time.monotonic()
        self.seen = -2
        self.pipe.send((reader.name, first, count))

    def poll(self) -> tuple[Reader, list[tuple[int, str]], float] | None:
        """The finished job with its faults, if it has finished."""
        assert self.job is not None
        reader, first, count = self.job
        seconds = time.monotonic() - self.began
        try:
            if self.pipe.poll():
                faults = self.pipe.recv()
                self.job = None
                return reader, faults, seconds
            dead = not self.process.is_alive()
        except (EOFError, OSError):
            dead = True
        number = int(self.at.value)
        if number != self.seen:
            self.seen, self.since = number, time.monotonic()
            self.used = self._processor_seconds()
        started = number >= 0  # before that it imports and compiles
        hangs = started and (
            self._processor_seconds() - self.used > HANG or time.monotonic() - self.since > STUCK
        )
        if not (dead or hangs):
            return None
        fault = (
            f"hangs for {HANG:.0f} s" if hangs else f"kills its process ({self.process.exitcode})"
        )
        self.stop()
        self._start()
        rest = first + count - number - 1
        self.job = None
        if rest > 0:
            self.give(reader, number + 1, rest)
        return reader, [(number, fault)], seconds

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def _work(pipe: Connection, at: Any, seed: int) -> None:
    readers = {reader.name: reader for reader in READERS}
    for reader in READERS:  # imports and compiles what inputs need
        reader.fault(reader.input(seed, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while True:
        try:
            name, first, count = pipe.recv()
        except EOFError:
            return
        faults = []
        for number in range(first, first + count):
            at.value = number
            fault = readers[name].fault(readers[name].input(seed, number))
            if fault is not None:
                faults.append((number, fault))
        at.value = -1
        pipe.send(faults)


def keep(reader: Reader, data: bytes, fault: str) -> None:
    """Keep a failure as a small case; one of each kind and reader."""
    kind = fault.partition(":")[0]
    if not fault.startswith(("hangs", "kills")):
        data = smaller(data, lambda part: (reader.fault(part) or "").partition(":")[0] == kind)
    digest = hashlib.sha256(f"{reader.name} {kind}".encode()).hexdigest()[:8]
    CASES.mkdir(exist_ok=True)
    path = CASES / f"{reader.name}-{digest}.json"
    if not path.exists():
        case = {"reader": reader.name, "fault": kind, "input": data.hex()}
        write_text(path, json.dumps(case) + "\n")


def smaller(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """A shorter input that still fails, by leaving out pieces."""
    size, end = len(data) // 2, time.monotonic() + 20
    while size:
        place = 0
        while place < len(data) and time.monotonic() < end:
            part = data[:place] + data[place + size :]
            if fails(part):
                data = part
            else:
                place += size
        size //= 2
    return data


def table(rows: list[dict[str, Any]]) -> str:
    """The rows for people."""
    lines = [f"{'reader':<14} {'inputs':>10} {'failures':>9} {'seconds':>8}"]
    for row in rows:
        lines.append(
            f"{row['reader']:<14} {row['inputs']:>10,} {row['failures']:>9} {row['seconds']:>8.1f}"
        )
    total, bad = (sum(row[name] for row in rows) for name in ("inputs", "failures"))
    return "\n".join([*lines, f"{'all':<14} {total:>10,} {bad:>9}"])


if __name__ == "__main__":
    main()
