"""`tacit reproduce`: figures of the papers, computed anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    from tacit.games.spot import Spot

TEH = "turn-bench"
"""The paper's board, stacks and bet sizes; also a speed benchmark."""
ALGORITHMS = ("linear-cfr", "dcfr", "flop")


@click.group()
def reproduce() -> None:
    """Compute the figures of the papers anew."""


@reproduce.command("teh-tabular")
@click.option("--iterations", type=click.IntRange(min=1), default=1024, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), help="[default: all cores]")
@click.option("--spot", "name", default=TEH, show_default=True, help="Another example or file.")
@click.option("--plot", type=click.Path(path_type=Path), help="Save a picture (PNG).")
@memory
@as_json
def teh_tabular_command(
    *,
    iterations: int,
    threads: int | None,
    name: str,
    plot: Path | None,
    memory: int,
    as_json: bool,
) -> None:
    """Turn endgame hold'em (ReBeL, Figure 5): exploitability after 1, 2, 4, … iterations.

    The whole tree of 3s7hTdKs with $20,000 stacks, every hand by itself, solved by linear CFR,
    discounted CFR and FLOP. It takes about ten minutes on two cores.
    """
    from tacit.cli.output import console, print_json, print_table, table
    from tacit.cli.plot import plot_convergence
    from tacit.formats.solution import check_writable
    from tacit.formats.spot_file import load_spot_file
    from tacit.solve import Checkpoint

    if plot is not None:
        check_writable(plot)
    spot = load_spot_file(name).spot()

    def tell(row: dict[str, Any]) -> None:
        if not as_json:
            click.echo(
                f"{row['algorithm']}: {row['iteration']:,} iterations, {row['seconds']:.1f} s, "
                f"{row['exploitability_mbb']:.4g} mbb/h",
                err=True,
            )

    rows = teh_tabular(spot, iterations=iterations, threads=threads, max_bytes=memory, on_row=tell)
    if plot is not None:
        histories = {
            algorithm: [
                Checkpoint(row["iteration"], row["seconds"], row["exploitability_mbb"], 0.0)
                for row in rows
                if row["algorithm"] == algorithm
            ]
            for algorithm in ALGORITHMS
        }
        plot_convergence(histories, plot, title="Turn endgame hold'em, tabular", unit="mbb/h")
    if as_json:
        print_json(rows)
        return
    shown = table("iterations", *ALGORITHMS, text_columns=0)
    found = {(row["iteration"], row["algorithm"]): row["exploitability_mbb"] for row in rows}
    for iteration in sorted({row["iteration"] for row in rows}):
        cells = (f"{found[iteration, algorithm]:,.4g}" for algorithm in ALGORITHMS)
        shown.add_row(f"{iteration:,}", *cells)
    print_table(console(), shown, title=f"{spot.name}: exploitability in mbb/h")


SAFE_GAMES = ("leduc", "liars-dice-1x3", "pursuit-glasses")


@reproduce.command("safe-tables")
@click.option("--games", metavar="NAMES", help=f"Some of {', '.join(SAFE_GAMES)}, off-tree.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--iterations", type=click.IntRange(min=1), default=500, show_default=True)
@as_json
def safe_tables_command(*, games: str | None, seeds: int, iterations: int, as_json: bool) -> None:
    """Safe subgame solving (tables 3 to 5), on small games: exploitability by method.

    For each game weak blueprints of three kinds, so many seeds of each; all subgames a few moves
    below the root are solved again for both players. `off-tree` is Leduc with raises that the
    blueprint does not know: translation against nested solving.
    """
    from dataclasses import asdict

    from tacit.cli.output import console, print_json, print_table, table
    from tacit.evaluate.safe_tables import (
        DEPTHS,
        OFF_TREE_GAME,
        OFF_TREE_KNOWN,
        WEAKNESSES,
        Row,
        off_tree_table,
        safe_table,
    )
    from tacit.games import GameError
    from tacit.solve.subgame import Effort

    chosen = games.split(",") if games else [*SAFE_GAMES, "off-tree"]
    if unknown := [name for name in chosen if name not in (*DEPTHS, "off-tree")]:
        raise GameError(f"no table for {unknown[0]}; there are: {', '.join(DEPTHS)}, off-tree")

    def tell(line: str) -> None:
        if not as_json:
            click.echo(line, err=True)

    effort = Effort(iterations=iterations, double=True)
    found: dict[str, dict[str, list[Row]]] = {}
    for name in chosen:
        if name == "off-tree":
            found[name] = {"unknown raises": off_tree_table(tell=tell)}
        else:
            found[name] = {
                weakness: safe_table(name, weakness, seeds=seeds, effort=effort, tell=tell)
                for weakness in WEAKNESSES
            }
    if as_json:
        print_json(
            [
                {"game": name, "blueprint": kind, **asdict(row)}
                for name, kinds in found.items()
                for kind, rows in kinds.items()
                for row in rows
            ]
        )
        return
    for name, kinds in found.items():
        shown = table("method", *kinds, "worst rise", text_columns=1)
        for lines in zip(*kinds.values(), strict=True):
            shown.add_row(
                lines[0].method,
                *(f"{row.exploitability:.4f}" for row in lines),
                f"{max(row.worst_rise for row in lines):+.4f}",
            )
        title = f"{name}: exploitability by what makes the blueprint weak, {seeds} seeds each"
        if name == "off-tree":
            known = " and ".join(map(str, OFF_TREE_KNOWN))
            title = f"{OFF_TREE_GAME}: exploitability, the blueprint knows raises of {known} units"
        print_table(console(), shown, title=title)


def teh_tabular(
    spot: Spot,
    *,
    iterations: int = 1024,
    algorithms: Sequence[str] = ALGORITHMS,
    threads: int | None = None,
    max_bytes: int = 8 << 30,
    on_row: Callable[[dict[str, Any]], None] | None = None,
) -> list[dict[str, Any]]:
    """For each algorithm the exploitability after 1, 2, 4, … iterations.

    `seconds` are those of the iterations, without the checks.
    """
    import time

    from tacit.solve import Solver, exploitability, find_algorithm
    from tacit.solve.spot import all_threads
    from tacit.tree.holdem_builder import build_spot

    threads = threads or all_threads()
    tree = build_spot(spot, max_bytes=max_bytes)
    rows = []
    for algorithm in algorithms:
        solver = Solver(tree, find_algorithm(algorithm), threads=threads)
        seconds = 0.0
        while solver.iteration < iterations:
            begin = time.perf_counter()
            solver.run(min(max(1, solver.iteration), iterations - solver.iteration))
            seconds += time.perf_counter() - begin
            found = exploitability(tree, solver.average_policy(), threads=threads)
            rows.append(
                {
                    "algorithm": algorithm,
                    "iteration": solver.iteration,
                    "exploitability": found,
                    "exploitability_mbb": 1000 * found / spot.rules.big_blind,
                    "exploitability_percent_of_pot": 100 * found / spot.pot,
                    "seconds": seconds,
                }
            )
            if on_row is not None:
                on_row(rows[-1])
        del solver
    return rows
