"""ReBeL, Table 2: the exploitability of search with trained networks, beside the whole game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from tacit.report.experiment import Progress, check_names, option
from tacit.report.table import Row, Table, pick
from tacit.reproduce.rebel_figure4 import GAMES, PAPER, exploitability_after
from tacit.reproduce.row_store import Reproduction, RowStore

SEARCHES = {"rebel-cfr-d": "-cfr-d", "rebel-fp": "-fp", "rebel-cfr-avg": ""}
"""By row: the suffix of its network's name.

The paper's two rows, and CFR-AVG, which agents here play with and the paper has no row of."""
FULL_GAME = {"cfr": "linear-cfr", "fp": "linear-fp"}


@dataclass(frozen=True, kw_only=True)
class Table2(Reproduction):
    """ReBeL's Table 2: exploitability of search with a trained network, beside the whole game.

    The networks are those that come with tacit, or those in RUNS. A search samples the iteration
    whose beliefs it passes down. The exploitability is that of the mean over all playthroughs,
    measured in its exact form (see `tacit evaluate`), which is an upper bound. CFR-D, fictitious
    play and CFR-AVG (the last two in the sound form) have a network each: RUNS/GAME-cfr-d,
    RUNS/GAME-fp and RUNS/GAME. CFR-AVG searches with the iterations of its training, which are
    fewer.

    Columns: game, algorithm, updates (asked for, of one player each), playthroughs, seed, runs,
    paper (None without a figure), exploitability, seconds. Searches also have value, search, mode,
    iterations (of both players), depth, training (the command), training_seconds and
    training_examples.
    """

    games: tuple[str, ...] = option(GAMES, "Games, separated by commas.")
    playthroughs: int = option(512, "Playthroughs of each search.", least=1)
    iterations: int = option(
        1024, "Of each search, counted as in the paper: each updates one player.", least=2
    )
    runs: Path | None = option(None, "Search with the networks trained in this folder.")
    seed: int = option(0, "Seed of the playthroughs.", least=0)

    key = ("game", "algorithm", "updates", "playthroughs", "seed", "runs")
    quick: ClassVar = {"playthroughs": 8, "iterations": 256}
    title = "ReBeL, Table 2: exploitability, lower is better"
    columns: ClassVar = {
        "game": "{game}",
        "algorithm": "{algorithm}",
        "exploitability": "{exploitability:.4f}",
        "paper": "{paper}",
        "iterations": "{updates:,}",
        "playthroughs": "{playthroughs}",
        "trained": "{training_minutes:.0f} min",
        "measured in": "{seconds:.0f} s",
    }
    text_columns = 2

    def __post_init__(self) -> None:
        check_names(self.games, GAMES, "column of the paper's table for")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """Two rows of the whole game and one of each search, for each game."""
        for game in self.games:
            for name, algorithm in FULL_GAME.items():
                solve = partial(exploitability_after(game, algorithm), self.iterations)
                store.add(self._head(game, name), solve)
            for name in SEARCHES:
                store.add(self._head(game, name), partial(self._search, game, name, progress))

    def _head(self, game: str, name: str) -> Row:
        search: Row = dict.fromkeys(("playthroughs", "seed", "runs"))
        if name in SEARCHES:
            search = pick(self, "playthroughs seed") | {"runs": self.runs and str(self.runs)}
        head = {"game": game, "algorithm": name, "updates": self.iterations}
        return {**head, **search, "paper": PAPER.get((game, name))}

    def _search(self, game: str, row: str, progress: Progress) -> Row:
        from tacit.evaluation.search_play import played_policy
        from tacit.learn.shipped import find_network
        from tacit.learn.trainer import load_network
        from tacit.solvers import evaluate

        name = game + SEARCHES[row]
        found = load_network(find_network(self.runs / name if self.runs else Path(name)))
        iterations = self.iterations // 2
        if row == "rebel-cfr-avg":
            iterations = min(iterations, found.settings.search.iterations)
        search = replace(found.settings.search, iterations=iterations)
        stage = f"{game}, {search.algorithm}, {search.mode}"
        played = played_policy(
            found,
            search=search,
            playthroughs=self.playthroughs,
            seed=self.seed,
            each=lambda count: progress.stage(stage, count / self.playthroughs),
        )
        return {
            **pick(evaluate(*played), "exploitability value"),
            "search": search.algorithm,
            **pick(search, "mode iterations depth"),
            "training": found.command,
            "training_seconds": found.seconds,
            "training_examples": found.examples,
        }

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """One table; iterations count updates of one player, as in the paper."""
        shown = [
            {
                **row,
                "updates": 2 * row["iterations"],
                "training_minutes": row["training_seconds"] / 60,
            }
            if row["algorithm"] in SEARCHES
            else row
            for row in rows
        ]
        return super().tables(shown)

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """Bars: this package's searches beside the paper's."""
        from tacit.report.plot import plot_bars

        searches = [row for row in rows if row["algorithm"] in SEARCHES and row["paper"]]
        series = {"tacit": "exploitability", "ReBeL's paper": "paper"}
        plot_bars(searches, series, path, title="Exploitability of search with a trained network")
