"""Options and arguments that several commands share."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def parse_memory(context: click.Context, parameter: click.Parameter, value: str | None) -> int:
    """An amount such as ``4G`` or ``500M`` in bytes; without one, `usual_limit`."""
    if value is None:
        return usual_limit()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", value.strip().upper())
    if match is None or not float(match[1]):
        raise click.BadParameter(f"{value!r} is not an amount of memory; write it as 500M or 4G")
    return int(float(match[1]) * _UNITS[match[2]])


def usual_limit() -> int:
    """Three quarters of the machine's memory in bytes, or 8 GB where it cannot be asked."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    except (AttributeError, OSError, ValueError):
        return int(8e9)


memory = click.option(
    "--memory",
    callback=parse_memory,
    metavar="SIZE",
    help="The most memory that a solve may take, as 500M or 4G.  [default: 3/4 of the machine's]",
)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")

solution_file = click.argument("file", type=click.Path(path_type=Path))
