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

from tacit.learn.network import Network
from tacit.learn.self_play import Position, SearchSettings, play_round, start
from tacit.learn.settings import Settings
from tacit.learn.workers import Player, Task, Workers, dump_weights
from tacit.solve.depth_limited import Mode
from tacit.tree import PLAYERS
from tacit.tree.beliefs import compatible_reach

CONVERGED = 4096
"""Iterations after which a search is taken to have converged."""


def examples_per_second(settings: Settings, *, workers: int, seconds: float) -> float:
    """Play with a random network for about `seconds`, on all workers together."""
    player = Player(settings)
    last = player.network.body[-1]
    assert isinstance(last, nn.Linear)
    nn.init.normal_(last.weight, std=0.05)  # a network that has an opinion
    weights = dump_weights(player.network)
    pool = Workers(settings, workers)
    positions = [(start(player.encoding),) * settings.table_size for _ in range(settings.tables)]

    def play(epoch: int) -> int:
        nonlocal positions
        tasks = [Task(epoch, table, places) for table, places in enumerate(positions)]
        outcomes = pool.play(tasks, weights)
        positions = [outcome.positions for outcome in outcomes]
        return sum(len(o.examples.rows) for o in outcomes) * (2 if player.encoding.joint else 1)

    try:
        play(0)  # leave the start of the game, and let the workers load their kernels
        play(1)
        made, epoch, began = 0, 2, time.perf_counter()
        while time.perf_counter() - began < seconds:
            made += play(epoch)
            epoch += 1
        return made / (time.perf_counter() - began)
    finally:
        pool.close()


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
            state = network.encoding.states[place.state]
            for p in PLAYERS:
                weight = place.beliefs[p] * compatible_reach(state, p, place.beliefs[1 - p])
                gap = np.abs(values[p][number] - truth[p][number])
                errors.append(float(weight @ gap / weight.sum()))
        found.append(float(np.mean(errors)))
    return found


def _positions(network: Network, mode: Mode, count: int, seed: int) -> list[Position]:
    """PBSs at which self-play with this network searches, none of them the start of the game."""
    random = np.random.default_rng(seed)
    first = start(network.encoding)
    places, found = [first] * count, list[Position]()
    while len(found) < count:
        places = play_round(
            network.encoding, network, places, SearchSettings(mode=mode, iterations=32), random
        ).positions
        found += [place for place in places[: count // 4] if place.state != first.state]
    return found[:count]


def _values(
    network: Network, settings: SearchSettings, places: Sequence[Position]
) -> list[list[NDArray[np.float64]]]:
    states = [network.encoding.states[place.state] for place in places]
    tree = settings.forest(network.encoding.builder, states)
    search = settings.begin(tree, network, [place.beliefs for place in places])
    search.run(settings.iterations)
    return [search.root_values(p) for p in PLAYERS]
