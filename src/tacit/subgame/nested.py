"""Nested subgame solving: answer what the blueprint does not know by solving it when it comes.

A blueprint may know only some of the actions. When the opponent takes another one, a subgame that
contains it is solved at once, and again after each of her later moves (safe and nested subgame
solving, section 6). Her alternative payoffs are what she could have had by the actions that are
known, so that taking the new one should not pay. In the *inexpensive* form the subgame starts
behind the new action; in the *full* form before it, with the known actions in it too.

A `NestedState` is one player's way through a game. An agent follows one of them, `nested_policy`
all.
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
    """The abstraction that has every action."""
    return True


@dataclass(frozen=True, kw_only=True)
class Nesting:
    """How a player answers: by which method, in which form, and when.

    `known` says which actions the blueprint has. With `always` subgames are solved after every
    move of the opponent, not only from the first unknown one on.
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


class Plan:
    """A policy [slots] for a restricted tree, and the blueprint_values of it by the player."""

    def __init__(
        self,
        tree: PublicTree,
        policy: Array,
        player: int,
        beliefs: list[tuple[Array, Array]] | None,
    ) -> None:
        self.tree = tree
        self.policy = policy
        self.player = player
        self.beliefs = beliefs

    @cached_property
    def blueprint_values(self) -> BlueprintValues:
        """Made when it is first asked for."""
        return BlueprintValues(Blueprint(self.tree, self.policy), self.player, beliefs=self.beliefs)


@dataclass(frozen=True)
class NestedState:
    """Where a player stands in a game, and by which plan.

    place: in the plan's tree; left: whether subgames are solved from here on.
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
        """[A, K] what the mover does here by the plan."""
        chosen: Array = self.plan.tree.block(self.plan.policy, self.place.node)[:, self.place.copy]
        return chosen

    def after(self, number: int) -> NestedState:
        """The course after the transition with this number, solving what has to be solved."""
        tree = self.plan.tree
        edge = tree.edges(self.place.node)[number]
        below = tree.children(self.place)[number][1]
        follows = replace(self, place=below)
        opponent = 1 - self.nesting.player
        if tree.arrays.player[self.place.node] != opponent:
            return follows
        if tree.arrays.player[below.node] == TERMINAL or not self.plan.blueprint_values.comes_to(
            self.place
        ):
            return follows
        if self._is_known(edge):
            return self._solve_below(below) if self.left else follows
        if self.nesting.form == "full":
            return self._solve_here(number, edge)
        return self._solve_new(below, edge)

    def _is_known(self, edge: int) -> bool:
        """Whether a known action of some infostate leads along an edge."""
        tree = self.plan.tree
        sources = tree.transition(edge).sources[1 - self.nesting.player]
        return bool(tree.legal(self.place.node).ravel()[sources].any())

    def _solve_below(self, below: Place) -> NestedState:
        """Solve the subgame after a known move again."""
        if not self.plan.blueprint_values.comes_to(below):
            return replace(self, place=below)
        return self._solve(self.plan.blueprint_values.at(below), self.nesting.known)

    def _solve_new(self, below: Place, edge: int) -> NestedState:
        """Solve the subgame after an unknown move; she could have had the best of the known."""
        view = self.plan.blueprint_values.at(self.place)
        transition = self.plan.tree.transition(edge)
        count = view.state.counts[view.opponent]
        sources = transition.sources[view.opponent] % count
        targets = transition.targets[view.opponent]
        state = transition.child
        own = np.zeros(state.counts[view.player])
        np.add.at(
            own,
            transition.targets[view.player],
            transition.share * view.reach[view.player][transition.sources[view.player]],
        )
        other = np.zeros(state.counts[view.opponent])
        other[np.unique(targets)] = 1.0

        def carried(vector: Array) -> Array:
            return least_gifts(state.counts[view.opponent], targets, vector[sources])

        new = SubgameRoot(
            below,
            state,
            view.player,
            (own, other) if view.player == 0 else (other, own),
            state.compatible_reach(view.opponent, own),
            carried(view.best),
            carried(view.estimate),
            carried(view.gifts),
            carried(view.whole_gifts),
        )
        return self._solve(new, self.nesting.known)

    def _solve_here(self, number: int, edge: int) -> NestedState:
        """Solve the subgame before an unknown move, with that move in it, and take it."""
        view = self.plan.blueprint_values.at(self.place)
        tree = self.plan.tree
        sources = tree.transition(edge).sources[view.opponent]
        labels = tree.labels(self.place.node)
        added = {labels[a] for a in np.unique(sources // view.state.counts[view.opponent])}

        def known(state: Any, label: str) -> bool:
            return self.nesting.known(state, label) or (state is view.state and label in added)

        solved = self._solve(view, known)
        return replace(solved, place=solved.plan.tree.children(solved.place)[number][1])

    def _solve(self, view: SubgameRoot, known: Keep) -> NestedState:
        nesting, whole = self.nesting, self.plan.tree
        tree = build_forest(whole.builder, [view.state]).restricted(known)
        found = solve_roots(whole, [view], nesting.method, nesting.budget, tree=tree)
        beliefs = list(view.reach)
        beliefs[view.opponent] = np.maximum(found.entering[0], np.where(view.weights > 0, 1e-9, 0))
        plan = Plan(tree, found.policy, nesting.player, [(beliefs[0], beliefs[1])])
        return NestedState(nesting, plan, Place(*tree.roots[0]), True)


def nested_policy(blueprint: Blueprint, nesting: Nesting) -> Array:
    """[slots] all that the player does by nested solving, written out over the whole game.

    Where the player never comes the blueprint's policy stays. The other player's is the blueprint.
    """
    tree, player = blueprint.tree, nesting.player
    written = np.array(blueprint.policy, dtype=np.float64)
    start = NestedState.start(blueprint, nesting)
    stack = [(Place(*tree.roots[0]), start)]
    while stack:
        place, course = stack.pop()
        mover = tree.arrays.player[place.node]
        if mover == TERMINAL:
            continue
        if mover == player:
            tree.block(written, place.node)[:, place.copy] = course.chosen()
        for number, (_, child) in enumerate(tree.children(place)):
            stack.append((child, course.after(number)))
    return written
