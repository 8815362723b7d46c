"""How fast self-play makes training examples, and how accurate they are.

An example is the values of one player's infostates at one PBS. Its error is measured against a long
search at the same PBS with the same network, so that a faster setting can be seen to pay or not to
pay for its speed in accuracy.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import nn

from tacit.learn.self_play import Position, SearchSettings, start
from tacit.learn.settings import Settings
from tacit.learn.workers import Player, Task, Workers, dump_weights
from tacit.tree import PLAYERS
from tacit.tree.beliefs import compatible_reach

CONVERGED = SearchSettings(algorithm="dcfr", iterations=2048)


@dataclass(frozen=True)
class Speed:
    """Examples a second with all workers, and the mean error of their values."""

    examples_per_second: float
    value_error: float


def measure(settings: Settings, *, workers: int, seconds: float) -> Speed:
    """Play with a random network for about `seconds`, then compare some of the roots' values."""
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
        return sum(len(o.examples.rows) for o in outcomes) * (2 if settings.joint else 1)

    try:
        play(0)
        made, epoch, began = 0, 1, time.perf_counter()
        while time.perf_counter() - began < seconds:
            made += play(epoch)
            epoch += 1
        rate = made / (time.perf_counter() - began)
    finally:
        pool.close()
    return Speed(rate, value_error(player, settings.search, positions[0][:16]))


def value_error(player: Player, search: SearchSettings, places: Sequence[Position]) -> float:
    """The mean over roots and players of |value - converged value|, weighed by the beliefs."""
    found = _values(player, search, places)
    truth = _values(player, replace(CONVERGED, depth=search.depth, stop=search.stop), places)
    errors = []
    for number, place in enumerate(places):
        state = player.encoding.states[place.state]
        for p in PLAYERS:
            weight = place.beliefs[p] * compatible_reach(state, p, place.beliefs[1 - p])
            gap = np.abs(found[p][number] - truth[p][number])
            errors.append(float(weight @ gap / weight.sum()))
    return float(np.mean(errors))


def _values(
    player: Player, settings: SearchSettings, places: Sequence[Position]
) -> list[list[NDArray[np.float64]]]:
    states = [player.encoding.states[place.state] for place in places]
    tree = settings.forest(player.encoding.builder, states)
    search = settings.begin(tree, player.network, [place.beliefs for place in places])
    search.run(settings.iterations)
    return [search.root_values(p) for p in PLAYERS]
