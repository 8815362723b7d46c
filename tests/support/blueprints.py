"""Small blueprints of hold'em, with buckets that need no clustering."""

from __future__ import annotations

import numpy as np

from tacit.solvers.sharing.centre_buckets import CentreBuckets
from tacit.subgame.holdem.betting_tree import FOLDED
from tacit.subgame.holdem.blueprint import SCALE, BlueprintSettings, HoldemBlueprint
from tacit.tree.cards.hand_features import BINS, GROUPS

LEVELS = (3, 9, 15, 21, 27)
"""Bins of an equity histogram."""


def buckets_by_equity() -> CentreBuckets:
    """Five buckets a street: histograms with all their weight in one bin, constant groups."""
    steps = (np.arange(BINS)[None, :] >= np.array(LEVELS)[:, None]).astype(np.float32)
    rivers = np.repeat(np.linspace(0.1, 0.9, 5, dtype=np.float32)[:, None], GROUPS, axis=1)
    return CentreBuckets([steps, steps, rivers], np.arange(169) * GROUPS // 169)


def random_blueprint(seed: int = 0, **settings: object) -> HoldemBlueprint:
    """A blueprint whose probabilities are random."""
    buckets = buckets_by_equity()
    given = BlueprintSettings(
        **({"bets": ("100%,a", "100%,a", "100%,a", "100%,a"), "buckets": (5, 5, 5)} | settings)  # type: ignore[arg-type]
    )
    tree = given.tree_of(tuple(buckets.count(street) for street in range(4)))
    random = np.random.default_rng(seed)
    policy = np.zeros(tree.slots, np.uint8)
    for node in np.flatnonzero(tree.player < FOLDED).tolist():
        block = tree.block(policy, node, buckets.count(int(tree.street[node])))
        weights = random.random(block.shape) ** 2
        block[:] = np.rint(SCALE * weights / weights.sum(axis=0))
    return HoldemBlueprint(given, tree, buckets, policy)
