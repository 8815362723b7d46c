"""A slow, obvious way to play: the world state itself, beside the public state it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.games import CHANCE, GameError, State
from tacit.tree import PLAYERS, Builder, PublicState


@dataclass(frozen=True)
class WorldGame:
    """A world state and its public state; chance's private moves have been made."""

    world: State
    state: PublicState

    @classmethod
    def start(cls, builder: Builder, random: np.random.Generator) -> WorldGame:
        """The game's first position."""
        return cls(_settle(builder.game.initial(), [builder.root], random), builder.root)

    def infostate(self, player: int) -> int:
        """The index of the infostate that `player` is in."""
        return self.state.privates[player].index(self.world.private(player))

    def chance_action(self, random: np.random.Generator) -> int:
        """A move of chance, drawn as the rules say."""
        actions = self.world.actions()
        return actions[int(random.choice(len(actions), p=np.asarray(self.world.chance())))]

    def after(self, action: int, random: np.random.Generator) -> tuple[int, WorldGame]:
        """The position after `action`, and the number of the transition that leads there."""
        state, mover = self.state, self.world.player
        sources = [self.infostate(player) for player in PLAYERS]
        if mover != CHANCE:
            sources[mover] += state.expansion.actions.index(action) * state.counts[mover]
        possible = [
            (number, transition)
            for number, transition in enumerate(state.expansion.transitions)
            if all(np.any(transition.sources[p] == sources[p]) for p in PLAYERS)
        ]
        world = _settle(self.world.child(action), [t.child for _, t in possible], random)
        for number, transition in possible:
            child = transition.child
            if child.key != world.subgame_key():
                continue
            targets = [child.privates[p].index(world.private(p)) for p in PLAYERS]
            if all(
                np.any(
                    (transition.sources[p] == sources[p]) & (transition.targets[p] == targets[p])
                )
                for p in PLAYERS
            ):
                return number, WorldGame(world, child)
        raise GameError(f"{self.world.label(action)!r} leads out of the tree")


def _settle(world: State, targets: list[PublicState], random: np.random.Generator) -> State:
    """Draw chance's private moves, which the tree folds into the public state after them."""
    keys = {target.key for target in targets}
    while world.player == CHANCE and world.subgame_key() not in keys:
        actions = world.actions()
        weights = np.asarray(world.chance())
        world = world.child(actions[int(random.choice(len(actions), p=weights))])
    return world
