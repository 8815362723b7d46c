"""World states behind public states that are derived from rules.

Card public states have none: there are too many pairs of hands.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.games import GameError, State
from tacit.tree.derived import DerivedState
from tacit.tree.open import OpenState
from tacit.tree.public_state import Pair, PublicState


def sample_world(state: PublicState) -> State:
    """One of the world states, for properties that all of them share."""
    return _derived(state).sample


def worlds_of(state: PublicState) -> Iterator[tuple[Pair, State, float]]:
    """Every world state with its infostates and its share of their chance weight."""
    return _derived(state).worlds()


def _derived(state: PublicState) -> DerivedState | OpenState:
    if not isinstance(state, DerivedState | OpenState):
        raise GameError("world states are for games that are written as rules")
    return state
