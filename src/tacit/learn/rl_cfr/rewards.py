"""Rewards: what a set of sizes is worth to the acting player, less what the base's is worth.

All sets of a decision are solved as one forest by the engine. As in the paper (section 4), a set
holds at the root only: the root's children have the base's sizes, and below them there are fold,
call, all-in and 0.8 pots.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import CALL, FOLD, Betting
from tacit.games.holdem.spot import Spot, action_label
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.sizes import BELOW, HOLDEM, Sizes, totals
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Beliefs, Solver
from tacit.tree import PublicState, PublicTree, build_forest
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import EXPECT

ITERATIONS = 250
ALGORITHM = "dcfr"


class Solves(NamedTuple):
    """How trees are solved, by default with the paper's iterations.

    alternating: whether the players' updates alternate, which converges much faster than the
    simultaneous ones of the paper.
    """

    iterations: int = ITERATIONS
    alternating: bool = True


DEFAULT = Solves()


@dataclass(frozen=True)
class SolvedSets:
    """A decision solved with several sets of sizes.

    values: [sets] the acting player's expected value at the root, in chips; actions: for each set
    the root's actions; policies: for each the acting player's policy [A, K] at the root.
    """

    values: NDArray[np.float64]
    actions: tuple[tuple[int, ...], ...]
    policies: tuple[NDArray[np.float64], ...]


def actions_with(betting: Betting, pots: Sequence[float]) -> tuple[int, ...]:
    """Fold if there is a bet, check or call, and raises of these sizes and all-in."""
    return (*((FOLD,) if betting.can_fold else ()), CALL, *totals(betting, pots))


def solve_sets(
    decision: Decision,
    sets: Sequence[Sizes],
    *,
    solves: Solves = DEFAULT,
    children: Sequence[float] | None = None,
) -> SolvedSets:
    """Solve a decision with each of several sets at its root.

    children: the sizes in pots of the root's children, by default the base's.
    """
    spots = [copy(decision.spot) for _ in sets]
    roots = [CardState(spot, decision.betting, decision.state.deal, "") for spot in spots]
    tree = _forest(spots, roots, sets, HOLDEM.base_pots if children is None else children)
    policy = solved(tree, solves)
    return SolvedSets(
        root_values(tree, policy, decision.betting.player, [root.beliefs() for root in roots]),
        tuple(actions_with(decision.betting, HOLDEM.in_pots(chosen)) for chosen in sets),
        tuple(tree.block(policy, root.node)[:, 0] for root in tree.roots),
    )


def solved(
    tree: PublicTree, solves: Solves, *, locks: Any = None, beliefs: Beliefs | None = None
) -> NDArray[np.float64]:
    """[slots] the average policy of a solve; it keeps to locks."""
    minimiser = find_algorithm(ALGORITHM, alternating=solves.alternating)
    solver = Solver(tree, minimiser, locks=locks, beliefs=beliefs)
    solver.run(solves.iterations)
    policy: NDArray[np.float64] = solver.average_policy()
    return policy


def root_values(
    tree: PublicTree, policy: NDArray[np.float64], player: int, beliefs: Beliefs
) -> NDArray[np.float64]:
    """[roots] what `player` wins by the policy, in the tree's unit, with these beliefs at each."""
    responder = BestResponse(tree, policy, beliefs=beliefs)
    responder.visit(player, EXPECT)
    values = []
    for root, both in zip(tree.roots, beliefs, strict=True):
        own, other = both[player], both[1 - player]
        met = tree.state(root.node).compatible_reach(player, other)
        cfv = tree.vectors(responder.work.values[player], player, root.node, values=True)
        values.append(float(own @ cfv[root.copy]) / float(own @ met))
    return np.array(values)


def rewards(
    decision: Decision, sets: Sequence[Sizes], *, solves: Solves = DEFAULT
) -> NDArray[np.float64]:
    """[sets] what each set is worth less what the base's is worth, in pots."""
    values = solve_sets(decision, [HOLDEM.base, *sets], solves=solves).values
    gains: NDArray[np.float64] = values[1:] - values[0]
    return gains / decision.betting.pot


def _forest(
    spots: Sequence[Spot],
    roots: Sequence[CardState],
    sets: Sequence[Sizes],
    children: Sequence[float],
) -> PublicTree:
    """One root for each set. A root's spot is its own object, which identifies its set."""
    by_spot = {id(spot): HOLDEM.in_pots(chosen) for spot, chosen in zip(spots, sets, strict=True)}

    def actions(state: PublicState) -> frozenset[str]:
        assert isinstance(state, CardState)
        moves = sum(letter in "fkcr" for letter in state.history)
        pots = (by_spot[id(state.spot)], children)[moves] if moves < 2 else (BELOW,)
        taken = actions_with(state.betting, pots)
        return frozenset(action_label(state.betting, action) for action in taken)

    return build_forest(CardBuilder(), roots, actions=actions)
