"""`tacit show`: walk through a solved game in the terminal, or by lines from a pipe."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import command

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.report.holdem.spot_walk import SpotWalk
    from tacit.report.walk import SolutionWalk


@command
def show(file: Path, *, memory: int) -> None:
    """Walk through a solution: type a move's label to follow it, or back, top, quit.

    At each public state a table shows the mover's policy by infostate, the value of each infostate
    to its player, and its reach.
    """
    from tacit.formats.solution import load_solution
    from tacit.report.output import console, print_report
    from tacit.report.walk import SolutionWalk

    walk = SolutionWalk(load_solution(file, max_bytes=memory))
    screen = console()
    print_report(screen, walk.report())
    follow(screen, walk)


def read_line(prompt: str) -> str | None:
    """A line of input without its ends; None at the end of the input."""
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        click.echo()
    return line.strip() if line else None


def follow(screen: Console, walk: SolutionWalk | SpotWalk) -> None:
    """Ask where to go until `quit` or the end of the input."""
    from tacit.report.output import print_report

    while (line := read_line(f"Go to ({', '.join(walk.choices())}): ")) is not None:
        blocks = walk.enter(line)
        if blocks is None:
            return
        print_report(screen, blocks)
