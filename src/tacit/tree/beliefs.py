"""Beliefs, and the one place where counterfactual values and expected values become each other.

An infostate's expected value is its counterfactual value divided by the *compatible reach*: how
much of the opponent's reach chance allows beside it, `C @ reach`.
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
    """Counterfactual values [.., K] to expected ones; zero where the opponent cannot be."""
    total = compatible_reach(state, player, opponent_reach)
    return np.divide(cfv, total, out=np.zeros(total.shape), where=total > 0)


def value_to_cfv(state: PublicState, player: int, value: Vector, opponent_reach: Vector) -> Vector:
    """Expected values [.., K] to counterfactual ones."""
    weighed: Vector = value * compatible_reach(state, player, opponent_reach)
    return weighed


def normalised(reach: Vector) -> Vector:
    """Beliefs [K] from a reach [K]: the same in proportion, summing to one; uniform from zero."""
    total = reach.sum()
    beliefs: Vector = reach / total if total > 0 else np.full(len(reach), 1 / len(reach))
    return beliefs
