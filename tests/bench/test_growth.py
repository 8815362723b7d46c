"""`tacit bench growth`: rows of the form that the command prints, on a small scale."""

from __future__ import annotations

import json

import pytest

from support.commands import call, fails
from tacit.bench import growth


def test_a_row_has_the_rate_and_the_slowdown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FIRST": 10, "LAST": 40, "WINDOW": 10}.items():
        monkeypatch.setattr(growth, name, value)
    code, out, errors = call("bench", "growth", "--games", "tic-tac-toe", "--json")
    (row,) = json.loads(out)
    assert (code, errors) == (0, "")
    assert list(row) == [
        "game", "expansions", "expansions_per_second", "slowdown", "solver_ms", "solver_slowdown"
    ]  # fmt: skip
    assert row["game"] == "tic-tac-toe"
    assert row["expansions"] == 40
    assert row["expansions_per_second"] > 0
    assert row["slowdown"] > 0
    assert row["solver_ms"] > 0
    assert row["solver_slowdown"] > 0
    (table,) = growth.Growth().tables([row])
    assert table.rows[0][:2] == ("tic-tac-toe", "40")


def test_unknown_games_are_refused() -> None:
    assert "no growth benchmark 'kuhn'" in fails("bench", "growth", "--games", "kuhn")
