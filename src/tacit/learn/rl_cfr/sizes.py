"""Sets of bet sizes: the grids from which they are chosen, and the sets of the paper.

A set is an ascending tuple of places in a grid. Fold, call and all-in are always there besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.betting import Betting

MOST_SIZES = 6
"""The largest number of sizes that is chosen."""

Sizes = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The sizes in pots, ascending, that can be chosen in a game."""

    pots: tuple[float, ...]
    base_pots: tuple[float, ...]
    """The default sizes."""
    to_all_in: bool = False
    """Whether an actor's answer x spans half a pot to all-in (equation 5), not 0 to 5 pots."""

    @property
    def base(self) -> Sizes:
        """The default sizes as a set."""
        return self.set_of(self.base_pots)

    @property
    def everything(self) -> Sizes:
        """All sizes."""
        return tuple(range(len(self.pots)))

    def set_of(self, pots: Sequence[float]) -> Sizes:
        """The places of sizes in pots."""
        for size in pots:
            if size not in self.pots:
                known = ", ".join(map(str, self.pots))
                raise GameError(f"{size} pots is not a size of the grid: {known}")
        return tuple(sorted(self.pots.index(size) for size in pots))

    def in_pots(self, chosen: Sizes) -> tuple[float, ...]:
        """The sizes of a set in pots."""
        return tuple(self.pots[place] for place in chosen)

    def usable(self, betting: Betting) -> NDArray[np.bool_]:
        """[grid] the sizes that are neither all-in nor the same bet as a smaller size."""
        kept = np.zeros(len(self.pots), np.bool_)
        if betting.raise_bounds() is None:
            return kept
        seen = {totals(betting, ())[-1]}
        for place, size in enumerate(self.pots):
            total = totals(betting, (size,))[0]
            kept[place] = total not in seen
            seen.add(total)
        return kept

    def answered(self, row: NDArray[np.floating], all_in: float) -> Sizes:
        """The set of an actor's answer (x_1, y_1, ...): the nearest sizes (equations 2 and 5).

        all_in: in pots.
        """
        least, most = (0.5, all_in) if self.to_all_in else (0.0, 5.0)
        pots = [least + (most - least) * (x + 1) / 2 for x, y in row.reshape(-1, 2) if y >= 0]
        return tuple(sorted({int(np.abs(np.array(self.pots) - size).argmin()) for size in pots}))


HOLDEM = Grid(
    pots=(0.1, 0.2, 0.25, 0.33, 0.5, 0.7, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0),
    base_pots=(0.5, 1.0, 2.0),
)
"""The paper's range of 0 to 5 pots, with every size of its fixed sets."""
PREFLOP43 = Grid(
    pots=(0.5, 0.6, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 20.0),
    base_pots=(0.5, 1.0, 2.0, 4.0, 8.0),
    to_all_in=True,
)
BELOW = 0.8
"""The only size besides all-in below the root's children, in pots."""
MUL_ACTION = tuple(
    HOLDEM.set_of(pots) for pots in ((0.5, 1.0, 2.0), (0.25, 0.5, 1.0), (0.33, 0.7, 1.5))
)
"""The three sets of MUL-ACTION (footnote 7)."""
FINE_GRAIN = HOLDEM.set_of((0.25, 0.5, 0.75, 1.0, 1.25, 2.0))
"""The set of FINE-GRAIN."""


def check_count(count: int) -> None:
    """GameError unless `count` sizes can be chosen."""
    if not 1 <= count <= MOST_SIZES:
        raise GameError(f"{count} sizes cannot be chosen; give 1 to {MOST_SIZES}")


def totals(betting: Betting, pots: Sequence[float]) -> tuple[int, ...]:
    """Raises of these sizes and all-in, made legal, smallest first, as totals over the hand."""
    bounds = betting.raise_bounds()
    if bounds is None:
        return ()
    least, most = bounds
    all_in = min(max(min(betting.rules.stacks), least), most)
    level = max(betting.committed)
    called = betting.pot + betting.to_call
    wanted = (level + round(size * called) for size in pots)
    return tuple(sorted({all_in, *(min(max(total, least), all_in) for total in wanted)}))


def all_in_pots(betting: Betting) -> float:
    """The size of an all-in in pots."""
    return (totals(betting, ())[-1] - max(betting.committed)) / (betting.pot + betting.to_call)


@cache
def _all_sets(places: int, most: int) -> tuple[Sizes, ...]:
    """Every set of one to `most` of so many places."""
    return tuple(
        chosen for count in range(1, most + 1) for chosen in combinations(range(places), count)
    )


def usable_sets(usable: NDArray[np.bool_], most: int) -> list[Sizes]:
    """Every set of one to `most` usable sizes; the empty one if nothing is usable."""
    places = np.flatnonzero(usable).tolist()
    return [
        tuple(places[number] for number in chosen) for chosen in _all_sets(len(places), most)
    ] or [()]


def membership(sets: Sequence[Sizes], usable: NDArray[np.bool_]) -> NDArray[np.float32]:
    """[sets, grid] one where a set has a size that is usable at a decision."""
    rows = np.zeros((len(sets), len(usable)), np.float32)
    for row, chosen in zip(rows, sets, strict=True):
        row[list(chosen)] = 1
    return rows * usable
