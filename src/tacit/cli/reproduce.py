"""`tacit reproduce`: figures of the papers, computed anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.holdem_tables import holdem_off_tree, holdem_tables
from tacit.cli.options import as_json, memory

if TYPE_CHECKING:
    from tacit.games.spot import Spot

TEH = "turn-bench"
"""The paper's board, stacks and bet sizes; also a speed benchmark."""
ALGORITHMS = ("linear-cfr", "dcfr", "flop")


@click.group()
def reproduce() -> None:
    """Compute the figures of the papers anew."""


reproduce.add_command(holdem_tables)
reproduce.add_command(holdem_off_tree)


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
