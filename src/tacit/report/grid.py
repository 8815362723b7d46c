"""The grid of 169 hand classes as data: the policy of each class, or its weight in a range.

Pairs are on the diagonal, suited hands above it, offsuit hands below. A cell is filled in
proportion to its actions; the larger the reach of the class, the stronger its colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.games.holdem.cards import CLASS_NAMES, HAND_CLASS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Colour = tuple[int, int, int]

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


def colours(labels: Sequence[str], *, all_in: str | None = None) -> list[Colour]:
    """A colour for each action: folds blue, checks and calls green, raises from orange to red."""
    raises = [label for label in labels if label[0] == "r"]
    found = []
    for label in labels:
        if label[0] != "r":
            found.append(FOLDS if label == "f" else CHECKS)
        elif label == all_in and len(raises) > 1:
            found.append(ALL_IN)
        else:
            place = raises.index(label)
            steps = max(1, len(raises) - 1)
            found.append(RAISES[round(place * (len(RAISES) - 1) / steps)])
    return found


def letters(labels: Sequence[str], *, all_in: str | None = None) -> list[str]:
    """A letter for each action: f, k, c, a for all in, and the raises by number."""
    found, number = [], 0
    for label in labels:
        if label[0] != "r":
            found.append(label)
        elif label == all_in:
            found.append("a")
        else:
            number += 1
            found.append(str(number))
    return found


def policy_cells(
    policy: NDArray[np.float64], weights: NDArray[np.float64], held: NDArray[np.float64]
) -> list[Cell | None]:
    """[169] the policy of each class; policy [A, 1326], weights and reach (`held`) [1326]."""
    import numpy as np

    total = np.bincount(HAND_CLASS, weights=weights, minlength=169)
    shares = np.stack(
        [
            np.bincount(HAND_CLASS, weights=np.nan_to_num(row) * weights, minlength=169)
            for row in policy
        ]
    )
    strength = _strength(held)
    return [
        Cell(CLASS_NAMES[n], strength[n], tuple((shares[:, n] / total[n]).tolist()))
        if total[n] > 0
        else None
        for n in range(169)
    ]


def range_grid(weights: NDArray[np.floating], live: NDArray[np.bool_]) -> Grid:
    """The weight of each class in a range [1326], relative to its hands that are `live`."""
    import numpy as np

    possible = np.bincount(HAND_CLASS, weights=live, minlength=169)
    held = np.bincount(HAND_CLASS, weights=weights, minlength=169)
    cells = [
        Cell(CLASS_NAMES[n], 1.0, (float(held[n] / possible[n]),)) if held[n] > 0 else None
        for n in range(169)
    ]
    return Grid(cells, [Action("held", "held", "#", HELD)])


def _strength(held: NDArray[np.float64]) -> list[float]:
    """[169] the mean reach of the hands of each class that are held, relative to the largest."""
    import numpy as np

    here = np.bincount(HAND_CLASS, weights=held > 0, minlength=169)
    mean = np.bincount(HAND_CLASS, weights=held, minlength=169) / np.maximum(here, 1)
    strength: list[float] = (mean / max(mean.max(), 1e-30)).tolist()
    return strength


def fill(shares: Sequence[float], width: int) -> list[int | None]:
    """The action that fills each of `width` equal parts of a cell; None beyond their sum."""
    found: list[int | None] = []
    for part in range(width):
        middle, upto, here = (part + 0.5) / width, 0.0, None
        for number, share in enumerate(shares):
            upto += share
            if middle < upto + 1e-9:
                here = number
                break
        found.append(here)
    return found


def mix(colour: Colour, strength: float, base: Colour = EMPTY) -> Colour:
    """`colour`, the nearer to `base` the smaller `strength`."""
    share = LEAST + (1 - LEAST) * min(1.0, max(0.0, strength))
    first, second, third = (
        round(share * c + (1 - share) * b) for c, b in zip(colour, base, strict=True)
    )
    return first, second, third
