"""`tacit train`: learn a value network by self-play."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tacit.learn.network import Network
    from tacit.learn.trainer import Progress, Run


@click.command()
@click.argument("preset")
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [runs/PRESET]")
@click.option("--resume", is_flag=True, help="Go on with the run in that folder.")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--time", "seconds", type=click.FloatRange(min=0), help="Stop after this many s.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [one for each core]")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Save a picture of exploitability over time (PNG).",
)
def train(
    preset: str,
    *,
    out: Path | None,
    resume: bool,
    changes: tuple[str, ...],
    seed: int,
    seconds: float | None,
    workers: int | None,
    plot: Path | None,
) -> None:
    """Learn PRESET, such as liars-dice-1x4, by ReBeL's self-play and search.

    The run is kept in a folder as it goes on: stop it at any time, and go on with --resume.
    """
    from tacit.files import check_writable
    from tacit.games import GameError
    from tacit.learn.presets import find_preset
    from tacit.learn.trainer import Run, read_log

    folder = out or Path("runs") / preset
    if resume:
        run = Run.open(folder)
    else:
        given = dict(change.partition("=")[::2] for change in changes)
        settings = find_preset(preset).changed({"seed": str(seed), **given})
        run = Run.create(folder, settings)
    if run.settings.game != find_preset(preset).game:
        raise GameError(f"{folder} holds a run of {run.settings.game}, not of {preset}")
    if plot is not None:
        check_writable(plot)
    show_training(run, workers or os.cpu_count() or 1, seconds)
    click.echo(
        f"{run.examples:,} examples in {run.epoch} epochs and {run.seconds:.0f} s; kept in {folder}"
    )
    measured = [entry for entry in read_log(folder) if entry.exploitability is not None]
    if measured:
        _report(run, measured, plot)
    click.echo(f"measure it:   tacit evaluate {folder}")
    click.echo(f"play with it: tacit play {run.settings.game} --agent {folder}")


def _report(run: Run, measured: Sequence[Progress], plot: Path | None) -> None:
    """How the exploitability fell, beside the paper's figure where there is one."""
    from tacit.report.output import console, print_table, table
    from tacit.report.plot import plot_training
    from tacit.reproduce.rebel_figures import PAPER

    game, settings = run.settings.game, run.settings
    paper = PAPER.get((game, "rebel-cfr-d"))
    shown = table("seconds", "examples", "loss", "exploitability", text_columns=0)
    for entry in measured:
        shown.add_row(
            f"{entry.seconds:.0f}",
            f"{entry.examples:,}",
            f"{entry.loss:.1e}",
            f"{entry.exploitability:.4f}",
        )
    if paper is not None:
        shown.add_row("", "", "ReBeL's paper, CFR-D", f"{paper}")
    print_table(
        console(),
        shown,
        title=f"{game}: search of {settings.play_iterations} iterations, depth {settings.depth}, "
        f"{settings.judge_playthroughs} playthroughs",
    )
    if plot is not None:
        plot_training(measured, plot, title=f"{game}, learned from self-play", paper=paper)
        click.echo(f"the picture:  {plot}")


def _measure(run: Run) -> Callable[[Network], float]:
    """What measures a network's search over the whole game."""
    import numpy as np

    from tacit.evaluate.search_play import search_exploitability
    from tacit.tree import build_forest

    builder = run.encoding.builder
    tree = build_forest(builder, [builder.root])

    def measure(network: Network) -> float:
        return search_exploitability(
            tree,
            network,
            run.settings.play,
            playthroughs=run.settings.judge_playthroughs,
            random=np.random.default_rng(run.settings.seed),
        ).exploitability

    return measure


def show_training(run: Run, workers: int, seconds: float | None) -> None:
    """Train with a progress bar."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from tacit.report.output import console

    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("epoch {task.completed}/{task.total}"),
        TextColumn("{task.fields[state]}"),
        TimeRemainingColumn(),
    )
    latest = ""
    with Bar(*columns, console=console(err=True)) as bar:
        task = bar.add_task(
            run.settings.game, total=run.settings.epochs, completed=run.epoch, state=""
        )

        def each(progress: Progress) -> None:
            nonlocal latest
            if progress.exploitability is not None:
                latest = f"  exploitability {progress.exploitability:.4f}"
            state = f"{progress.examples_per_second:.0f} examples/s  loss {progress.loss:.1e}"
            bar.update(task, completed=progress.epoch, state=state + latest)

        measure = _measure(run) if run.settings.judge_every else None
        run.train(workers=workers, each=each, seconds=seconds, measure=measure)
