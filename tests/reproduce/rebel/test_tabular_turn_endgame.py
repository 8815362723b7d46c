"""ReBeL's Figure 5: curves that an interrupted run resumes."""

from __future__ import annotations

import json

from support.commands import call, fails


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


def test_an_interrupted_run_is_resumed(tmp_path):
    words = ("reproduce", "teh-tabular", "--spot", "river-bluff", "--json")
    whole = json.loads(call(*words, "--iterations", "8")[1])
    kept = tmp_path / "rows.json"
    keeping = (*words, "--out", kept)
    call(*keeping, "--iterations", "2")
    code, out, _ = call(*keeping, "--iterations", "8")
    assert code == 0
    figures = ("algorithm", "iteration", "exploitability")
    joined = [[row[key] for key in figures] for row in json.loads(out)]
    assert joined == [[row[key] for key in figures] for row in whole]
    before = kept.read_text()
    assert json.loads(call(*keeping, "--iterations", "8")[1]) == json.loads(out)
    assert kept.read_text() == before
    # Another spot has rows of its own in the same file; these stay.
    call("reproduce", "teh-tabular", "--spot", "river", "--out", kept, "--iterations", "1")
    rows = json.loads(kept.read_text())
    assert [row["spot"] for row in rows] == ["river-bluff"] * 12 + ["river"] * 3
    # A state beyond what is asked for is left alone.
    code, out, _ = call(*keeping, "--iterations", "6")
    assert [row["iteration"] for row in json.loads(out)] == 3 * [1, 2, 4, 6]
    (tmp_path / "rows-river-bluff-dcfr.npz").write_bytes(b"cut short")
    assert "dcfr.npz is damaged" in fails(*keeping, "--iterations", "16")
