"""The policy of continual re-solving over the whole game, and so its exploitability.

The protocol of Student of Games (Fig. 3): every public state is searched breadth-first, each search
conditioned on the player's earlier ones, and the policies are put together. Another seed gives
another policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import Executor, executor_of
from tacit.evaluation.search_play import measure_of_search, whole_tree
from tacit.games import TERMINAL
from tacit.learn.network import Network
from tacit.learn.trainer import Measure, Run, TrainedNetwork, default_workers
from tacit.solvers.best_response import evaluate
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Evaluator
from tacit.subgame.continual import Position, first_position, resolve
from tacit.tree import PLAYERS, Place, PublicTree, build_forest

FOREST = 64
"""Largest number of searches in one forest."""


def continual_policy(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: GrowingSettings,
    *,
    seed: int = 0,
    safe: bool = True,
    share: float = 0.5,
) -> NDArray[np.float64]:
    """[slots] the policy on the whole tree of a game that searches at every move play.

    It is uniform where a player's own earlier policy never leads. safe, share: see
    `tacit.subgame.continual.resolve`; a player's safe searches are conditioned on its own earlier
    ones, others on all earlier ones.
    """
    builder = tree.game_builder
    policy = tree.uniform_policy()
    for movers in ((0,), (1,)) if safe else (PLAYERS,):
        random = np.random.default_rng([seed, movers[0]])
        layer = [(tree.roots[0], first_position(builder))]
        while layer:
            below: list[tuple[Place, Position]] = []
            for first in range(0, len(layer), FOREST):
                batch = layer[first : first + FOREST]
                due = [(at, p) for at, p in batch if p.state.mover in movers]
                due = [(at, p) for at, p in due if p.reach(p.state.mover).any()]
                found = resolve(
                    builder, [p for _, p in due], evaluator, settings, random=random, safe=safe,
                    share=share,
                )  # fmt: skip
                done = [(at, p) for (at, _), p in zip(due, found, strict=True)]
                for place, position in done:
                    tree.block(policy, place.node)[:, place.copy] = position.policy
                done += [(at, p) for at, p in batch if p.state.mover not in movers]
                for place, position in done:
                    below += _children(tree, place, position)
            layer = below
    return policy


def _children(tree: PublicTree, place: Place, position: Position) -> list[tuple[Place, Position]]:
    children = []
    for number in range(len(tree.edges(place.node))):
        after = position.after(number)
        if after.state.mover != TERMINAL:
            children.append((tree.child(place, number), after))
    return children


def continual_exploitabilities(
    run: TrainedNetwork,
    *,
    search: GrowingSettings | None = None,
    seeds: Sequence[int],
    workers: int | None = None,
    each: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> list[float]:
    """For each seed the exploitability of continual re-solving with a network in the whole game.

    `search` is by default as the network's settings say. `each` is told how many seeds are done. An
    `executor` takes the place of `workers` processes.
    """
    whole_tree(run.game)  # refuses a game that is too large
    workers = min(default_workers() if workers is None else workers, len(seeds))
    setup = partial(exploitability_by_seed, run.network, search or run.settings.growing_play)
    done = 0

    def count(number: int, _: object) -> None:
        nonlocal done
        done += 1
        if each is not None:
            each(done)

    with (executor or executor_of(workers)).open(setup) as session:
        return session.submit(seeds).results(count)


def exploitability_by_seed(network: Network, search: GrowingSettings) -> Callable[[int], float]:
    """What gives the exploitability of continual re-solving with a seed."""
    builder = network.encoding.builder
    tree = build_forest(builder, [builder.root])

    def measure(seed: int) -> float:
        return evaluate(tree, continual_policy(tree, network, search, seed=seed)).exploitability

    return measure


def measure_of(run: Run) -> Measure:
    """What measures the exploitability of a run's networks while it trains, by its method."""
    settings = run.settings
    if settings.method == "rebel":
        return measure_of_search(run)

    def measure(network: Network) -> float:
        play = exploitability_by_seed(network, settings.growing_play)
        return fmean(map(play, range(settings.evaluation.evaluate_playthroughs)))

    return measure
