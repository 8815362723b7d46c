"""What a policy is worth: expected values, best responses and exploitability, in float64.

A policy is a flat float64 array [slots] in the tree's layout. Exploitability is NashConv / 2: what
the two best responses win together, halved, in the game's own units. Values are expectations given
that the root is reached; on a forest, the mean over its roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.solve.engine import Workspace
from tacit.tree import LEAF, PLAYERS, PublicTree
from tacit.tree.beliefs import compatible_reach
from tacit.tree.passes import BEST, EXPECT, RECORD_BEST, ascend, descend

Policy = NDArray[np.float64]
Beliefs = tuple[NDArray[Any], NDArray[Any]]

_NO_STEP = np.zeros(4)


@dataclass(frozen=True)
class Evaluation:
    """A profile's worth: `value` to player 0, and what each player's best response gets."""

    value: float
    best_response: tuple[float, float]

    @property
    def nash_conv(self) -> float:
        """What the best responses gain together."""
        return self.best_response[0] + self.best_response[1]

    @property
    def exploitability(self) -> float:
        """NashConv / 2."""
        return self.nash_conv / 2


def evaluate(tree: PublicTree, policy: Policy, *, beliefs: Beliefs | None = None) -> Evaluation:
    """The value of `policy` and of the best responses to it."""
    work = _prepare(tree, policy, beliefs)
    value = _root_value(tree, work, 0, policy, EXPECT)
    best = _root_value(tree, work, 0, policy, BEST), _root_value(tree, work, 1, policy, BEST)
    return Evaluation(value, best)


def exploitability(tree: PublicTree, policy: Policy, *, beliefs: Beliefs | None = None) -> float:
    """NashConv / 2 of `policy`."""
    return evaluate(tree, policy, beliefs=beliefs).exploitability


def best_response(
    tree: PublicTree, policy: Policy, player: int, *, beliefs: Beliefs | None = None
) -> tuple[float, Policy]:
    """What `player` gets at best against `policy`, and `policy` with that response in it."""
    work = _prepare(tree, policy, beliefs)
    answer = policy.copy()
    value = _root_value(tree, work, player, answer, RECORD_BEST)
    return value, answer


def infostate_values(
    tree: PublicTree,
    policy: Policy,
    player: int,
    *,
    best: bool = False,
    beliefs: Beliefs | None = None,
) -> list[NDArray[np.float64]]:
    """For each node the expected value [K] of `player`'s infostates, NaN where it cannot be.

    What the player gets on average from there on when both follow `policy` (or, with `best`, when
    the player answers it as well as possible), given the infostate and the opponent's reach.
    """
    work = _prepare(tree, policy, beliefs)
    _root_value(tree, work, player, policy, BEST if best else EXPECT)
    arrays, opponent = tree.arrays, 1 - player
    scale = chance_scales(tree)
    found = []
    for node in range(tree.nodes):
        start, count = arrays.value_start[player, node], arrays.info_count[player, node]
        cfv = work.values[player][start : start + count]
        at, others = arrays.reach_start[opponent, node], arrays.info_count[opponent, node]
        reach = work.reach[opponent][at : at + others]
        total = scale[node] * compatible_reach(tree.state(node), player, reach)
        found.append(np.divide(cfv, total, out=np.full(count, np.nan), where=total > 0))
    return found


def chance_scales(tree: PublicTree) -> NDArray[np.float64]:
    """[N] what chance has multiplied each node's normalised weights by since its root."""
    scale = np.ones(tree.nodes)
    for node in range(tree.nodes):
        children = tree.children(node)
        if len(children):
            for child, transition in zip(
                children, tree.state(node).expansion.transitions, strict=True
            ):
                scale[child] = scale[node] * transition.factor
    return scale


def _prepare(tree: PublicTree, policy: Policy, beliefs: Beliefs | None) -> Workspace:
    if policy.shape != (tree.sizes.slots,):
        raise ValueError(f"policy has shape {policy.shape}, expected ({tree.sizes.slots},)")
    if np.any(tree.arrays.player == LEAF):
        raise ValueError("the tree ends in leaves; a policy can be evaluated on whole trees only")
    work = Workspace(tree, beliefs, np.float64)
    for player in PLAYERS:
        descend(tree.arrays, player, policy, work.reach[player], policy, 0.0)
    return work


def _root_value(
    tree: PublicTree, work: Workspace, player: int, policy: Policy, mode: int
) -> float:
    """The mean over roots of the player's expected value, after a pass up."""
    ascend(
        tree.arrays, player, mode, _NO_STEP, work.matrices, work.reach[1 - player], policy, policy,
        work.values[player], work.scratch,
    )  # fmt: skip
    values = []
    for root in tree.roots:
        own, other = (_at(tree, work, p, root) for p in (player, 1 - player))
        start, count = tree.arrays.value_start[player, root], len(own)
        cfv = work.values[player][start : start + count]
        total = own @ compatible_reach(tree.state(root), player, other)
        if not total > 0:
            raise ValueError("the beliefs of the two players contradict each other")
        values.append(own @ cfv / total)
    return float(np.mean(values))


def _at(tree: PublicTree, work: Workspace, player: int, node: int) -> NDArray[np.float64]:
    start, count = tree.arrays.reach_start[player, node], tree.arrays.info_count[player, node]
    reach: NDArray[np.float64] = work.reach[player][start : start + count]
    return reach


