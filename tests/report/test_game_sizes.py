"""The stored sizes are those of the rules."""

from __future__ import annotations

import pytest

from tacit.games import families, load_game
from tacit.report.game_sizes import listed_sizes, size_row

EXAMPLES = [(name, family.countable) for family in families() for name in family.examples]


def test_every_game_is_listed_once() -> None:
    assert [size["game"] for size in listed_sizes()] == [name for name, _ in EXAMPLES]


@pytest.mark.parametrize(("name", "countable"), EXAMPLES)
def test_stored_sizes_are_counted_ones(name: str, countable: bool) -> None:
    stored = {size["game"]: size for size in listed_sizes()}
    counted = size_row(load_game(name), countable=countable)
    # The memory of world states depends on the version of Python.
    if countable:
        assert stored[name]["memory"] == pytest.approx(counted["memory"], rel=0.05)
    assert stored[name] | {"memory": 0} == counted | {"memory": 0}
    assert (stored[name]["infostates"] is not None) == countable
