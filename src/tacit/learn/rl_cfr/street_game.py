"""The game of a spot from now on in which each player has a plan of bet sizes.

A forest has one root for each pair of plans, so that many plans are solved at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.spot import action_label
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.rewards import actions_with, root_values
from tacit.learn.rl_cfr.sizes import BELOW, HOLDEM, Sizes
from tacit.tree import PublicState, PublicTree, build_forest
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState


class Plan(NamedTuple):
    """A player's first bets on a street, and first raises in pots.

    later: the first bets on later streets, by default the same; later_raises: the first raises
    there, by default the same; reraises: raises of raises in pots. All-in is always there.
    """

    bets: Sizes
    raises: tuple[float, ...] = (BELOW,)
    later: Sizes | None = None
    reraises: tuple[float, ...] = (BELOW,)
    later_raises: tuple[float, ...] | None = None

    @property
    def pots(self) -> tuple[float, ...]:
        """The bets in pots."""
        return HOLDEM.in_pots(self.bets)

    @property
    def later_bets(self) -> Sizes:
        """Those of later streets."""
        return self.bets if self.later is None else self.later

    @property
    def later_pots(self) -> tuple[float, ...]:
        """Those of later streets in pots."""
        return HOLDEM.in_pots(self.later_bets)


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
        _, later, actions_there = state.history.rpartition("/")
        raises = actions_there.count("r") + (decision.betting.to_call > 0)
        bets, first_raises = plan.pots, plan.raises
        if later:
            bets = plan.later_pots
            first_raises = first_raises if plan.later_raises is None else plan.later_raises
        pots = (bets, first_raises, plan.reraises)[min(raises, 2)]
        taken = actions_with(state.betting, pots)
        return frozenset(action_label(state.betting, action) for action in taken)

    return build_forest(CardBuilder(), roots, actions=actions)


def plan_values(tree: PublicTree, policy: NDArray[np.float64], player: int) -> NDArray[np.float64]:
    """[roots] what `player` wins by the policy in a game of plans, in chips."""
    beliefs = [tree.cards.state(root.node).beliefs() for root in tree.roots]
    return root_values(tree, policy, player, beliefs)
