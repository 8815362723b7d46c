"""Exploitability of bet sizes: a policy solved with few sizes, played where all sizes are allowed.

In the fine-grained game of a river every size of the grid is there for the first bet of each
player; below, raises are those of the base, then all-in and 0.8 pots, in the small game as in the
fine-grained one. Each player's first decision is that of the small game. When the opponent bets an
unknown size, the player solves the subgame again with the opponent's sizes added (nested subgame
solving, in the full form, with the beliefs of the small game), and keeps to its own few sizes. The
best response to that policy is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.rewards import ITERATIONS, Solves, solved
from tacit.learn.rl_cfr.sizes import HOLDEM, Sizes
from tacit.learn.rl_cfr.street_game import Plan, Plans, game_of_plans
from tacit.solvers.best_response import BestResponse
from tacit.tree import PublicTree
from tacit.tree.kernels.passes import BEST, EXPECT

Both = tuple[Sizes, Sizes]
"""The sets of first bets of players 0 and 1."""


@dataclass(frozen=True)
class FineGrained:
    """What a decision is worth with few sizes, in chips.

    value: of the small game to player 0; best_response: what each player's best response in the
    fine-grained game wins.
    """

    value: float
    best_response: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """NashConv / 2 in the fine-grained game."""
        return sum(self.best_response) / 2


def river_plans(sets: Both) -> Plans:
    """These first bets; first raises are the base's."""
    first, second = (Plan(bets, HOLDEM.base_pots) for bets in sets)
    return first, second


FINE_RIVER = Plan(HOLDEM.everything, HOLDEM.base_pots)
"""What a river's best response may bet."""


def fine_grained(
    decision: Decision,
    plans: Plans,
    fine: Plan = FINE_RIVER,
    *,
    iterations: int = ITERATIONS,
    nested: int = ITERATIONS,
) -> FineGrained:
    """Solve a decision with few sizes, and respond to that with those of the fine-grained game.

    fine: the sizes of a best response; iterations: of the small game; nested: of the solves after
    unknown bets.
    """
    small = game_of_plans(decision, [plans])
    policy = solved(small, Solves(iterations))
    value = BestResponse(small, policy).value(0, EXPECT)
    responses = []
    for player in (0, 1):
        both = (fine, plans[1]) if player == 1 else (plans[0], fine)
        tree = game_of_plans(decision, [both])
        locks = _first_decisions(small, policy, tree, player)
        full = solved(tree, Solves(nested), locks=locks)
        responses.append(BestResponse(tree, full).value(1 - player, BEST))
    return FineGrained(value, (responses[1], responses[0]))


def _first_decisions(
    small: PublicTree, policy: NDArray[np.float64], tree: PublicTree, player: int
) -> dict[int, NDArray[np.float64]]:
    """By node of `tree`, the policy of the small game at the player's first known decisions."""
    root, other = small.roots[0], tree.roots[0]
    if player == 0:
        return {other.node: small.block(policy, root.node)[:, 0]}
    locks = {}
    for label, child in small.children(root):
        if small.arrays.action_count[child.node]:
            locks[tree.find([label], other).node] = small.block(policy, child.node)[:, 0]
    return locks
