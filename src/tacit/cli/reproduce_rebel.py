"""`tacit reproduce rebel-table2`, `rebel-fig4`, `rebel-ablations`: ReBeL's figures beside ours."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from tacit.cli.options import as_json
from tacit.reproduce.rebel_figures import GAMES, PAPER
from tacit.reproduce.row_store import KeptRows


class Kind(NamedTuple):
    """A row of search: the ending of the name of its network, whose training tells the rest.

    `as_trained`: with the iterations of the network's training, if these are fewer.
    """

    ending: str
    as_trained: bool = False


SEARCHES = {
    "rebel-cfr-d": Kind("-cfr-d"),
    "rebel-fp": Kind("-fp"),
    "rebel-cfr-avg": Kind("", as_trained=True),
}
"""The paper's two rows, and the search that ours plays with, which the paper has no row of."""
FULL_GAME = {"cfr": "linear-cfr", "fp": "linear-fp"}
FIGURE_4 = ("linear-cfr", "flop", "linear-fp")

games = click.option("--games", help="Some of them, with commas between.  [all four]")
plot = click.option("--plot", type=click.Path(path_type=Path), help="Save a picture (PNG).")
keep = click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep finished rows in this file, and go on from there if it exists.",
)


@click.command("rebel-table2")
@games
@click.option("--playthroughs", type=click.IntRange(min=1), default=512, show_default=True)
@click.option(
    "--iterations",
    type=click.IntRange(min=2),
    default=1024,
    show_default=True,
    help="Of each search at most, counted as the paper does: each updates one player.",
)
@click.option("--runs", type=click.Path(path_type=Path), help="Runs trained anew, RUNS/GAME.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@keep
@plot
@as_json
def table2(
    *,
    games: str | None,
    playthroughs: int,
    iterations: int,
    runs: Path | None,
    seed: int,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """ReBeL's Table 2: how exploitable search with a trained network is, beside the whole game.

    The networks are those that come with tacit, or trained anew into RUNS. Search samples the
    iteration whose beliefs it passes down; the mean over so many playthroughs is measured in its
    exact form (see `tacit evaluate`), which is an upper bound. CFR-D, fictitious play and CFR-AVG,
    the latter two in the sound form, have networks of their own: RUNS/GAME-cfr-d, RUNS/GAME-fp and
    RUNS/GAME. CFR-AVG searches with the iterations of its training, which are fewer.
    """
    from tacit.report.output import console, print_json, print_table, table

    rows = Rows(out)
    for game in _chosen(games):
        for name, algorithm in FULL_GAME.items():
            rows.row((game, name), partial(_whole_game, game, algorithm, iterations))
        for name, kind in SEARCHES.items():
            network = game + kind.ending
            rows.row(
                (game, name),
                partial(
                    _search,
                    runs / network if runs else Path(network),
                    kind,
                    iterations=iterations // 2,
                    playthroughs=playthroughs,
                    seed=seed,
                    visible=not as_json,
                ),
            )
    if plot is not None:
        _plot_table2(rows.found, plot)
    if as_json:
        print_json(rows.found)
        return
    shown = table(
        "game", "algorithm", "exploitability", "paper", "iterations", "playthroughs", "trained",
        "measured in", text_columns=2,
    )  # fmt: skip
    for row in rows.found:
        searched = "playthroughs" in row
        shown.add_row(
            row["game"],
            row["algorithm"],
            f"{row['exploitability']:.4f}",
            "" if row["paper"] is None else f"{row['paper']}",
            f"{2 * row['iterations']:,}" if searched else "",
            f"{row['playthroughs']}" if searched else "",
            f"{row['training_seconds'] / 60:.0f} min" if searched else "",
            f"{row['seconds']:.0f} s",
        )
    print_table(console(), shown, title="ReBeL, Table 2: exploitability, lower is better")


@click.command("rebel-fig4")
@games
@click.option("--iterations", type=click.IntRange(min=1), default=1024, show_default=True)
@plot
@as_json
def figure4(*, games: str | None, iterations: int, plot: Path | None, as_json: bool) -> None:
    """ReBeL's Figure 4: linear CFR, FLOP and linear fictitious play on whole games.

    The exploitability after 1, 2, 4, … iterations; the paper gives a picture and no numbers but
    those of its Table 2.
    """
    from tacit.games import load_game
    from tacit.report.output import console, print_json, print_table, table
    from tacit.solve import Checkpoint, Solver, exploitability, find_algorithm
    from tacit.tree import build_tree

    rows: list[dict[str, Any]] = []
    for game in _chosen(games):
        tree = build_tree(load_game(game))
        for algorithm in FIGURE_4:
            solver = Solver(tree, find_algorithm(algorithm))
            began = time.perf_counter()
            while solver.iteration < iterations:
                solver.run(min(max(1, solver.iteration), iterations - solver.iteration))
                rows.append(
                    {
                        "game": game,
                        "algorithm": algorithm,
                        "iteration": solver.iteration,
                        "exploitability": exploitability(tree, solver.average_policy()),
                        "paper": PAPER.get((game, {"linear-cfr": "cfr"}.get(algorithm, "")))
                        if solver.iteration == 1024
                        else None,
                        "seconds": time.perf_counter() - began,
                    }
                )
    if plot is not None:
        from tacit.report.plot import plot_panels

        panels = {
            game: {
                algorithm: [
                    Checkpoint(row["iteration"], row["seconds"], row["exploitability"], 0.0)
                    for row in rows
                    if (row["game"], row["algorithm"]) == (game, algorithm)
                ]
                for algorithm in FIGURE_4
            }
            for game in _chosen(games)
        }
        plot_panels(panels, plot)
    if as_json:
        print_json(rows)
        return
    shown = table("game", "iterations", *FIGURE_4, text_columns=1)
    for game in _chosen(games):
        found = {(r["iteration"], r["algorithm"]): r for r in rows if r["game"] == game}
        for iteration in sorted({iteration for iteration, _ in found}):
            cells = (f"{found[iteration, a]['exploitability']:.5f}" for a in FIGURE_4)
            shown.add_row(game, f"{iteration:,}", *cells)
    print_table(console(), shown, title="ReBeL, Figure 4: exploitability of whole games")


@click.command("rebel-ablations")
@click.option("--game", default="liars-dice-1x4", show_default=True)
@click.option(
    "--epochs", type=click.IntRange(min=1), default=40, show_default=True, help="Of each training."
)
@click.option("--seeds", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--perfect-games", default="leduc,liars-dice-1x4", show_default=True)
@click.option("--perfect-iterations", type=click.IntRange(min=2), default=64, show_default=True)
@click.option(
    "--runs",
    type=click.Path(path_type=Path),
    default=Path("runs/ablations"),
    show_default=True,
    help="Where the trainings are kept.",
)
@keep
@plot
@as_json
def ablations(
    *,
    game: str,
    epochs: int,
    seeds: int,
    perfect_games: str,
    perfect_iterations: int,
    runs: Path,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """ReBeL's ablations: random beliefs, value and policy network, and the perfect value network.

    The first rows are trainings of the same number of epochs, so of the same number of searches:
    by self-play, with a policy network that warm-starts the search, and on random beliefs (the
    paper's Figure 2). The others are searches with exact values at the leaves beside the whole game
    solved for as many iterations (Figures 2 and 6); the paper gives pictures only.
    """
    from tacit.report.output import console, print_json, print_table, table
    from tacit.reproduce.perfect_values import SEARCHES as PERFECT
    from tacit.reproduce.perfect_values import compare_with_full_game

    rows = Rows(out)
    for kind, changes in ABLATIONS.items():
        for seed in range(seeds):
            rows.row(
                (game, f"{kind}-seed-{seed}"),
                partial(
                    _train, game, kind, {**changes, "epochs": str(epochs), "seed": str(seed)}, runs
                ),
            )
    for name in perfect_games.split(","):
        for search in PERFECT:

            def perfect(name: str = name, search: str = search) -> dict[str, Any]:
                (row,) = compare_with_full_game(
                    [name], iterations=perfect_iterations, searches=[search]
                )
                return {
                    "exploitability": row.exploitability,
                    "full_game": row.full_game,
                    "iterations": row.iterations,
                }

            rows.row((name, f"perfect-{search}"), perfect)
    if plot is not None:
        _plot_ablations(rows.found, plot)
    if as_json:
        print_json(rows.found)
        return
    shown = table("game", "algorithm", "exploitability", "whole game", "seconds", text_columns=2)
    for row in rows.found:
        full = f"{row['full_game']:.4f}" if "full_game" in row else ""
        shown.add_row(
            row["game"],
            row["algorithm"],
            f"{row['exploitability']:.4f}",
            full,
            f"{row['seconds']:.0f}",
        )
    print_table(
        console(),
        shown,
        title=f"ReBeL's ablations: {epochs} epochs of training; search with perfect values, "
        f"{perfect_iterations} iterations",
    )


ABLATIONS: dict[str, dict[str, str]] = {
    "self-play": {},
    "self-play-with-policy": {"policy": "true", "warm_start": "15"},
    "random-beliefs": {"random_beliefs": "true"},
}


class Rows(KeptRows):
    """Rows of a game and an algorithm, the paper's figure in each."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, ("game", "algorithm"))

    def row(self, key: tuple[str, str], make: Callable[[], dict[str, Any]]) -> None:
        """The row of a game and an algorithm: kept from before, or made now."""
        self.add({"game": key[0], "algorithm": key[1], "paper": PAPER.get(key)}, make)


def _chosen(games: str | None) -> list[str]:
    from tacit.games import GameError

    chosen = games.split(",") if games else list(GAMES)
    if unknown := [name for name in chosen if name not in GAMES]:
        raise GameError(f"{unknown[0]} is not in the paper's table; known: {', '.join(GAMES)}")
    return chosen


def _whole_game(game: str, algorithm: str, iterations: int) -> dict[str, Any]:
    from tacit.games import load_game
    from tacit.solve import Solver, exploitability, find_algorithm
    from tacit.tree import build_tree

    tree = build_tree(load_game(game))
    solver = Solver(tree, find_algorithm(algorithm))
    solver.run(iterations)
    return {"exploitability": exploitability(tree, solver.average_policy())}


def _search(
    network: Path,
    kind: Kind,
    *,
    iterations: int,
    playthroughs: int,
    seed: int,
    visible: bool,
) -> dict[str, Any]:
    from dataclasses import replace

    from tacit.cli.counting import counting
    from tacit.evaluate.search_tasks import measure_search
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_network, load_origin

    path = find_network(network)
    origin = load_origin(path)
    if kind.as_trained:
        iterations = min(iterations, origin.settings.search.iterations)
    search = replace(origin.settings.search, iterations=iterations)
    title = f"{origin.settings.game}, {search.algorithm}, {search.mode}"
    with counting(title, playthroughs, "playthroughs", visible=visible) as each:
        worth = measure_search(
            load_network(path)[0],
            search,
            playthroughs=playthroughs,
            seed=seed,
            workers=os.cpu_count() or 1,
            each=each,
        )
    return {
        "exploitability": worth.exploitability,
        "value": worth.value,
        "search": search.algorithm,
        "mode": search.mode,
        "iterations": iterations,
        "depth": search.depth,
        "playthroughs": playthroughs,
        "seed": seed,
        "training": origin.command,
        "training_seconds": origin.seconds,
        "training_examples": origin.examples,
    }


def _train(game: str, kind: str, changes: dict[str, str], runs: Path) -> dict[str, Any]:
    """Train, or go on with a training; the exploitability of what it came to."""
    from tacit.cli.train import show_training
    from tacit.learn.presets import find_preset
    from tacit.learn.trainer import Run, read_log

    epochs = int(changes["epochs"])
    folder = runs / f"{game}-{kind}-{changes['seed']}-{epochs}"
    schedule = {"halve_every": str(max(1, epochs // 7)), "evaluate_every": str(max(1, epochs // 4))}
    settings = find_preset(game).changed({**schedule, "evaluate_playthroughs": "32", **changes})
    if (folder / "settings.json").exists():
        run = Run.open(folder)
    else:
        run = Run.create(folder, settings)
    show_training(run, os.cpu_count() or 1, None)
    measured = [entry for entry in read_log(folder) if entry.exploitability is not None]
    return {
        "exploitability": measured[-1].exploitability,
        "examples": run.examples,
        "epochs": run.epoch,
        "training_seconds": run.seconds,
        "seed": run.settings.seed,
    }


def _plot_table2(rows: list[dict[str, Any]], path: Path) -> None:
    """Bars: ours beside the paper's, for both searches."""
    from tacit.report.plot import plot_bars

    searched = [row for row in rows if row["algorithm"] in SEARCHES and row["paper"] is not None]
    plot_bars(
        [f"{row['game'].removeprefix('liars-dice-')}\n{row['algorithm']}" for row in searched],
        {
            "tacit": [row["exploitability"] for row in searched],
            "ReBeL's paper": [row["paper"] for row in searched],
        },
        path,
        title="Exploitability of search with a trained network",
    )


def _plot_ablations(rows: list[dict[str, Any]], path: Path) -> None:
    from tacit.report.plot import plot_bars

    plot_bars(
        [f"{row['game'].removeprefix('liars-dice-')}\n{row['algorithm']}" for row in rows],
        {
            "search": [row["exploitability"] for row in rows],
            "whole game": [row.get("full_game") for row in rows],
        },
        path,
        title="Ablations: exploitability",
    )
