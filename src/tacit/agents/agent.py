"""What an agent is: a player of many games at once; and agents that play by a policy or a rule.

An agent's *memory* of a game is whatever it keeps between moves; it follows from the public
transitions so far and from the agent's own luck, never from anybody's infostate. So its policy can
be asked for all infostates at once, and a memory can be carried along moves that are never played.
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
    """A player of many games side by side."""

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[Any]:
        """The memories of new games, one for each; `seats` says which player the agent is."""

    def policies(self, memories: Sequence[Any]) -> list[Array]:
        """For each game, the policy [A, K] of the mover at its public state, which is no end."""

    def after(self, memories: Sequence[Any], transitions: Sequence[int]) -> list[Any]:
        """Each game's memory after one more public transition; those given stay as they are.

        Games that have just ended may be among them.
        """

    def model(self) -> Agent:
        """What an opponent who does not see this agent's luck may take it for; it has no luck."""


class PolicyAgent:
    """Plays by a policy [slots] on a whole tree; a memory is a place."""

    def __init__(self, tree: PublicTree, policy: Array) -> None:
        self.tree = tree
        self.policy = policy

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[Place]:
        """At the root."""
        return [Place(*self.tree.roots[0])] * len(seats)

    def policies(self, memories: Sequence[Place]) -> list[Array]:
        """As it is written."""
        return [self.tree.block(self.policy, node)[:, copy] for node, copy in memories]

    def after(self, memories: Sequence[Place], transitions: Sequence[int]) -> list[Place]:
        """Walk on."""
        return [self.tree.child(m, t) for m, t in zip(memories, transitions, strict=True)]

    def model(self) -> PolicyAgent:
        """Itself."""
        return self


class RuleAgent:
    """Plays by what it sees on the table alone; a memory is the public state.

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
        """By the rule, which is asked once for each public state."""
        for state in memories:
            if state not in self._known:
                self._known[state] = self.rule(state)
        return [self._known[state] for state in memories]

    def after(self, memories: Sequence[PublicState], transitions: Sequence[int]) -> list[Any]:
        """The next public state."""
        pairs = zip(memories, transitions, strict=True)
        return [state.expansion.transitions[number].child for state, number in pairs]

    def model(self) -> RuleAgent:
        """Itself."""
        return self
