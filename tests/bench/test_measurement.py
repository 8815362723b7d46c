"""What measurements share."""

from __future__ import annotations

import numpy as np

from tacit.bench.measurement import in_new_process, peak, restarted_peak, seconds_per_call


def test_a_call_is_timed_over_many() -> None:
    count = 0

    def call() -> None:
        nonlocal count
        count += 1

    assert 0 < seconds_per_call(call, at_least=0.01) < 0.01
    assert count > 10


def test_output_of_another_process_is_returned() -> None:
    assert float(in_new_process("tacit.bench.measurement", "coin-toss")) >= 0


def test_the_peak_counts_what_has_been_freed() -> None:
    before = restarted_peak()
    block = np.ones(8 << 20)  # 67 MB
    del block
    assert peak() - before > 50
