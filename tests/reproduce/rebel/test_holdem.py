"""The table of the hold'em agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.games import GameError
from tacit.reproduce.rebel.holdem import RebelHoldem


def test_rows_are_measured_kept_and_resumed(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    table = RebelHoldem(
        agent="always-fold", opponents=("lbr:fold-call", "lbr:fcpa", "always-call"), hands=20
    )
    rows = table.rows(out=out)
    assert [(row["agent"], row["opponent"]) for row in rows] == [
        ("lbr:fold-call", "always-fold"),
        ("lbr:fcpa", "always-fold"),
        ("always-fold", "always-call"),
    ]
    assert [row["mbb"] for row in rows] == pytest.approx([250, 750, -250], abs=1)
    for row in rows:
        assert row["low"] <= row["mbb"] <= row["high"]
        assert row["hands"] == 20
    assert table.rows(out=out) == rows
    hands = [path for path in tmp_path.iterdir() if path.suffix == ".hands"]
    assert len(hands) == 3
    assert len(json.loads(hands[0].read_text())["pairs"]) == 10
    assert "mbb/h" in table.tables(rows)[0].title


def test_wrong_options_are_one_line() -> None:
    with pytest.raises(GameError, match="odd"):
        RebelHoldem(hands=3)
    with pytest.raises(GameError, match="lbr:fold-call"):
        RebelHoldem(opponents=("lbr:call",))
