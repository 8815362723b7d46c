"""Tables over weak blueprints: safe methods keep their promise, in the order that they should."""

from __future__ import annotations

import pytest

from tacit.evaluate.safe_tables import BLUEPRINT, WEAKNESSES, Weakness, off_tree_table, safe_table
from tacit.solve.subgame import Effort


@pytest.mark.parametrize("weakness", WEAKNESSES)
def test_leduc_comes_out_in_order(weakness: Weakness) -> None:
    rows = {
        row.method: row
        for row in safe_table(
            "leduc",
            weakness,
            seeds=2,
            methods=("unsafe", "resolve", "maxmargin", "reach-maxmargin", "continual"),
            effort=Effort(iterations=300, double=True),
        )
    }
    assert rows[BLUEPRINT].worst_rise == 0
    for method in ("resolve", "maxmargin", "reach-maxmargin"):
        assert rows[method].worst_rise < 2e-3
        assert rows[method].exploitability < rows[BLUEPRINT].exploitability
    assert rows["reach-maxmargin"].exploitability <= rows["maxmargin"].exploitability + 1e-3
    assert rows["maxmargin"].exploitability <= rows["resolve"].exploitability + 1e-3


@pytest.mark.slow
def test_nested_solving_beats_both_translations() -> None:
    rows = {
        row.method: row.exploitability
        for row in off_tree_table(methods=("resolve", "maxmargin", "reach-maxmargin"))
    }
    translated = min(worth for name, worth in rows.items() if name.startswith("translation"))
    nested = [worth for name, worth in rows.items() if name.startswith("nested")]
    assert len(nested) == 6
    assert max(nested) < translated
