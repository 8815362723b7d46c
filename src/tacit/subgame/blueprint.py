"""Blueprints: a policy for a whole game, and what it says about each of its subgames.

For a subgame at a public state, seen by the player who solves it again, a blueprint tells both
reaches there, what each of the opponent's infostates gets at best against it (its *counterfactual
best-response value*, CBV), what it was estimated to get, and the *gifts*: what the opponent has
given away on the way by not playing her best (safe and nested subgame solving, sections 3 to 5).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Beliefs
from tacit.solvers.solution import Solution
from tacit.tree import TERMINAL, Place, PublicState, PublicTree
from tacit.tree.passes import BEST, EXPECT

Array = NDArray[Any]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Blueprint:
    """A policy [slots] on the tree of a whole game.

    `response` [slots] is what each player's values are estimated by, when the other follows the
    policy: the last iteration of the solver that made it, or a best response within its
    abstraction. Without one it is the policy itself.
    """

    tree: PublicTree = field(repr=False)
    policy: Array = field(repr=False)
    response: Array | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for policy in (self.policy, self.response):
            if policy is not None and policy.shape != (self.tree.sizes.slots,):
                raise GameError(
                    f"a blueprint of {self.tree.game.name} has {self.tree.sizes.slots:,} slots, "
                    f"this one has shape {policy.shape}; it is of another game"
                )

    @classmethod
    def of(cls, solution: Solution) -> Blueprint:
        """A solution as a blueprint; its solver's last policy estimates values."""
        return cls(solution.tree, solution.policy, solution.memory.get("policy"))

    def estimating(self, player: int) -> Array:
        """[slots] the policy, with `player`'s response in it."""
        if self.response is None:
            return self.policy
        return with_player(self.tree, self.policy, self.response, player)


def with_player(tree: PublicTree, policy: Array, other: Array, player: int) -> Array:
    """[slots] `policy` with what `player` does taken from `other`."""
    mixed = policy.copy()
    for node in np.flatnonzero(tree.arrays.player == player).tolist():
        tree.block(mixed, node)[:] = tree.block(other, node)
    return mixed


@dataclass(frozen=True)
class SubgameRoot:
    """A blueprint at one public state, as the player who solves the subgame there sees it.

    reach: both players' [K_p]; of the opponent's K infostates, weights: how likely each is by
    chance and the player's reach, best: CBV, estimate: its estimate, gifts: shared among all
    subgames as the opponent's luck has it (`split`), whole_gifts: all of them given to this one.
    Values are expected ones, NaN where the opponent cannot be.
    """

    place: Place
    state: PublicState = field(repr=False)
    player: int
    reach: tuple[Vector, Vector] = field(repr=False)
    weights: Vector = field(repr=False)
    best: Vector
    estimate: Vector = field(repr=False)
    gifts: Vector
    whole_gifts: Vector = field(repr=False)

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.player


class BlueprintValues:
    """A blueprint looked over once for all subgames of one player.

    `beliefs`: both reaches at its root, if that is not the start of the game.
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
        self._best = BestResponse(self.tree, blueprint.policy, beliefs=beliefs)
        self._estimate = BestResponse(
            self.tree, blueprint.estimating(self.opponent), beliefs=beliefs
        )
        self._in_parts = len(self.tree.order.parts) > 0
        self._losses: dict[tuple[Place, int], Vector] = {}
        if not self._in_parts:
            self._best.visit(player, EXPECT)
            self._best.visit(self.opponent, BEST)
            self._estimate.visit(self.opponent, EXPECT)

    def value(self) -> float:
        """What the opponent's best response to the whole blueprint gets."""
        return self._best.value(self.opponent, BEST)

    def at(self, place: Place) -> SubgameRoot:
        """The blueprint at a public state; GameError if its player never comes there."""
        if self._in_parts:
            self._best.look(self.opponent, place.node, BEST)
            self._estimate.look(self.opponent, place.node, EXPECT)
        state = self.tree.state(place.node)
        if state.mover == TERMINAL:
            raise GameError("the game is over at this public state; there is nothing to solve")
        reach = tuple(
            self.tree.vectors(self._best.work.reach[p], p, place.node, values=False)[
                place.copy
            ].copy()
            for p in (0, 1)
        )
        weights = state.compatible_reach(self.opponent, reach[self.player])
        if not weights.max(initial=0.0) > 0:
            raise GameError(
                f"the blueprint never reaches this public state: player {self.player + 1} does not "
                "come here with any infostate; choose another one"
            )
        best = self._best.expected(self.opponent, place.node)[place.copy]
        estimate = self._estimate.expected(self.opponent, place.node)[place.copy]
        gifts, whole = self._gifts(place, weights)
        return SubgameRoot(
            place, state, self.player, (reach[0], reach[1]), weights, best, estimate, gifts, whole
        )

    def comes_to(self, place: Place) -> bool:
        """Whether the player comes to a public state by the blueprint, and the game goes on."""
        state = self.tree.state(place.node)
        if self._in_parts:
            self._best.look(self.opponent, place.node, BEST)
        reach = self.tree.vectors(
            self._best.work.reach[self.player], self.player, place.node, values=False
        )
        weights = state.compatible_reach(self.opponent, reach[place.copy])
        return state.mover != TERMINAL and bool(weights.max(initial=0.0) > 0)

    def names(self, place: Place) -> str:
        """The moves from the root to a public state."""
        return " ".join(self.tree.transition(edge).label for _, edge in self.tree.path_to(place))

    def _gifts(self, place: Place, weights: Vector) -> tuple[Vector, Vector]:
        """[K], [K]: what the opponent has given away on the way to `place`.

        At an infostate of hers on the way, an action worth less than the best gives the difference
        away. Expected, each subgame that follows may take that much: how likely she is to come
        there, given the infostate, makes the shares sum to one gift. The whole gift, in
        counterfactual value, is more for each. Of several ways into a merged infostate the one
        with the least gifts counts.
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
                cfv, mass = self._loss(here)
                lost = cfv.ravel()[sources]
                scaled = scale * lost
                above = mass[sources % old]
                loss = np.divide(lost, above, out=np.zeros(len(lost)), where=above > 0)
            below = transition.child.counts[self.opponent]
            split = least_gifts(below, targets, split[sources % old] + loss)
            whole = least_gifts(below, targets, whole[sources % old] + scaled)
            scale *= transition.factor
        mass = scale * weights
        return split, np.divide(whole, mass, out=np.zeros(len(whole)), where=mass > 0)

    def _loss(self, place: Place) -> tuple[Vector, Vector]:
        """[A, K] what each action of hers loses in counterfactual value, and her weights [K]."""
        if (place, 0) not in self._losses:
            node, responder = place.node, self._best
            if self._in_parts:
                responder.look(self.opponent, node, BEST)
            state, arrays = self.tree.state(node), self.tree.arrays
            flat = responder.work.values[self.opponent]
            count = state.counts[self.opponent]
            worth = np.zeros(int(arrays.action_count[node]) * count)
            for number, transition in enumerate(self.tree.expansion(node).transitions):
                child = self.tree.child(place, number)
                below = self.tree.vectors(flat, self.opponent, child.node, values=True)
                worth += transition.carry_values(self.opponent, below[child.copy], len(worth))
            legal = self.tree.expansion(node).legal.ravel()
            best = self.tree.vectors(flat, self.opponent, node, values=True)[place.copy]
            lost = np.where(legal, np.tile(best, len(worth) // count) - worth, 0.0)
            reach = self.tree.vectors(
                responder.work.reach[self.player], self.player, node, values=False
            )[place.copy]
            self._losses[place, 0] = np.maximum(lost, 0.0).reshape(-1, count)
            self._losses[place, 1] = state.compatible_reach(self.opponent, reach)
        return self._losses[place, 0], self._losses[place, 1]


def least_gifts(count: int, targets: Array, gifts: Vector) -> Vector:
    """[count] the least of the gifts that come to each target; zero where none do."""
    least = np.full(count, np.inf)
    np.minimum.at(least, targets, gifts)
    return np.where(np.isfinite(least), least, 0.0)
