"""Exploitability of search on all cores: playthroughs in portions, each with its own stream."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.evaluate.search_play import Form, search_policy
from tacit.games import GameError, load_game
from tacit.learn.self_play import SearchSettings
from tacit.learn.trainer import load_network
from tacit.learn.workers import become_worker
from tacit.solve.best_response import Evaluation, evaluate
from tacit.solve.engine import normalise
from tacit.tree import build_forest, build_tree

PORTION = 256
"""How many playthroughs are played together, whatever the number of workers."""


MOST_BYTES = 200 << 20
"""How large a game's tree may be for its policy to be written out, playthrough by playthrough."""


def check_size(game: str) -> None:
    """Refuse a game that is too large to be written out."""
    try:
        build_tree(load_game(game), max_bytes=MOST_BYTES)
    except GameError as error:
        raise GameError(
            f"a policy cannot be written out over the whole game ({error}); measure it in play: "
            "tacit evaluate --matches 2000"
        ) from None


def measure_search(
    network: Path,
    search: SearchSettings,
    *,
    playthroughs: int,
    seed: int,
    workers: int,
    form: Form = "exact",
    each: Callable[[int], None] | None = None,
) -> Evaluation:
    """The value and exploitability of search with the network in a file.

    The same for any number of workers. `each` is told how many playthroughs are done.
    """
    sizes = [min(PORTION, playthroughs - at) for at in range(0, playthroughs, PORTION)]
    parts: dict[int, NDArray[np.float64]] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=become_worker) as pool:
        try:
            waiting = {
                pool.submit(_portion, network, search, size, [seed, number], form): number
                for number, size in enumerate(sizes)
            }
            for done in as_completed(waiting):
                parts[waiting[done]] = done.result()
                if each is not None:
                    each(sum(sizes[number] for number in parts))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    builder = load_network(network)[0].encoding.builder
    tree = build_forest(builder, [builder.root])
    sums: Any = sum(parts[number] for number in sorted(parts))
    return evaluate(tree, normalise(tree, sums))


def _portion(
    path: Path, search: SearchSettings, playthroughs: int, seed: list[int], form: Form
) -> NDArray[np.float64]:
    network, _ = load_network(path)
    builder = network.encoding.builder
    tree = build_forest(builder, [builder.root])
    random = np.random.default_rng(seed)
    return search_policy(tree, network, search, playthroughs=playthroughs, random=random, form=form)
