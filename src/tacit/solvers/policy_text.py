"""Policies in words: by public moves, then by infostate, then by action."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.game import Probabilities
from tacit.tree import CHANCE, Place, PublicTree


def written_policy(tree: PublicTree, given: Probabilities) -> NDArray[np.float64]:
    """[slots] a policy from words; infostates that are left out play uniformly."""
    policy = tree.uniform_policy()
    for moves, rows in given.items():
        place = tree.find(moves)
        state = tree.state(place.node)
        if state.mover >= CHANCE:
            raise GameError(f"no player moves after {moves!r}")
        names = state.names(state.mover)
        for name, chances in rows.items():
            if name not in names:
                raise GameError(f"no infostate {name!r} after {moves!r}; there are: {names}")
            column = [chances.get(label, 0.0) for label in tree.expansion(place.node).labels]
            if abs(sum(column) - 1) > 1e-9 or set(chances) - set(tree.expansion(place.node).labels):
                raise GameError(f"after {moves!r} {name!r} has no distribution over its actions")
            tree.block(policy, place.node)[:, place.copy, names.index(name)] = column
    return policy


def policy_in_words(
    tree: PublicTree,
    policy: NDArray[Any],
    start: Place | None = None,
    *,
    player: int | None = None,
    before: str = "",
) -> dict[str, dict[str, dict[str, float]]]:
    """The policy of `player` (None: both) below `start`, which is reached by the moves `before`."""
    written: dict[str, dict[str, dict[str, float]]] = {}
    for place, path in tree.walk(start):
        mover = int(tree.arrays.player[place.node])
        if mover >= CHANCE or player not in (None, mover):
            continue
        state = tree.state(place.node)
        chosen = tree.block(policy, place.node)[:, place.copy]
        legal = tree.legal(place.node)
        written[" ".join([*before.split(), *path])] = {
            name: {
                label: float(chosen[action, number])
                for action, label in enumerate(tree.expansion(place.node).labels)
                if legal[action, number]
            }
            for number, name in enumerate(state.names(mover))
        }
    return written
