"""`tacit warm-up`: compile the kernels now, so that the first solve is as quick as later ones."""

from __future__ import annotations

import click

from tacit.cli.options import command


@command
def warm_up() -> None:
    """Compile the kernels now, so that the first solve is as quick as later ones."""
    import time

    from tacit.solvers.kernel_warm_up import helper

    began = time.perf_counter()
    calls = ("solver", "evaluation")
    jobs = [helper(f"from tacit.cli import warm_up; warm_up.compile_{call}()") for call in calls]
    if any(job.wait() for job in jobs):
        raise click.ClickException("the kernels could not be compiled")
    click.echo(f"the kernels are compiled ({time.perf_counter() - began:.0f} s)")


def compile_solver() -> None:
    """The kernels of the solvers, in single precision, and those that average policies."""
    from tacit.games import load_game
    from tacit.solvers import Solver, find_algorithm
    from tacit.tree import build_tree

    tree = build_tree(load_game("kuhn"))
    for algorithm in ("pcfr+", "fp"):
        solver = Solver(tree, find_algorithm(algorithm))
        solver.run(1)
        solver.average_policy()


def compile_evaluation() -> None:
    """The kernels that compute best responses to a policy."""
    from tacit.solvers.kernel_warm_up import compile_best_response

    compile_best_response("float64", equity=True)
    compile_best_response("float32")
