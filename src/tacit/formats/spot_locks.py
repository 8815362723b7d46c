"""Locks of a spot file as policies: fixed policies at nodes that are not solved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.formats.spot_file import Lock
from tacit.games import CHANCE, GameError
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.ranges import parse_range
from tacit.solvers.spot import find
from tacit.tree import PublicTree


def lock_policy(tree: PublicTree, path: str, lock: Lock) -> NDArray[Any]:
    """[A, 1326] the policy of a lock at `path`; GameError says what is wrong with it."""
    state = tree.state(find(tree, path).node)
    if state.mover >= CHANCE:
        raise GameError(f"no player moves after {path!r}, so nothing can be locked there")
    labels = state.expansion.labels
    for action in lock:
        if action not in labels:
            raise GameError(
                f"{action!r} is not possible after {path!r}; possible: {', '.join(labels)}"
            )
    policy = np.zeros((len(labels), NUM_HANDS))
    rest = [action for action, share in lock.items() if share == "rest"]
    for action, share in lock.items():
        if action not in rest:
            policy[labels.index(action)] = parse_range(share) if isinstance(share, str) else share
    left = 1 - policy.sum(axis=0)
    fits = policy.min() >= 0 and left.min() > -1e-6
    if len(rest) > 1 or not fits or not (rest or np.abs(left).max() < 1e-6):
        raise GameError(
            f"the lock after {path!r} is no policy: the shares of every hand must sum to 1; "
            "give one action 'rest' for what the others leave"
        )
    if rest:
        policy[labels.index(rest[0])] = np.maximum(left, 0)
    return policy
