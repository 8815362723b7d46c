"""`tacit solve`: solve a game, show the result, save it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from tacit.cli.options import command, exit_if_interrupted, load_solution_of, saved_lines
from tacit.report.experiment import option

ALGORITHMS = (
    "cfr, cfr+, linear-cfr, quadratic-cfr, dcfr, pcfr+, fp, linear-fp, flop, soft-flop, or lp."
)


@command
def solve(
    game: str,
    *,
    algorithm: str | None = option(None, f"{ALGORITHMS}  [default: pcfr+]", "-a", metavar="NAME"),
    iterations: int | None = option(None, "Stop after this many.  [default: 1,000]", "-n"),
    target: float | None = option(None, "Stop at this exploitability.", "-t"),
    time: float | None = option(None, "Stop after this time.", metavar="SECONDS"),
    seed: int = option(0, "Stored with the solution."),
    out: Path | None = option(None, "Save the solution here.", "-o"),
    plot: Path | None = option(None, "Save a convergence plot (PNG)."),
    resume: Path | None = option(None, "Resume a file."),
    simultaneous: bool = option(False, "Update both players at once, not in turn."),
    precision: Literal["single", "double"] | None = option(None, "[default: single]"),
    memory: int,
    as_json: bool,
) -> None:
    """Solve GAME until the first of --target, --time and --iterations is reached.

    GAME is a name that `tacit games` lists, openspiel:<game string>, or module:Class for a game of
    your own in a module that can be imported from the current folder.
    """
    from tacit import solvers
    from tacit.cli.progress import SolveProgress
    from tacit.files import check_writable
    from tacit.formats.solution import save_solution
    from tacit.games import GameError, load_game
    from tacit.report.output import show
    from tacit.report.plot import plot_convergence
    from tacit.report.policy import policy_table
    from tacit.report.table import pick, table
    from tacit.tree import build_tree

    limits = solvers.Limits(target=target, seconds=time, iterations=iterations)
    check_writable(out, plot)
    earlier = None
    if resume is not None:
        if algorithm or simultaneous or precision:
            raise click.UsageError(
                "--resume continues as the file began: leave out --algorithm, --simultaneous and "
                "--precision"
            )
        earlier = load_solution_of(game, resume, memory)
    algorithm = algorithm or solvers.DEFAULT_ALGORITHM
    if algorithm != solvers.LINEAR_PROGRAM:
        solvers.find_algorithm(algorithm)
    if earlier is None:
        kind = solvers.solve_kind(algorithm, precision or "single")
        tree = build_tree(load_game(game), max_bytes=memory, kind=kind)
    else:
        tree = earlier.tree
    with SolveProgress(limits, game, visible=not as_json) as progress:
        if earlier is None:
            solution = solvers.solve_tree(
                tree,
                limits,
                algorithm=algorithm,
                alternating=not simultaneous,
                precision=precision or "single",
                seed=seed,
                **progress.hooks,
            )
        else:
            solution = solvers.resume(earlier, limits, **progress.hooks)
    name, unit = solution.algorithm, solution.game.unit
    if out is not None:
        save_solution(solution, out)
    if plot is not None:
        history = [(point.iteration, point.exploitability) for point in solution.history]
        panels = {f"{solution.game.title}: {name}": {name: history}}
        plot_convergence(panels, plot, unit=unit)
    place = solution.place()
    state = tree.state(place.node)
    first_policy, first_table = {}, []
    if state.mover < 2:
        first_policy = {each: solution.policy_at("", each) for each in state.names(state.mover)}
        title = f"Player {state.mover + 1}'s first move"
        first_table = [policy_table(state, solution.probabilities(place), title=title)]
    value = {
        "game": solution.game.name,
        "algorithm": name,
        "alternating": solution.minimiser is None or solution.minimiser.alternating,
        **pick(solution, "precision seed iterations value exploitability seconds"),
        "unit": unit,
        **pick(solution, "stop target"),
        "first_policy": first_policy,
        "out": str(out) if out else None,
        "plot": str(plot) if plot else None,
    }
    shown = table("", "", title=f"{solution.game.title}, solved by {name}")
    shown.add_row("value to player 1", f"{solution.value:+.6f} {unit}")
    shown.add_row("exploitability", f"{solution.exploitability:.3e} {unit}")
    shown.add_row("iterations", f"{solution.iterations:,}")
    shown.add_row("seconds", f"{solution.seconds:.2f}")
    saved = saved_lines(solution=out, convergence_plot=plot)
    show(as_json, value, [shown, *first_table, *saved])
    exit_if_interrupted(solution, out)
    if solution.shortfall is not None:
        raise GameError(solution.shortfall)
