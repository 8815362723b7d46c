"""How far one range is ahead of another: the mean of +1 for a win and -1 for a loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import BOARD_SIZES, RIVER
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS
from tacit.learn.holdem.equity_table import equity_table

EXACT_RUNOUTS = 50
"""The most runouts that are all dealt; there are 48 after the turn."""

Weights = NDArray[np.float64]


def met_reach(reach: Weights) -> Weights:
    """[1326] for each hand the other player's reach [1326] that shares no card with it."""
    by_card = np.zeros(NUM_CARDS)
    np.add.at(by_card, HAND_CARDS[:, 0], reach)
    np.add.at(by_card, HAND_CARDS[:, 1], reach)
    low, high = HAND_CARDS[:, 0], HAND_CARDS[:, 1]
    met: Weights = reach.sum() - by_card[low] - by_card[high] + reach
    return met


def both_reach(first: Weights, second: Weights) -> float:
    """The sum over pairs of hands that share no card of the product of their reaches."""
    return float(first @ met_reach(second))


def sample_runouts(
    board: Sequence[int], samples: int, random: np.random.Generator
) -> tuple[NDArray[np.int8], float]:
    """Boards [n, 5]: all, if there are few, else a sample; and the weight of each.

    The sum over the boards that two hands allow, times the weight, is in the mean that over all
    runouts of these hands, each with its probability.
    """
    left = [card for card in range(NUM_CARDS) if card not in board]
    missing = BOARD_SIZES[RIVER] - len(board)
    count, allowed = comb(len(left), missing), comb(len(left) - 4, missing)
    if count <= EXACT_RUNOUTS:
        runouts = np.array(list(combinations(left, missing)), np.int8).reshape(count, missing)
        weight = 1 / allowed
    else:
        keys = random.random((samples, len(left)))
        runouts = np.array(left, np.int8)[np.argpartition(keys, missing, axis=1)[:, :missing]]
        weight = count / allowed / samples
    dealt = np.tile(np.array(board, np.int8), (len(runouts), 1))
    return np.concatenate([dealt, runouts], axis=1).astype(np.int8), weight


def range_advantage(board: Sequence[int], reach: tuple[Weights, Weights]) -> float:
    """The mean over pairs of hands and all runouts of +1 where player 0 wins and -1 where 1 does.

    reach: [1326] each, of any scale; hands that the board blocks do not count. Zero if no pair of
    hands is possible.
    """
    table = equity_table(tuple(board))
    first, second = (each[table.hands] / each[table.hands].max() for each in reach)
    margins, met = (rows[0].astype(np.float64) for rows in table.against(second[None]))
    pairs = float(first @ met)
    return float(first @ (margins * met)) / pairs if pairs > 0 else 0.0
