"""The prompt that walks through a solution; it reads lines from a terminal or a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

import click

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.report.output import Block


class Walk(Protocol):
    """A position in a solution that lines of words move."""

    def choices(self) -> list[str]:
        """What may be entered here."""
        ...

    def enter(self, line: str) -> list[Block] | None:
        """Follow a line and report; None ends the walk."""
        ...


def read_line(prompt: str) -> str | None:
    """A line of input without its ends; None at the end of the input."""
    click.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        click.echo()
    return line.strip() if line else None


def follow(screen: Console, walk: Walk) -> None:
    """Ask where to go until `quit` or the end of the input."""
    from tacit.report.output import print_report

    while (line := read_line(f"Go to ({', '.join(walk.choices())}): ")) is not None:
        blocks = walk.enter(line)
        if blocks is None:
            return
        print_report(screen, blocks)
