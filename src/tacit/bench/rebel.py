"""How fast self-play makes training examples, and how accurate they are.

An example is the values of one player's infostates at one PBS. Its error is measured against a long
search at the same PBS with the same network, which shows what a faster setting costs in accuracy.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row

if TYPE_CHECKING:
    from tacit.learn.network import Network
    from tacit.learn.settings import SearchSettings, Settings
    from tacit.solvers.depth_limited import Mode
    from tacit.tree.pbs import PBS

REFERENCE = {"liars-dice-1x4": 24, "liars-dice-1x5": 19, "liars-dice-1x6": 19, "liars-dice-2x3": 17}
"""Examples per second of ReBeL's open C++ implementation, on two cores."""
PLACES = 48
"""PBSs at which the error is measured."""
CONVERGED = 4096
"""Iterations after which a search counts as converged."""


@dataclass(frozen=True, kw_only=True)
class Rebel(Experiment):
    """Training examples per second of self-play by CFR-D, at ReBeL's settings and at our own.

    ReBeL's: linear CFR-D, 1,024 updates of one player (512 of both), depth 2, two layers of 256.
    Ours: those of the presets for CFR-D. The error is that of a root's values against linear CFR of
    4,096 iterations, with the network that comes with tacit for CFR-D, at PBSs of its self-play.
    Plain self-play solves the start of the game in every game; here it is solved, and counted, once
    per round.

    Columns: game, settings ("rebel" or "own"), examples_per_second, reference (ReBeL's), ratio,
    value_error, workers.
    """

    games: tuple[str, ...] = option(tuple(REFERENCE), "Games, separated by commas.")
    seconds: float = option(10.0, "Seconds of each measurement.", least=0.1)

    title = "Training examples per second, {workers} workers"
    columns: ClassVar = {
        "game": "{game}",
        "settings": "{settings}",
        "examples/s": "{examples_per_second:.0f}",
        "ReBeL's": "{reference}",
        "ratio": "{ratio:.1f}",
        "error": "{value_error:.5f}",
    }
    text_columns = 2

    def __post_init__(self) -> None:
        check_names(self.games, REFERENCE, "figure of ReBeL's for")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """Two rows for each game."""
        from tacit.learn.shipped import find_network
        from tacit.learn.trainer import load_network

        workers = os.cpu_count() or 1
        rows = []
        for name in self.games:
            both = self_play_settings(name, tables=workers)
            network = load_network(find_network(f"{name}-cfr-d")).network
            errors = value_errors(network, [settings.search for settings in both.values()])
            for (kind, settings), error in zip(both.items(), errors, strict=True):
                rate = examples_per_second(settings, workers=workers, seconds=self.seconds)
                rows.append(
                    {
                        "game": name,
                        "settings": kind,
                        "examples_per_second": rate,
                        "reference": REFERENCE[name],
                        "ratio": rate / REFERENCE[name],
                        "value_error": error,
                        "workers": workers,
                    }
                )
        return rows


def self_play_settings(game: str, *, tables: int) -> dict[str, Settings]:
    """ReBeL's settings of self-play by CFR-D in a game, and those of our preset."""
    from tacit.learn.presets import find_preset

    own = find_preset(f"{game}-cfr-d").replace(tables=tables, rounds=1)
    theirs = own.replace(algorithm="linear-cfr", iterations=512, depth=2, hidden=(256, 256))
    return {"rebel": theirs, "own": own}


def examples_per_second(
    settings: Settings,
    *,
    workers: int,
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Play with a random network for about `seconds`, on all workers together."""
    from functools import partial

    from torch import nn

    from tacit.cluster import executor_of
    from tacit.games import load_game
    from tacit.learn.network import copy_weights
    from tacit.learn.self_play import SelfPlay, TableTask

    game = load_game(settings.game)
    player = SelfPlay(game, settings)
    body = player.network.body
    assert isinstance(body, nn.Sequential)
    last = body[-1]
    assert isinstance(last, nn.Linear)
    nn.init.normal_(last.weight, std=0.05)  # the last layer starts at zero
    weights = copy_weights(player.network)
    first = player.first.portable()
    positions = [(first,) * settings.self_play.table_size] * settings.self_play.tables
    with executor_of(workers).open(partial(SelfPlay, game, settings)) as session:

        def play(epoch: int) -> int:
            nonlocal positions
            tasks = [TableTask(epoch, table, p, weights) for table, p in enumerate(positions)]
            tables = session.submit(tasks).results()
            positions = [table.positions for table in tables]
            return (2 if player.encoding.joint else 1) * sum(
                len(table.examples["values"].rows) for table in tables
            )

        play(0)  # leave the start of the game, and let the workers load their kernels
        play(1)
        made, epoch, began = 0, 2, clock()
        while clock() - began < seconds:
            made += play(epoch)
            epoch += 1
        return made / (clock() - began)


def value_errors(network: Network, searches: Sequence[SearchSettings]) -> list[float]:
    """For each search its error at PBSs of self-play: |value - converged value|.

    The mean over roots and players, weighted by the beliefs in the infostates. Converged is the
    first search with more iterations.
    """
    from tacit.tree import PLAYERS

    positions = _positions(network, searches[0].mode, PLACES)
    truth = _values(network, replace(searches[0], iterations=CONVERGED), positions)
    found = []
    for search in searches:
        values = _values(network, search, positions)
        errors = []
        for number, place in enumerate(positions):
            for p in PLAYERS:
                met = place.state.compatible_reach(p, place.beliefs[1 - p])
                weight = place.beliefs[p] * met
                gap = np.abs(values[p][number] - truth[p][number])
                errors.append(float(weight @ gap / weight.sum()))
        found.append(float(np.mean(errors)))
    return found


def _positions(network: Network, mode: Mode, count: int) -> list[PBS]:
    """PBSs at which self-play with this network searches, none of them the start of the game."""
    from tacit.learn.self_play import SelfPlay
    from tacit.learn.settings import SearchSettings, Settings
    from tacit.tree.pbs import PBS

    random = np.random.default_rng(0)
    search = SearchSettings(mode=mode, iterations=32)
    settings = replace(Settings().replace(explore=0.25), search=search, network=network.shape)
    player = SelfPlay(network.encoding.builder.game, settings, network)
    places, found = [player.first] * count, list[PBS]()
    while len(found) < count:
        _, places = player.play_round(places, random)
        found += [place for place in places[: count // 4] if place != player.first]
    return found[:count]


def _values(
    network: Network, settings: SearchSettings, places: Sequence[PBS]
) -> list[list[NDArray[np.float64]]]:
    from tacit.tree import PLAYERS

    tree = settings.forest(network.encoding.builder, [place.state for place in places])
    search = settings.begin(tree, network, [place.beliefs for place in places])
    search.run(settings.iterations)
    return [search.root_values(p) for p in PLAYERS]
