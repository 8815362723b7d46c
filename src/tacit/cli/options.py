"""Options and arguments that several commands share."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tacit.solvers import Solution
    from tacit.solvers.spot import SpotSolution

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def parse_memory(context: click.Context, parameter: click.Parameter, value: str | None) -> int:
    """An amount such as ``4G`` or ``500M`` in bytes; without one, `default_memory`."""
    if value is None:
        return default_memory()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", value.strip().upper())
    if match is None or not float(match[1]):
        raise click.BadParameter(f"{value!r} is not an amount of memory; write it as 500M or 4G")
    return int(float(match[1]) * _UNITS[match[2]])


def default_memory() -> int:
    """Three quarters of the machine's memory in bytes, or 8 GB where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    except (AttributeError, OSError, ValueError):
        return int(8e9)


MEMORY_HELP = (
    "The most memory that a solve may take, as 500M or 4G.  [default: 3/4 of the machine's]"
)
JSON_HELP = "Print JSON for programs."


def memory_option() -> click.Option:
    """The option `--memory`, in bytes."""
    return click.Option(["--memory"], callback=parse_memory, metavar="SIZE", help=MEMORY_HELP)


memory = click.option("--memory", callback=parse_memory, metavar="SIZE", help=MEMORY_HELP)
as_json = click.option("--json", "as_json", is_flag=True, help=JSON_HELP)
solution_file = click.argument("file", type=click.Path(path_type=Path))


def saved_lines(**paths: Path | None) -> list[str]:
    """A line for each file that was written, by what it holds."""
    return [
        f"The {what.replace('_', ' ')} is saved in {path}" for what, path in paths.items() if path
    ]


def exit_if_interrupted(
    solution: Solution | SpotSolution, out: Path | None, *, resumable: bool = True
) -> None:
    """Exit with 130 after an interrupt, and say what was saved."""
    from tacit.solvers import Stop

    if solution.stop is Stop.INTERRUPTED:
        kept = f"saved to {out}" if out else "not saved, without --out"
        if out and resumable:
            kept += f", resume with --resume {out}"
        click.echo(f"tacit: interrupted after {solution.iterations:,} iterations; {kept}", err=True)
        click.get_current_context().exit(130)
