"""Board encoders: planes in rows from the top, and the symmetries of a square as a group."""

from __future__ import annotations

import numpy as np

from tacit.games import load_game
from tacit.games.boards.board import SQUARE_TURNS, unpack


def test_the_turns_of_a_square_are_eight_and_closed() -> None:
    cells = np.arange(9, dtype=np.int32).reshape(3, 3)
    images = {turn(cells).tobytes() for turn in SQUARE_TURNS}
    assert len(images) == 8
    assert np.array_equal(SQUARE_TURNS[0](cells), cells)
    for first in SQUARE_TURNS:
        for second in SQUARE_TURNS:
            assert second(first(cells)).tobytes() in images


def test_bits_unpack_from_the_lowest_on() -> None:
    assert unpack(0b10_0000_0101, 10).tolist() == [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    assert unpack(1 << 80, 81).sum() == 1


def test_the_planes_of_connect_four_show_the_mover_first() -> None:
    game = load_game("connect-four")
    encoder = game.encoder()
    assert encoder is not None
    own, other, free = encoder.features(game.replay("4 4 1")).astype(int).tolist()
    assert own[4] == [0, 0, 0, 1, 0, 0, 0]
    assert other[5] == [1, 0, 0, 1, 0, 0, 0]
    assert free[3:] == [[0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 1, 1, 1]]
    full = encoder.features(game.replay("1 1 1 1 1 1"))
    assert full[2, :, 0].sum() == 0
    assert full[2].sum() == 6


def test_the_planes_of_tic_tac_toe_show_the_mover_first() -> None:
    game = load_game("tic-tac-toe")
    encoder = game.encoder()
    assert encoder is not None
    own, other, free = encoder.features(game.replay("a3 b2 c3")).astype(int).tolist()
    assert own == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert other == [[1, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert free == [[0, 1, 0], [1, 0, 1], [1, 1, 1]]
