"""Small card abstractions, and a small spot of two streets to try them on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import FLOP, TURN, BettingRules
from tacit.games.holdem.board_classes import canonical_board
from tacit.games.holdem.cards import live_hands, parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot, permute_hands
from tacit.solvers import Solver, find_algorithm
from tacit.solvers.sharing.card_buckets import Buckets
from tacit.solvers.sharing.layout import share_buckets
from tacit.tree import PublicTree
from tacit.tree.cards.equity import range_equity

RANGES = "AA,QQ,88,AKs,76s,KTo"


HELD = np.flatnonzero(parse_range(RANGES))


class EveryHand:
    """Each hand of each board by itself."""

    def __init__(self) -> None:
        self.boards: dict[tuple[int, ...], int] = {}

    def count(self, street: int) -> int:
        return len(HELD) * (1 if street == FLOP else 49)

    def of(self, board: Sequence[int]) -> np.ndarray:
        place = 0
        if len(board) > 3:
            place = self.boards.setdefault(tuple(board), len(self.boards))
        row = np.full(1326, -1, np.int32)
        row[HELD] = np.arange(len(HELD)) + len(HELD) * place
        return np.where(live_hands(board), row, np.int32(-1))


class ByEquity:
    """Five buckets by equity against a random hand, the same on every board."""

    def count(self, street: int) -> int:
        return 5

    def of(self, board: Sequence[int]) -> np.ndarray:
        smallest, suits = canonical_board(board)
        row: np.ndarray = _by_equity(smallest)[permute_hands(suits)]
        return row


@cache
def _by_equity(board: tuple[int, ...]) -> np.ndarray:
    live = live_hands(board).astype(np.float64)
    equity = range_equity(board, (live, live)).hands[0]
    found = np.minimum(np.nan_to_num(equity) * 5, 4).astype(np.int32)
    return np.where(live > 0, found, np.int32(-1))


def two_streets() -> Spot:
    """From a flop to the end of the turn's betting, with few hands."""
    return Spot(
        board=parse_board("9h8h2d"),
        rules=BettingRules(stacks=(2000, 2000), first_street=FLOP, last_street=TURN, committed=200),
        ranges=(parse_range(RANGES), parse_range(RANGES)),
        bets=BetSettings.parse("100%", force_all_in=0.5),
    )


def bucketed(
    tree: PublicTree,
    algorithm: str,
    buckets: Buckets,
    *,
    alternating: bool = True,
    storage: int = 32,
) -> Solver:
    """A solver in which the hands of a bucket share their regrets."""
    found = find_algorithm(algorithm, alternating=alternating)
    return Solver(tree, found, sharing=share_buckets(tree, buckets), storage=storage)
