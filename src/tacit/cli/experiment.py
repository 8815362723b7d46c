"""Commands made of experiments: options from the fields, help from the docstring."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from tacit.cli import options
from tacit.cli.progress import StageProgress
from tacit.files import check_writable
from tacit.games import GameError
from tacit.report.experiment import Experiment, has_plot
from tacit.report.output import console, print_json, print_table


def command_of(name: str, kind: type[Experiment]) -> click.Command:
    """The command that runs an experiment."""
    hints = get_type_hints(kind)
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    parameters: list[click.Parameter] = [_option(field, hints[field.name]) for field in fields]
    keeps = hasattr(kind, "add_rows")
    if keeps:
        parameters.append(
            click.Option(
                ["--out"],
                type=click.Path(path_type=Path),
                help="Keep finished rows in this JSON file, and resume from it if it exists.",
            )
        )
    if kind.quick:
        values = ", ".join(f"{key.replace('_', '-')} {value}" for key, value in kind.quick.items())
        text = f"The same rows in under five minutes: {values}."
        parameters.append(click.Option(["--quick"], is_flag=True, help=text))
    if has_plot(kind):
        path = click.Path(path_type=Path)
        parameters.append(click.Option(["--plot"], type=path, help="Save a picture (PNG)."))
    parameters.append(click.Option(["--json", "as_json"], is_flag=True, help=options.JSON_HELP))

    def callback(
        *,
        as_json: bool,
        out: Path | None = None,
        quick: bool = False,
        plot: Path | None = None,
        **given: Any,
    ) -> None:
        if quick:
            context = click.get_current_context()
            for field, value in kind.quick.items():
                if context.get_parameter_source(field) is not ParameterSource.COMMANDLINE:
                    given[field] = value
        _run(name, kind(**given), as_json=as_json, out=out, plot=plot)

    return click.Command(name, params=parameters, callback=callback, help=kind.__doc__)


def _run(name: str, experiment: Any, *, as_json: bool, out: Path | None, plot: Path | None) -> None:
    if plot is not None:
        check_writable(plot)
        try:
            experiment.check_plot()
        except GameError as error:
            raise click.UsageError(str(error)) from None
    with StageProgress(name, visible=not as_json) as progress:
        if hasattr(experiment, "add_rows"):
            from tacit.reproduce.row_store import RowStore

            store = RowStore(out, experiment.key)
            experiment.add_rows(store, progress)
            rows = store.rows
        else:
            rows = experiment.rows(progress)
    if plot is not None:
        experiment.plot(rows, plot)
    if as_json:
        print_json(rows)
        return
    for shown in experiment.tables(rows):
        print_table(console(), shown)


class Names(click.ParamType[tuple[str, ...]]):
    """Names separated by commas."""

    name = "names"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, ...]:
        """The names as a tuple."""
        return tuple(value.split(",")) if isinstance(value, str) else tuple(value)


def _option(field: dataclasses.Field[Any], hint: Any) -> click.Option:
    if field.name == "memory":
        return options.memory_option()
    about = field.metadata
    flags = [f"--{field.name.replace('_', '-')}"]
    default: Any = field.default
    shown = about["shown_default"]
    if get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis:
        shown = shown or ",".join(default)
        return click.Option(
            flags, type=Names(), default=default, help=about["help"], show_default=shown,
            metavar="NAMES",
        )  # fmt: skip
    if get_origin(hint) is tuple:
        return click.Option(
            flags, nargs=len(get_args(hint)), default=default, help=about["help"], show_default=True
        )
    return click.Option(
        flags,
        type=_type(hint, about["least"]),
        default=default,
        help=about["help"],
        show_default=shown or default is not None,
    )


def _type(hint: Any, least: float | None) -> click.ParamType[Any]:
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    plain = next((kind for kind in (int, float, Path) if kind in (hint, *get_args(hint))), str)
    if plain is int:
        return click.INT if least is None else click.IntRange(min=int(least))
    if plain is float:
        return click.FLOAT if least is None else click.FloatRange(min=least)
    return click.Path(path_type=Path) if plain is Path else click.STRING
