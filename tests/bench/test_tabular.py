"""`tacit bench tabular`."""

from __future__ import annotations

import json
import sys

import pytest

from support.commands import call, fails


def test_bench_compares_with_openspiel():
    pytest.importorskip("pyspiel")
    code, out, _ = call("bench", "tabular", "--games", "leduc", "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert row["game"] == "leduc"
    assert row["ratio"] == pytest.approx(
        row["openspiel_ms_per_iteration"] / row["ours_ms_per_iteration"]
    )
    assert 0 <= row["peak_memory_mb"] < 200


def test_bench_does_without_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    code, out, errors = call("bench", "tabular", "--games", "leduc", "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert "pip install 'tacit[openspiel]'" in errors
    assert row["openspiel_ms_per_iteration"] is None
    assert row["ratio"] is None
    assert row["ours_ms_per_iteration"] > 0


def test_bench_knows_its_games():
    assert "no tabular benchmark 'chess'" in fails("bench", "tabular", "--games", "chess")
