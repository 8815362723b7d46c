"""ReBeL, Figure 6: the exploitability of search whose values at the leaves are exact.

An agent that samples an iteration plays the weighted mean of the iterations' policies; below the
leaves these are solutions for the iteration's beliefs. The mean is summed exactly here. It should
be about as exploitable as the same algorithm's average policy over the whole game.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError, load_game
from tacit.learn.settings import SearchSettings, Stop
from tacit.report.table import Row
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


def compare_with_full_game(
    game: str, search: str, *, iterations: int, depth: int = 4, oracle_iterations: int = 100
) -> Row:
    """The exploitability of a search of a game, and of the whole game (`full_game`).

    The whole game is solved by the same algorithm for as many iterations. The search is `depth`
    public moves deep, or to the end of the round where there is public chance.
    """
    if search not in SEARCHES:
        raise GameError(f"unknown search {search!r}; known: {', '.join(SEARCHES)}")
    builder = Builder(load_game(game))
    tree = build_forest(builder, [builder.root])
    stop: Stop = "round" if np.any(tree.arrays.player == CHANCE) else "depth"
    settings = replace(SEARCHES[search], iterations=iterations, depth=depth, stop=stop)
    oracle = Oracle(builder, algorithm="pcfr+", iterations=oracle_iterations)
    found = perfect_exploitability(tree, oracle, settings).exploitability
    solver = Solver(tree, find_algorithm(settings.algorithm))
    solver.run(iterations)
    solved = exploitability(tree, solver.average_policy())
    return {"exploitability": found, "full_game": solved}


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
            part = np.float32(weight(iteration))
            descend(top.arrays, player, search.policy, played[player], plans, part)
        if not leaves:
            return
        believed = search.believed_reach()
        below, policy = oracle.solve(states, [at_leaf(believed, part) for _, part in leaves])
        if len(plans_below) == 0:
            plans_below = np.zeros(below.sizes.slots)
        work = Workspace(below, [at_leaf(played, part) for _, part in leaves], np.float64)
        share = np.float64(weight(iteration))
        for player in PLAYERS:
            descend(below.arrays, player, policy, work.reach[player], plans_below, share)

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
