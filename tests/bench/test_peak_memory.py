"""The memory of a process."""

from __future__ import annotations

import numpy as np

from tacit.bench.peak_memory import peak, restarted_peak


def test_the_peak_counts_what_has_been_freed() -> None:
    before = restarted_peak()
    block = np.ones(8 << 20)  # 67 MB
    del block
    assert peak() - before > 50
