"""Margins of all pairs of hands before the flop, over all 2,598,960 boards.

They take half a minute to count, so the package holds them: a row for one hand of each of the 169
classes, in 16 bits. The rows of other hands follow by renaming suits. `write_table` makes the file:

    python -m tacit.learn.holdem.preflop_table
"""

from __future__ import annotations

from functools import cache
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.archive import read_arrays, reading, write_arrays
from tacit.games.holdem.board_classes import RENAMINGS, board_classes
from tacit.games.holdem.cards import HAND_CARDS, HAND_CLASS, NUM_CARDS, NUM_CLASSES, NUM_HANDS
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import permute_hands
from tacit.learn.holdem.equity_table import (
    RIVER_CARDS,
    Float32,
    add_margins,
    add_moments,
    clear_shared,
    potential_of,
)
from tacit.tree.cards.equity import CHUNK

PATH = Path(__file__).parent / "networks" / "preflop" / "margins.npz"
SCALE = 32767
"""The 16-bit number for a margin of one."""


@cache
def preflop_equities() -> tuple[Float32, Float32]:
    """The margins [1326, 1326] and the potential [1326] of all hands before the flop."""
    what = "a table of equities before the flop"
    arrays = read_arrays(PATH, what)
    with reading(PATH, what):
        rows, potential = arrays["margins"].astype(np.float32) / SCALE, arrays["potential"]
        margins = np.empty((NUM_HANDS, NUM_HANDS), np.float32)
        for suits in RENAMINGS:
            moved = permute_hands(suits)
            margins[np.ix_(moved[_representatives()], moved)] = rows
        return margins, potential[HAND_CLASS].astype(np.float32)


def _representatives() -> NDArray[np.int64]:
    """[169] the first hand of each class."""
    return np.unique(HAND_CLASS, return_index=True)[1]


def count_margins() -> tuple[Float32, Float32]:
    """The margins [1326, 1326] and the potential [1326] over all boards.

    One board of each class stands for its renamings, so both are averaged over these.
    """
    classes = board_classes(RIVER_CARDS)
    total = np.zeros((NUM_HANDS, NUM_HANDS), np.int64)
    moments = np.zeros((3, NUM_HANDS))
    for weight in np.unique(classes.weights):
        same = classes.boards[classes.weights == weight]
        for start in range(0, len(same), CHUNK):
            strengths = rank_boards(same[start : start + CHUNK])
            counts, part = np.zeros(total.shape, np.int16), np.zeros_like(moments)
            add_margins(strengths, counts)
            add_moments(strengths, part)
            total += weight * counts.astype(np.int64)
            moments += weight * part
    renamed, renamed_moments = np.zeros(total.shape), np.zeros_like(moments)
    for suits in RENAMINGS:
        moved = permute_hands(suits)
        renamed += total[np.ix_(moved, moved)]
        renamed_moments += moments[:, moved]
    pairs = comb(NUM_CARDS - 4, RIVER_CARDS)
    margins = (renamed / len(RENAMINGS) / pairs).astype(np.float32)
    clear_shared(HAND_CARDS, margins)
    return margins, potential_of(renamed_moments)


def write_table(path: Path = PATH) -> None:
    """Count all boards and write the file."""
    margins, potential = count_margins()
    first = _representatives()
    assert len(first) == NUM_CLASSES
    rows = np.rint(margins[first] * SCALE).astype(np.int16)
    write_arrays(path, {"margins": rows, "potential": potential[first]}, compressed=True)


if __name__ == "__main__":
    write_table()
