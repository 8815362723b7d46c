"""The betting tree of whole hands."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import CALL, FOLD, TURN, BettingRules
from tacit.subgame.holdem.betting_tree import FOLDED, SHOWDOWN, betting_tree

BUCKETS = (169, 5, 4, 3)


def test_its_nodes_are_those_of_the_betting() -> None:
    rules = BettingRules(stacks=(2_000, 2_000))
    bets = BetSettings.parse("100%,a")
    tree = betting_tree(rules, bets, BUCKETS)
    decisions = np.flatnonzero(tree.player < FOLDED)
    assert tree.slots == sum(
        int(tree.counts[node]) * BUCKETS[tree.street[node]] for node in decisions
    )
    for node in decisions.tolist():
        betting, count = tree.bettings[node], int(tree.counts[node])
        listed = tree.actions[node, :count].tolist()
        assert listed == [*([FOLD] if betting.can_fold else []), CALL, *bets.raises(betting)]
        for action, child in zip(listed, tree.children[node, :count].tolist(), strict=True):
            below = tree.bettings[child]
            assert child > node
            assert below.committed == betting.act(action).committed
            if tree.player[child] == FOLDED:
                assert tree.stake[child] == below.payoffs()[0] / 100
            if tree.player[child] == SHOWDOWN:
                assert tree.stake[child] == min(below.committed) / 100


def test_an_all_in_is_a_showdown_at_once() -> None:
    rules = BettingRules(stacks=(2_000, 2_000))
    tree = betting_tree(rules, BetSettings.parse("a"), BUCKETS)
    jam = int(tree.children[0, 2])
    call = int(tree.children[jam, 1])
    assert tree.player[call] == SHOWDOWN
    assert tree.street[call] < TURN
    assert tree.stake[call] == 20


def test_what_it_cannot_be_is_refused() -> None:
    bets = BetSettings.parse("100%")
    with pytest.raises(GameError, match="equal stacks"):
        betting_tree(BettingRules(stacks=(2_000, 1_000)), bets, BUCKETS)
    with pytest.raises(GameError, match="whole hands"):
        betting_tree(BettingRules(first_street=1, committed=100), bets, BUCKETS)
