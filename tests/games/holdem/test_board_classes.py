"""Boards up to the names of suits: how many there are, and that a board finds its class."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.board_classes import RENAMINGS, board_classes, canonical_board, hand_classes
from tacit.games.holdem.cards import live_hands, parse_board
from tacit.games.holdem.spot import permute_card


@pytest.mark.parametrize(("cards", "classes"), [(1, 13), (2, 169), (3, 1755), (4, 16_432)])
def test_counts_are_the_known_ones(cards: int, classes: int) -> None:
    found = board_classes(cards)
    assert len(found.boards) == classes
    assert found.weights.sum() == comb(52, cards)


def test_flop_hands_are_1286792() -> None:
    hands = sum(
        len(np.unique(hand_classes(board)[live_hands(board)]))
        for board in board_classes(3).boards.tolist()
    )
    assert hands == 1_286_792


def test_a_board_finds_its_class_by_a_renaming_that_leads_there() -> None:
    random = np.random.default_rng(1)
    classes = board_classes(3)
    for _ in range(100):
        board = random.choice(52, 3, replace=False).tolist()
        number, suits = classes.find(board)
        moved = sorted(permute_card(suits, card) for card in board)
        assert moved == classes.boards[number].tolist()


def test_all_renamings_of_a_board_are_one_class() -> None:
    board = parse_board("Ah7h2d")
    images = {
        canonical_board([permute_card(suits, card) for card in board])[0] for suits in RENAMINGS
    }
    assert len(images) == 1
    assert canonical_board(parse_board("Ah7h2c"))[0] in images
    assert canonical_board(parse_board("Ah7d2c"))[0] not in images


def test_a_board_of_another_street_is_refused() -> None:
    with pytest.raises(GameError, match="has 4 cards; expected 3"):
        board_classes(3).find(parse_board("Ah7h2d3c"))
