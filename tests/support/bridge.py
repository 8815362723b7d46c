"""The way between trees and the reference: places and flat arrays here, infostates there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.reference import Infostate, Policy, Reference
from tacit.games import CHANCE, Game, State
from tacit.solvers.engine import Workspace
from tacit.tree import Builder, PublicState, PublicTree
from tacit.tree.layout import Place


class UnsharedState(State):
    """A state of another game whose subgame key says everything that is public."""

    __slots__ = ("inner",)

    def __init__(self, inner: State) -> None:
        self.inner = inner

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnsharedState) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash(self.inner)

    @property
    def player(self) -> int:
        return self.inner.player

    def actions(self) -> Sequence[int]:
        return self.inner.actions()

    def chance(self) -> Sequence[float]:
        return self.inner.chance()

    def child(self, action: int) -> UnsharedState:
        return UnsharedState(self.inner.child(action))

    def payoff(self) -> float:
        return self.inner.payoff()

    def public(self) -> Hashable:
        return self.inner.public()

    def private(self, player: int) -> Hashable:
        return self.inner.private(player)

    def label(self, action: int) -> str:
        return self.inner.label(action)

    def render(self, player: int | None = None) -> str:
        return self.inner.render(player)


class Unshared(Game):
    """A game none of whose public states share a subgame key."""

    def __init__(self, game: Game) -> None:
        self.inner = game
        self.name = game.name
        self.title = game.title

    def initial(self) -> UnsharedState:
        return UnsharedState(self.inner.initial())


def publics(tree: PublicTree, *paths: Sequence[str]) -> dict[Place, Hashable]:
    """What is public at every place of a tree; `paths` lead from the first state to each root."""
    space = Builder(Unshared(tree.game))
    found: dict[Place, Hashable] = {}

    def visit(place: Place, state: PublicState) -> None:
        found[place] = state.sample.public()
        children = tree.children(place)
        if children:
            below = {t.label: t.child for t in state.expansion.transitions}
            assert list(below) == [label for label, _ in children]
            for label, child in children:
                visit(child, below[label])

    for root, path in zip(tree.roots, paths or [()], strict=True):
        visit(Place(*root), space.at(path))
    assert len(found) == tree.public_states
    return found


class Bridge:
    """A tree, the reference of its game, and which infostate stands where."""

    def __init__(self, tree: PublicTree, reference: Reference, *paths: Sequence[str]) -> None:
        self.tree = tree
        self.reference = reference
        self.publics = publics(tree, *paths)

    def infostates(self, place: Place, player: int) -> list[Infostate]:
        """The infostates of `player` at `place`, in the order of its vectors."""
        privates = self.tree.state(place.node).privates[player]
        return [(player, self.publics[place], private) for private in privates]

    def vector(self, flat: NDArray[Any], place: Place, player: int, *, values: bool) -> Any:
        return self.tree.vectors(flat, player, place.node, values=values)[place.copy]

    def expected(self, place: Place, player: int, facts: dict[Infostate, float]) -> list[float]:
        """`facts` in the order of the vector of `player` at `place`."""
        return [facts[infostate] for infostate in self.infostates(place, player)]

    def decisions(self) -> list[tuple[Place, int]]:
        """The places where a player moves, and who."""
        player = self.tree.arrays.player
        return [(p, int(player[p.node])) for p in self.publics if player[p.node] < CHANCE]

    def flat(self, policy: dict[Infostate, dict[int, float]]) -> NDArray[np.float64]:
        """A policy (or regrets, or sums) of the reference in the tree's layout."""
        flat = np.zeros(self.tree.sizes.slots)
        for place, mover in self.decisions():
            block = self.tree.block(flat, place.node)[:, place.copy]
            actions = self.tree.state(place.node).expansion.actions
            for s, infostate in enumerate(self.infostates(place, mover)):
                for a, action in enumerate(actions):
                    block[a, s] = policy[infostate].get(action, 0.0)
        return flat

    def policy(self, flat: NDArray[Any]) -> Policy:
        """A flat policy (or regrets, or sums) of the tree as the reference has it."""
        found: Policy = {}
        for place, mover in self.decisions():
            block = self.tree.block(flat, place.node)[:, place.copy]
            actions = self.tree.state(place.node).expansion.actions
            for s, infostate in enumerate(self.infostates(place, mover)):
                legal = self.reference.decisions[infostate]
                assert all(
                    action in legal or block[a, s] == 0.0 for a, action in enumerate(actions)
                )
                found[infostate] = {
                    action: float(block[a, s])
                    for a, action in enumerate(actions)
                    if action in legal
                }
        return found

    def chance_scale(self, place: Place) -> float:
        """What chance has multiplied the weights of a public state by since the game began."""
        return sum(self.reference.compatibility(self.publics[place]).values())

    def workspace(self) -> Workspace:
        return Workspace(self.tree, None, np.float64)
