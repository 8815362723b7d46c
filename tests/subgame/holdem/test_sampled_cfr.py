"""Sampled CFR over a betting tree: its values against sums over all pairs of hands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import HAND_CARDS, HAND_CLASS, NUM_CLASSES, NUM_HANDS, live_hands
from tacit.games.holdem.hand_rank import rank_boards
from tacit.solvers.sharing.card_buckets import BucketRow
from tacit.subgame.holdem.betting_tree import FOLDED, BettingTree, betting_tree
from tacit.subgame.holdem.sampled_cfr import SampledCFR


class ByClass:
    """Hands of one class share a bucket on every street."""

    def count(self, street: int) -> int:
        return NUM_CLASSES

    def of(self, board: Sequence[int]) -> BucketRow:
        return np.where(live_hands(board), HAND_CLASS, -1).astype(np.int32)


def tree_of(bets: str | dict[str, str], stack: int) -> BettingTree:
    rules = BettingRules(stacks=(stack, stack))
    return betting_tree(rules, BetSettings.parse(bets), [NUM_CLASSES] * 4)


def slow_regrets(solver: SampledCFR, board: list[int], player: int) -> np.ndarray:
    """[slots] the regrets of one player after one iteration of uniform play, pair by pair."""
    tree, regrets = solver.tree, np.zeros(solver.tree.slots)
    live = np.flatnonzero(live_hands(board))
    strength = rank_boards([board])[0][live].astype(np.int64)
    cards = HAND_CARDS[live]
    apart = np.array([[not set(a) & set(b) for b in cards.tolist()] for a in cards.tolist()])
    beats = np.sign(strength[:, None] - strength[None, :])

    def walk(node: int, reach: np.ndarray) -> np.ndarray:
        stake, mover = float(tree.stake[node]), int(tree.player[node])
        if mover == FOLDED:
            return apart @ reach * (stake if player == 0 else -stake)
        if mover > FOLDED:
            return (apart * beats) @ reach * stake
        count = int(tree.counts[node])
        children = tree.children[node, :count].tolist()
        if mover != player:
            return sum(walk(child, reach / count) for child in children)
        below = np.stack([walk(child, reach) for child in children])
        gains = below - below.mean(axis=0)
        block = tree.block(regrets, node, NUM_CLASSES)
        for action in range(count):
            block[action] += np.bincount(HAND_CLASS[live], gains[action], NUM_CLASSES)
        return below.mean(axis=0)

    walk(0, np.ones(len(live)))
    return regrets


def test_one_iteration_is_that_of_all_pairs_of_hands() -> None:
    tree = tree_of({"preflop": "100%", "river": "100%"}, 400)
    solver = SampledCFR(tree, ByClass(), seed=3)
    board = np.random.default_rng((3, 1)).choice(52, 5, replace=False).tolist()
    solver.run(1)
    expected = slow_regrets(solver, sorted(board), 0)
    mine = np.concatenate(
        [
            np.arange(tree.start[n], tree.start[n] + tree.counts[n] * NUM_CLASSES)
            for n in np.flatnonzero(tree.player == 0)
        ]
    )
    assert solver.regrets[mine] == pytest.approx(expected[mine], rel=1e-3, abs=0.05)
    assert np.abs(expected[mine]).max() > 10


def test_it_learns_push_or_fold() -> None:
    """With ten big blinds and all-in or fold, the equilibrium is known: aces push, 72o folds."""
    tree = tree_of({"preflop": "a"}, 1_000)
    solver = SampledCFR(tree, ByClass(), seed=0)
    solver.run(600)
    policy = tree.block(solver.average_policy(), 0, NUM_CLASSES)
    [fold, _, push] = policy
    assert tree.actions[0].tolist() == [FOLD, CALL, 1_000]
    assert push[0] + policy[1][0] > 0.95
    worst = HAND_CLASS[HAND_CARDS.tolist().index([3, 20])]
    assert fold[worst] > 0.5
    assert policy.sum(axis=0) == pytest.approx(np.ones(NUM_CLASSES), abs=1e-5)


def test_the_seed_determines_everything() -> None:
    tree = tree_of({"preflop": "100%,a", "flop": "100%"}, 1_000)
    one, two = (SampledCFR(tree, ByClass(), seed=1) for _ in range(2))
    one.run(4)
    two.run(2)
    two.run(2)
    assert np.array_equal(one.regrets, two.regrets)
    assert not np.array_equal(one.average_policy()[:NUM_HANDS], np.zeros(NUM_HANDS))


RUN = """
from test_sampled_cfr import ByClass, SampledCFR, tree_of
solver = SampledCFR(tree_of({"preflop": "a"}, 1_000), ByClass(), seed=0)
solver.run(2)
print(solver.regrets.sum())
"""


def test_a_later_process_loads_the_kernel_from_the_cache(tmp_path: Path) -> None:
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=Path(__file__).parent, env=variables, capture_output=True, text=True, check=True,
        ).stdout
        for _ in range(2)
    )  # fmt: skip
    assert float(first) == float(second) != 0
