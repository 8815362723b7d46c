"""How fast self-play makes training examples, and how accurate they are.

An example is the values of one player's infostates at one PBS. Its error is measured against a long
search at the same PBS with the same network, so that a faster setting can be seen to pay or not to
pay for its speed in accuracy.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from torch import nn

from tacit.cluster import executor_of
from tacit.games import load_game
from tacit.learn.network import Network
from tacit.learn.player import Player, PlayerSetup, TableTask, copy_weights
from tacit.learn.self_play import play_round
from tacit.learn.settings import SearchSettings, Settings
from tacit.solve.depth_limited import Mode
from tacit.tree import PLAYERS
from tacit.tree.beliefs import compatible_reach
from tacit.tree.pbs import PBS, first_pbs

CONVERGED = 4096
"""Iterations after which a search is taken to have converged."""


def examples_per_second(settings: Settings, *, workers: int, seconds: float) -> float:
    """Play with a random network for about `seconds`, on all workers together."""
    game = load_game(settings.game)
    player = Player(game, settings)
    last = player.network.body[-1]
    assert isinstance(last, nn.Linear)
    nn.init.normal_(last.weight, std=0.05)  # a network that has an opinion
    weights = copy_weights(player.network)
    first = first_pbs(player.encoding.builder.root).portable()
    positions = [(first,) * settings.self_play.table_size] * settings.self_play.tables
    with executor_of(workers).open(PlayerSetup(game, settings)) as session:

        def play(epoch: int) -> int:
            nonlocal positions
            tasks = [TableTask(epoch, table, p, weights) for table, p in enumerate(positions)]
            tables = session.submit(tasks).results()
            positions = [table.positions for table in tables]
            return sum(len(t.examples.rows) for t in tables) * (2 if player.encoding.joint else 1)

        play(0)  # leave the start of the game, and let the workers load their kernels
        play(1)
        made, epoch, began = 0, 2, time.perf_counter()
        while time.perf_counter() - began < seconds:
            made += play(epoch)
            epoch += 1
        return made / (time.perf_counter() - began)


def value_errors(
    network: Network, searches: Sequence[SearchSettings], *, places: int, seed: int = 0
) -> list[float]:
    """For each search its error at PBSs of self-play: |value - converged value|.

    The mean over roots and players, weighed by the beliefs in the infostates. Converged is the
    first search with more iterations.
    """
    positions = _positions(network, searches[0].mode, places, seed)
    truth = _values(network, replace(searches[0], iterations=CONVERGED), positions)
    found = []
    for search in searches:
        values = _values(network, search, positions)
        errors = []
        for number, place in enumerate(positions):
            for p in PLAYERS:
                compatible = compatible_reach(place.state, p, place.beliefs[1 - p])
                weight = place.beliefs[p] * compatible
                gap = np.abs(values[p][number] - truth[p][number])
                errors.append(float(weight @ gap / weight.sum()))
        found.append(float(np.mean(errors)))
    return found


def _positions(network: Network, mode: Mode, count: int, seed: int) -> list[PBS]:
    """PBSs at which self-play with this network searches, none of them the start of the game."""
    random = np.random.default_rng(seed)
    first = first_pbs(network.encoding.builder.root)
    places, found = [first] * count, list[PBS]()
    while len(found) < count:
        places = play_round(
            network.encoding, network, places, SearchSettings(mode=mode, iterations=32), random
        ).positions
        found += [place for place in places[: count // 4] if place != first]
    return found[:count]


def _values(
    network: Network, settings: SearchSettings, places: Sequence[PBS]
) -> list[list[NDArray[np.float64]]]:
    tree = settings.forest(network.encoding.builder, [place.state for place in places])
    search = settings.begin(tree, network, [place.beliefs for place in places])
    search.run(settings.iterations)
    return [search.root_values(p) for p in PLAYERS]
