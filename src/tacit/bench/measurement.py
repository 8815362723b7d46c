"""What measurements have in common."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from tacit.report.experiment import SILENT, Experiment, Progress
from tacit.report.table import Row


class Measurement(Experiment):
    """Rows of figures measured here and now."""

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """Measure."""
        raise NotImplementedError


def in_new_process(module: str, argument: str) -> str:
    """What `python -m MODULE ARGUMENT` prints; its memory and kernels are its own."""
    command = [sys.executable, "-P", "-m", module, argument]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def seconds_per_call(call: Callable[[], None], *, at_least: float) -> float:
    """Seconds of one call, measured over at least `at_least` seconds."""
    count, start = 0, time.perf_counter()
    while count == 0 or time.perf_counter() - start < at_least:
        call()
        count += 1
    return (time.perf_counter() - start) / count
