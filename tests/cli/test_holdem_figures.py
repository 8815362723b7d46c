"""`tacit bench holdem` and `tacit reproduce teh-tabular`."""

from __future__ import annotations

import json

from support.commands import call, fails


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


def test_the_figure_has_a_point_at_each_power_of_two(tmp_path):
    words = ("reproduce", "teh-tabular", "--spot", "river-bluff", "--iterations", "6")
    code, out, errors = call(*words, "--json", "--plot", tmp_path / "figure.png")
    rows = json.loads(out)
    assert (code, errors) == (0, "")
    assert [row["iteration"] for row in rows] == 3 * [1, 2, 4, 6]
    assert {row["algorithm"] for row in rows} == {"linear-cfr", "dcfr", "flop"}
    for row in rows:
        assert row["exploitability_mbb"] == 1000 * row["exploitability"] / 2
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    code, out, errors = call(*words)
    assert "linear-cfr" in out
    assert "flop: 6 iterations" in errors
    assert "to go" in errors


def test_a_kept_reproduction_goes_on(tmp_path):
    words = ("reproduce", "teh-tabular", "--spot", "river-bluff", "--json")
    whole = json.loads(call(*words, "--iterations", "8")[1])
    keeping = (*words, "--keep", tmp_path / "kept")
    call(*keeping, "--iterations", "2")
    code, out, _ = call(*keeping, "--iterations", "8")
    assert code == 0
    figures = ("algorithm", "iteration", "exploitability")
    joined = [[row[key] for key in figures] for row in json.loads(out)]
    assert joined == [[row[key] for key in figures] for row in whole]
    before = (tmp_path / "kept" / "rows.json").read_text()
    assert json.loads(call(*keeping, "--iterations", "8")[1]) == json.loads(out)
    assert (tmp_path / "kept" / "rows.json").read_text() == before
    assert "a run of river-bluff, not of river" in fails(
        *words, "--spot", "river", "--keep", tmp_path / "kept"
    )
    (tmp_path / "kept" / "dcfr.npz").write_bytes(b"cut short")
    assert "dcfr.npz does not belong to 8" in fails(*keeping, "--iterations", "16")
