"""Beliefs, and the conversion between counterfactual values and expected values.

An infostate's expected value is its counterfactual value divided by the *compatible reach*: the
opponent's reach weighed by chance, `C @ reach`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.tree.public_state import PublicState

Vector = NDArray[Any]


def compatible_reach(state: PublicState, player: int, opponent_reach: Vector) -> Vector:
    """[.., K] for each infostate of `player`, the opponent's reach [.., K'] weighed by chance."""
    return state.compatible_reach(player, opponent_reach)


def cfv_to_value(
    state: PublicState, player: int, cfv: Vector, opponent_reach: Vector
) -> NDArray[np.float64]:
    """Counterfactual values [.., K] to expected ones; zero where the compatible reach is zero."""
    total = compatible_reach(state, player, opponent_reach)
    return np.divide(cfv, total, out=np.zeros(total.shape), where=total > 0)


def value_to_cfv(state: PublicState, player: int, value: Vector, opponent_reach: Vector) -> Vector:
    """Expected values [.., K] to counterfactual ones."""
    weighed: Vector = value * compatible_reach(state, player, opponent_reach)
    return weighed


def normalised(reach: Vector) -> Vector:
    """Beliefs [K]: a reach [K] divided by its sum; uniform if the reach is zero."""
    total = reach.sum()
    beliefs: Vector = reach / total if total > 0 else np.full(len(reach), 1 / len(reach))
    return beliefs
