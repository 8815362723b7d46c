"""Random PBSs: their boards, chips, bet sizes and ranges."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import CHANCE, GameError
from tacit.games.holdem.cards import parse_board
from tacit.learn.holdem.equity_table import equity_table
from tacit.learn.holdem.random_positions import (
    TableSettings,
    checked_through,
    random_positions,
    random_ranges,
)


def test_the_first_state_is_that_of_turn_endgame_holdem() -> None:
    random = np.random.default_rng(0)
    sizes = set()
    for _ in range(5):
        state = TableSettings().first_state(random)
        assert len(state.board) == 4
        assert state.betting.pot == 2000
        assert 4000 <= state.betting.behind[0] == state.betting.behind[1] <= 49_000
        labels = state.expand().labels
        assert labels[0] == "k"
        small, large, all_in = (int(label[1:]) - 1000 for label in labels[1:])
        assert 800 <= small <= 1200
        assert 1800 <= large <= 2200
        assert all_in == state.betting.behind[0]
        sizes.add(small)
    assert len(sizes) > 1


def test_the_given_bet_sizes_are_those_of_the_paper() -> None:
    state = TableSettings().state(parse_board("3s7hTdKs"), 2000, 19_000)
    assert state.expand().labels == ("k", "r2000", "r3000", "r20000")
    facing = state.expand().transitions[1].child
    assert facing.expand().labels == ("f", "c", "r5000", "r20000")


@pytest.mark.parametrize("before_card", [True, False])
def test_random_positions_have_chips_behind_and_ranges(before_card: bool) -> None:
    random = np.random.default_rng(0)
    for _ in range(4):
        pbs = random_positions(TableSettings(), 1, random, before_card=before_card)[0]
        assert len(pbs.state.board) == (4 if before_card else 5)
        assert (pbs.state.mover == CHANCE) == before_card
        assert min(pbs.state.betting.behind) > 0
        assert pbs.state.betting.pot >= 2000
        for player in (0, 1):
            assert pbs.beliefs[player].sum() == pytest.approx(1)


def test_the_same_seed_gives_the_same_position() -> None:
    one, two = (
        random_positions(TableSettings(), 2, np.random.default_rng(7), before_card=True)[1]
        for _ in range(2)
    )
    assert one.state.key == two.state.key
    assert np.array_equal(one.beliefs[0], two.beliefs[0])


def test_ranges_weigh_hands_of_similar_strength_alike() -> None:
    board = parse_board("3s7hTdKs2c")
    table = equity_table(board)
    order = table.hands[np.argsort(table.strengths, kind="stable")]
    random = np.random.default_rng(0)
    halves = []
    for _ in range(20):
        ranges = random_ranges(board, random)
        assert ranges.sum(axis=1) == pytest.approx(1)
        halves += [each[order[: len(order) // 2]].sum() for each in ranges]
    assert np.std(halves) > 0.2  # uniform weights would give 0.5 each time


def test_checking_twice_leads_to_the_card() -> None:
    state = TableSettings().state(parse_board("3s7hTdKs"), 2000, 19_000)
    after = checked_through(state)
    assert (after.mover, after.history) == (CHANCE, "kk")


@pytest.mark.parametrize(
    "change", [{"street": 0}, {"least_stack": 900}, {"perturb": 0.5}, {"pot": 1}]
)
def test_impossible_settings_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(GameError, match=r"expected|must be"):
        TableSettings(**change)  # type: ignore[arg-type]
