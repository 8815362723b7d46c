"""Classes of boards that differ only by a permutation of suits.

The 22,100 flops are 1,755 classes, the 270,725 boards of four cards 16,432, those of five 134,459.
A class is named by the smallest of its boards, its cards in ascending order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from tacit.games.game import GameError
from tacit.games.holdem.cards import NUM_CARDS, NUM_HANDS, check_cards, format_cards
from tacit.games.holdem.spot import IDENTITY, Suits, permute_card, permute_hands

RENAMINGS: tuple[Suits, ...] = tuple((a, b, c, d) for a, b, c, d in permutations(range(4)))
"""All permutations of suits; the first changes nothing."""


@dataclass(frozen=True)
class BoardClasses:
    """The classes of all boards with the same number of cards.

    boards: int8[B, cards], one of each class, ascending; weights: int64[B], the number of boards
    in each class.
    """

    boards: NDArray[np.int8]
    weights: NDArray[np.int64]

    def find(self, board: Sequence[int]) -> tuple[int, Suits]:
        """The index of a board's class, and a permutation of suits from it to the class's board."""
        if len(board) != self.boards.shape[1]:
            raise GameError(
                f"the board {format_cards(board)} has {len(board)} cards; "
                f"expected {self.boards.shape[1]}"
            )
        smallest, suits = canonical_board(board)
        codes = _codes(self.boards)
        return int(np.searchsorted(codes, _codes(np.array([smallest], np.int8))[0])), suits


@cache
def board_classes(cards: int) -> BoardClasses:
    """The classes of boards of `cards` cards."""
    listed = combinations(range(NUM_CARDS), cards)
    boards = np.fromiter((card for board in listed for card in board), np.int8).reshape(-1, cards)
    smallest = _codes(boards)
    for suits in RENAMINGS[1:]:
        moved = boards - boards % 4 + np.array(suits, np.int8)[boards % 4]
        moved.sort(axis=1)
        np.minimum(smallest, _codes(moved), out=smallest)
    _, first, weights = np.unique(smallest, return_index=True, return_counts=True)
    return BoardClasses(boards[first], weights.astype(np.int64))


def canonical_board(board: Sequence[int]) -> tuple[tuple[int, ...], Suits]:
    """The board that names the class, and a permutation of suits to it."""
    check_cards(board, what="board")
    best, renaming = tuple(sorted(board)), IDENTITY
    for suits in RENAMINGS[1:]:
        moved = tuple(sorted(permute_card(suits, card) for card in board))
        if moved < best:
            best, renaming = moved, suits
    return best, renaming


def hand_classes(board: Sequence[int]) -> NDArray[np.int16]:
    """[1326] the smallest image of each hand under permutations of suits that keep the board."""
    smallest = np.arange(NUM_HANDS, dtype=np.int16)
    cards = set(board)
    for suits in RENAMINGS[1:]:
        if {permute_card(suits, card) for card in board} == cards:
            np.minimum(smallest, permute_hands(suits), out=smallest)
    return smallest


def _codes(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """[B] a number for each board of ascending cards, in lexicographic order."""
    codes = np.zeros(len(boards), np.int64)
    for column in range(boards.shape[1]):
        codes = codes * NUM_CARDS + boards[:, column]
    return codes
