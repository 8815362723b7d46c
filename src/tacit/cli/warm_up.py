"""`tacit warm-up`: compile the kernels now, so that the first solve is as quick as later ones."""

from __future__ import annotations

import click

from tacit.cli.options import command


@command
def warm_up() -> None:
    """Compile the kernels now, so that the first solve is as quick as later ones."""
    import multiprocessing
    import time

    began = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    jobs = [context.Process(target=job) for job in (_solver, _evaluation)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    if any(job.exitcode for job in jobs):
        raise click.ClickException("the kernels could not be compiled")
    click.echo(f"the kernels are compiled ({time.perf_counter() - began:.0f} s)")


def _solver() -> None:
    """The kernels of the solvers, in single precision, and those that average policies."""
    from tacit.games import load_game
    from tacit.solvers import Solver, find_algorithm
    from tacit.tree import build_tree

    tree = build_tree(load_game("kuhn"))
    for algorithm in ("pcfr+", "fp"):
        solver = Solver(tree, find_algorithm(algorithm))
        solver.run(1)
        solver.average_policy()


def _evaluation() -> None:
    """The kernels that compute best responses to a policy."""
    from tacit.solvers.kernel_warm_up import compile_best_response

    compile_best_response("float64", equity=True)
    compile_best_response("float32")
