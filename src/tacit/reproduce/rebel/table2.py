"""ReBeL, Table 2: the exploitability of search with trained networks, beside the whole game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import ClassVar

from tacit.games import GameError
from tacit.report.experiment import SILENT, Progress, check_names, option
from tacit.report.table import Row, pick
from tacit.reproduce.rebel.figure4 import GAMES, PAPER, exploitability_after
from tacit.reproduce.row_store import Reproduction, RowStore

PLAY = "rebel-play"
"""The row of the search of `tacit play`: CFR-AVG with more iterations, six moves deep."""
SEARCHES = {"rebel-cfr-d": "-cfr-d", "rebel-fp": "-fp", "rebel-cfr-avg": "", PLAY: ""}
"""By row: the suffix of its network's name.

The paper's two rows, and CFR-AVG, which the paper has no row of, to the paper's depth of two moves
and as `tacit play` searches."""
FULL_GAME = {"cfr": "linear-cfr", "fp": "linear-fp"}
FORMS = ("exact", "sampled")
SECOND = "second"
"""In the column `runs`: the network of the second training that comes with tacit."""


@dataclass(frozen=True, kw_only=True)
class Table2(Reproduction):
    """ReBeL's Table 2: exploitability of search with a trained network, beside the whole game.

    The networks are those that come with tacit, some of them of two trainings, and those of further
    trainings in the folders RUNS:
    CFR-D, fictitious play and CFR-AVG (the last two in the sound form) have one each, in
    GAME-cfr-d, GAME-fp and GAME; any of them may be missing. A search samples the iteration whose
    beliefs it passes down. The exploitability is that of the mean over all playthroughs, which is
    an upper bound, in the form `exact` and in the paper's, `sampled` (see `tacit evaluate`).
    CFR-AVG searches with the iterations of its training, which are fewer; `rebel-play`, the search
    of `tacit play`, with as many as the others, and it is deeper.

    Each seed is one row of the file. Columns of what is printed: game, algorithm, updates (of one
    player each), paper (None without a figure), mean, min and max over the trainings and the seeds
    in the form `exact`, playthroughs, seeds; sampled_mean, sampled_min, sampled_max,
    sampled_playthroughs and sampled_seeds likewise; trainings (the
    commands), training_minutes (the mean), seconds (of all measurements). What was not measured is
    None. The whole game has a mean alone.
    """

    games: tuple[str, ...] = option(GAMES, "Games, separated by commas.")
    forms: tuple[str, ...] = option(FORMS, "Forms of the measure, separated by commas.")
    playthroughs: int = option(256, "Playthroughs of each search, in the form exact.", least=1)
    sampled_playthroughs: int = option(1024, "Likewise, in the paper's form.", least=1)
    iterations: int = option(
        1024, "Of each search, counted as in the paper: each updates one player.", least=2
    )
    seeds: int = option(5, "Measurements of each network in each form.", least=1)
    runs: tuple[str, ...] = option((), "Also the networks trained in these folders.")

    key = ("game", "algorithm", "updates", "form", "playthroughs", "seed", "runs")
    quick: ClassVar = {
        "playthroughs": 8,
        "sampled_playthroughs": 8,
        "iterations": 128,
        "seeds": 2,
    }
    title = "ReBeL, Table 2: exploitability, lower is better"
    columns: ClassVar = {
        "game": "{game}",
        "algorithm": "{algorithm}",
        "mean": "{mean:.4f}",
        "min": "{min:.4f}",
        "max": "{max:.4f}",
        "paper's form": "{sampled_mean:.4f}",
        "paper": "{paper}",
        "networks": "{networks}",
        "seeds": "{seeds}",
    }
    text_columns = 2

    def __post_init__(self) -> None:
        check_names(self.games, GAMES, "column of the paper's table for")
        check_names(self.forms, FORMS, "form")
        for folder in self.runs:
            if not Path(folder).is_dir():
                raise GameError(f"there is no folder {folder}; give one with trained networks")

    def rows(self, progress: Progress = SILENT, out: Path | None = None) -> list[Row]:
        """A row for each game and algorithm, over all networks and seeds."""
        return summaries(super().rows(progress, out))

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """Two rows of the whole game, and one of each search, network, form and seed."""
        for game in self.games:
            for name, algorithm in FULL_GAME.items():
                solve = partial(exploitability_after(game, algorithm), self.iterations)
                none = dict.fromkeys(("form", "playthroughs", "seed", "runs"))
                store.add({**self._head(game, name), **none}, solve)
        for form in self.forms:
            playthroughs = self.playthroughs if form == "exact" else self.sampled_playthroughs
            for seed in range(self.seeds):
                for game in self.games:
                    for name in SEARCHES:
                        for runs in self._networks(game + SEARCHES[name]):
                            how = {"form": form, "playthroughs": playthroughs, "seed": seed}
                            head = {**self._head(game, name), **how, "runs": runs}
                            store.add(head, partial(self._search, head, progress))

    def _head(self, game: str, name: str) -> Row:
        return {"game": game, "algorithm": name, "updates": self.iterations,
                "paper": PAPER.get((game, name))}  # fmt: skip

    def _networks(self, name: str) -> list[str | None]:
        """None, SECOND if a second network comes with tacit, and folders that have one."""
        from tacit.learn import shipped

        second = [SECOND] if (shipped.SECOND / f"{name}.pt").exists() else []
        folders = [folder for folder in self.runs if (Path(folder) / name).exists()]
        return [None, *second, *folders]

    def _search(self, head: Row, progress: Progress) -> Row:
        from tacit.evaluation.search_play import measure_search
        from tacit.learn import shipped
        from tacit.learn.trainer import load_network

        name = head["game"] + SEARCHES[head["algorithm"]]
        place = Path(head["runs"] or "") / name
        if head["runs"] == SECOND:
            place = shipped.SECOND / f"{name}.pt"
        found = load_network(shipped.find_network(place))
        search = replace(found.settings.search, iterations=self.iterations // 2)
        if head["algorithm"] == "rebel-cfr-avg":
            trained = found.settings.search.iterations
            search = replace(search, iterations=min(search.iterations, trained))
        elif head["algorithm"] == PLAY:
            search = replace(shipped.PLAYED[head["game"]], iterations=None).of(search)
        stage = f"{name}, {head['form']}, seed {head['seed']}"
        measured = measure_search(
            found,
            search=search,
            playthroughs=head["playthroughs"],
            seeds=[head["seed"]],
            form=head["form"],
            each=lambda count: progress.stage(stage, count / head["playthroughs"]),
        )
        return {
            "exploitability": measured.exploitability[0],
            "value": measured.value,
            "search": search.algorithm,
            **pick(search, "mode iterations depth"),
            "training": found.command,
            "training_seconds": found.seconds,
            "training_examples": found.examples,
        }

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """Bars: this package's searches beside the paper's."""
        from tacit.report.plot import plot_bars

        searches = [row for row in rows if row["algorithm"] in SEARCHES and row["paper"]]
        series = {"tacit": "mean", "ReBeL's paper": "paper"}
        plot_bars(searches, series, path, title="Exploitability of search with a trained network")


def summaries(rows: Iterable[Row]) -> list[Row]:
    """One row for each game and algorithm over the networks and seeds of `rows`."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["game"], row["algorithm"]), []).append(row)
    order = {name: place for place, name in enumerate([*FULL_GAME, *SEARCHES])}
    keys = sorted(groups, key=lambda key: (GAMES.index(key[0]), order[key[1]]))
    return [_summary(groups[key]) for key in keys]


def _summary(rows: Sequence[Row]) -> Row:
    """The row over rows of one game and algorithm."""
    first = rows[0]
    row = {name: first[name] for name in ("game", "algorithm", "updates", "paper")}
    if first["algorithm"] in FULL_GAME:
        return {**row, "mean": first["exploitability"], "seconds": first["seconds"]}
    row["updates"] = 2 * first["iterations"]
    for form, prefix in zip(FORMS, ("", "sampled_"), strict=True):
        these = [each for each in rows if each["form"] == form]
        figures = [each["exploitability"] for each in these]
        row |= {
            f"{prefix}mean": fmean(figures) if figures else None,
            f"{prefix}min": min(figures, default=None),
            f"{prefix}max": max(figures, default=None),
            f"{prefix}playthroughs": these[0]["playthroughs"] if these else None,
            f"{prefix}seeds": len({each["seed"] for each in these}),
        }
    trainings = {each["training"]: each["training_seconds"] for each in rows}
    return {
        **row,
        "networks": len(trainings),
        "trainings": list(trainings),
        "training_minutes": fmean(trainings.values()) / 60,
        "seconds": sum(each["seconds"] for each in rows),
    }
