"""Exploitability of search on all cores: playthroughs in portions, each with its own stream."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import executor_of
from tacit.evaluation.search_play import Form, search_exploitability, search_policy
from tacit.games import Game, GameError
from tacit.learn.network import Network
from tacit.learn.settings import SearchSettings
from tacit.learn.trainer import Measure, Run, TrainedNetwork, default_workers
from tacit.solvers.engine import normalise
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


def measure_of(run: Run) -> Measure:
    """What measures a run's networks while it trains."""
    builder = run.encoding.builder
    tree = build_forest(builder, [builder.root])

    def measure(network: Network) -> float:
        return search_exploitability(
            tree,
            network,
            run.settings.play,
            playthroughs=run.settings.evaluation.evaluate_playthroughs,
            random=np.random.default_rng(run.settings.seed),
        ).exploitability

    return measure
