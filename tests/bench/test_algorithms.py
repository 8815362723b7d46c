"""`tacit bench algorithms`."""

from __future__ import annotations

import json
import re

from support.commands import call


def test_bench_algorithms_compares_them(tmp_path):
    plot = tmp_path / "kuhn.png"
    words = ["--games", "kuhn", "--algorithms", "cfr,pcfr+", "--iterations", 256, "--plot", plot]
    _, out, _ = call("bench", "algorithms", *words, "--json")
    slow, fast = json.loads(out)
    assert fast["exploitability"] < slow["exploitability"]
    assert plot.read_bytes().startswith(b"\x89PNG")
    _, table, _ = call("bench", "algorithms", "--games", "kuhn", "--target", "1e-2")
    assert re.search(r"\bcfr\s+\d", table)
    assert re.search(r"\bsoft-flop\s+\d", table)
    assert "Iterations to exploitability 0.01" in table
