"""Commands made of signatures: parameters without a default are arguments, the others options."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import click

if TYPE_CHECKING:
    from tacit.solvers import Solution
    from tacit.solvers.spot import SpotSolution

DIGITS = 18
"""Of the largest number that an option takes."""
_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def command(function: Callable[..., None]) -> click.Command:
    """The command that calls `function`, whose docstring is its help."""
    name = function.__name__.removesuffix("_command").replace("_", "-")
    return click.Command(
        name, params=parameters_of(function), callback=function, help=function.__doc__
    )


def parameters_of(owner: Callable[..., Any]) -> list[click.Parameter]:
    """An argument for each positional parameter or field, an option for each keyword.

    Fields that are not made by `option` are for programs only.
    """
    hints = get_type_hints(owner)
    if dataclasses.is_dataclass(owner):
        return [
            _parameter(field.name, hints[field.name], field, positional=not field.kw_only)
            for field in dataclasses.fields(owner)
            if field.metadata or field.name in SHARED
        ]
    return [
        _parameter(name, hints[name], each.default, positional=each.kind != each.KEYWORD_ONLY)
        for name, each in inspect.signature(owner).parameters.items()
    ]


def parse_memory(context: click.Context, parameter: click.Parameter, value: str | None) -> int:
    """An amount such as ``4G`` or ``500M`` in bytes; without one, `default_memory`."""
    if value is None:
        return default_memory()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", value.strip().upper())
    amount = 0.0 if match is None else float(match[1]) * _UNITS[match[2]]
    if not 0 < amount < 10**DIGITS:
        raise click.BadParameter(f"{value!r} is not an amount of memory; write it as 500M or 4G")
    return int(amount)


def default_memory() -> int:
    """Three quarters of the machine's memory in bytes, or 8 GB where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    except (AttributeError, OSError, ValueError):
        return int(8e9)


MEMORY_HELP = (
    "The most memory that a solve may take, as 500M or 4G.  [default: 3/4 of the machine's]"
)
SHARED: dict[str, dict[str, Any]] = {
    "memory": {"callback": parse_memory, "metavar": "SIZE", "help": MEMORY_HELP},
    "as_json": {"is_flag": True, "help": "Print JSON for programs."},
}
"""Options that are the same in every command, by the name of the parameter."""


def names(value: str | Iterable[str]) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(value.split(",") if isinstance(value, str) else value)


def _parameter(name: str, hint: Any, given: Any, *, positional: bool) -> click.Parameter:
    """`given` is what `option` made, if there is a default.

    A tuple of any length is given as names with commas, a sequence by repeating the flag.
    """
    flag = f"--{name.removeprefix('as_').replace('_', '-')}"
    if name in SHARED:
        return click.Option([flag, name], **SHARED[name])
    if not isinstance(given, dataclasses.Field):
        return click.Argument([name], type=_type(hint, None, None))
    about: Any = given.metadata
    default: Any = given.default
    options: dict[str, Any] = {"metavar": about["metavar"], "required": default is ...}
    if default is not ...:
        options["default"] = default
    if positional:
        return click.Argument([name], **options)
    long = [] if any(text.startswith("--") for text in about["flags"]) else [flag]
    options["help"] = about["help_text"]
    options["show_default"] = about["shown_default"] or default not in (None, "", ...)
    if hint is bool:
        options |= {"is_flag": True, "show_default": False}
    elif get_origin(hint) is Sequence:
        options |= {"multiple": True, "default": ()}
    elif get_origin(hint) is not tuple:
        options["type"] = _type(hint, about["least"], about["most"])
        options["callback"] = check_number
    elif get_args(hint)[-1] is Ellipsis:
        options |= {"type": names, "metavar": "NAMES"}
        options["show_default"] = about["shown_default"] or ",".join(default)
    else:
        options["nargs"] = len(get_args(hint))
    return click.Option([*long, *about["flags"], name], **options)


def _type(hint: Any, least: float | None, most: float | None) -> Any:
    kind = get_args(hint)[0] if get_origin(hint) in (Union, UnionType) else hint
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        return click.Path(path_type=Path)
    if least is None:
        return kind
    return click.IntRange(least, most) if kind is int else click.FloatRange(least, most)  # type: ignore[arg-type]


def check_number(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse nan, infinity and numbers that machines do not count to."""
    if isinstance(value, int | float) and not -(10**DIGITS) < value < 10**DIGITS:
        raise click.BadParameter(f"{value} is not a number of at most {DIGITS} digits")
    return value


def load_solution_of(name: str, file: Path, memory: int, *, what: str = "solution") -> Solution:
    """The solution in a file; GameError if it is of another game."""
    from tacit.formats.solution import load_solution
    from tacit.games import GameError

    solution = load_solution(file, max_bytes=memory)
    if solution.game.name != name:
        raise GameError(f"{file} is a {what} of {solution.game.name}, not of {name}")
    return solution


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
