"""The game of a spot from now on in which each player has a plan of bet sizes.

A forest has one root for each pair of plans, so that many plans are solved at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.spot import action_label
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.rewards import ALGORITHM, actions_with
from tacit.learn.rl_cfr.sizes import BELOW, HOLDEM, Sizes
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Solver
from tacit.tree import PublicState, PublicTree, build_forest
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import EXPECT


class Plan(NamedTuple):
    """A player's first bets on each street, and first raises in pots; later ones are `BELOW`."""

    bets: Sizes
    raises: tuple[float, ...] = (BELOW,)

    @property
    def pots(self) -> tuple[float, ...]:
        """The bets in pots."""
        return HOLDEM.in_pots(self.bets)


Plans = tuple[Plan, Plan]
"""Those of players 0 and 1."""


def game_of_plans(decision: Decision, plans: Sequence[Plans]) -> PublicTree:
    """A root for each pair of plans; on later streets they hold too."""
    spots = [copy(decision.spot) for _ in plans]
    by_spot = {id(spot): both for spot, both in zip(spots, plans, strict=True)}
    roots = [CardState(spot, decision.betting, decision.state.deal, "") for spot in spots]

    def actions(state: PublicState) -> frozenset[str]:
        assert isinstance(state, CardState)
        plan = by_spot[id(state.spot)][state.mover]
        raises = state.history.rpartition("/")[2].count("r") + (decision.betting.to_call > 0)
        pots = (plan.pots, plan.raises)[raises] if raises < 2 else (BELOW,)
        taken = actions_with(state.betting, pots)
        return frozenset(action_label(state.betting, action) for action in taken)

    return build_forest(CardBuilder(), roots, actions=actions)


def solved(tree: PublicTree, iterations: int, locks: Any = None) -> NDArray[np.float64]:
    """[slots] the average policy of a solve; it keeps to locks."""
    solver = Solver(tree, find_algorithm(ALGORITHM), locks=locks)
    solver.run(iterations)
    policy: NDArray[np.float64] = solver.average_policy()
    return policy


def root_values(tree: PublicTree, policy: NDArray[np.float64], player: int) -> NDArray[np.float64]:
    """[roots] what `player` wins by the policy, in chips."""
    responder = BestResponse(tree, policy)
    responder.visit(player, EXPECT)
    values = []
    for root in tree.roots:
        state = tree.cards.state(root.node)
        own, other = (state.beliefs()[p] for p in (player, 1 - player))
        cfv = tree.vectors(responder.work.values[player], player, root.node, values=True)[0]
        values.append(float(own @ cfv) / float(own @ state.compatible_reach(player, other)))
    return np.array(values)
