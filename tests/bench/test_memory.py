"""`tacit bench memory`: estimates of solves are within 15 % of their peaks."""

from __future__ import annotations

import json

import pytest

from support.commands import call, fails
from tacit.bench.memory import SOLVES, Memory

QUICK = ("liars-dice-2x4", "liars-dice-1x8-fp", "turn", "turn-16-bits")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in SOLVES]
)
def test_the_estimate_is_within_15_percent_of_the_peak(name: str) -> None:
    code, out, _ = call("bench", "memory", "--solves", name, "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert row["solve"] == name
    assert row["ratio"] == pytest.approx(row["estimate"] / row["peak"])
    assert 0.85 < row["ratio"] < 1.15


def test_estimates_and_peaks_are_shown_side_by_side() -> None:
    row = {"solve": "turn", "estimate": 63_000_000, "peak": 70_000_000, "ratio": 0.9}
    (table,) = Memory().tables([row])
    assert list(table.rows[0]) == ["turn", "63.0 MB", "70.0 MB", "0.90"]
    assert "no memory benchmark 'flip'" in fails("bench", "memory", "--solves", "flip")
