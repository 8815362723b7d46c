"""When a spot's policy is checked while it is being solved."""

from __future__ import annotations

from tacit.solve.anytime import Checkpoint
from tacit.solve.spot import FIRST_CHECK, next_check


def points(*pairs: tuple[int, float]) -> list[Checkpoint]:
    return [Checkpoint(iteration, 0.0, worth, 0.0) for iteration, worth in pairs]


def test_iterations_double_without_a_target() -> None:
    assert next_check([], None) == FIRST_CHECK
    assert next_check(points((16, 5.0), (32, 3.0)), None) == 64


def test_the_target_is_checked_when_the_pace_promises_it() -> None:
    # The exploitability falls as one over the iterations: 10 at 128 will be 8 at 160.
    assert next_check(points((64, 20.0), (128, 10.0)), 8.0) == 160
    assert next_check(points((64, 20.0), (128, 10.0)), 1.0) == 256
    assert next_check(points((64, 20.0), (128, 10.0)), 9.99) == 128 + 128 // 20


def test_a_rise_promises_nothing() -> None:
    assert next_check(points((64, 10.0), (128, 11.0)), 8.0) == 256
