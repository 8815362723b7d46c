"""Where a game that is being played stands in the tree of its solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.games import CHANCE, GameError, State
from tacit.solve import Solution
from tacit.tree import PublicState
from tacit.tree.public_tree import Place


@dataclass(frozen=True)
class Position:
    """A world state and the public state of the tree that it belongs to."""

    solution: Solution
    world: State
    place: Place

    @classmethod
    def start(cls, solution: Solution, random: np.random.Generator) -> Position:
        """The game's first position, after chance's private moves."""
        place = solution.place()
        target = solution.tree.state(place.node)
        world = _settle(solution.game.initial(), [target], random)
        return cls(solution, world, place)

    @property
    def public_state(self) -> PublicState:
        """The public state of the tree."""
        return self.solution.tree.state(self.place.node)

    def choose(self, random: np.random.Generator) -> int:
        """An action of chance, or one that the solution's policy draws for the mover."""
        actions = self.world.actions()
        if self.world.player == CHANCE:
            return actions[int(random.choice(len(actions), p=np.asarray(self.world.chance())))]
        state, mover = self.public_state, self.world.player
        column = state.find(mover, self.world.private(mover))
        chosen = self.solution.probabilities(self.place)[:, column]
        index = int(random.choice(len(chosen), p=chosen / chosen.sum()))
        return state.expansion.actions[index]

    def after(self, action: int, random: np.random.Generator) -> Position:
        """The position after `action` and the private chance that follows it."""
        state, label = self.public_state, self.world.label(action)
        children = self.solution.tree.children(self.place)
        # A child's label joins those of all actions that look like it to the public.
        likely = [
            (transition, place)
            for transition, (_, place) in zip(state.expansion.transitions, children, strict=True)
            if label in transition.label.split("#")[0].split("|") or label == transition.label
        ]
        world = _settle(self.world.child(action), [t.child for t, _ in likely], random)
        sources = [state.find(player, self.world.private(player)) for player in (0, 1)]
        mover = self.world.player
        if mover != CHANCE:
            number = state.expansion.actions.index(action)
            sources[mover] += number * state.counts[mover]
        for transition, place in likely:
            child = transition.child
            if child.key != world.subgame_key():
                continue
            targets = [child.find(player, world.private(player)) for player in (0, 1)]
            if all(
                np.any(
                    (transition.sources[p] == sources[p]) & (transition.targets[p] == targets[p])
                )
                for p in (0, 1)
            ):
                return Position(self.solution, world, place)
        raise GameError(f"{self.solution.game.name}: {label!r} leads out of the solved tree")


def _settle(world: State, targets: list[PublicState], random: np.random.Generator) -> State:
    """Draw chance's private moves, which the tree folds into the public state after them."""
    keys = {target.key for target in targets}
    while world.player == CHANCE and world.subgame_key() not in keys:
        actions = world.actions()
        weights = np.asarray(world.chance())
        world = world.child(actions[int(random.choice(len(actions), p=weights))])
    return world
