"""The protocol of agents, which play many games at once, and agents by a policy or a rule.

An agent's *memory* of a game is all that it keeps between moves. It depends on the public
transitions so far and on the agent's own random numbers, never on an infostate. So an agent answers
its policy for all infostates at once, and a memory can be carried along moves that are not played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tacit.tree import Builder, Place, PublicState, PublicTree

Array = NDArray[Any]


class Agent(Protocol):
    """A player of many games in parallel."""

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[Any]:
        """The memories of new games, one for each of `seats`, the player that the agent is."""

    def policies(self, memories: Sequence[Any]) -> list[Array]:
        """For each game, the mover's policy [A, K] at its public state, which is not terminal."""

    def after(self, memories: Sequence[Any], transitions: Sequence[int]) -> list[Any]:
        """Each game's memory after one more public transition; the given ones are not changed.

        Games may have just ended.
        """

    def model(self) -> Agent:
        """A deterministic model of this agent, for opponents who do not see its random numbers.

        By default the agent itself.
        """
        return self


class PolicyAgent(Agent):
    """Plays by a policy [slots] on a whole tree; a memory is a place."""

    def __init__(self, tree: PublicTree, policy: Array) -> None:
        self.tree = tree
        self.policy = policy

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[Place]:
        """At the root."""
        return [self.tree.roots[0]] * len(seats)

    def policies(self, memories: Sequence[Place]) -> list[Array]:
        """From the tree's policy."""
        return [self.tree.block(self.policy, node)[:, copy] for node, copy in memories]

    def after(self, memories: Sequence[Place], transitions: Sequence[int]) -> list[Place]:
        """The next places."""
        return [self.tree.child(m, t) for m, t in zip(memories, transitions, strict=True)]


class RuleAgent(Agent):
    """Plays by a rule on public states; a memory is the public state.

    `rule` gives the policy [A, K] of the mover at a public state.
    """

    def __init__(self, builder: Builder, rule: Callable[[PublicState], Array]) -> None:
        self.builder = builder
        self.rule = rule
        self._known: WeakKeyDictionary[PublicState, Array] = WeakKeyDictionary()

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[PublicState]:
        """At the root."""
        return [self.builder.root] * len(seats)

    def policies(self, memories: Sequence[PublicState]) -> list[Array]:
        """By the rule, which is called once for each public state."""
        for state in memories:
            if state not in self._known:
                self._known[state] = self.rule(state)
        return [self._known[state] for state in memories]

    def after(self, memories: Sequence[PublicState], transitions: Sequence[int]) -> list[Any]:
        """The next public state."""
        pairs = zip(memories, transitions, strict=True)
        return [state.expansion.transitions[number].child for state, number in pairs]
