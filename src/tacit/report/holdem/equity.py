"""Equities of a range's hands, by hand and by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.cards import CLASS_NAMES, hand_name
from tacit.report.holdem.grid import by_class
from tacit.report.table import Table, table

Array = NDArray[Any]


def hand_equities(equities: Array, weights: Array) -> dict[str, float]:
    """The equity of each hand in a range; both arrays [1326]."""
    held = np.flatnonzero((weights > 0) & ~np.isnan(equities))
    return {hand_name(int(hand)): float(equities[hand]) for hand in held}


def class_tables(equities: Sequence[Array], ranges: Sequence[Array]) -> list[Table]:
    """For each range [1326] the mean equity of each class of its hands, best first."""
    tables = []
    for title, own, held in zip(("First range", "Second range"), equities, ranges, strict=True):
        weights = np.where((held > 0) & ~np.isnan(own), held, 0)
        total, sums = by_class(weights), by_class(weights * np.nan_to_num(own))
        means = {n: sums[n] / total[n] for n in np.flatnonzero(total)}
        shown = table("class", "combos", "equity", title=title)
        for number in sorted(means, key=lambda n: -means[n]):
            shown.add_row(CLASS_NAMES[number], f"{total[number]:g}", f"{100 * means[number]:.2f} %")
        tables.append(shown)
    return tables
