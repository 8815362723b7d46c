"""The engine: iterations of any algorithm over any public tree.

A `Solver` holds what an algorithm remembers (regrets, policy sums, the current policy) in flat
arrays of the tree's slot layout, and runs the two passes of `tacit.tree.passes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacit.solve.minimiser import FictitiousPlay, Minimiser, RegretMatching
from tacit.tree import CHANCE, PLAYERS, PublicTree
from tacit.tree.passes import RECORD_BEST, UPDATE, ascend, descend

Array = NDArray[Any]

LeafValues = Callable[[PublicTree, int, Array, Array], None]
"""Called as (tree, player, (reach 0, reach 1), values): writes the player's cfvs at the leaves."""


class Solver:
    """An algorithm at work on a tree.

    `beliefs[p]`: the reaches at the roots, in the order of the roots ([sum of K_p] each); by
    default ones, the start of the game. regrets, sums, policy: [slots].
    """

    def __init__(
        self,
        tree: PublicTree,
        minimiser: Minimiser,
        *,
        beliefs: tuple[Array, Array] | None = None,
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
            _match_regrets(
                *common, self.policy, self.regrets, self.sums, *work.reach, *work.values,
                work.scratch,
            )  # fmt: skip
        else:
            _play_fictitiously(
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
        self, tree: PublicTree, beliefs: tuple[Array, Array] | None, dtype: type[np.floating[Any]]
    ) -> None:
        sizes = tree.sizes
        width = max(1, sizes.scratch)
        self.matrices = tree.matrices.astype(dtype)
        self.reach = tuple(np.zeros(sizes.reach[p], dtype=dtype) for p in PLAYERS)
        self.spare_reach = tuple(np.zeros(sizes.reach[p], dtype=dtype) for p in PLAYERS)
        self.values = tuple(np.zeros(sizes.values[p] + width, dtype=dtype) for p in PLAYERS)
        self.scratch = np.zeros((2, width), dtype=dtype)
        for player in PLAYERS:
            places = root_places(tree, player)
            given = np.ones(len(places)) if beliefs is None else np.asarray(beliefs[player])
            if given.shape != places.shape:
                raise ValueError(
                    f"beliefs of player {player} have shape {given.shape}, expected {places.shape}"
                )
            self.reach[player][places] = given
            self.spare_reach[player][places] = given


def root_places(tree: PublicTree, player: int) -> NDArray[np.int64]:
    """[sum of K_p over roots] where the roots' reaches stand in the player's reach buffer."""
    arrays = tree.arrays
    return np.concatenate(
        [
            arrays.reach_start[player, root] + np.arange(arrays.info_count[player, root])
            for root in tree.roots
        ]
    )


def normalise(tree: PublicTree, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """[slots] sums made into a policy; infostates without weight play uniformly."""
    policy = np.empty_like(sums)
    _normalise(tree.arrays, 0, sums, policy)
    _normalise(tree.arrays, 1, sums, policy)
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


@njit(cache=True, error_model="numpy")
def _match_regrets(
    tree, schedule, alternating, matrices, policy, regrets, sums,
    reach0, reach1, values0, values1, scratch,
):  # fmt: skip
    """Iterations of regret matching; each policy is averaged as the opponent meets it."""
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        descend(tree, 1, policy, reach1, sums, weight)
        if not alternating:
            descend(tree, 0, policy, reach0, sums, weight)
        ascend(tree, 0, UPDATE, step, matrices, reach1, policy, regrets, values0, scratch)
        if alternating:
            descend(tree, 0, policy, reach0, sums, weight)
        ascend(tree, 1, UPDATE, step, matrices, reach0, policy, regrets, values1, scratch)


@njit(cache=True, error_model="numpy")
def _play_fictitiously(
    tree, schedule, alternating, matrices, optimistic, policy, mixture, sums,
    reach0, reach1, spare0, spare1, values0, values1, scratch,
):  # fmt: skip
    """Iterations of fictitious play: answer the mixture, then mix the answer in.

    reach: of the mixture that the opponent answers; spare: of the latest response.
    """
    none = schedule.dtype.type(0)
    descend(tree, 0, mixture, reach0, sums, none)
    descend(tree, 1, mixture, reach1, sums, none)
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        again = weight if optimistic else none
        ascend(tree, 0, RECORD_BEST, step, matrices, reach1, policy, sums, values0, scratch)
        if alternating:
            _mix(tree, 0, policy, mixture, sums, reach0, spare0, weight, again)
        ascend(tree, 1, RECORD_BEST, step, matrices, reach0, policy, sums, values1, scratch)
        if not alternating:
            _mix(tree, 0, policy, mixture, sums, reach0, spare0, weight, again)
        _mix(tree, 1, policy, mixture, sums, reach1, spare1, weight, again)


@njit(cache=True, error_model="numpy")
def _mix(tree, player, policy, mixture, sums, reach, spare, weight, again):
    """Add the response to the sums; the mixture is their average, the response counted `again`."""
    descend(tree, player, policy, spare, sums, weight)
    for node in range(len(tree.player)):
        if tree.player[node] == player:
            count = tree.info_count[player, node]
            slot = tree.slot_start[node]
            at = tree.reach_start[player, node]
            for action in range(tree.action_count[node]):
                here = slot + action * count
                for s in range(count):
                    extra = again * spare[at + s] * policy[here + s]
                    mixture[here + s] = sums[here + s] + extra
    _normalise(tree, player, mixture, mixture)
    descend(tree, player, mixture, reach, sums, weight * 0)


@njit(cache=True, error_model="numpy")
def _normalise(tree, player, sums, policy):
    """policy = sums / their total over actions; uniform over legal actions where that is zero."""
    for node in range(len(tree.player)):
        if tree.player[node] != player:
            continue
        count = tree.info_count[player, node]
        actions = tree.action_count[node]
        slot = tree.slot_start[node]
        legal = tree.legal_start[node]
        for s in range(count):
            total = sums.dtype.type(0)
            possible = 0
            for action in range(actions):
                total += sums[slot + action * count + s]
                possible += legal < 0 or tree.legal[legal + action * count + s] == 1
            for action in range(actions):
                here = slot + action * count + s
                if total > 0:
                    policy[here] = sums[here] / total
                elif legal < 0 or tree.legal[legal + action * count + s] == 1:
                    policy[here] = 1 / possible
                else:
                    policy[here] = 0
