"""`tacit bench sog`: rows of the form that the command prints, on a small scale."""

from __future__ import annotations

import json

import pytest

from support.commands import call, fails
from tacit.bench import sog


def test_a_row_has_the_rate_and_the_networks_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sog.SEARCHES, "tic-tac-toe", ((10, 10.0), (20, 10.0)))
    monkeypatch.setattr(sog, "REPEATS", 1)
    code, out, errors = call("bench", "sog", "--games", "tic-tac-toe", "--json")
    rows = json.loads(out)
    assert (code, errors) == (0, "")
    assert list(rows[0]) == [
        "game", "simulations", "expansions", "simulations_per_second", "microseconds",
        "share_network",
    ]  # fmt: skip
    assert [row["simulations"] for row in rows] == [10, 20]
    for row in rows:
        assert row["game"] == "tic-tac-toe"
        assert row["expansions"] == 10
        assert row["simulations_per_second"] > 0
        assert 0 < row["share_network"] < 1
        assert row["microseconds"] == pytest.approx(1e6 / row["simulations_per_second"])
    (table,) = sog.Sog().tables(rows)
    assert table.rows[1][:2] == ("tic-tac-toe", "20")


def test_unknown_games_are_refused() -> None:
    assert "no search benchmark 'chess'" in fails("bench", "sog", "--games", "chess")
