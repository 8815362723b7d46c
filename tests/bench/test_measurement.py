"""What measurements share."""

from __future__ import annotations

from tacit.bench.measurement import in_new_process, seconds_per_call


def test_a_call_is_timed_over_many() -> None:
    count = 0

    def call() -> None:
        nonlocal count
        count += 1

    assert 0 < seconds_per_call(call, at_least=0.01) < 0.01
    assert count > 10


def test_output_of_another_process_is_returned() -> None:
    assert float(in_new_process("tacit.bench.peak_memory", "coin-toss")) >= 0
