"""The evaluator of leaves by equity: the rest of the hand is checked down. It needs no training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.learn.holdem.knots import locate
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS


class EquityEvaluator:
    """The baseline that learned evaluators correct; exact where both players are all in."""

    def values(self, pbss: Sequence[PBS]) -> Sequence[tuple[NDArray[Any], NDArray[Any]]]:
        """For each PBS the expected chips [K_0] and [K_1] of both players' hands."""
        positions = locate(pbss)
        chips = positions.pot[:, None, None] * (positions.equity.astype(np.float64) - 0.5)
        answers = []
        for number, pbs in enumerate(pbss):
            assert isinstance(pbs.state, CardState)
            first, second = pbs.state.deal.hands
            answers.append((chips[number, 0][first], chips[number, 1][second]))
        return answers
