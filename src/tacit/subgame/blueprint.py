"""Blueprints: a policy for a whole game, and its values at the roots of subgames.

To solve a subgame again, a player needs four things from the blueprint: both reaches at its root,
the *counterfactual best-response value* (CBV) of each of the opponent's infostates, an estimate of
its value in equilibrium, and its *gifts*: what the opponent lost on the path to the subgame by not
playing a best response (safe and nested subgame solving, sections 3 to 5).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Beliefs
from tacit.solvers.solution import Solution
from tacit.tree import TERMINAL, Place, PublicState, PublicTree
from tacit.tree.kernels.passes import BEST, EXPECT

Array = NDArray[Any]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Blueprint:
    """A policy [slots] on the tree of a whole game.

    `response` [slots]: each player's policy by which its values against the blueprint are
    estimated, such as the solver's last iteration or a best response within the abstraction. By
    default the policy itself.
    """

    tree: PublicTree = field(repr=False)
    policy: Array = field(repr=False)
    response: Array | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for policy in (self.policy, self.response):
            if policy is not None and policy.shape != (self.tree.sizes.slots,):
                raise GameError(
                    f"a blueprint of {self.tree.game.name} has {self.tree.sizes.slots:,} slots, "
                    f"this one has shape {policy.shape}; it belongs to another game"
                )

    @classmethod
    def of(cls, solution: Solution) -> Blueprint:
        """The blueprint of a solution, with the solver's last policy as `response`."""
        return cls(solution.tree, solution.policy, solution.memory.get("policy"))

    def estimating(self, player: int) -> Array:
        """[slots] the policy in which `player` plays its response."""
        if self.response is None:
            return self.policy
        return with_player(self.tree, self.policy, self.response, player)


def with_player(tree: PublicTree, policy: Array, other: Array, player: int) -> Array:
    """[slots] `policy` in which `player` plays by `other`."""
    mixed = policy.copy()
    for node in np.flatnonzero(tree.arrays.player == player).tolist():
        tree.block(mixed, node)[:] = tree.block(other, node)
    return mixed


@dataclass(frozen=True)
class SubgameRoot:
    """A public state where `player` solves a subgame again, with the blueprint's values there.

    reach: [K_p] of both players. The other arrays have an entry for each of the opponent's
    infostates [K]. best: CBV; estimate: the estimated value; gifts: those of the path, split among
    all subgames behind it; whole_gifts: unsplit. Values are expected values, NaN where the weight
    is zero.
    """

    place: Place
    state: PublicState = field(repr=False)
    player: int
    reach: tuple[Vector, Vector] = field(repr=False)
    best: Vector
    estimate: Vector = field(repr=False)
    gifts: Vector
    whole_gifts: Vector = field(repr=False)

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.player

    @cached_property
    def weights(self) -> Vector:
        """[K] the compatible reach of chance and the player."""
        return self.state.compatible_reach(self.opponent, self.reach[self.player])


class BlueprintValues:
    """The values of a blueprint at every subgame that `player` may solve again.

    `beliefs`: both reaches at the tree's root, if that is not the start of the game. They are
    computed when they are first needed.
    """

    def __init__(
        self, blueprint: Blueprint, player: int, *, beliefs: Beliefs | None = None
    ) -> None:
        if player not in (0, 1):
            raise GameError(f"there is no player {player}; the players are 0 and 1")
        self.blueprint = blueprint
        self.tree = blueprint.tree
        self.player = player
        self.opponent = 1 - player
        self.beliefs = beliefs
        self._in_parts = len(self.tree.order.parts) > 0
        self._losses: dict[Place, tuple[Vector, Vector]] = {}

    @cached_property
    def _best(self) -> BestResponse:
        best = BestResponse(self.tree, self.blueprint.policy, beliefs=self.beliefs, keep_both=True)
        if not self._in_parts:
            best.visit(self.player, EXPECT)
            best.visit(self.opponent, BEST)
        return best

    @cached_property
    def _estimate(self) -> BestResponse:
        policy = self.blueprint.estimating(self.opponent)
        estimate = BestResponse(self.tree, policy, beliefs=self.beliefs, keep_both=True)
        if not self._in_parts:
            estimate.visit(self.opponent, EXPECT)
        return estimate

    def value(self) -> float:
        """The value of the opponent's best response to the whole blueprint."""
        return self._best.value(self.opponent, BEST)

    def at(self, place: Place) -> SubgameRoot:
        """The root of a subgame; GameError if the player never reaches it."""
        state = self.tree.state(place.node)
        if state.mover == TERMINAL:
            raise GameError("the game is over at this public state; there is nothing to solve")
        weights = self._weights(place)
        if not weights.max(initial=0.0) > 0:
            raise GameError(
                f"the blueprint never reaches this public state: player {self.player + 1} does not "
                "come here with any infostate; choose another one"
            )
        if self._in_parts:
            self._estimate.look(self.opponent, place.node, EXPECT)
        reach = (self._reach(0, place).copy(), self._reach(1, place).copy())
        best = self._best.expected(self.opponent, place.node)[place.copy]
        estimate = self._estimate.expected(self.opponent, place.node)[place.copy]
        gifts = self._gifts(place, weights)
        return SubgameRoot(place, state, self.player, reach, best, estimate, *gifts)

    def reaches(self, place: Place) -> bool:
        """Whether the player reaches a public state by the blueprint, and it is not terminal."""
        terminal = self.tree.arrays.player[place.node] == TERMINAL
        return not terminal and bool(self._weights(place).max(initial=0.0) > 0)

    def _reach(self, player: int, place: Place) -> Vector:
        """[K] a view of the reach of `player`."""
        flat = self._best.work.reach[player]
        reach: Vector = self.tree.vectors(flat, player, place.node, values=False)[place.copy]
        return reach

    def _weights(self, place: Place) -> Vector:
        """[K] the compatible reach of chance and the player at the opponent's infostates."""
        if self._in_parts:
            self._best.look(self.opponent, place.node, BEST)
        reach = self._reach(self.player, place)
        return self.tree.state(place.node).compatible_reach(self.opponent, reach)

    def names(self, place: Place) -> str:
        """The moves from the root to a public state."""
        return " ".join(self.tree.transition(edge).label for _, edge in self.tree.path_to(place))

    def _gifts(self, place: Place, weights: Vector) -> tuple[Vector, Vector]:
        """[K], [K]: the opponent's gifts on the path to `place`, split and whole.

        An action that is worth less than the best one at the opponent's infostate loses the
        difference. As an expected value it is split: weighted by the probability of reaching each
        subgame from that infostate, the shares sum to one gift. The whole gift is the loss in
        counterfactual value. Where infostates merge, the least gift counts.
        """
        path = self.tree.path_to(place)
        start = path[0][0].node if path else place.node
        count = self.tree.state(start).counts[self.opponent]
        split, whole, scale = np.zeros(count), np.zeros(count), 1.0
        for here, number in path:
            transition = self.tree.transition(number)
            sources = transition.sources[self.opponent]
            targets = transition.targets[self.opponent]
            old = self.tree.state(here.node).counts[self.opponent]
            loss = scaled = np.zeros(1)
            if self.tree.arrays.player[here.node] == self.opponent:
                cfv_losses, above = self._loss(here)
                cfv_loss = cfv_losses.ravel()[sources]
                scaled = scale * cfv_loss
                loss = quotient(cfv_loss, above[sources % old])
            below = transition.child.counts[self.opponent]
            split = least_gifts(below, targets, split[sources % old] + loss)
            whole = least_gifts(below, targets, whole[sources % old] + scaled)
            scale *= transition.factor
        return split, quotient(whole, scale * weights)

    def _loss(self, place: Place) -> tuple[Vector, Vector]:
        """[A, K] the opponent's loss in counterfactual value by action, and its weights [K]."""
        if place not in self._losses:
            weights = self._weights(place)
            expansion, flat = self.tree.expansion(place.node), self._best.work.values[self.opponent]
            values = np.zeros(expansion.legal.size)
            for number, transition in enumerate(expansion.transitions):
                child = self.tree.child(place, number)
                below = self.tree.vectors(flat, self.opponent, child.node, values=True)
                values += transition.carry_values(self.opponent, below[child.copy], len(values))
            best = self.tree.vectors(flat, self.opponent, place.node, values=True)[place.copy]
            losses = np.where(expansion.legal, best - values.reshape(-1, len(weights)), 0.0)
            self._losses[place] = np.maximum(losses, 0.0), weights
        return self._losses[place]


def quotient(values: Vector, weights: Vector) -> Vector:
    """[K] `values` / `weights`; zero where the weight is zero."""
    result: Vector = np.divide(values, weights, out=np.zeros(len(values)), where=weights > 0)
    return result


def least_gifts(count: int, targets: Array, gifts: Vector) -> Vector:
    """[count] the least gift that is carried to each target; zero where there is none."""
    least = np.full(count, np.inf)
    np.minimum.at(least, targets, gifts)
    return np.where(np.isfinite(least), least, 0.0)
