"""Long steps of the library tell a listener how far they are."""

from __future__ import annotations

import pytest

from tacit import steps
from tacit.formats.openspiel import load_openspiel
from tacit.games import load_game
from tacit.steps import EVERY, counted, listening
from tacit.tree import build_tree


def test_a_listener_hears_every_so_often_and_of_the_end() -> None:
    heard: list[tuple[str, int | None]] = []
    with listening(lambda *news: heard.append(news)), counted("{:,} things") as count:
        for number in range(1, 2 * EVERY + 10):
            count(number)
    assert heard == [("{:,} things", EVERY), ("{:,} things", 2 * EVERY), ("{:,} things", None)]
    with counted("{:,} things") as count:
        count(EVERY)
    assert len(heard) == 3


def test_the_end_is_told_after_an_interrupt() -> None:
    heard: list[int | None] = []

    def work() -> None:
        with counted("{}"):
            raise KeyboardInterrupt

    with listening(lambda _, count: heard.append(count)), pytest.raises(KeyboardInterrupt):
        work()
    assert heard == [None]


def test_building_and_loading_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "EVERY", 10)
    heard: dict[str, int] = {}
    with listening(lambda text, count: heard.update({text: count or heard.get(text, 0)})):
        build_tree(load_game("leduc"))
        assert heard["building the tree: {:,} public states"] == 130
        assert heard["laying out the tree: {:,} public states"] == 110
        pytest.importorskip("pyspiel")
        load_openspiel("kuhn_poker")
    assert heard["loading the game: {:,} histories"] == 50
