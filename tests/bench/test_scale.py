"""`tacit bench scale`: its rows on short measurements."""

from __future__ import annotations

import pytest

from support.commands import fails
from tacit.bench import scale


def test_the_cost_follows_from_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "examples_per_second", lambda *_, **__: 100.0)
    monkeypatch.setattr(scale, "holdem_examples_per_second", lambda *_: 100.0)
    rows = scale.Scale(cores=10).rows()
    assert len(rows) == 2 * 4 + 2
    dice, turn, holdem = rows[0], *rows[-2:]
    found = [row["examples"] for row in (dice, turn, holdem)]
    assert found == [25_600_000, 768_000_000, 4_480_000_000]
    assert dice["core_hours"] == pytest.approx(25_600_000 / 100 / 3600)
    assert dice["hours"] == pytest.approx(dice["core_hours"] / 10)
    (table,) = scale.Scale().tables(rows)
    assert len(table.rows) == len(rows)


def test_the_rate_of_a_small_game_is_measured() -> None:
    settings = scale.self_play_settings("liars-dice-1x4", tables=1)["own"]
    small = settings.replace(table_size=4, iterations=8, hidden=(8,))
    rate = scale.examples_per_second(small, workers=0, seconds=0.1)
    assert rate > 0


@pytest.mark.slow
@pytest.mark.parametrize("game", [scale.TURN, scale.HOLDEM])
def test_the_rate_of_holdem_is_measured(game: str) -> None:
    assert scale.holdem_examples_per_second(game, 0.1) > 0


def test_games_without_a_training_are_refused() -> None:
    assert "no training of ReBeL's in 'kuhn'" in fails("bench", "scale", "--games", "kuhn")
