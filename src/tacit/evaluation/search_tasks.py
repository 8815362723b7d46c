"""Exploitability of search on all cores: playthroughs in portions, each with its own stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import executor_of
from tacit.evaluation.search_play import Form, search_exploitability, search_policy
from tacit.games import Game, GameError
from tacit.learn.network import Network
from tacit.learn.settings import SearchSettings
from tacit.learn.trainer import Measure, Run, TrainedNetwork, default_workers
from tacit.solvers.best_response import Evaluation, evaluate
from tacit.solvers.engine import normalise
from tacit.tree import PublicTree, build_forest, build_tree

PORTION = 256
"""How many playthroughs are played together, whatever the number of workers."""


MOST_BYTES = 200 << 20
"""How large a game's tree may be for its policy to be written out, playthrough by playthrough."""


def check_size(game: Game) -> None:
    """Refuse a game that is too large to be written out."""
    try:
        build_tree(game, max_bytes=MOST_BYTES)
    except GameError as error:
        raise GameError(
            f"a policy cannot be written out over the whole game ({error}); measure it in play: "
            "tacit evaluate --matches 2000"
        ) from None


@dataclass(frozen=True)
class Portion:
    """Playthroughs that are played together, and the seed of their stream."""

    playthroughs: int
    seed: tuple[int, int]


@dataclass(frozen=True)
class SearchSetup:
    """Makes what plays portions in the process where it is called."""

    network: Network
    search: SearchSettings
    form: Form

    def __call__(self) -> Callable[[Portion], NDArray[np.float64]]:
        """What gives the sums [slots] of a portion's realisation plans."""
        builder = self.network.encoding.builder
        tree = build_forest(builder, [builder.root])

        def play(portion: Portion) -> NDArray[np.float64]:
            return search_policy(
                tree,
                self.network,
                self.search,
                playthroughs=portion.playthroughs,
                random=np.random.default_rng(portion.seed),
                form=self.form,
            )

        return play


def measure_search(
    network: Network,
    search: SearchSettings,
    *,
    playthroughs: int,
    seed: int,
    workers: int,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
) -> Evaluation:
    """The value and exploitability of search with a network; the options of `played_policy`."""
    return evaluate(
        *played_policy(
            network,
            search,
            playthroughs=playthroughs,
            seed=seed,
            workers=workers,
            form=form,
            each=each,
        )
    )


def played_policy(
    network: Network,
    search: SearchSettings,
    *,
    playthroughs: int,
    seed: int,
    workers: int,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
) -> tuple[PublicTree, NDArray[np.float64]]:
    """The whole tree and the mean policy [slots] that search with a network plays on it.

    The same for any number of workers. `each` is told how many playthroughs are done.
    """
    portions = [
        Portion(min(PORTION, playthroughs - at), (seed, number))
        for number, at in enumerate(range(0, playthroughs, PORTION))
    ]
    done = 0

    def count(number: int, _: Any) -> None:
        nonlocal done
        done += portions[number].playthroughs
        if each is not None:
            each(done)

    workers = min(workers, len(portions))
    with executor_of(workers).open(SearchSetup(network, search, form)) as session:
        parts = session.submit(portions).results(count)
    builder = network.encoding.builder
    tree = build_forest(builder, [builder.root])
    sums: Any = sum(parts)
    return tree, normalise(tree, sums)


def evaluate_run(
    run: Run | TrainedNetwork,
    *,
    playthroughs: int = 32,
    iterations: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    form: Form = "exact",
) -> Evaluation:
    """The value and exploitability of what a run's search plays over the whole game."""
    check_size(run.game)
    search = run.settings.play
    return measure_search(
        run.network,
        search if iterations is None else replace(search, iterations=iterations),
        playthroughs=playthroughs,
        seed=seed,
        workers=default_workers() if workers is None else workers,
        form=form,
    )


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
