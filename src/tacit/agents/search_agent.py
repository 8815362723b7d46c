"""An agent that searches at every move with a value network (ReBeL, section 6).

It solves the subgame at the current PBS, samples one iteration, plays by that iteration's policy
until the subgame ends, and passes that iteration's beliefs down to the next one (those of its
average policy in CFR-AVG and fictitious play, as in self-play). In expectation it
plays the search's equilibrium whatever the opponent does (Theorem 3). With `safe=False` it plays
the average policy and passes its beliefs down: *unsafe* search, for comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import draw_action
from tacit.agents.position import Position
from tacit.learn.self_play import SearchSettings
from tacit.solve.leaves import Evaluator
from tacit.tree import LEAF, PLAYERS, Builder, Place, PublicState, PublicTree
from tacit.tree.beliefs import normalised

Array = NDArray[Any]


class SearchAgent:
    """Searches at every subgame's root; works for either seat."""

    def __init__(
        self,
        builder: Builder,
        evaluator: Evaluator,
        settings: SearchSettings,
        *,
        safe: bool = True,
    ) -> None:
        self.builder = builder
        self.evaluator = evaluator
        self.settings = settings
        self.safe = safe
        self.random = np.random.default_rng()
        self.place = Place(0, 0)
        self.tree: PublicTree | None = None
        self.policy: Array = np.zeros(0)
        self.reach: tuple[Array, Array] = (np.zeros(0), np.zeros(0))

    def begin(self, random: np.random.Generator) -> None:
        """Search at the start of the game."""
        self.random = random
        root = self.builder.root
        self._search(root, (np.ones(root.counts[0]), np.ones(root.counts[1])))

    def act(self, position: Position) -> int:
        """Draw from the sampled iteration's policy."""
        assert self.tree is not None
        chosen = self.tree.block(self.policy, self.place.node)[:, self.place.copy]
        return draw_action(position, chosen, self.random)

    def observe(self, transition: int, position: Position) -> None:
        """Walk on; at a leaf, search again with the beliefs that lead there."""
        assert self.tree is not None
        tree = self.tree
        self.place = tree.children(self.place)[transition][1]
        node, copy = self.place
        if tree.arrays.player[node] == LEAF:
            first, second = (
                normalised(tree.vectors(self.reach[p], p, node, values=False)[copy])
                for p in PLAYERS
            )
            beliefs = (first, second)
            if self.safe:
                beliefs = self.settings.shaken(beliefs, self.random)
            self._search(position.state, beliefs)

    def _search(self, state: PublicState, beliefs: tuple[Array, Array]) -> None:
        settings = self.settings
        tree = settings.forest(self.builder, [state])
        search = settings.begin(tree, self.evaluator, [beliefs])
        weights = settings.weights()
        last = 1 + int(self.random.choice(len(weights), p=weights))
        search.run(last if self.safe else settings.iterations)
        self.tree, self.place = tree, Place(*tree.roots[0])
        if self.safe:
            self.policy, self.reach = search.policy, search.believed_reach()
        else:
            self.policy, self.reach = search.average_policy(), search.average_reach()
