"""ReBeL's ablations: random beliefs, a policy network, and exact values at the leaves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from tacit.report.experiment import Progress, option
from tacit.report.table import Row
from tacit.reproduce.row_store import Reproduction, RowStore

TRAININGS: dict[str, dict[str, str]] = {
    "self-play": {},
    "self-play-with-policy": {"policy": "true", "warm_start": "15"},
    "random-beliefs": {"random_beliefs": "true"},
}
"""By name: the settings that differ from the game's preset."""
PLAYTHROUGHS = 32


@dataclass(frozen=True, kw_only=True)
class Ablations(Reproduction):
    """ReBeL's ablations: random beliefs, value and policy network, and the perfect value network.

    The first rows are trainings of the same number of epochs, so of the same number of searches:
    by self-play, with a policy network that warm-starts the search, and on random beliefs (the
    paper's Figure 2). The others are searches with exact values at the leaves, beside the whole
    game solved for as many iterations (Figures 2 and 6). The paper draws curves only.

    Columns of a training: game, algorithm, exploitability, examples, epochs, training_seconds,
    seed, seconds. Columns of a search: game, algorithm, exploitability, full_game, iterations,
    seconds.
    """

    game: str = option("liars-dice-1x4", "The preset that is trained.")
    epochs: int = option(40, "Epochs of each training.", least=1)
    seeds: int = option(2, "Seeds of each training.", least=1)
    perfect_games: tuple[str, ...] = option(
        ("leduc", "liars-dice-1x4"), "Games searched with exact values, separated by commas."
    )
    perfect_iterations: int = option(64, "Iterations of those searches.", least=2)
    runs: Path = option(Path("runs/ablations"), "The folder of the trainings.")

    key = ("game", "algorithm", "epochs", "iterations")
    title = (
        "ReBeL's ablations: {epochs} epochs of training; search with exact values, "
        "{perfect_iterations} iterations"
    )
    columns: ClassVar = {
        "game": "{game}",
        "algorithm": "{algorithm}",
        "exploitability": "{exploitability:.4f}",
        "whole game": "{full_game:.4f}",
        "seconds": "{seconds:.0f}",
    }
    text_columns = 2
    quick: ClassVar = {"epochs": 4, "seeds": 1, "perfect_iterations": 8}

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each training and seed, then for each search with exact values."""
        from tacit.games import load_game
        from tacit.learn.presets import find_preset
        from tacit.reproduce.rebel.perfect_values import SEARCHES, compare_with_full_game

        find_preset(self.game)
        for game in self.perfect_games:
            load_game(game)
        for kind in TRAININGS:
            for seed in range(self.seeds):
                head: Row = {"game": self.game, "algorithm": f"{kind}-seed-{seed}"}
                head |= {"epochs": self.epochs, "iterations": None}
                store.add(head, partial(self._train, kind, seed, progress))
        for game in self.perfect_games:
            for search in SEARCHES:
                progress.stage(f"{game}, exact values", 0.0)
                count = self.perfect_iterations
                head = {"game": game, "algorithm": f"perfect-{search}"}
                head |= {"epochs": None, "iterations": count}
                store.add(head, partial(compare_with_full_game, game, search, iterations=count))

    def _train(self, kind: str, seed: int, progress: Progress) -> Row:
        """Train, or resume the training in its folder, and measure the last network."""
        from tacit.evaluation.continual_play import measure_of
        from tacit.learn.presets import find_preset
        from tacit.learn.trainer import Run, read_log

        folder = self.runs / f"{self.game}-{kind}-{seed}-{self.epochs}"
        settings = find_preset(self.game).changed(
            {
                "halve_every": str(max(1, self.epochs // 7)),
                "evaluate_every": str(max(1, self.epochs // 4)),
                "evaluate_playthroughs": str(PLAYTHROUGHS),
                **TRAININGS[kind],
                "epochs": str(self.epochs),
                "seed": str(seed),
            }
        )
        started = (folder / "settings.json").exists()
        run = Run.open(folder) if started else Run.create(folder, settings)
        run.train(
            workers=os.cpu_count() or 1,
            measure=measure_of(run),
            each=lambda made: progress.stage(f"{folder.name}", made.epoch / self.epochs),
        )
        measured = [entry for entry in read_log(folder) if entry.exploitability is not None]
        return {
            "exploitability": measured[-1].exploitability,
            "examples": run.examples,
            "training_seconds": run.seconds,
            "seed": seed,
        }

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """Bars: search beside the whole game."""
        from tacit.report.plot import plot_bars

        series = {"search": "exploitability", "whole game": "full_game"}
        plot_bars(rows, series, path, title="Ablations: exploitability")
