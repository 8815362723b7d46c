"""ReBeL, Figure 6: the exploitability of search whose values at the leaves are exact.

The subgame at the start of the game is searched with the oracle instead of a network. At each
iteration play below the leaves follows a solution of the rest of the game for that iteration's
beliefs. An agent that samples an iteration plays the weighted mean of these policies, which is
summed exactly here. It should be about as exploitable as the same algorithm's average policy after
as many iterations over the whole game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError, load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.best_response import Evaluation, evaluate, exploitability
from tacit.solvers.engine import Solver, Workspace, normalise
from tacit.solvers.oracle import Oracle
from tacit.subgame.methods import matching_places
from tacit.tree import CHANCE, LEAF, PLAYERS, Builder, Place, PublicTree, build_forest
from tacit.tree.kernels.passes import descend

Array = NDArray[Any]

SEARCHES = {
    "cfr-d": SearchSettings(algorithm="linear-cfr", mode="cfr-d"),
    "cfr-avg": SearchSettings(algorithm="linear-cfr", mode="cfr-avg"),
    "cfr-avg-sound": SearchSettings(algorithm="linear-cfr", mode="cfr-avg-sound"),
    "fp": SearchSettings(algorithm="flop"),
    "fp-sound": SearchSettings(algorithm="flop", mode="cfr-avg-sound"),
}
"""The paper's search algorithms: alternating linear CFR and linear optimistic fictitious play."""


@dataclass(frozen=True)
class PerfectValueRow:
    """The exploitability of a search of a game.

    `full_game`: that of the whole game, solved by the same algorithm for as many iterations;
    `depth` in public moves; None: to the end of the first round.
    """

    game: str
    search: str
    iterations: int
    depth: int | None
    exploitability: float
    full_game: float


def compare_with_full_game(
    games: Iterable[str],
    *,
    iterations: int,
    depth: int = 4,
    searches: Iterable[str] = SEARCHES,
    oracle_iterations: int = 100,
) -> Iterator[PerfectValueRow]:
    """A row for each game and search; games with public chance are searched to the round's end."""
    for name in games:
        builder = Builder(load_game(name))
        tree = build_forest(builder, [builder.root])
        rounds = bool(np.any(tree.arrays.player == CHANCE))
        for search in searches:
            if search not in SEARCHES:
                raise GameError(f"unknown search {search!r}; known: {', '.join(SEARCHES)}")
            settings = replace(
                SEARCHES[search],
                iterations=iterations,
                depth=depth,
                stop="round" if rounds else "depth",
            )
            oracle = Oracle(builder, algorithm="pcfr+", iterations=oracle_iterations)
            found = perfect_exploitability(tree, oracle, settings).exploitability
            solver = Solver(tree, find_algorithm(settings.algorithm))
            solver.run(iterations)
            solved = exploitability(tree, solver.average_policy())
            yield PerfectValueRow(
                name, search, iterations, None if rounds else depth, found, solved
            )


def perfect_exploitability(
    tree: PublicTree, oracle: Oracle, settings: SearchSettings
) -> Evaluation:
    """The value and exploitability of the mean policy of a search with exact values."""
    root = Place(*tree.roots[0])
    state = tree.state(root.node)
    ones = (np.ones(state.counts[0]), np.ones(state.counts[1]))
    top = settings.forest(tree.game_builder, [state])
    search = settings.begin(top, oracle, [ones])
    leaves = [
        (whole, here)
        for here, whole in matching_places(top, top.roots[0], tree, root)
        if top.arrays.player[here.node] == LEAF
    ]
    states = [tree.state(whole.node) for whole, _ in leaves]
    weight = settings.minimiser.weight
    plans = np.zeros_like(search.sums)
    played = Workspace(top, [ones], np.float32).reach
    below: PublicTree | None = None
    plans_below = np.zeros(0)

    def at_leaf(reach: tuple[Array, Array], part: Place) -> tuple[Array, Array]:
        first, second = (
            top.vectors(reach[p], p, part.node, values=False)[part.copy].astype(np.float64)
            for p in PLAYERS
        )
        return first, second

    def each(iteration: int) -> None:
        nonlocal below, plans_below
        for player in PLAYERS:
            share = np.float32(weight(iteration))
            descend(top.arrays, player, search.policy, played[player], plans, share)
        if not leaves:
            return
        believed = search.believed_reach()
        below, policy = oracle.solve(states, [at_leaf(believed, part) for _, part in leaves])
        if len(plans_below) == 0:
            plans_below = np.zeros(below.sizes.slots)
        work = Workspace(below, [at_leaf(played, part) for _, part in leaves], np.float64)
        for player in PLAYERS:
            descend(
                below.arrays, player, policy, work.reach[player], plans_below,
                np.float64(weight(iteration)),
            )  # fmt: skip

    search.run(settings.iterations, each=each)
    sums = np.zeros(tree.sizes.slots)
    _add(tree, sums, top, plans, root, 0)
    for number, (whole, _) in enumerate(leaves):
        assert below is not None
        _add(tree, sums, below, plans_below, whole, number)
    return evaluate(tree, normalise(tree, sums))


def _add(
    tree: PublicTree, sums: Array, part: PublicTree, plans: Array, place: Place, number: int
) -> None:
    """Add the plans of root `number` of a forest to those of the whole tree, from `place` on."""
    for here, whole in matching_places(part, part.roots[number], tree, place):
        if part.arrays.player[here.node] < CHANCE:
            plan = part.block(plans, here.node)[:, here.copy, :]
            tree.block(sums, whole.node)[:, whole.copy, :] += plan
