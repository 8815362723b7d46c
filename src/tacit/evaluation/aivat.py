"""AIVAT: an unbiased estimate of what was won, with less luck in it (Burch et al. 2018).

Let *known* be the players whose policies are known for all their infostates. What is observed of a
game is its public transitions, the infostates of the other player, and that player's actions. Given
these, the chance weights and the policies say how likely each infostate of the known players is.
The estimate is the sum of

- the payoff's mean over these infostates at the end of the game, instead of the payoff of the one
  that was held;
- for each step of the game (the deal, chance, an action), the expectation of a value function u
  over what may be observed, less u of what was observed.

The first has the mean of the payoff, the second has mean zero, for any function u of what is
observed that is fixed before the game is played. If both players are known and u is exact for their
policies, the estimate is the value of the game itself, without any variance.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.solvers.leaves import Evaluator, PairEvaluator, ValueEvaluator, pbs_row
from tacit.tree import PLAYERS, Builder, Place, PublicState, PublicTree
from tacit.tree.pbs import PBS, normalised
from tacit.tree.public_state import Pair, Transition

Array = NDArray[Any]
Reach = tuple[Array, Array]
"""The reaches [K0] and [K1] of both players."""


class ValueFunction(Protocol):
    """What a public state is worth; a memory depends on public transitions only."""

    def begin(self) -> Any:
        """The memory at the start of a game."""

    def after(self, memory: Any, transition: int) -> Any:
        """The memory after one more public transition."""

    def value(self, memory: Any, reach: Reach) -> float:
        """Player 0's expected value with these reaches [K0] and [K1], before the game's end."""


class PolicyValues:
    """The exact values of a policy [slots] on a whole tree; a memory is a place.

    The match must be played with the tree's own builder, which numbers the infostates.
    """

    def __init__(self, tree: PublicTree, policy: Array) -> None:
        self.tree = tree
        self.policy = policy
        self._known: dict[Place, Array] = {}

    def begin(self) -> Place:
        """At the root."""
        return self.tree.roots[0]

    def after(self, memory: Place, transition: int) -> Place:
        """The next place."""
        return self.tree.child(memory, transition)

    def value(self, memory: Place, reach: Reach) -> float:
        """The mean over pairs of infostates, whose values follow from those of the children."""
        weights = self.tree.state(memory.node).compatibility
        return float(
            (reach[0] @ self._weighed(memory) @ reach[1]) / (reach[0] @ weights @ reach[1])
        )

    def _weighed(self, place: Place) -> Array:
        """[K0, K1] values times chance weights."""
        state = self.tree.state(place.node)
        if state.mover == TERMINAL:
            return state.payoffs
        if place not in self._known:
            own = None
            if state.mover != CHANCE:
                own = self.tree.block(self.policy, place.node)[:, place.copy]
            total = np.zeros(state.counts)
            for number, transition in enumerate(self.tree.expansion(place.node).transitions):
                below = self._weighed(self.tree.child(place, number))
                first, second = (
                    _carriers(state, transition, player, own if state.mover == player else None)
                    for player in PLAYERS
                )
                total += transition.factor * (first @ below @ second.T)
            self._known[place] = total
        return self._known[place]


def _carriers(
    state: PublicState, transition: Transition, player: int, policy: Array | None
) -> Array:
    """[K, K of the child] how likely an infostate of `player` moves to which of the child."""
    reach = np.eye(state.counts[player])
    return transition.carry_reach(player, reach, policy)


class EvaluatorValues:
    """The values of an evaluator; a memory is a public state.

    They help where the evaluator answers well: a network that was trained at the ends of betting
    rounds only makes the variance larger.
    """

    def __init__(self, builder: Builder, evaluator: Evaluator) -> None:
        self.builder = builder
        self.evaluator = evaluator

    def begin(self) -> PublicState:
        """At the root."""
        return self.builder.root

    def after(self, memory: PublicState, transition: int) -> PublicState:
        """The next public state."""
        return memory.expansion.child(transition)

    def value(self, memory: PublicState, reach: Reach) -> float:
        """The evaluator's answer at the beliefs of the reaches, the mean of both players' views."""
        evaluator, weights = self.evaluator, memory.compatibility
        pbs = PBS(memory, (normalised(reach[0]), normalised(reach[1])))
        first, second = pbs.beliefs
        met = first @ weights @ second
        if isinstance(evaluator, PairEvaluator):
            [row] = evaluator.pair_values(pbs_row(evaluator, pbs, 0)[None, :])
            pairs = evaluator.pair_sign(memory) * row[evaluator.pair_columns(memory)]
            return float(first @ (weights * pairs) @ second / met)
        if isinstance(evaluator, ValueEvaluator):
            outputs = evaluator.values(np.stack([pbs_row(evaluator, pbs, p) for p in PLAYERS]))
            values = [outputs[p, evaluator.output_columns(memory, p)] for p in PLAYERS]
        else:
            [answer] = evaluator.values([pbs])
            values = list(answer)
        views = (first * values[0]) @ weights @ second, first @ weights @ (second * values[1])
        return float((views[0] - views[1]) / (2 * met))


class AivatGame:
    """The estimate of one game in play: tell it every move.

    dealt: the pair of infostates at the root; known: the players whose policies `move` is told.
    """

    def __init__(
        self,
        root: PublicState,
        dealt: Pair,
        values: ValueFunction,
        *,
        known: tuple[int, ...] = PLAYERS,
    ) -> None:
        self.values = values
        self.known = known
        self.state = root
        self.memory = values.begin()
        self.reach: Reach = (np.ones(root.counts[0]), np.ones(root.counts[1]))
        weight, value = self._expected(self.state, self.reach, self.memory)
        self.total = value / weight
        self._observe(dealt)

    def move(self, transition: int, pair: Pair, policy: Array | None) -> None:
        """Play a transition to `pair`; policy: [A, K] of the mover, None if chance moves.

        For a mover that is not known it is the action that was taken: one in its row, else zero.
        """
        weights, values = 0.0, 0.0
        for number, each in enumerate(self.state.expansion.transitions):
            below = self.values.after(self.memory, number)
            weight, value = self._expected(each.child, self._carried(each, policy), below)
            weights += each.factor * weight
            values += each.factor * value
        self.total += values / weights
        taken = self.state.expansion.transitions[transition]
        self.reach = self._carried(taken, policy)
        self.state = taken.child
        self.memory = self.values.after(self.memory, transition)
        self._observe(pair)

    def estimate(self) -> float:
        """What player 0 has won, at the end of the game."""
        if self.state.mover != TERMINAL:
            raise GameError("the game is not over; AIVAT estimates what was won at its end")
        return self.total

    def _carried(self, transition: Transition, policy: Array | None) -> Reach:
        """Both reaches after a transition."""
        first, second = (
            transition.carry_reach(
                player, self.reach[player], policy if self.state.mover == player else None
            )
            for player in PLAYERS
        )
        return first, second

    def _observe(self, pair: Pair) -> None:
        """Reduce the reach of a player who is not known to the infostate, and subtract u there.

        At the end of the game u is the mean payoff, which the estimate begins with: they cancel.
        """
        first, second = (
            normalised(self.reach[player])
            if player in self.known
            else _single(self.reach[player], pair[player])
            for player in PLAYERS
        )
        self.reach = first, second
        if self.state.mover != TERMINAL:
            self.total -= self._mean(self.state, self.reach, self.memory)

    def _expected(self, state: PublicState, reach: Reach, memory: Any) -> tuple[float, float]:
        """The chance weight of all that may be observed with a public state, and u times it."""
        weights, values = 0.0, 0.0
        supports = [
            [reach[player]]
            if player in self.known
            else [_single(reach[player], i) for i in np.flatnonzero(reach[player]).tolist()]
            for player in PLAYERS
        ]
        for first in supports[0]:
            for second in supports[1]:
                weight = float(first @ state.compatibility @ second)
                if weight > 0:
                    weights += weight
                    values += weight * self._mean(state, (first, second), memory)
        return weights, values

    def _mean(self, state: PublicState, reach: Reach, memory: Any) -> float:
        """The mean of u over what is not observed; at the end of the game that of the payoff."""
        if state.mover != TERMINAL:
            return self.values.value(memory, reach)
        weight = reach[0] @ state.compatibility @ reach[1]
        return float(reach[0] @ state.payoffs @ reach[1] / weight)


def _single(reach: Array, infostate: int) -> Array:
    """[K] the reach of one infostate."""
    alone = np.zeros_like(reach)
    alone[infostate] = reach[infostate]
    return alone


def taken_action(state: PublicState, infostate: int, action: int) -> Array:
    """[A, K] the policy of a mover who is not known: the action that was taken."""
    policy = np.zeros(state.expansion.legal.shape)
    policy[action, infostate] = 1
    return policy
