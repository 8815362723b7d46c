"""Student of Games, *Continual Re-solving*: safe and unsafe play with exact leaf values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import ClassVar

from tacit.games import GameError, load_game
from tacit.report.experiment import Progress, option
from tacit.report.table import Row
from tacit.reproduce.row_store import Reproduction, RowStore

SIMULATIONS = {
    "rock-paper-scissors": (10, 100, 1000),
    "kuhn": (10, 100, 1000),
    "leduc": (10, 100, 400),
    "pursuit-glasses": (5, 60, 200),
}
"""The simulations of the rows of each game."""


@dataclass(frozen=True, kw_only=True)
class SogSafety(Reproduction):
    """Student of Games: exploitability of safe and unsafe play with an oracle at the leaves.

    Every public state is searched breadth-first by GT-CFR(s, 1); an oracle solves each leaf's
    subgame. Safe play offers the opponent the values of the last search at the root; unsafe play
    takes the opponent's range of the last search as given.

    Columns: game, simulations, play (safe or unsafe), seeds, oracle, min, mean, max, seconds.
    """

    games: tuple[str, ...] = option(tuple(SIMULATIONS), "Games, separated by commas.")
    seeds: int = option(3, "Searches of the whole game for each row.", least=1)
    most: int = option(1000, "Leave out rows with more simulations.", least=1)
    oracle: int = option(50, "Iterations of the oracle at each leaf.", least=1)

    key = ("game", "simulations", "play", "seeds", "oracle")
    quick: ClassVar = {"seeds": 1, "most": 60, "oracle": 20}
    title = "Student of Games: exploitability with an oracle at the leaves, lower is better"
    columns: ClassVar = {
        "game": "{game}",
        "play": "{play}",
        "simulations": "{simulations:,}",
        "seeds": "{seeds}",
        "min": "{min:.4f}",
        "mean": "{mean:.4f}",
        "max": "{max:.4f}",
    }
    text_columns = 2

    def __post_init__(self) -> None:
        for game in self.games:
            if game not in SIMULATIONS:
                raise GameError(f"no row for {game!r}; known: {', '.join(SIMULATIONS)}")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """Two rows for each game and number of simulations."""
        asked = [
            (game, count, play)
            for game in self.games
            for count in SIMULATIONS[game]
            if count <= self.most
            for play in ("safe", "unsafe")
        ]
        for number, (game, count, play) in enumerate(asked):
            progress.stage(f"{game}, {count:,} simulations", number / len(asked))
            head = {"game": game, "simulations": count, "play": play}
            more = {"seeds": self.seeds, "oracle": self.oracle}
            store.add(head | more, partial(self._row, game, count, play))

    def _row(self, game: str, simulations: int, play: str) -> Row:
        from tacit.evaluation.continual_play import continual_policy
        from tacit.solvers import exploitability
        from tacit.solvers.growing import GrowingSettings
        from tacit.solvers.oracle import Oracle
        from tacit.tree import build_tree

        tree = build_tree(load_game(game))
        oracle = Oracle(tree.game_builder, iterations=self.oracle)
        search = GrowingSettings(simulations=simulations)
        found = [
            exploitability(
                tree, continual_policy(tree, oracle, search, seed=seed, safe=play == "safe")
            )
            for seed in range(self.seeds)
        ]
        return {"min": min(found), "mean": fmean(found), "max": max(found)}
