"""The evaluator by equity, against equities of ranges computed board by board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.streets import turn
from tacit.learn.holdem.equity_evaluator import EquityEvaluator
from tacit.subgame.street import BetMenu
from tacit.tree.cards.equity import range_equity
from tacit.tree.pbs import PBS


def test_leaves_are_worth_their_equity() -> None:
    random = np.random.default_rng(0)
    root = turn()
    ranges = tuple(weights * random.random(len(weights)) for weights in root.ranges)
    root = replace(root, ranges=(ranges[0], ranges[1]))
    tree = root.tree(BetMenu(now=("50%",)), whole=False)
    states = [tree.cards.state(int(node)) for node in tree.leaves]
    answers = EquityEvaluator().values([PBS(state, root.beliefs(tree)) for state in states])
    equity = range_equity(root.board, root.ranges)
    assert len(states) > 2
    for state, pair in zip(states, answers, strict=True):
        pot = sum(state.betting.committed)
        for player, chips in enumerate(pair):
            share = equity.hands[player][state.deal.hands[player]] - 0.5
            assert chips == pytest.approx(pot * share, abs=1e-3 * pot)
