"""`tacit bench holdem`."""

from __future__ import annotations

import json

from support.commands import call, fails
from tacit.bench.holdem import Holdem


def test_the_river_and_the_evaluator_are_measured():
    code, out, _ = call("bench", "holdem", "--spots", "river,evaluator", "--json")
    river, evaluator = json.loads(out)
    assert code == 0
    assert river["spot"] == "river-bench"
    assert river["threads"] == 1
    assert river["exploitability_percent_of_pot"] <= 0.1
    assert 0 < river["ms_per_iteration"] < 1000 * river["seconds_to_target"]
    assert river["iterations"] > 0
    assert river["peak_memory_mb"] > 0
    assert evaluator["hands_per_second"] > 1e6
    assert "no hold'em benchmark 'flop'" in fails("bench", "holdem", "--spots", "flop")
    (table,) = Holdem().tables([river, evaluator])
    assert len(table.rows) == 1
    assert table.rows[0][0] == "river-bench"
    assert "million hands per second" in table.note
