"""An agent that searches at every move with a value network (ReBeL, section 6), in many games.

It solves the subgame at the current PBS, samples one iteration, plays by that iteration's policy
until the subgame ends, and passes that iteration's beliefs down to the next one (those of its
average policy in CFR-AVG and fictitious play, as in self-play). In expectation it plays the
search's equilibrium against any opponent (Theorem 3). With `safe=False` it plays the average policy
and passes its beliefs down: *unsafe* search, for comparison.

Each game has its own sampled iterations. Searches that are due at the same time are one forest.
Games at the same PBS that have sampled the same iteration share a search, so the first search of
the game runs at most once for each iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.agents.agent import Agent
from tacit.learn.settings import SearchSettings
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Evaluator
from tacit.tree import LEAF, PLAYERS, Builder, Place, PublicTree
from tacit.tree.pbs import PBS, first_pbs, normalised

Array = NDArray[Any]
FOREST = 512
"""Largest number of subgames in one forest."""


@dataclass(frozen=True)
class _Plan:
    """The policy of a forest of searches, and the reaches whose beliefs are passed down."""

    tree: PublicTree
    policy: Array
    reach: tuple[Array, Array]


@dataclass
class _Memory:
    """A place in a plan; at a leaf, or before the game's first search, a search is due."""

    plan: _Plan | None
    place: Place

    @property
    def due(self) -> bool:
        return self.plan is None or self.plan.tree.arrays.player[self.place.node] == LEAF


class SearchAgent(Agent):
    """Searches at every subgame's root; with `safe=False` it plays the average policy."""

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
        self.searches = 0
        """Number of subgames solved so far."""

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[_Memory]:
        """Before the first search."""
        self.random = random
        return [_Memory(None, Place(0, 0)) for _ in seats]

    def policies(self, memories: Sequence[_Memory]) -> list[Array]:
        """Of each game's sampled iteration, or of the average."""
        self._catch_up(memories)
        results = []
        for memory in memories:
            assert memory.plan is not None
            block = memory.plan.tree.block(memory.plan.policy, memory.place.node)
            results.append(block[:, memory.place.copy])
        return results

    def after(self, memories: Sequence[_Memory], transitions: Sequence[int]) -> list[_Memory]:
        """The next places; a search that is due there runs when its policy is asked."""
        self._catch_up(memories)
        results = []
        for memory, transition in zip(memories, transitions, strict=True):
            assert memory.plan is not None
            results.append(_Memory(memory.plan, memory.plan.tree.child(memory.place, transition)))
        return results

    def model(self) -> SearchAgent:
        """Plays the average policy of each search and passes its beliefs down.

        In the first subgame this is exactly the agent's mean policy. Below it is not, because the
        agent's beliefs are those of a sampled iteration that only it knows.
        """
        return SearchAgent(self.builder, self.evaluator, self.settings, safe=False)

    def _catch_up(self, memories: Sequence[_Memory]) -> None:
        """Run the searches that are due."""
        due = [memory for memory in {id(m): m for m in memories}.values() if memory.due]
        weights = self.settings.weights()
        when = np.full(len(due), self.settings.iterations)
        if self.safe and due:
            when = self.random.choice(len(weights), size=len(due), p=weights) + 1
        groups: dict[tuple[int, Place, int], list[_Memory]] = {}
        for memory, iteration in zip(due, when.tolist(), strict=True):
            groups.setdefault((id(memory.plan), memory.place, iteration), []).append(memory)
        jobs = list(groups.items())
        for first in range(0, len(jobs), FOREST):
            self._search(jobs[first : first + FOREST])

    def _search(self, jobs: list[tuple[tuple[int, Place, int], list[_Memory]]]) -> None:
        starts = [self._pbs(memories[0]) for _, memories in jobs]
        when = np.array([iteration for (_, _, iteration), _ in jobs])
        tree = self.settings.forest(self.builder, [pbs.state for pbs in starts])
        search = self.settings.begin(tree, self.evaluator, [pbs.beliefs for pbs in starts])
        if self.safe:
            plan = _sampled_plan(search, when)
        else:
            search.run(self.settings.iterations)
            first, second = search.average_reach()
            policy = search.average_policy().astype(np.float32)
            plan = _Plan(tree, policy, (first.copy(), second.copy()))
        for root, (_, memories) in zip(tree.roots, jobs, strict=True):
            for memory in memories:
                memory.plan, memory.place = plan, root
        self.searches += len(jobs)

    def _pbs(self, memory: _Memory) -> PBS:
        """The PBS at which a search is due."""
        if memory.plan is None:
            return first_pbs(self.builder.root)
        (node, copy), tree = memory.place, memory.plan.tree
        first, second = (
            normalised(tree.vectors(memory.plan.reach[p], p, node, values=False)[copy])
            for p in PLAYERS
        )
        beliefs = (first, second)
        if self.safe:
            beliefs = self.settings.shaken(beliefs, self.random)
        return PBS(tree.state(node), beliefs)


def _sampled_plan(search: Solver, when: NDArray[np.int64]) -> _Plan:
    """Run a search; the plan has the policy of iteration `when[r]` in the subgame of root r."""
    tree = search.tree
    slots, entries = _owners(search)
    policy = np.zeros_like(search.policy)
    reach = (np.zeros_like(search.work.reach[0]), np.zeros_like(search.work.reach[1]))

    def keep(iteration: int) -> None:
        chosen = when == iteration
        if chosen.any():
            np.copyto(policy, search.policy, where=chosen[slots])
            believed = search.believed_reach()
            for p in PLAYERS:
                np.copyto(reach[p], believed[p], where=chosen[entries[p]])

    search.run(int(when.max()), each=keep)
    return _Plan(tree, policy, reach)


def _owners(search: Solver) -> tuple[NDArray[np.int32], list[NDArray[np.int32]]]:
    """[slots] and, for each player, [reach buffer]: the root number of each entry."""
    tree, arrays = search.tree, search.tree.arrays
    above = [np.zeros(int(copies), dtype=np.int32) for copies in arrays.copies]
    for number, root in enumerate(tree.roots):
        above[root.node][root.copy] = number
    slots = np.zeros(len(search.policy), dtype=np.int32)
    entries = [np.zeros(len(search.work.reach[p]), dtype=np.int32) for p in PLAYERS]
    for node in range(tree.nodes):
        first = int(arrays.edge_start[node])
        for edge in range(first, first + int(arrays.edge_count[node])):
            copy = int(arrays.edge_copy[edge])
            above[arrays.edge_child[edge]][copy : copy + len(above[node])] = above[node]
        if arrays.action_count[node]:
            tree.block(slots, node)[:] = above[node][:, None]
        for p in PLAYERS:
            tree.vectors(entries[p], p, node, values=False)[:] = above[node][:, None]
    return slots, entries
