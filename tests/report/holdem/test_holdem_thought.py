"""What the search player thought, as a report."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.holdem.named import find_player
from tacit.agents.holdem.search_player import Memory
from tacit.games.holdem.betting import CALL, BettingRules
from tacit.games.holdem.cards import parse_cards, parse_hand
from tacit.report.holdem.grid import Grid
from tacit.report.holdem.holdem_thought import thought_grid, thought_report
from tacit.report.table import Table


@pytest.fixture(scope="module")
def memory() -> Memory:
    """The small blind's decision on a flop that was checked to it."""
    player = find_player("search:tiny,equity")
    memory = player.begin(BettingRules(), 1, np.random.default_rng(0))
    for action in (300, CALL):
        memory = player.act(memory, action)
    memory = player.deal(memory, parse_cards("2c7dJh"))
    flop: Memory = player.act(memory, CALL)
    return flop


def test_policies_are_those_that_are_played(memory: Memory) -> None:
    hand = parse_hand("AhKd")
    table, *lines = thought_report(memory, hand, 2)
    assert isinstance(table, Table)
    assert table.title.startswith("Decision 2: flop 2c7dJh, pot 600")
    decision = memory.thought.subgame.plan.decision((CALL,))
    assert decision is not None
    assert [row[0].split()[0] for row in table.rows] == ["check", "bet", "bet"]
    for row, chances in zip(table.rows, decision.played, strict=True):
        assert row[1] == f"{100 * chances[hand]:.1f} %"
    assert sum(float(row[2].split()[0]) for row in table.rows) == pytest.approx(100, abs=0.3)
    assert any("leaves" in str(line) for line in lines)


def test_grids_show_the_whole_range(memory: Memory) -> None:
    _, drawn = thought_grid(memory)
    assert isinstance(drawn, Grid)
    assert sum(drawn.frequencies) == pytest.approx(1, abs=1e-5)
    assert drawn.cells[0] is not None
    assert sum(drawn.cells[0].shares) == pytest.approx(1, abs=1e-5)
