"""`tacit solve`: solve a game, show the result, save it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import as_json, exit_if_interrupted, memory, saved_lines

if TYPE_CHECKING:
    from tacit.solvers import Solution


@click.command()
@click.argument("game")
@click.option(
    "--algorithm",
    "-a",
    metavar="NAME",
    help="cfr, cfr+, linear-cfr, quadratic-cfr, dcfr, pcfr+, fp, linear-fp, flop, soft-flop, or lp."
    "  [default: pcfr+]",
)
@click.option(
    "--iterations",
    "-n",
    type=int,
    help="Stop after this many.  [default: 1,000]",
)
@click.option("--target", "-t", type=float, help="Stop at this exploitability.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after this time.")
@click.option("--seed", type=int, default=0, show_default=True, help="Stored with the solution.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Save the solution here.")
@click.option("--plot", type=click.Path(path_type=Path), help="Save a convergence plot (PNG).")
@click.option("--resume", "resume_from", type=click.Path(path_type=Path), help="Resume a file.")
@click.option("--simultaneous", is_flag=True, help="Update both players at once, not in turn.")
@click.option("--precision", type=click.Choice(["single", "double"]), help="[default: single]")
@memory
@as_json
def solve(
    game: str,
    *,
    algorithm: str | None,
    iterations: int | None,
    target: float | None,
    seconds: float | None,
    seed: int,
    out: Path | None,
    plot: Path | None,
    resume_from: Path | None,
    simultaneous: bool,
    precision: str | None,
    memory: int,
    as_json: bool,
) -> None:
    """Solve GAME until the first of --target, --time and --iterations is reached.

    GAME is a name that `tacit games` lists, openspiel:<game string>, or module:Class for a game of
    your own in a module that can be imported from the current folder.
    """
    from tacit.cli.progress import SolveProgress
    from tacit.files import check_writable
    from tacit.formats.solution import load_solution, save_solution
    from tacit.games import GameError, load_game
    from tacit.solvers import (
        DEFAULT_ALGORITHM,
        LINEAR_PROGRAM,
        Limits,
        find_algorithm,
        resume,
        solve_tree,
    )
    from tacit.tree import build_tree

    limits = Limits(target=target, seconds=seconds, iterations=iterations)
    for path in (out, plot):
        if path is not None:
            check_writable(path)
    earlier = None
    if resume_from is not None:
        if algorithm or simultaneous or precision:
            raise click.UsageError(
                "--resume continues as the file began: leave out --algorithm, --simultaneous and "
                "--precision"
            )
        earlier = load_solution(resume_from, max_bytes=memory)
        if earlier.game.name != game:
            raise GameError(f"{resume_from} is a solution of {earlier.game.name}, not of {game}")
        algorithm = earlier.algorithm
    algorithm = algorithm or DEFAULT_ALGORITHM
    if algorithm != LINEAR_PROGRAM:
        find_algorithm(algorithm)
    tree = build_tree(load_game(game), max_bytes=memory) if earlier is None else earlier.tree
    with SolveProgress(limits, game, visible=not as_json) as progress:
        hooks: Any = {"on_checkpoint": progress.on_checkpoint, "on_chunk": progress.on_chunk}
        if earlier is None:
            solution = solve_tree(
                tree,
                limits,
                algorithm=algorithm,
                alternating=not simultaneous,
                precision=precision or "single",
                seed=seed,
                **hooks,
            )
        else:
            solution = resume(earlier, limits, **hooks)
    if out is not None:
        save_solution(solution, out)
    if plot is not None:
        _plot(solution, plot)
    if as_json:
        _print_json(solution, out, plot)
    else:
        _print(solution, out, plot)
    exit_if_interrupted(solution, out)
    if solution.shortfall is not None:
        raise GameError(solution.shortfall)


def _plot(solution: Solution, path: Path) -> None:
    from tacit.report.plot import plot_convergence

    history = [(point.iteration, point.exploitability) for point in solution.history]
    plot_convergence(
        {solution.algorithm: history},
        path,
        title=f"{solution.game.title}: {solution.algorithm}",
        unit=solution.game.unit,
    )


def _print(solution: Solution, out: Path | None, plot: Path | None) -> None:
    from tacit.report.output import console, print_report
    from tacit.report.policy import policy_table
    from tacit.report.table import table

    unit = solution.game.unit
    shown = table("", "", title=f"{solution.game.title}, solved by {solution.algorithm}")
    shown.add_row("value to player 1", f"{solution.value:+.6f} {unit}")
    shown.add_row("exploitability", f"{solution.exploitability:.3e} {unit}")
    shown.add_row("iterations", f"{solution.iterations:,}")
    shown.add_row("seconds", f"{solution.seconds:.2f}")
    screen = console()
    print_report(screen, [shown])
    place = solution.place()
    state = solution.tree.state(place.node)
    if state.mover < 2:
        title = f"Player {state.mover + 1}'s first move"
        print_report(screen, [policy_table(state, solution.probabilities(place), title=title)])
    print_report(screen, saved_lines(solution=out, convergence_plot=plot))


def _print_json(solution: Solution, out: Path | None, plot: Path | None) -> None:
    from tacit.report.output import print_json

    state = solution.tree.state(solution.place().node)
    first = {}
    if state.mover < 2:
        names = state.names(state.mover)
        first = {name: solution.policy_at("", name) for name in names}
    print_json(
        {
            "game": solution.game.name,
            "algorithm": solution.algorithm,
            "alternating": solution.minimiser is None or solution.minimiser.alternating,
            "precision": solution.precision,
            "seed": solution.seed,
            "iterations": solution.iterations,
            "value": solution.value,
            "exploitability": solution.exploitability,
            "seconds": solution.seconds,
            "unit": solution.game.unit,
            "stop": solution.stop,
            "target": solution.target,
            "first_policy": first,
            "out": str(out) if out else None,
            "plot": str(plot) if plot else None,
        }
    )
