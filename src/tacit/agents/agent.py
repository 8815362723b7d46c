"""What an agent is, and the agent that follows a policy for the whole game."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.agents.position import Position
from tacit.tree import Place, PublicTree


class Agent(Protocol):
    """A player. It is told of every public transition, its own moves' too."""

    def begin(self, random: np.random.Generator) -> None:
        """A new game starts; `random` is the agent's own luck."""

    def act(self, position: Position) -> int:
        """An action for the mover at `position`; it may look only at what the mover knows."""

    def observe(self, transition: int, position: Position) -> None:
        """The game went on by this transition; it may look only at the public state."""


class PolicyAgent:
    """Plays by a policy [slots] on a whole tree."""

    def __init__(self, tree: PublicTree, policy: NDArray[np.float64]) -> None:
        self.tree = tree
        self.policy = policy
        self.random = np.random.default_rng()
        self.place = Place(*tree.roots[0])

    def begin(self, random: np.random.Generator) -> None:
        """Back to the root."""
        self.random = random
        self.place = Place(*self.tree.roots[0])

    def act(self, position: Position) -> int:
        """Draw from the policy."""
        chosen = self.tree.block(self.policy, self.place.node)[:, self.place.copy]
        return draw_action(position, chosen, self.random)

    def observe(self, transition: int, position: Position) -> None:
        """Walk on."""
        self.place = self.tree.children(self.place)[transition][1]


def draw_action(position: Position, policy: NDArray[Any], random: np.random.Generator) -> int:
    """An action of the mover by `policy` [A, K] at its public state."""
    chosen = policy[:, position.infostate(position.world.player)].astype(np.float64)
    return position.state.expansion.actions[
        int(random.choice(len(chosen), p=chosen / chosen.sum()))
    ]
