"""`tacit bench`: how fast the solvers are and how well they converge, measured here and now."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import as_json

ALGORITHM = "cfr+"
ROUNDS = 5
SECONDS = 0.2
"""How long one measurement lasts at least."""
BATCH = 16

TABULAR = {
    "leduc": "leduc_poker",
    "liars-dice-1x4": "liars_dice(numdice=1,dice_sides=4)",
    "liars-dice-1x5": "liars_dice(numdice=1,dice_sides=5)",
    "liars-dice-1x6": "liars_dice(numdice=1,dice_sides=6)",
    "liars-dice-2x3": "liars_dice(numdice=2,dice_sides=3)",
}
HOLDEM = ("river", "turn", "evaluator")
CONVERGENCE = (
    "rock-paper-scissors",
    "coin-toss",
    "kuhn",
    "leduc",
    "liars-dice-1x4",
    "liars-dice-1x5",
    "liars-dice-1x6",
    "liars-dice-2x3",
    "pursuit-glasses",
)


@click.group()
def bench() -> None:
    """Measure speed, memory and convergence."""


@bench.command()
@click.option("--games", metavar="NAMES", help=f"Some of {', '.join(TABULAR)}.")
@as_json
def tabular(*, games: str | None, as_json: bool) -> None:
    """Milliseconds per iteration of CFR+, one core, here and in OpenSpiel's C++.

    The two are measured in turn and the fastest of several measurements counts. Memory is what a
    process takes at its peak to build the tree and solve it, beyond the interpreter and libraries.
    """
    from tacit.games import GameError
    from tacit.report.output import console, print_json, print_table, table

    chosen = games.split(",") if games else list(TABULAR)
    for name in chosen:
        if name not in TABULAR:
            raise GameError(f"no tabular benchmark {name!r}; there are: {', '.join(TABULAR)}")
    pyspiel = _pyspiel()
    rows = [_measure(name, pyspiel) for name in chosen]
    if as_json:
        print_json(rows)
        return
    shown = table("game", "tacit ms", "OpenSpiel ms", "ratio", "infostates", "OpenSpiel's", "peak")
    for row in rows:
        theirs, ratio = row["openspiel_ms_per_iteration"], row["ratio"]
        shown.add_row(
            row["game"],
            f"{row['ours_ms_per_iteration']:.4f}",
            f"{theirs:.2f}" if theirs else "-",
            f"{ratio:.0f}" if ratio else "-",
            f"{row['infostates']:,}",
            f"{row['openspiel_infostates']:,}" if theirs else "-",
            f"{row['peak_memory_mb']:.1f} MB",
        )
    print_table(console(), shown, title="CFR+, milliseconds per iteration, one core")


@bench.command()
@click.option("--games", metavar="NAMES", help="Which games, split by commas.")
@click.option("--algorithms", metavar="NAMES", help="Which algorithms, split by commas.")
@click.option("--target", type=float, help="Stop at this exploitability.")
@click.option("--iterations", type=int, default=4096, show_default=True, help="Stop after so many.")
@click.option("--plot", type=click.Path(path_type=Path), help="Save a picture (PNG); one game.")
@as_json
def algorithms(
    *,
    games: str | None,
    algorithms: str | None,
    target: float | None,
    iterations: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """The exploitability that each algorithm reaches, or the iterations that a target takes."""
    from tacit.files import check_writable
    from tacit.formats.game_names import load_game
    from tacit.report.output import console, print_json, print_table, table
    from tacit.report.plot import plot_convergence
    from tacit.solve import ALGORITHMS, Limits, solve_tree
    from tacit.tree import build_tree

    names = games.split(",") if games else list(CONVERGENCE)
    used = algorithms.split(",") if algorithms else list(ALGORITHMS)
    limits = Limits(target=target, iterations=iterations)
    if plot is not None:
        check_writable(plot)
        if len(names) != 1:
            raise click.UsageError("--plot takes one game; name it with --games")
    rows: list[dict[str, Any]] = []
    cells: dict[str, list[str]] = {algorithm: [] for algorithm in used}
    for name in names:
        tree = build_tree(load_game(name))
        solutions = {a: solve_tree(tree, limits, algorithm=a) for a in used}
        for algorithm, solution in solutions.items():
            rows.append(
                {
                    "game": name,
                    "algorithm": algorithm,
                    "iterations": solution.iterations,
                    "exploitability": solution.exploitability,
                    "value": solution.value,
                    "seconds": solution.seconds,
                }
            )
            if target is None:
                cells[algorithm].append(f"{solution.exploitability:.1e}")
            else:
                cells[algorithm].append("-" if solution.shortfall else f"{solution.iterations:,}")
        if plot is not None:
            histories = {a: solution.history for a, solution in solutions.items()}
            plot_convergence(histories, plot, title=tree.game.title, unit=tree.game.unit)
    if as_json:
        print_json(rows)
        return
    if target is None:
        title = f"Exploitability after {iterations:,} iterations"
    else:
        title = f"Iterations to exploitability {target:g}; '-': not within {iterations:,}"
    shown = table("algorithm", *(name.replace("-", "-\n") for name in names))
    for algorithm, found in cells.items():
        shown.add_row(algorithm, *found)
    print_table(console(), shown, title=title)


@bench.command()
@click.option("--spots", metavar="NAMES", help="Some of river, turn, evaluator.")
@as_json
def holdem(*, spots: str | None, as_json: bool) -> None:
    """Seconds to a target on a river and a turn of hold'em, and hands ranked a second.

    The river is solved by one thread to 0.1 % of the pot, the turn by two to 0.5 %. Each runs in a
    process of its own; memory is what it takes at its peak beyond the interpreter and libraries.
    """
    from tacit.games import GameError
    from tacit.report.output import console, print_json, print_table, table

    chosen = spots.split(",") if spots else list(HOLDEM)
    for name in chosen:
        if name not in HOLDEM:
            raise GameError(f"no hold'em benchmark {name!r}; there are: {', '.join(HOLDEM)}")
    rows = [_measure_holdem(name) for name in chosen]
    if as_json:
        print_json(rows)
        return
    shown = table("spot", "threads", "ms an iteration", "seconds", "iterations", "% of pot", "peak")
    for row in rows:
        if "iterations" in row:
            shown.add_row(
                row["spot"],
                str(row["threads"]),
                f"{row['ms_per_iteration']:.3f}",
                f"{row['seconds_to_target']:.2f}",
                f"{row['iterations']:,}",
                f"{row['exploitability_percent_of_pot']:.3f}",
                f"{row['peak_memory_mb']:,.0f} MB",
            )
    notes = [
        f"Evaluator: {row['hands_per_second'] / 1e6:,.0f} million hands a second with all hands of "
        f"a board at once, {row['single_hands_per_second'] / 1e6:,.0f} million one by one."
        for row in rows
        if "hands_per_second" in row
    ]
    title = "Discounted CFR to 0.1 % of the pot (river) and 0.5 % (turn)"
    print_table(console(), shown, title=title, note=" ".join(notes))


REBEL = {"liars-dice-1x4": 24, "liars-dice-1x5": 19, "liars-dice-1x6": 19, "liars-dice-2x3": 17}
"""Examples a second of ReBeL's own C++ self-play on two cores (ReBeL's open implementation)."""


@bench.command()
@click.option("--games", metavar="NAMES", help=f"Some of {', '.join(REBEL)}.")
@click.option("--seconds", type=click.FloatRange(min=0.1), default=10.0, show_default=True)
@as_json
def rebel(*, games: str | None, seconds: float, as_json: bool) -> None:
    """Training examples a second of self-play by CFR-D, at ReBeL's settings and at our own.

    ReBeL's: linear CFR-D, 1,024 updates of one player (512 of both), depth 2, two layers of 256.
    Ours: those of the presets for CFR-D. The error is that of a root's values against linear CFR of
    4,096 iterations, for both with the network that comes with tacit for CFR-D, at PBSs of its
    self-play. The start of the game, which plain self-play solves in every game again, is solved
    once a round here and counted once.
    """
    import os
    from dataclasses import replace

    from tacit.bench.self_play import examples_per_second, value_errors
    from tacit.games import GameError
    from tacit.learn.presets import find_preset
    from tacit.learn.shipped import find_network
    from tacit.learn.trainer import load_network
    from tacit.report.output import console, print_json, print_table, table

    chosen = games.split(",") if games else list(REBEL)
    if unknown := [name for name in chosen if name not in REBEL]:
        raise GameError(f"no figure to compare {unknown[0]} with; known: {', '.join(REBEL)}")
    workers = os.cpu_count() or 1
    rows: list[dict[str, Any]] = []
    for name in chosen:
        preset = f"{name}-cfr-d"
        own = replace(find_preset(preset), tables=workers, rounds=1)
        theirs = replace(own, algorithm="linear-cfr", iterations=512, depth=2, hidden=(256, 256))
        network, _ = load_network(find_network(preset))
        errors = value_errors(network, [theirs.search, own.search], places=48)
        for kind, settings, error in zip(("rebel", "own"), (theirs, own), errors, strict=True):
            rate = examples_per_second(settings, workers=workers, seconds=seconds)
            rows.append(
                {
                    "game": name,
                    "settings": kind,
                    "examples_per_second": rate,
                    "reference": REBEL[name],
                    "ratio": rate / REBEL[name],
                    "value_error": error,
                    "workers": workers,
                }
            )
    if as_json:
        print_json(rows)
        return
    shown = table("game", "settings", "examples/s", "ReBeL's", "ratio", "error", text_columns=2)
    for row in rows:
        shown.add_row(
            row["game"],
            row["settings"],
            f"{row['examples_per_second']:.0f}",
            f"{row['reference']}",
            f"{row['ratio']:.1f}",
            f"{row['value_error']:.5f}",
        )
    print_table(console(), shown, title=f"Training examples a second, {workers} workers")


@bench.command()
@click.option("--methods", metavar="NAMES", help="Some of the methods of `tacit subgame`.")
@click.option("--iterations", type=click.IntRange(min=1), default=50, show_default=True)
@as_json
def subgame(*, methods: str | None, iterations: int, as_json: bool) -> None:
    """What a gadget adds to an iteration: the river of `tacit bench holdem` solved again.

    The same tree is solved by the same iterations without and with a gadget above it, in turn;
    the fastest of several rounds counts. One thread.
    """
    from tacit.bench.subgame import measure
    from tacit.report.output import console, print_json, print_table, table
    from tacit.subgame.methods import METHODS

    rows = measure(methods.split(",") if methods else list(METHODS), iterations)
    if as_json:
        print_json(rows)
        return
    shown = table("method", "plain ms", "with gadget ms", "ratio")
    for row in rows:
        shown.add_row(
            row["method"],
            f"{row['plain_ms_per_iteration']:.3f}",
            f"{row['ms_per_iteration']:.3f}",
            f"{row['ratio']:.3f}",
        )
    print_table(console(), shown, title=f"Milliseconds an iteration on {rows[0]['spot']}")


def _measure_holdem(name: str) -> dict[str, Any]:
    import json

    command = [sys.executable, "-m", "tacit.bench.holdem", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        click.echo(
            "OpenSpiel is not installed, so there is nothing to compare with; install it with: "
            "pip install 'tacit[openspiel]'",
            err=True,
        )
        return None
    return pyspiel


def _measure(name: str, pyspiel: Any) -> dict[str, Any]:
    """One game's row: both solvers in turn, round by round."""
    from tacit.cli.games import count_decisions
    from tacit.games import load
    from tacit.solve import Solver, find_algorithm
    from tacit.tree import build_tree

    tree = build_tree(load(name))
    ours = Solver(tree, find_algorithm(ALGORITHM))
    theirs = pyspiel.CFRPlusSolver(pyspiel.load_game(TABULAR[name])) if pyspiel else None
    ours.run(BATCH)
    measured: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        measured[0].append(_per_iteration(lambda: ours.run(BATCH)) / BATCH)
        if theirs is not None:
            measured[1].append(_per_iteration(theirs.evaluate_and_update_policy))
    own = 1e3 * min(measured[0])
    other = 1e3 * min(measured[1]) if theirs is not None else None
    listed = theirs.tabular_average_policy().policy_table() if theirs is not None else None
    return {
        "game": name,
        "algorithm": ALGORITHM,
        "ours_ms_per_iteration": own,
        "openspiel_ms_per_iteration": other,
        "ratio": other / own if other is not None else None,
        "infostates": count_decisions(tree.builder.root, {}),
        "openspiel_infostates": len(listed) if listed is not None else None,
        "peak_memory_mb": _peak_memory(name),
    }


def _per_iteration(iterate: Callable[[], None]) -> float:
    """Seconds of one call, measured over at least `SECONDS`."""
    count, start = 0, time.perf_counter()
    while count == 0 or time.perf_counter() - start < SECONDS:
        iterate()
        count += 1
    return (time.perf_counter() - start) / count


def _peak_memory(name: str) -> float:
    """Megabytes that a new process takes at its peak to build and solve, beyond its libraries."""
    command = [sys.executable, "-m", "tacit.bench.peak_memory", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)
