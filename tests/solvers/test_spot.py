"""When a spot's policy is checked while it is being solved."""

from __future__ import annotations

from math import ceil, log2

import pytest

from tacit.solvers.anytime import Checkpoint
from tacit.solvers.spot import FIRST_CHECK, next_check


def points(*pairs: tuple[int, float]) -> list[Checkpoint]:
    return [Checkpoint(iteration, 0.0, worth, 0.0) for iteration, worth in pairs]


def test_iterations_double_without_a_target() -> None:
    assert next_check([], None) == FIRST_CHECK
    assert next_check(points((16, 5.0), (32, 3.0)), None) == 64


def test_the_target_is_checked_when_the_pace_promises_it() -> None:
    # It falls as one over the iterations, and so a little faster: 10 at 128 will be 8 before 160.
    promised = next_check(points((64, 20.0), (128, 10.0)), 8.0)
    assert promised == 149 == ceil(128 * (10 / 8) ** (1 / 1.5))
    assert next_check(points((64, 20.0), (128, 10.0)), 1.0) == 256
    assert next_check(points((64, 20.0), (128, 10.0)), 9.99) == 128 + 128 // 20


def test_near_the_target_iterations_grow_by_half() -> None:
    assert next_check(points((64, 11.0), (128, 10.0)), 5.0) == 192
    assert next_check(points((64, 11.0), (128, 10.0)), 1.0) == 256


def test_one_check_promises_a_target_that_is_near() -> None:
    assert next_check(points((16, 1.2)), 1.0) == 18
    assert next_check(points((16, 9.0)), 1.0) == 32


def test_a_rise_promises_nothing() -> None:
    assert next_check(points((64, 10.0), (128, 11.0)), 8.0) == 192
    assert next_check(points((64, 10.0), (128, 11.0)), 1.0) == 256


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("needed", [20, 50, 90, 400, 3000])
def test_a_target_is_overshot_by_little(power: float, needed: int) -> None:
    seen: list[Checkpoint] = []
    while not seen or seen[-1].exploitability > 1.0:
        iteration = next_check(seen, 1.0)
        seen.append(Checkpoint(iteration, 0.0, (needed / iteration) ** power, 0.0))
    assert seen[-1].iteration <= 1.06 * needed + 2
    assert len(seen) <= 6 + log2(needed / FIRST_CHECK)
