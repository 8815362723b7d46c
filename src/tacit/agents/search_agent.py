"""An agent that searches at every move with a value network (ReBeL, section 6), in many games.

It solves the subgame at the current PBS, samples one iteration, plays by that iteration's policy
until the subgame ends, and passes that iteration's beliefs down to the next one (those of its
average policy in CFR-AVG and fictitious play, as in self-play). In expectation it plays the
search's equilibrium whatever the opponent does (Theorem 3). With `safe=False` it plays the average
policy and passes its beliefs down: *unsafe* search, for comparison.

Each game has its own sampled iterations. The searches that are due at the same moment are one
forest, and games that stand at the same PBS and have sampled the same iteration share a search: the
first one of the game is done once for each iteration at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.learn.settings import SearchSettings
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Evaluator
from tacit.tree import LEAF, PLAYERS, Builder, Place, PublicTree
from tacit.tree.beliefs import normalised
from tacit.tree.pbs import PBS, first_pbs

Array = NDArray[Any]
FOREST = 512
"""How many subgames are solved as one forest."""


@dataclass(frozen=True)
class _Plan:
    """What a forest of searches plays, and the reaches by which beliefs are passed down."""

    tree: PublicTree
    policy: Array
    reach: tuple[Array, Array]


@dataclass
class _Standing:
    """A place in a plan; at a leaf, or before the game's first search, a search is due."""

    plan: _Plan | None
    place: Place

    @property
    def due(self) -> bool:
        return self.plan is None or self.plan.tree.arrays.player[self.place.node] == LEAF


class SearchAgent:
    """Searches at every subgame's root; with `safe=False` it plays the average, without luck."""

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
        """How many subgames have been solved."""

    def begin(self, seats: Sequence[int], random: np.random.Generator) -> list[_Standing]:
        """Before the first search."""
        self.random = random
        return [_Standing(None, Place(0, 0)) for _ in seats]

    def policies(self, memories: Sequence[_Standing]) -> list[Array]:
        """Of each game's sampled iteration, or of the average."""
        self._catch_up(memories)
        found = []
        for memory in memories:
            assert memory.plan is not None
            block = memory.plan.tree.block(memory.plan.policy, memory.place.node)
            found.append(block[:, memory.place.copy])
        return found

    def after(self, memories: Sequence[_Standing], transitions: Sequence[int]) -> list[_Standing]:
        """Walk on; the search that may be due there waits until its policy is asked."""
        self._catch_up(memories)
        found = []
        for memory, transition in zip(memories, transitions, strict=True):
            assert memory.plan is not None
            found.append(_Standing(memory.plan, memory.plan.tree.child(memory.place, transition)))
        return found

    def model(self) -> SearchAgent:
        """The average policy of each search, passing down the average's beliefs.

        In the first subgame that is exactly what the agent plays on average; below it is not, as
        the agent's beliefs are those of an iteration that only it knows.
        """
        return SearchAgent(self.builder, self.evaluator, self.settings, safe=False)

    def _catch_up(self, memories: Sequence[_Standing]) -> None:
        """Do the searches that are due."""
        due = [memory for memory in {id(m): m for m in memories}.values() if memory.due]
        weights = self.settings.weights()
        when = np.full(len(due), self.settings.iterations)
        if self.safe and due:
            when = self.random.choice(len(weights), size=len(due), p=weights) + 1
        groups: dict[tuple[int, Place, int], list[_Standing]] = {}
        for memory, iteration in zip(due, when.tolist(), strict=True):
            groups.setdefault((id(memory.plan), memory.place, iteration), []).append(memory)
        jobs = list(groups.items())
        for first in range(0, len(jobs), FOREST):
            self._search(jobs[first : first + FOREST])

    def _search(self, jobs: list[tuple[tuple[int, Place, int], list[_Standing]]]) -> None:
        starts = [self._pbs(memories[0]) for _, memories in jobs]
        when = np.array([iteration for (_, _, iteration), _ in jobs])
        tree = self.settings.forest(self.builder, [pbs.state for pbs in starts])
        search = self.settings.begin(tree, self.evaluator, [pbs.beliefs for pbs in starts])
        plan = _sampled_plan(search, when) if self.safe else _average_plan(search, when)
        for root, (_, memories) in zip(tree.roots, jobs, strict=True):
            for memory in memories:
                memory.plan, memory.place = plan, Place(*root)
        self.searches += len(jobs)

    def _pbs(self, memory: _Standing) -> PBS:
        """Where a search is due, and with which beliefs."""
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


def _average_plan(search: Solver, when: NDArray[np.int64]) -> _Plan:
    search.run(int(when.max()))
    first, second = search.average_reach()
    return _Plan(
        search.tree, search.average_policy().astype(np.float32), (first.copy(), second.copy())
    )


def _sampled_plan(search: Solver, when: NDArray[np.int64]) -> _Plan:
    """Run a search and keep, of each root r's subgame, the policy of iteration `when[r]`."""
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
    """[slots] and, for each player, [reach buffer]: the number of the root above each entry."""
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
