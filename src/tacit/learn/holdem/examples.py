"""Training examples of equity knots: what the network sees, and the targets of some hands.

A PBS gives two examples, one for each player's values. Of the player's hands only `HANDS` are kept,
drawn half by their weight in the range and half uniformly among live hands: the network must also
answer for hands of no reach, because they decide whether entering a line would have been better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.archive import read_arrays, reading, write_arrays
from tacit.games import GameError
from tacit.games.holdem.cards import NUM_HANDS
from tacit.learn.holdem.equity_table import Float32
from tacit.learn.holdem.knots import PBSArrays, Positions, locate
from tacit.learn.holdem.targets import Values, as_shares
from tacit.tree.pbs import PBS

HANDS = 192
PBSS = "PBSs of hold'em"


@dataclass(frozen=True, eq=False)
class Examples:
    """n examples.

    rows: float16 [n, INPUTS]; equity, potential, target: [n, HANDS] of the drawn hands, targets in
    shares of the pot; scale: [n], see `knots`.
    """

    rows: NDArray[np.float16]
    equity: Float32
    potential: Float32
    target: Float32
    scale: Float32

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, numbers: NDArray[np.int64]) -> Examples:
        """The examples with these numbers."""
        return Examples(*(getattr(self, entry.name)[numbers] for entry in fields(self)))

    def save(self, path: Path) -> None:
        """Write them as one file."""
        write_arrays(path, {entry.name: getattr(self, entry.name) for entry in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Examples:
        """The examples in a file."""
        arrays = read_arrays(path, "examples of hold'em")
        with reading(path, "examples of hold'em"):
            return cls(**arrays)


def join(parts: Sequence[Examples]) -> Examples:
    """All examples of the parts, which are at least one."""
    return Examples(
        *(
            np.concatenate([getattr(part, entry.name) for part in parts])
            for entry in fields(Examples)
        )
    )


def save_pbss(path: Path, parts: Sequence[PBSArrays]) -> None:
    """Write PBSs whose boards have as many cards each as one file, ranges in 16 bits."""
    ranges = np.concatenate([part.ranges for part in parts])
    ranges = ranges / np.maximum(ranges.max(axis=2, keepdims=True), 1e-30)
    arrays = {
        "boards": np.array([board for part in parts for board in part.boards], np.int8),
        "ranges": ranges.astype(np.float16),
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("pot", "ratio", "situation")
        },
    }
    write_arrays(path, arrays)


def load_pbss(path: Path) -> PBSArrays:
    """The PBSs in a file."""
    arrays = read_arrays(path, PBSS)
    with reading(path, PBSS):
        return PBSArrays(
            [tuple(board) for board in arrays["boards"].tolist()],
            arrays["ranges"].astype(np.float32),
            arrays["pot"],
            arrays["ratio"],
            arrays["situation"],
        )


def encode(pbss: Sequence[PBS], values: Values, random: np.random.Generator) -> Examples:
    """Two examples for each PBS, from the chips [K_0] and [K_1] that its hands win."""
    if len(pbss) != len(values):
        raise GameError(f"{len(pbss)} PBSs have {len(values)} values; expected as many")
    positions = locate(pbss)
    return draw_hands(positions, as_shares(pbss, positions, values), random)


def draw_hands(
    positions: Positions,
    shares: Float32,
    random: np.random.Generator,
    known: NDArray[np.bool_] | None = None,
) -> Examples:
    """Two examples for each position with values `shares` [n, 2, 1326] in shares of the pot.

    known: [n, 2, 1326] the hands whose values are known, by default all that are live.
    """
    count = 2 * len(positions)
    possible = np.repeat(positions.live, 2, axis=0)
    if known is not None:
        possible &= known.reshape(count, NUM_HANDS)
    weight = positions.weight.reshape(count, NUM_HANDS) * possible
    potential = np.repeat(positions.potential, 2, axis=0)
    drawn = np.empty((count, HANDS), np.int64)
    for number in range(count):
        cumulated = np.cumsum(weight[number], dtype=np.float64)
        points = random.random(HANDS // 2) * cumulated[-1]
        by_weight = np.minimum(np.searchsorted(cumulated, points, side="right"), NUM_HANDS - 1)
        live = np.flatnonzero(possible[number])
        drawn[number] = np.concatenate([by_weight, random.choice(live, HANDS - HANDS // 2)])

    def take(of: Float32) -> Float32:
        return np.take_along_axis(of.reshape(count, NUM_HANDS), drawn, axis=1)

    rows = positions.rows().reshape(count, -1).astype(np.float16)
    scale = np.repeat(positions.scale, 2)
    return Examples(rows, take(positions.equity), take(potential), take(shares), scale)
