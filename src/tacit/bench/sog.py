"""The simulations per second of growing-tree CFR (Student of Games), and their cost as it grows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row

SEARCHES = {
    "connect-four": ((800, 1.0), (800, 10.0), (8_000, 10.0)),
    "tic-tac-toe": ((800, 1.0), (800, 10.0), (8_000, 10.0)),
    "leduc": ((100, 1.0), (1_000, 1.0)),
}
"""By game, the simulations and the simulations per update of each search; the paper plays board
games with SoG(800, 1) and SoG(8000, 10), because an update visits the whole tree."""
REPEATS = 5


@dataclass(frozen=True, kw_only=True)
class Sog(Experiment):
    """Simulations of growing-tree CFR a second, from the start of a game.

    The network answers zero and has no policy, so the search's own cost is measured: simulations,
    new public states and regret updates. In seconds of one core, the best of several runs.

    Columns: game, simulations (s), expansions (simulations for each regret update: c),
    simulations_per_second, microseconds (of a simulation), share_network (of the time).
    """

    games: tuple[str, ...] = option(tuple(SEARCHES), "Games, separated by commas.")
    seed: int = option(0, "Seed of the simulations.", least=0)

    title = "Growing-tree CFR with a network that answers zero"
    columns: ClassVar = {
        "game": "{game}",
        "simulations": "{simulations:,}",
        "per update": "{expansions:g}",
        "a second": "{simulations_per_second:,.0f}",
        "µs each": "{microseconds:.0f}",
        "in the network": "{share_network:.1%}",
    }

    def __post_init__(self) -> None:
        check_names(self.games, SEARCHES, "search benchmark")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each game and number of simulations."""
        rows: list[Row] = []
        for name in self.games:
            for number, (simulations, expansions) in enumerate(SEARCHES[name]):
                progress.stage(name, number / len(SEARCHES[name]))
                seconds, share = _measure(name, simulations, expansions, self.seed)
                rows.append(
                    {
                        "game": name,
                        "simulations": simulations,
                        "expansions": expansions,
                        "simulations_per_second": 1 / seconds,
                        "microseconds": 1e6 * seconds,
                        "share_network": share,
                    }
                )
        return rows


def _measure(name: str, simulations: int, expansions: float, seed: int) -> tuple[float, float]:
    """The seconds of a simulation, and the network's share of them."""
    from tacit.games import load_game
    from tacit.solvers.growing import GrowingSearch, GrowingSettings
    from tacit.solvers.leaves import Zero
    from tacit.tree import Builder
    from tacit.tree.pbs import first_pbs

    builder = Builder(load_game(name))
    settings = GrowingSettings(simulations=simulations, expansions=expansions)
    best, share = float("inf"), 0.0
    for repeat in range(REPEATS + 1):
        began, wall = time.process_time(), time.perf_counter()
        search = GrowingSearch(
            builder, [first_pbs(builder.root)], Zero(), settings, random=np.random.default_rng(seed)
        ).run()
        seconds, wall = time.process_time() - began, time.perf_counter() - wall
        # The first run compiles kernels and derives public states.
        if repeat > 0 and seconds < best:
            best, share = seconds, search.leaves.seconds / wall
    return best / simulations, share
