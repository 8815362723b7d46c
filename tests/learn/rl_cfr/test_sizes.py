"""Sets of sizes on grids."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules
from tacit.learn.rl_cfr.sizes import (
    HOLDEM,
    MUL_ACTION,
    PREFLOP43,
    all_in_pots,
    check_count,
    membership,
    totals,
    usable_sets,
)

DEEP = BettingRules.from_pot(3, pot=1000, behind=(9500, 9500)).start()
SHORT = BettingRules.from_pot(3, pot=1000, behind=(600, 600)).start()


def test_bets_are_fractions_of_the_pot_made_legal():
    assert totals(DEEP, (0.5, 2.0)) == (1000, 2500, 10000)
    assert totals(DEEP, (0.01,)) == (600, 10000), "a bet is at least a big blind"
    raised = DEEP.act(1000)  # a bet of half the pot: 500 to call, 2,000 after the call
    assert totals(raised, (1.0,)) == (3000, 10000)


def test_sizes_beyond_all_in_and_equal_bets_are_not_usable():
    assert HOLDEM.usable(DEEP).all()
    assert HOLDEM.in_pots(tuple(np.flatnonzero(HOLDEM.usable(SHORT)))) == (
        0.1,
        0.2,
        0.25,
        0.33,
        0.5,
    )
    assert all_in_pots(SHORT) == 0.6


def test_every_set_of_usable_sizes_once():
    usable = HOLDEM.usable(SHORT)
    sets = usable_sets(usable, 3)
    assert len(sets) == len(set(sets)) == 5 + 10 + 10
    assert usable_sets(np.zeros(15, np.bool_), 3) == [()]
    rows = membership([HOLDEM.base, (0, 4)], usable)
    assert rows.sum(axis=1).tolist() == [1, 2], "a pot and two pots are all-in here"


def test_an_answer_selects_the_nearest_sizes_where_y_is_positive():
    row = np.array([-0.8, 1.0, 0.2, 0.0, 0.9, -0.1])
    assert HOLDEM.in_pots(HOLDEM.answered(row, 9.5)) == (0.5, 3.0)
    low, high = np.array([-1.0, 1.0]), np.array([1.0, 1.0])
    assert PREFLOP43.in_pots(PREFLOP43.answered(low, 20.0)) == (0.5,)
    assert PREFLOP43.in_pots(PREFLOP43.answered(high, 20.0)) == (20.0,)


def test_the_papers_sets_are_on_the_grid():
    assert [HOLDEM.in_pots(chosen) for chosen in MUL_ACTION][1] == (0.25, 0.5, 1.0)
    with pytest.raises(GameError, match=r"0\.4 pots is not a size of the grid"):
        HOLDEM.set_of((0.4,))


@pytest.mark.parametrize("count", [0, 7])
def test_a_number_of_sizes_that_cannot_be_chosen_is_refused(count):
    with pytest.raises(GameError, match="give 1 to 6"):
        check_count(count)
