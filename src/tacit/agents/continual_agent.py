"""An agent that plays by continual re-solving with a growing tree (Student of Games)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Evaluator
from tacit.subgame.continual import Position, first_position, resolve
from tacit.tree import Builder

Array = NDArray[Any]


class ContinualAgent:
    """Searches at each of its moves and plays the average policy; a memory is a position.

    Games at the same position share a search. safe: see `tacit.subgame.continual`. greedy: it
    plays the most likely action instead, which is for games with nothing hidden.
    """

    def __init__(
        self,
        builder: Builder,
        evaluator: Evaluator,
        settings: GrowingSettings,
        *,
        safe: bool = True,
        share: float = 0.5,
        greedy: bool = False,
    ) -> None:
        self.builder = builder
        self.evaluator = evaluator
        self.settings = settings
        self.safe = safe
        self.share = share
        self.greedy = greedy
        self.random = np.random.default_rng(0)
        self.searches = 0
        """Number of searches so far."""

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[list[Position]]:
        """At the start of the game."""
        self.random = random
        return [[first_position(self.builder)] for _ in seats]

    def policies(self, memories: Sequence[list[Position]]) -> list[Array]:
        """The average policies of the searches at each game's public state."""
        due = [memory for memory in memories if not memory[0].searched]
        if due:
            found = resolve(
                self.builder, [memory[0] for memory in due], self.evaluator, self.settings,
                random=self.random, safe=self.safe, share=self.share,
            )  # fmt: skip
            self.searches += len({memory[0].key for memory in due})
            for memory, position in zip(due, found, strict=True):
                memory[0] = position
        policies = [memory[0].policy for memory in memories]
        if self.greedy:
            return [np.eye(len(policy))[:, policy.argmax(axis=0)] for policy in policies]
        return policies

    def after(
        self, memories: Sequence[list[Position]], transitions: Sequence[int]
    ) -> list[list[Position]]:
        """The next positions.

        An agent that is not safe takes the opponent's range from a search at the opponent's move.
        """
        if not self.safe:
            self.policies([memory for memory in memories if memory[0].state.mover < CHANCE])
        pairs = zip(memories, transitions, strict=True)
        return [[memory[0].after(number)] for memory, number in pairs]

    def model(self) -> ContinualAgent:
        """The same agent with random numbers of its own."""
        return ContinualAgent(
            self.builder, self.evaluator, self.settings, safe=self.safe, share=self.share,
            greedy=self.greedy,
        )  # fmt: skip
