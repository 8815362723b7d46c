"""`tacit reproduce`: figures of the papers, computed anew."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tacit.cli.holdem_tables import holdem_off_tree, holdem_tables
from tacit.cli.options import as_json, memory
from tacit.cli.reproduce_rebel import ablations, figure4, table2
from tacit.cli.safe_tables import safe_tables
from tacit.games import GameError

if TYPE_CHECKING:
    from tacit.games.holdem.spot import Spot
    from tacit.solve import Solver

TEH = "turn-bench"
"""The paper's board, stacks and bet sizes; also a speed benchmark."""
ALGORITHMS = ("linear-cfr", "dcfr", "flop")


@click.group()
def reproduce() -> None:
    """Compute the figures of the papers anew."""


for command in (table2, figure4, ablations, safe_tables, holdem_tables, holdem_off_tree):
    reproduce.add_command(command)


@reproduce.command("teh-tabular")
@click.option("--iterations", type=click.IntRange(min=1), default=1024, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), help="[default: all cores]")
@click.option("--spot", "name", default=TEH, show_default=True, help="Another example or file.")
@click.option("--plot", type=click.Path(path_type=Path), help="Save a picture (PNG).")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what is reached in this folder, and go on from what is there.",
)
@memory
@as_json
def teh_tabular_command(
    *,
    iterations: int,
    threads: int | None,
    name: str,
    plot: Path | None,
    keep: Path | None,
    memory: int,
    as_json: bool,
) -> None:
    """Turn endgame hold'em (ReBeL, Figure 5): exploitability after 1, 2, 4, … iterations.

    The whole tree of 3s7hTdKs with $20,000 stacks, every hand by itself, solved by linear CFR,
    discounted CFR and FLOP. It takes about ten minutes on two cores; with --keep an interrupted
    run goes on from the last line that it printed, given the same options again.
    """
    from tacit.files import check_writable
    from tacit.formats.spot_file import load_spot_file
    from tacit.report.output import console, print_json, print_table, table
    from tacit.report.plot import plot_convergence
    from tacit.solve import Checkpoint

    if plot is not None:
        check_writable(plot)
    spot = load_spot_file(name).spot()

    def tell(row: dict[str, Any]) -> None:
        if not as_json:
            after = ALGORITHMS[ALGORITHMS.index(row["algorithm"]) + 1 :]
            missing = iterations * (1 + len(after)) - row["iteration"]
            left = row["seconds"] / row["iteration"] * missing
            click.echo(
                f"{row['algorithm']}: {row['iteration']:,} iterations, {row['seconds']:.1f} s, "
                f"{row['exploitability_mbb']:.4g} mbb/h; about {left / 60:.1f} min to go",
                err=True,
            )

    rows = teh_tabular(
        spot,
        iterations=iterations,
        threads=threads,
        max_bytes=memory,
        on_row=tell,
        kept=None if keep is None else KeptRun(keep, name),
    )
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
    kept: KeptRun | None = None,
) -> list[dict[str, Any]]:
    """For each algorithm the exploitability after 1, 2, 4, … iterations.

    `seconds` are those of the iterations, without the checks. With `kept`, go on from what it has
    and leave there what is found.
    """
    import time

    from tacit.solve import Solver, exploitability, find_algorithm
    from tacit.solve.kernel_warm_up import cores, prepare
    from tacit.tree.cards.builder import build_spot

    prepare(np.float64)
    threads = threads or cores()
    tree = build_spot(spot, max_bytes=max_bytes)
    rows: list[dict[str, Any]] = []
    for algorithm in algorithms:
        solver = Solver(tree, find_algorithm(algorithm), threads=threads)
        seconds = 0.0
        if kept is not None:
            known = [row for row in kept.rows(algorithm) if row["iteration"] <= iterations]
            rows += known
            if known:
                seconds = known[-1]["seconds"]
                kept.restore(solver, algorithm, known[-1]["iteration"], final=iterations)
        while solver.iteration < iterations:
            begin = time.perf_counter()
            solver.run(min(1 << solver.iteration.bit_length(), iterations) - solver.iteration)
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
            if kept is not None:
                kept.add(rows[-1], solver)
            if on_row is not None:
                on_row(rows[-1])
        del solver
    return rows


class KeptRun:
    """A folder with the rows found so far (`rows.json`) and what each solver has learnt."""

    def __init__(self, folder: Path, spot: str) -> None:
        self.folder = folder
        self.spot = spot
        self._rows: list[dict[str, Any]] = []
        path = folder / "rows.json"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            return
        try:
            content = json.loads(path.read_text())
            self._rows = content["rows"]
            there = content["spot"]
        except (ValueError, KeyError, TypeError):
            raise GameError(f"{path} is damaged; remove {folder} or name another one") from None
        if there != spot:
            raise GameError(f"{folder} keeps a run of {there}, not of {spot}; name another folder")

    def rows(self, algorithm: str) -> list[dict[str, Any]]:
        """Those of an algorithm, in their order."""
        return [row for row in self._rows if row["algorithm"] == algorithm]

    def add(self, row: dict[str, Any], solver: Solver) -> None:
        """Keep a row and the solver that it was found by."""
        from tacit.formats.solution import write_arrays
        from tacit.solve.solution import memory_names

        names = memory_names(solver.minimiser)
        arrays = {name: getattr(solver, name) for name in names}
        number = np.array(solver.iteration)
        write_arrays(self._state(row["algorithm"]), {**arrays, "iteration": number})
        self._rows.append(row)
        text = json.dumps({"spot": self.spot, "rows": self._rows}, indent=1)
        part = self.folder / "rows.json.part"
        part.write_text(text)
        part.replace(self.folder / "rows.json")

    def restore(self, solver: Solver, algorithm: str, iteration: int, *, final: int) -> None:
        """Put a solver where the row of `iteration` was found; at `final` it is not needed."""
        if iteration < final:
            path = self._state(algorithm)
            try:
                with np.load(path, allow_pickle=False) as kept:
                    fits = int(kept["iteration"]) == iteration
                    for name in kept.files if fits else ():
                        if name != "iteration":
                            getattr(solver, name)[:] = kept[name]
            except (OSError, ValueError, KeyError, zipfile.BadZipFile):
                fits = False
            if not fits:
                raise GameError(
                    f"{path} does not belong to {iteration:,} iterations of {algorithm}; remove "
                    f"{self.folder} or name another folder"
                )
        solver.iteration = iteration

    def _state(self, algorithm: str) -> Path:
        return self.folder / f"{algorithm}.npz"
