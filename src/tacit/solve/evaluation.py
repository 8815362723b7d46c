"""What a policy is worth: expected values, best responses and exploitability, in float64.

A policy is a flat float64 array [slots] in the tree's layout. Exploitability is NashConv / 2: what
the two best responses win together, halved, in the game's own units. Values are expectations given
that the root is reached; on a forest, the mean over its roots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.solve.engine import Beliefs, Workspace
from tacit.tree import LEAF, PLAYERS, PublicTree
from tacit.tree.beliefs import compatible_reach
from tacit.tree.passes import BEST, EXPECT, RECORD_BEST, ascend, descend

Policy = NDArray[np.float64]

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
    """For each node the expected values [copies, K] of `player`'s infostates, NaN where impossible.

    What the player gets on average from there on when both follow `policy` (or, with `best`, when
    the player answers it as well as possible), given the infostate and the opponent's reach.
    """
    work = _prepare(tree, policy, beliefs)
    _root_value(tree, work, player, policy, BEST if best else EXPECT)
    found = []
    for node in range(tree.nodes):
        cfv = tree.vectors(work.values[player], player, node, values=True)
        reach = tree.vectors(work.reach[1 - player], 1 - player, node, values=False)
        total = compatible_reach(tree.state(node), player, reach)
        found.append(np.divide(cfv, total, out=np.full(cfv.shape, np.nan), where=total > 0))
    return found


def _prepare(tree: PublicTree, policy: Policy, beliefs: Beliefs | None) -> Workspace:
    if policy.shape != (tree.sizes.slots,):
        raise ValueError(f"policy has shape {policy.shape}, expected ({tree.sizes.slots},)")
    if np.any(tree.arrays.player == LEAF):
        raise ValueError("the tree ends in leaves; a policy can be evaluated on whole trees only")
    work = Workspace(tree, beliefs, np.float64)
    for player in PLAYERS:
        descend(tree.arrays, player, policy, work.reach[player], policy, 0.0)
    return work


def _root_value(tree: PublicTree, work: Workspace, player: int, policy: Policy, mode: int) -> float:
    """The mean over roots of the player's expected value, after a pass up."""
    ascend(
        tree.arrays, player, mode, _NO_STEP, work.matrices, work.reach[1 - player], policy, policy,
        work.values[player], work.scratch,
    )  # fmt: skip
    values = []
    for root in tree.roots:
        own, other = (
            tree.vectors(work.reach[p], p, root.node, values=False)[root.copy]
            for p in (player, 1 - player)
        )
        cfv = tree.vectors(work.values[player], player, root.node, values=True)[root.copy]
        total = own @ compatible_reach(tree.state(root.node), player, other)
        if not total > 0:
            raise ValueError("the beliefs of the two players contradict each other")
        values.append(own @ cfv / total)
    return float(np.mean(values))
