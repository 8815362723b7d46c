"""Examples before the turn card and before the flop."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.learn.holdem.equity_evaluator import EquityEvaluator
from tacit.learn.holdem.knots import SCALARS, Situation
from tacit.learn.holdem.streets.positions import StreetSettings
from tacit.learn.holdem.streets.targets import (
    ChunkSettings,
    StreetEvaluators,
    flop_examples,
    turn_examples,
)
from tacit.learn.holdem.targets import TargetSettings

TINY = ChunkSettings(
    positions=StreetSettings(
        least_stack=2000, most_stack=2000, preflop_iterations=3, flop_iterations=3
    ),
    targets=TargetSettings(iterations=2, cards=1),
    flops=1,
    leaves=1,
)
EQUITY = StreetEvaluators(EquityEvaluator(), EquityEvaluator())


@pytest.mark.parametrize(
    ("make", "situations"),
    [
        (turn_examples, (Situation.BEFORE_TURN, Situation.TURN)),
        (flop_examples, (Situation.BEFORE_FLOP, Situation.FLOP)),
    ],
)
def test_a_position_and_what_was_solved_for_it_are_examples(make, situations) -> None:  # type: ignore[no-untyped-def]
    examples, again = (make(TINY, EQUITY, np.random.default_rng(3)) for _ in range(2))
    assert len(examples) == 4  # two players, before and after the card
    seen = examples.rows[:, SCALARS : SCALARS + len(Situation)].argmax(axis=1)
    assert seen.tolist() == [situations[0]] * 2 + [situations[1]] * 2
    assert np.array_equal(examples.target, again.target)
    assert np.isfinite(examples.target).all()
    # Nobody wins or loses more than the pot and what is behind.
    ratio = np.expm1(2 * examples.rows[:, 0].astype(float))
    assert (np.abs(examples.target) <= (0.51 + 1.01 * ratio)[:, None]).all()


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(GameError, match="1 or more"):
        ChunkSettings(flops=0)
