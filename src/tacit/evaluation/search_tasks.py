"""Exploitability of search on all cores: playthroughs in portions, each with its own stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import executor_of
from tacit.evaluation.continual_play import continual_policy
from tacit.evaluation.search_play import Form, search_exploitability, search_policy
from tacit.games import Game, GameError
from tacit.learn.network import Network
from tacit.learn.settings import SearchSettings
from tacit.learn.trainer import Measure, Run, TrainedNetwork, default_workers
from tacit.solvers.best_response import evaluate
from tacit.solvers.engine import normalise
from tacit.solvers.growing import GrowingSettings
from tacit.tree import PublicTree, build_forest, build_tree

PORTION = 256
"""How many playthroughs are played together, whatever the number of workers."""
MOST_BYTES = 200 << 20
"""How large a game's tree may be for its policy to be written out, playthrough by playthrough."""


def whole_tree(game: Game) -> PublicTree:
    """The tree of a game; GameError if it is too large for a policy to be written out over it."""
    try:
        return build_tree(game, max_bytes=MOST_BYTES)
    except GameError as error:
        raise GameError(
            f"a policy cannot be written out over the whole game ({error}); measure it in play: "
            "tacit evaluate --matches 2000"
        ) from None


def _set_up(
    network: Network, search: SearchSettings, form: Form
) -> Callable[[tuple[int, int, int]], NDArray[np.float64]]:
    """What gives the sums [slots] of the plans of a portion: playthroughs, seed and number."""
    builder = network.encoding.builder
    tree = build_forest(builder, [builder.root])

    def play(portion: tuple[int, int, int]) -> NDArray[np.float64]:
        playthroughs, *seed = portion
        random = np.random.default_rng(seed)
        return search_policy(
            tree, network, search, playthroughs=playthroughs, random=random, form=form
        )

    return play


def played_policy(
    run: TrainedNetwork,
    *,
    search: SearchSettings | None = None,
    playthroughs: int = 32,
    seed: int = 0,
    workers: int | None = None,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
) -> tuple[PublicTree, NDArray[np.float64]]:
    """The whole tree and the mean policy [slots] that search with a network plays on it.

    `search` is by default as the network's settings say. The policy is the same for any number of
    `workers`, by default one for each core. `each` is told how many playthroughs are done.
    """
    tree = whole_tree(run.game)
    portions = [
        (min(PORTION, playthroughs - at), seed, number)
        for number, at in enumerate(range(0, playthroughs, PORTION))
    ]
    done = 0

    def count(number: int, _: Any) -> None:
        nonlocal done
        done += portions[number][0]
        if each is not None:
            each(done)

    workers = min(default_workers() if workers is None else workers, len(portions))
    setup = partial(_set_up, run.network, search or run.settings.play, form)
    with executor_of(workers).open(setup) as session:
        sums: Any = sum(session.submit(portions).results(count))
    return tree, normalise(tree, sums)


def continual_exploitabilities(
    run: TrainedNetwork,
    *,
    search: GrowingSettings | None = None,
    seeds: Sequence[int],
    workers: int | None = None,
    each: Callable[[int], None] | None = None,
) -> list[float]:
    """For each seed the exploitability of continual re-solving with a network in the whole game.

    `search` is by default as the network's settings say; `each` is told how many seeds are done.
    """
    whole_tree(run.game)
    workers = min(default_workers() if workers is None else workers, len(seeds))
    setup = partial(_set_up_continual, run.network, search or run.settings.growing_play)
    done = 0

    def count(number: int, _: Any) -> None:
        nonlocal done
        done += 1
        if each is not None:
            each(done)

    with executor_of(workers).open(setup) as session:
        return session.submit(seeds).results(count)


def _set_up_continual(network: Network, search: GrowingSettings) -> Callable[[int], float]:
    """What gives the exploitability with a seed."""
    builder = network.encoding.builder
    tree = build_forest(builder, [builder.root])
    return lambda seed: (
        evaluate(tree, continual_policy(tree, network, search, seed=seed)).exploitability
    )


def measure_of(run: Run) -> Measure:
    """What measures a run's networks while it trains."""
    builder, settings = run.encoding.builder, run.settings
    playthroughs = settings.evaluation.evaluate_playthroughs

    def measure_continual(network: Network) -> float:
        play = _set_up_continual(network, settings.growing_play)
        return sum(play(seed) for seed in range(playthroughs)) / playthroughs

    def measure(network: Network) -> float:
        return search_exploitability(
            build_forest(builder, [builder.root]),
            network,
            settings.play,
            playthroughs=playthroughs,
            random=np.random.default_rng(settings.seed),
        ).exploitability

    return measure_continual if settings.method == "student-of-games" else measure
