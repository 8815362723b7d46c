"""`tacit show`: walk through a solved game in the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli.options import memory, solution_file


@click.command()
@solution_file
@memory
def show(file: Path, *, memory: int) -> None:
    """Walk through a solution: type a move's label to follow it, or back, top, quit.

    At each public state a table shows the mover's policy by infostate, the value of each infostate
    to its player, and its reach.
    """
    from tacit.cli.walk import follow
    from tacit.formats.solution import load_solution
    from tacit.report.output import console, print_report
    from tacit.report.walk import SolutionWalk

    walk = SolutionWalk(load_solution(file, max_bytes=memory))
    screen = console()
    print_report(screen, walk.report())
    follow(screen, walk)
