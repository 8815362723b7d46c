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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.subgame.abstraction import Keep
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot, least_gifts
from tacit.subgame.methods import Method, SolveBudget, find_method, solve_roots
from tacit.tree import TERMINAL, Place, Transition, build_forest

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


@dataclass(frozen=True)
class NestedState:
    """A player's policy with its values on a restricted tree, and a place in that tree.

    left: whether the blueprint has been left, so that subgames are solved from here on.
    """

    nesting: Nesting
    values: BlueprintValues
    place: Place
    left: bool

    @classmethod
    def start(cls, blueprint: Blueprint, nesting: Nesting) -> NestedState:
        """At the root of the game, by the blueprint."""
        tree = blueprint.tree.restricted(nesting.known)
        values = BlueprintValues(Blueprint(tree, blueprint.policy), nesting.player)
        return cls(nesting, values, tree.roots[0], nesting.always)

    def chosen(self) -> Array:
        """[A, K] the mover's policy here."""
        block = self.values.tree.block(self.values.blueprint.policy, self.place.node)
        chosen: Array = block[:, self.place.copy]
        return chosen

    def after(self, number: int) -> NestedState:
        """The state after the transition with this number; solves a subgame where one is due."""
        values, tree = self.values, self.values.tree
        below = tree.child(self.place, number)
        follows = replace(self, place=below)
        opponent = values.opponent
        if (
            tree.arrays.player[self.place.node] != opponent
            or tree.arrays.player[below.node] == TERMINAL
            or not values.reaches(self.place)
        ):
            return follows
        transition = tree.expansion(self.place.node).transitions[number]
        if tree.legal(self.place.node).ravel()[transition.sources[opponent]].any():
            # A known action leads here.
            if not self.left or not values.reaches(below):
                return follows
            return self._solve(values.at(below), self.nesting.known)
        root = values.at(self.place)
        if self.nesting.form == "full":
            solved = self._solve(root, self._known_and(root, transition))
            return replace(solved, place=solved.values.tree.child(solved.place, number))
        return self._solve(_behind(root, transition, below), self.nesting.known)

    def _known_and(self, root: SubgameRoot, transition: Transition) -> Keep:
        """The known actions, and at `root` those that lead along a transition."""
        actions = transition.sources[root.opponent] // root.state.counts[root.opponent]
        labels = self.values.tree.expansion(self.place.node).labels
        added = {labels[action] for action in np.unique(actions)}
        return lambda state, label: (
            self.nesting.known(state, label) or (state is root.state and label in added)
        )

    def _solve(self, root: SubgameRoot, known: Keep) -> NestedState:
        nesting, whole = self.nesting, self.values.tree
        tree = build_forest(whole.builder, [root.state]).restricted(known)
        result = solve_roots(whole, [root], nesting.method, nesting.budget, tree=tree)
        beliefs = list(root.reach)
        beliefs[root.opponent] = np.maximum(result.entering[0], np.where(root.weights > 0, 1e-9, 0))
        blueprint = Blueprint(tree, result.policy)
        values = BlueprintValues(blueprint, nesting.player, beliefs=[(beliefs[0], beliefs[1])])
        return NestedState(nesting, values, tree.roots[0], True)


def _behind(root: SubgameRoot, transition: Transition, below: Place) -> SubgameRoot:
    """The root behind an unknown move; the best known action is the alternative to it."""
    opponent, state = root.opponent, transition.child
    sources = transition.sources[opponent] % root.state.counts[opponent]
    targets = transition.targets[opponent]
    own = transition.carry_reach(root.player, root.reach[root.player])
    other = np.zeros(state.counts[opponent])
    other[targets] = 1.0
    reach = (own, other) if root.player == 0 else (other, own)
    carried = (
        least_gifts(state.counts[opponent], targets, vector[sources])
        for vector in (root.best, root.estimate, root.gifts, root.whole_gifts)
    )
    return SubgameRoot(below, state, root.player, reach, *carried)


def nested_policy(blueprint: Blueprint, nesting: Nesting) -> Array:
    """[slots] the player's policy by nested solving over the whole game.

    The blueprint's policy stays where the player never comes, and for the opponent.
    """
    tree, player = blueprint.tree, nesting.player
    written = np.array(blueprint.policy, dtype=np.float64)
    stack = [(tree.roots[0], NestedState.start(blueprint, nesting))]
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
