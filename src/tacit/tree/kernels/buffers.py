"""The flat arrays that the passes over a tree read and write, as records that kernels take.

Each record exists in single and in double precision: `VECTORS` and `SLOTS`, by float type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.array_record import ArrayRecord, Float32, Int16, Int64, Real, RealRows, UInt16


@dataclass(frozen=True, eq=False)
class Vectors(ArrayRecord):
    """Both players' vectors over infostates, in the layout of `TreeArrays`, for one thread."""

    matrices: Real
    """[.] terminal matrices"""
    reach0: Real
    """[reach entries of player 0]"""
    reach1: Real
    values0: Real
    """[value entries of player 0 + space for one node's action values]"""
    values1: Real
    scratch: RealRows
    """[2, .] of this thread alone"""


class SingleVectors(Vectors):
    """Vectors in single precision."""

    real = np.float32


@dataclass(frozen=True, eq=False)
class Slots(ArrayRecord):
    """An algorithm's state for each action and infostate, [slots]."""

    policy: Real
    regrets: Real
    """empty in fictitious play"""
    sums: Real
    mixture: Real
    """fictitious play: the opponent's average; else empty"""


class SingleSlots(Slots):
    """Slots in single precision."""

    real = np.float32


@dataclass(frozen=True, eq=False)
class ShortSlots(ArrayRecord):
    """Slots in 16 bits; see `tacit.tree.kernels.storage16`."""

    regrets: Int16
    """[slots]"""
    sums: UInt16
    """[slots]"""
    scales: Float32
    """[.] scales of regrets; those of node n's infostates from `starts[n]` on"""
    starts: Int64
    """[N]"""


VECTORS: dict[Any, type[Vectors]] = {np.float32: SingleVectors, np.float64: Vectors}
SLOTS: dict[Any, type[Slots]] = {np.float32: SingleSlots, np.float64: Slots}
