"""The grid of 169 hand classes as data: the policy of each class, or its weight in a range.

Pairs are on the diagonal, suited hands above it, offsuit hands below. A cell is filled in
proportion to its actions; the larger the reach of the class, the stronger its colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.cards import CLASS_NAMES, HAND_CLASS, NUM_CLASSES

Colour = tuple[int, ...]
"""Red, green and blue from 0 to 255."""

FOLDS: Colour = (74, 128, 190)
CHECKS: Colour = (92, 172, 104)
RAISES: tuple[Colour, ...] = ((240, 168, 124), (229, 110, 82), (196, 58, 58), (146, 28, 48))
ALL_IN: Colour = (96, 16, 56)
HELD: Colour = (222, 178, 64)
EMPTY: Colour = (38, 38, 42)
LEAST = 0.15
"""The strength of the colours of a class whose reach is nearly zero."""


@dataclass(frozen=True)
class Action:
    """An action, its description, and the letter and colour that stand for it in a grid."""

    label: str
    description: str
    letter: str
    colour: Colour


@dataclass(frozen=True)
class Cell:
    """A hand class: its relative reach in [0, 1], and the shares of its actions."""

    name: str
    strength: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Grid:
    """The cells [169] in rows from the aces down, None for classes without hands.

    frequencies: of each action over all hands, for the legend; empty without a legend.
    """

    cells: Sequence[Cell | None]
    actions: Sequence[Action]
    frequencies: Sequence[float] = ()


def letters_and_colours(labels: Sequence[str], *, all_in: str) -> list[tuple[str, Colour]]:
    """For each action its letter and colour.

    Folds (f) are blue, checks and calls (k, c) green, raises (by number, a: all in) from orange to
    red.
    """
    raises = [label for label in labels if label[0] == "r"]
    steps = max(1, len(raises) - 1)
    found = []
    for label in labels:
        if label not in raises:
            found.append((label, FOLDS if label == "f" else CHECKS))
            continue
        place = raises.index(label)
        colour = RAISES[round(place * (len(RAISES) - 1) / steps)]
        if label == all_in:
            found.append(("a", ALL_IN if len(raises) > 1 else colour))
        else:
            found.append((str(place + 1), colour))
    return found


def by_class(weights: NDArray[Any]) -> NDArray[np.float64]:
    """[169] the sums over the hands of each class of weights [1326]."""
    sums = np.bincount(HAND_CLASS, weights=weights, minlength=NUM_CLASSES)
    return sums.astype(np.float64, copy=False)


def policy_cells(
    policy: NDArray[np.float64], weights: NDArray[np.float64], held: NDArray[np.float64]
) -> list[Cell | None]:
    """[169] the policy of each class; policy [A, 1326], weights and reach (`held`) [1326].

    The strength of a class is the mean reach of its hands that are held, relative to the largest.
    """
    total = by_class(weights)
    shares = np.stack([by_class(np.nan_to_num(row) * weights) for row in policy])
    mean = by_class(held) / np.maximum(by_class(held > 0), 1)
    strength: list[float] = (mean / max(mean.max(), 1e-30)).tolist()
    return [
        Cell(name, strength[n], tuple((shares[:, n] / total[n]).tolist())) if total[n] > 0 else None
        for n, name in enumerate(CLASS_NAMES)
    ]


def range_grid(weights: NDArray[np.floating], live: NDArray[np.bool_]) -> Grid:
    """The weight of each class in a range [1326], relative to its hands that are `live`."""
    possible, held = by_class(live), by_class(weights)
    cells = [
        Cell(name, 1.0, (float(held[n] / possible[n]),)) if held[n] > 0 else None
        for n, name in enumerate(CLASS_NAMES)
    ]
    return Grid(cells, [Action("held", "held", "#", HELD)])


def fill(shares: Sequence[float], width: int) -> list[int | None]:
    """The action that fills each of `width` equal parts of a cell; None beyond their sum."""
    middles = (np.arange(width) + 0.5) / width
    found = np.searchsorted(np.cumsum(shares) + 1e-9, middles, side="right").tolist()
    return [number if number < len(shares) else None for number in found]


def mix(colour: Colour, strength: float, base: Colour = EMPTY) -> Colour:
    """`colour`, the nearer to `base` the smaller `strength`."""
    share = LEAST + (1 - LEAST) * min(1.0, max(0.0, strength))
    return tuple(round(share * c + (1 - share) * b) for c, b in zip(colour, base, strict=True))


def hex_colour(colour: Colour) -> str:
    """A colour as ``#5cac68``."""
    return f"#{bytes(colour).hex()}"
