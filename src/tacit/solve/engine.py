"""The engine: iterations of any algorithm over any public tree.

A `Solver` holds what an algorithm remembers (regrets, policy sums, the current policy) in flat
arrays of the tree's slot layout, and runs the two passes of `tacit.tree.passes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.solve.iterations import match_regrets, normalise_sums, play_fictitiously
from tacit.solve.minimiser import FictitiousPlay, Minimiser, RegretMatching
from tacit.tree import PLAYERS, PublicTree

Array = NDArray[Any]

Beliefs = Sequence[tuple[Array, Array]]
"""For each root, the two players' reaches [K_0] and [K_1] there."""


class Solver:
    """An algorithm at work on a tree.

    `beliefs[r][p]` [K_p]: player p's reach at root r; by default ones, the start of the game.
    regrets, sums, policy: [slots].
    """

    def __init__(
        self,
        tree: PublicTree,
        minimiser: Minimiser,
        *,
        beliefs: Beliefs | None = None,
        dtype: type[np.floating[Any]] = np.float32,
    ) -> None:
        self.tree = tree
        self.minimiser = minimiser
        self.iteration = 0
        self.policy = tree.uniform_policy().astype(dtype)
        self.sums = np.zeros(tree.sizes.slots, dtype=dtype)
        self.regrets = np.zeros(
            tree.sizes.slots if isinstance(minimiser, RegretMatching) else 0, dtype=dtype
        )
        self.mixture = self.policy.copy() if isinstance(minimiser, FictitiousPlay) else None
        self.workspace = Workspace(tree, beliefs, dtype)

    def run(self, iterations: int) -> None:
        """Run this many iterations more."""
        first = self.iteration + 1
        schedule = _schedule(self.minimiser, first, iterations, self.policy.dtype)
        work, tree = self.workspace, self.tree
        common = (tree.arrays, schedule, self.minimiser.alternating, work.matrices)
        if isinstance(self.minimiser, RegretMatching):
            match_regrets(
                *common, self.policy, self.regrets, self.sums, *work.reach, *work.values,
                work.scratch,
            )  # fmt: skip
        else:
            play_fictitiously(
                *common, self.minimiser.optimistic, self.policy, self.mixture, self.sums,
                *work.reach, *work.spare_reach, *work.values, work.scratch,
            )  # fmt: skip
        self.iteration += iterations

    def average_policy(self) -> NDArray[np.float64]:
        """[slots] the average policy, uniform at infostates that were never reached."""
        return normalise(self.tree, self.sums.astype(np.float64))


class Workspace:
    """The vectors that the passes write: reaches, values and scratch, of one float type."""

    def __init__(
        self, tree: PublicTree, beliefs: Beliefs | None, dtype: type[np.floating[Any]]
    ) -> None:
        sizes = tree.sizes
        self.matrices = tree.matrices.astype(dtype)
        self.reach = _pair(sizes.reach, 0, dtype)
        self.spare_reach = _pair(sizes.reach, 0, dtype)
        self.values = _pair(sizes.values, sizes.scratch, dtype)
        self.scratch = np.zeros((2, sizes.scratch), dtype=dtype)
        for player in PLAYERS:
            for number, root in enumerate(tree.roots):
                count = tree.arrays.info_count[player, root.node]
                given = np.ones(count) if beliefs is None else np.asarray(beliefs[number][player])
                if given.shape != (count,):
                    raise ValueError(
                        f"root {number}: beliefs of player {player} have shape {given.shape}, "
                        f"expected ({count},)"
                    )
                for buffer in (self.reach, self.spare_reach):
                    tree.vectors(buffer[player], player, root.node, values=False)[root.copy] = given


def _pair(sizes: tuple[int, int], more: int, dtype: type[np.floating[Any]]) -> tuple[Array, Array]:
    """A buffer of zeros for each player, `more` entries longer than their sizes."""
    return np.zeros(sizes[0] + more, dtype=dtype), np.zeros(sizes[1] + more, dtype=dtype)


def normalise(tree: PublicTree, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """[slots] sums made into a policy; infostates without weight play uniformly."""
    policy = np.empty_like(sums)
    normalise_sums(tree.arrays, 0, sums, policy)
    normalise_sums(tree.arrays, 1, sums, policy)
    return policy


def _schedule(minimiser: Minimiser, first: int, count: int, dtype: np.dtype[Any]) -> Array:
    """[count, 5]: the entries of `Step`, and the weight in the average."""
    rows = np.zeros((count, 5))
    for row in range(count):
        if isinstance(minimiser, RegretMatching):
            step = minimiser.step(first + row)
            rows[row, :4] = step.positive, step.negative, step.floor, step.prediction
        rows[row, 4] = minimiser.weight(first + row)
    return rows.astype(dtype)
