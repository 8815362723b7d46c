"""`tacit bench subgame`."""

from __future__ import annotations

import json

import pytest

from support.commands import call, fails


def test_a_gadget_costs_little() -> None:
    words = ("bench", "subgame", "--methods", "maxmargin", "--iterations", "3")
    code, out, _ = call(*words, "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert (row["method"], row["iterations"]) == ("maxmargin", 3)
    ratio = row["ms_per_iteration"] / row["plain_ms_per_iteration"]
    assert ratio > 0
    assert row["ratio"] == pytest.approx(ratio)
    assert "unknown" in fails("bench", "subgame", "--methods", "minmargin")
