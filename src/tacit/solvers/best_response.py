"""Evaluation of a policy: expected values, best responses and exploitability, in float64.

A policy is a flat float64 array [slots] in the tree's layout. Exploitability is NashConv / 2: what
the two best responses win together, halved, in the game's own units. Values are expectations given
that the root is reached; on a forest, the mean over its roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.engine import Beliefs, Locks, ThreadTeam, Workspace, lock
from tacit.solvers.kernel_warm_up import wait
from tacit.solvers.kernels.iterations import respond
from tacit.solvers.kernels.sharing import visit_shared
from tacit.solvers.sharing.layout import Sharing
from tacit.tree import LEAF, PublicTree
from tacit.tree.kernels.passes import BEST, EXPECT, RECORD_BEST

Policy = NDArray[Any]

_NO_STEP, _NOTHING = np.zeros(4), np.zeros(0)


@dataclass(frozen=True)
class Evaluation:
    """A profile's `value` to player 0, and the value of each player's best response."""

    value: float
    best_response: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """NashConv / 2."""
        return (self.best_response[0] + self.best_response[1]) / 2


def evaluate(
    tree: PublicTree,
    policy: Policy,
    *,
    beliefs: Beliefs | None = None,
    locks: Locks | None = None,
    threads: int = 1,
) -> Evaluation:
    """The value of `policy` and of the best responses to it, which keep to locked policies."""
    return BestResponse(tree, policy, beliefs=beliefs, locks=locks, threads=threads).evaluate()


def exploitability(tree: PublicTree, policy: Policy, *, threads: int = 1) -> float:
    """NashConv / 2 of `policy`."""
    responder = BestResponse(tree, policy, threads=threads)
    return (responder.value(0, BEST) + responder.value(1, BEST)) / 2


def best_response(
    tree: PublicTree, policy: Policy, player: int, *, beliefs: Beliefs | None = None
) -> tuple[float, Policy]:
    """The value of `player`'s best response to `policy`, and `policy` with that response."""
    responder = BestResponse(tree, policy, beliefs=beliefs)
    responder.answer = policy.copy()
    return responder.value(player, RECORD_BEST), responder.answer


def infostate_values(
    tree: PublicTree,
    policy: Policy,
    player: int,
    *,
    best: bool = False,
    beliefs: Beliefs | None = None,
) -> list[NDArray[np.float64]]:
    """For each node the expected values [copies, K] of `player`'s infostates, NaN where impossible.

    This is the player's mean payoff when both follow `policy` (or, with `best`, when the player
    plays a best response to it), given the infostate and the opponent's reach.
    """
    if len(tree.order.parts):
        raise ValueError("this tree keeps values of one range at a time; use a `BestResponse`")
    responder = BestResponse(tree, policy, beliefs=beliefs)
    responder.visit(player, BEST if best else EXPECT)
    return [responder.expected(player, node) for node in range(tree.nodes)]


class BestResponse:
    """A policy under evaluation, with the vectors of the last pass.

    These are the values of one player and the reach of the other, unless `keep_both`: then each
    player's stay until that player's next pass. With `sharing` the policy is [bucket slots];
    responses need not keep to buckets.
    """

    def __init__(
        self,
        tree: PublicTree,
        policy: Policy,
        *,
        beliefs: Beliefs | None = None,
        locks: Locks | None = None,
        threads: int = 1,
        sharing: Sharing | None = None,
        keep_both: bool = False,
    ) -> None:
        slots = tree.sizes.slots if sharing is None else sharing.slots
        if policy.shape != (slots,):
            raise ValueError(f"policy has shape {policy.shape}, expected ({slots},)")
        if sharing is not None and locks:
            raise GameError("a locked policy is not one of a bucket; evaluate without sharing")
        if np.any(tree.arrays.player == LEAF):
            raise ValueError(
                "the tree ends in leaves; a policy can be evaluated on whole trees only"
            )
        wait()
        self.tree = tree
        self.policy = policy
        self.answer = policy
        """Where a best response is written."""
        self.arrays = lock(tree, locks)[0] if locks else tree.arrays
        self.sharing = sharing
        parts = 1 if sharing is not None else len(tree.order.parts)
        self.team = ThreadTeam(max(1, min(threads, parts)))
        self.keep_both = keep_both
        self.work = Workspace(
            tree, beliefs, np.float64, threads=self.team.threads, one_at_a_time=not keep_both
        )

    def value(self, player: int, mode: int) -> float:
        """The mean over roots of the player's expected value, after a pass down and up."""
        self.visit(player, mode)
        tree, values = self.tree, []
        for number, root in enumerate(tree.roots):
            own, other = (self.work.root_reach(number, p) for p in (player, 1 - player))
            cfv = tree.vectors(self.work.values[player], player, root.node, values=True)[root.copy]
            total = own @ tree.state(root.node).compatible_reach(player, other)
            if not total > 0:
                raise ValueError("the beliefs of the two players contradict each other")
            values.append(own @ cfv / total)
        return float(np.mean(values))

    def evaluate(self) -> Evaluation:
        """The policy's value, and those of the best responses to it."""
        value = self.value(0, EXPECT)
        return Evaluation(value, (self.value(0, BEST), self.value(1, BEST)))

    def visit(self, player: int, mode: int) -> None:
        """A pass down and up: the opponent's reach, then `player`'s values."""
        if not self.keep_both:
            self.work.begin(1 - player)
        with self.team as team:
            team.visit(self.tree.order, partial(self._pass, player, mode))

    def _pass(self, player: int, mode: int, steps: NDArray[np.int64], thread: int) -> None:
        vectors, sharing = self.work.vectors[thread], self.sharing
        if sharing is not None:
            policy = np.zeros(sharing.range_slots)
            visit_shared(
                sharing.arrays, vectors, steps, sharing.buckets, player, mode, self.policy, policy,
                policy, _NOTHING, _NOTHING,
            )  # fmt: skip
            return
        respond(
            self.arrays, vectors, steps, thread, player, mode, _NO_STEP, self.policy, self.answer
        )

    def look(self, player: int, node: int, mode: int) -> None:
        """Run the part of a pass that leaves both reaches and `player`'s values at `node`.

        It needs `keep_both`.
        """
        assert self.keep_both
        steps = self.tree.order.path_to(node)
        for p in (1 - player, player):
            self._pass(p, mode, steps, 0)

    def root_values(self, player: int, mode: int) -> list[NDArray[np.float64]]:
        """For each root the expected values [K] after a pass; zero at impossible infostates."""
        self.visit(player, mode)
        nodes = {root.node for root in self.tree.roots}
        at = {node: np.nan_to_num(self.expected(player, node)) for node in nodes}
        return [at[root.node][root.copy] for root in self.tree.roots]

    def expected(self, player: int, node: int) -> NDArray[np.float64]:
        """[copies, K] expected values at a node whose vectors are those of the last pass."""
        cfv = self.tree.vectors(self.work.values[player], player, node, values=True)
        reach = self.tree.vectors(self.work.reach[1 - player], 1 - player, node, values=False)
        total = self.tree.state(node).compatible_reach(player, reach)
        expected: NDArray[np.float64] = np.full(cfv.shape, np.nan)
        np.divide(cfv, total, out=expected, where=total > 0)
        return expected
