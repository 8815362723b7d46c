"""Nested subgame solving: a subgame is solved when the opponent leaves the blueprint's actions.

A blueprint may have only some of the actions. When the opponent takes another one, a subgame that
contains it is solved at once, and again after each later move of the opponent (safe and nested
subgame solving, section 6). The alternative payoffs are the opponent's values by the known actions,
so that taking the new one should not pay. In the *inexpensive* form the subgame starts behind the
new action; in the *full* form before it, with the known actions in it too.

A `NestedState` is one player's position in a game. An agent follows one line of play,
`nested_policy` follows all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.subgame.abstraction import Keep
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot, least_gifts
from tacit.subgame.methods import Method, SolveBudget, find_method, solve_roots
from tacit.tree import TERMINAL, Place, PublicTree, build_forest

Array = NDArray[Any]
Form = Literal["inexpensive", "full"]


def everything(state: object, label: str) -> bool:
    """Keep every action."""
    return True


@dataclass(frozen=True, kw_only=True)
class Nesting:
    """How a player solves nested subgames: by which method, in which form, and when.

    `known`: the actions that the blueprint has. `always`: solve subgames after every move of the
    opponent, not only from the first unknown one on.
    """

    player: int
    known: Keep = everything
    method: Method | str = "reach-maxmargin"
    budget: SolveBudget = field(default_factory=SolveBudget)
    form: Form = "inexpensive"
    always: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.method, str):
            find_method(self.method)
        if self.form not in ("inexpensive", "full"):
            raise GameError(f"there is no form {self.form!r}; take inexpensive or full")


@dataclass(frozen=True, eq=False)
class Plan:
    """A policy [slots] for a restricted tree, and its values for the player."""

    tree: PublicTree
    policy: Array
    player: int
    beliefs: list[tuple[Array, Array]] | None

    @cached_property
    def values(self) -> BlueprintValues:
        """Computed when they are first needed."""
        return BlueprintValues(Blueprint(self.tree, self.policy), self.player, beliefs=self.beliefs)


@dataclass(frozen=True)
class NestedState:
    """A player's plan and its place in the plan's tree.

    left: whether the blueprint has been left, so that subgames are solved from here on.
    """

    nesting: Nesting
    plan: Plan
    place: Place
    left: bool

    @classmethod
    def start(cls, blueprint: Blueprint, nesting: Nesting) -> NestedState:
        """At the root of the game, by the blueprint."""
        tree = blueprint.tree.restricted(nesting.known)
        plan = Plan(tree, blueprint.policy, nesting.player, None)
        return cls(nesting, plan, Place(*tree.roots[0]), nesting.always)

    def chosen(self) -> Array:
        """[A, K] the mover's policy here."""
        chosen: Array = self.plan.tree.block(self.plan.policy, self.place.node)[:, self.place.copy]
        return chosen

    def after(self, number: int) -> NestedState:
        """The state after the transition with this number; solves a subgame where one is due."""
        tree, values = self.plan.tree, self.plan.values
        edge = tree.edges(self.place.node)[number]
        below = tree.child(self.place, number)
        follows = replace(self, place=below)
        opponent = 1 - self.nesting.player
        if (
            tree.arrays.player[self.place.node] != opponent
            or tree.arrays.player[below.node] == TERMINAL
            or not values.reaches(self.place)
        ):
            return follows
        sources = tree.transition(edge).sources[opponent]
        if tree.legal(self.place.node).ravel()[sources].any():  # a known action leads here
            if not self.left or not values.reaches(below):
                return follows
            return self._solve(values.at(below), self.nesting.known)
        if self.nesting.form == "full":
            return self._solve_here(number, edge)
        return self._solve_new(below, edge)

    def _solve_new(self, below: Place, edge: int) -> NestedState:
        """Solve the subgame after an unknown move; the best known action is the alternative."""
        root = self.plan.values.at(self.place)
        transition = self.plan.tree.transition(edge)
        count = root.state.counts[root.opponent]
        sources = transition.sources[root.opponent] % count
        targets = transition.targets[root.opponent]
        state = transition.child
        own = transition.carry_reach(root.player, root.reach[root.player])
        other = np.zeros(state.counts[root.opponent])
        other[np.unique(targets)] = 1.0

        def carried(vector: Array) -> Array:
            return least_gifts(state.counts[root.opponent], targets, vector[sources])

        new = SubgameRoot(
            below,
            state,
            root.player,
            (own, other) if root.player == 0 else (other, own),
            state.compatible_reach(root.opponent, own),
            carried(root.best),
            carried(root.estimate),
            carried(root.gifts),
            carried(root.whole_gifts),
        )
        return self._solve(new, self.nesting.known)

    def _solve_here(self, number: int, edge: int) -> NestedState:
        """Solve the subgame before an unknown move, with that move in it, and take it."""
        root = self.plan.values.at(self.place)
        tree = self.plan.tree
        sources = tree.transition(edge).sources[root.opponent]
        labels = tree.expansion(self.place.node).labels
        added = {labels[a] for a in np.unique(sources // root.state.counts[root.opponent])}

        def known(state: Any, label: str) -> bool:
            return self.nesting.known(state, label) or (state is root.state and label in added)

        solved = self._solve(root, known)
        return replace(solved, place=solved.plan.tree.children(solved.place)[number][1])

    def _solve(self, root: SubgameRoot, known: Keep) -> NestedState:
        nesting, whole = self.nesting, self.plan.tree
        tree = build_forest(whole.builder, [root.state]).restricted(known)
        result = solve_roots(whole, [root], nesting.method, nesting.budget, tree=tree)
        beliefs = list(root.reach)
        beliefs[root.opponent] = np.maximum(result.entering[0], np.where(root.weights > 0, 1e-9, 0))
        plan = Plan(tree, result.policy, nesting.player, [(beliefs[0], beliefs[1])])
        return NestedState(nesting, plan, Place(*tree.roots[0]), True)


def nested_policy(blueprint: Blueprint, nesting: Nesting) -> Array:
    """[slots] the player's policy by nested solving over the whole game.

    The blueprint's policy stays where the player never comes, and for the opponent.
    """
    tree, player = blueprint.tree, nesting.player
    written = np.array(blueprint.policy, dtype=np.float64)
    stack = [(Place(*tree.roots[0]), NestedState.start(blueprint, nesting))]
    while stack:
        place, state = stack.pop()
        mover = tree.arrays.player[place.node]
        if mover == TERMINAL:
            continue
        if mover == player:
            tree.block(written, place.node)[:, place.copy] = state.chosen()
        for number, (_, child) in enumerate(tree.children(place)):
            stack.append((child, state.after(number)))
    return written
