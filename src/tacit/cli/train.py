"""`tacit train`: learn a value network by self-play."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tacit.learn.trainer import Progress, Run


@click.command()
@click.argument("preset")
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [runs/PRESET]")
@click.option("--resume", is_flag=True, help="Go on with the run in that folder.")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--time", "seconds", type=click.FloatRange(min=0), help="Stop after this many s.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [one for each core]")
def train(
    preset: str,
    *,
    out: Path | None,
    resume: bool,
    changes: tuple[str, ...],
    seed: int,
    seconds: float | None,
    workers: int | None,
) -> None:
    """Learn PRESET, such as liars-dice-1x4, by ReBeL's self-play and search.

    The run is kept in a folder as it goes on: stop it at any time, and go on with --resume.
    """
    from tacit.games import GameError
    from tacit.learn.presets import find_preset
    from tacit.learn.trainer import Run

    folder = out or Path("runs") / preset
    if resume:
        run = Run.open(folder)
    else:
        given = dict(change.partition("=")[::2] for change in changes)
        settings = find_preset(preset).changed({"seed": str(seed), **given})
        run = Run.create(folder, settings)
    if run.settings.game != find_preset(preset).game:
        raise GameError(f"{folder} holds a run of {run.settings.game}, not of {preset}")
    _show(run, workers or os.cpu_count() or 1, seconds)
    click.echo(
        f"{run.examples:,} examples in {run.epoch} epochs and {run.seconds:.0f} s; "
        f"kept in {folder}; how good it is: tacit evaluate {folder}"
    )


def _show(run: Run, workers: int, seconds: float | None) -> None:
    """Train with a progress bar."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from tacit.cli.output import console

    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("epoch {task.completed}/{task.total}"),
        TextColumn("{task.fields[state]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console(err=True)) as bar:
        task = bar.add_task(
            run.settings.game, total=run.settings.epochs, completed=run.epoch, state=""
        )

        def each(progress: Progress) -> None:
            state = f"{progress.examples_per_second:.0f} examples/s  loss {progress.loss:.2e}"
            bar.update(task, completed=progress.epoch, state=state)

        run.train(workers=workers, each=each, seconds=seconds)
