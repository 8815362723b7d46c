"""Folds and showdowns against brute force over all pairs of hands, card removal included."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.games.holdem.cards import HAND_CARDS, NUM_HANDS
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, find_algorithm
from tacit.solvers.kernels.iterations import respond
from tacit.tree import TERMINAL
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import EXPECT


def random_spot(random: np.random.Generator, cards: int, hands: tuple[int, int]) -> Spot:
    board = tuple(int(card) for card in random.choice(52, cards, replace=False))
    ranges = []
    for count in hands:
        weights = np.zeros(NUM_HANDS, np.float32)
        chosen = random.choice(NUM_HANDS, count, replace=False)
        weights[chosen] = random.random(count)
        ranges.append(weights)
    return Spot.of(
        board,
        ranges=(ranges[0], ranges[1]),
        pot=int(random.integers(3, 400)),
        behind=(int(random.integers(50, 900)), int(random.integers(50, 900))),
        bets="50%,a/60%,a",
    )


@pytest.mark.parametrize("seed", range(12))
def test_every_terminal_of_a_tree_agrees_with_all_pairs_of_hands(seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = [(20, 9), (7, 130), (400, 300), (NUM_HANDS, NUM_HANDS)][seed % 4]
    spot = random_spot(random, 5, (sizes[0], sizes[1]))
    tree = build_spot(spot)
    solver = Solver(tree, find_algorithm("dcfr"), storage=64)
    solver.run(3)
    work = solver.work
    strengths = rank_boards([spot.board])[0]
    for player in (0, 1):
        respond(
            tree.arrays, work.vectors[0], tree.order.whole, 0, player, EXPECT, np.zeros(4),
            solver.policy, solver.policy,
        )  # fmt: skip
        for node in np.flatnonzero(tree.arrays.player == TERMINAL).tolist():
            state = tree.state(node)
            assert isinstance(state, CardState)
            mine, others = (state.deal.hands[p] for p in (player, 1 - player))
            apart = (
                HAND_CARDS[mine][:, None, :, None] != HAND_CARDS[others][None, :, None, :]
            ).all(axis=(2, 3))
            folded = state.betting.folded
            if folded is not None:
                won = np.full(apart.shape, 1 if folded != player else -1)
            else:
                won = np.sign(strengths[mine][:, None] - strengths[others][None, :])
            amount = min(state.betting.committed) + spot.rules.dead / 2
            reach = tree.vectors(work.reach[1 - player], 1 - player, node, values=False)[0]
            values = tree.vectors(work.values[player], player, node, values=True)[0]
            assert_allclose(values, amount * (won * apart) @ reach, atol=1e-9 * amount)


def test_single_precision_loses_a_millionth_of_the_pot() -> None:
    tree = build_spot(Spot.of("3s7hTdKs2c", pot=2_000, behind=19_000, bets="a/a"))
    found = []
    for storage in (32, 64):
        solver = Solver(tree, find_algorithm("dcfr"), storage=storage)
        solver.run(1)
        root = tree.vectors(solver.work.values[0], 0, 0, values=True)[0]
        found.append(root.astype(np.float64) / tree.state(0).compatible_reach(0, np.ones(1081)))
    assert_allclose(found[0], found[1], atol=2e-5 * 20_000)


@pytest.mark.parametrize("seed", range(4))
def test_compatible_reach_is_the_sum_over_hands_with_other_cards(seed: int) -> None:
    random = np.random.default_rng(seed)
    state = build_spot(random_spot(random, 4, (150, 80))).state(0)
    assert isinstance(state, CardState)
    for player in (0, 1):
        matrix = state.deal.compatibility if player == 0 else state.deal.compatibility.T
        reach = random.random((3, state.counts[1 - player]))
        assert_allclose(state.compatible_reach(player, reach), reach @ matrix.T, atol=1e-9)
