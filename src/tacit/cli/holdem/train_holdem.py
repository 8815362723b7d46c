"""`tacit train holdem-…`: learn what hold'em's public belief states are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from tacit.cli.progress import StageProgress, counting
from tacit.cluster import Executor
from tacit.learn.holdem.settings import HoldemSettings
from tacit.learn.holdem.training import EpochProgress, HoldemRun, read_progress
from tacit.report.output import console, print_report
from tacit.report.plot import plot_convergence
from tacit.report.table import table_of


def train_holdem(
    preset: HoldemSettings,
    changes: Mapping[str, str],
    folder: Path,
    workers: int,
    plot: Path | None,
    seconds: float | None,
    executor: Executor | None,
    *,
    resume: bool,
) -> None:
    """Train with a progress bar; `plot` draws the error over examples."""
    if resume:
        run = HoldemRun.open(folder, changes)
    else:
        run = HoldemRun.create(folder, preset.changed(changes))
    settings = run.settings
    with StageProgress(settings.name, visible=True) as progress:

        def each(done: EpochProgress) -> None:
            progress.line(
                f"epoch {done.epoch}/{settings.epochs}: {done.examples:,} examples, error of new "
                f"ones {100 * done.error:.2f} % of the pot"
            )

        run.train(
            workers=workers, each=each, stage=progress.stage, seconds=seconds, executor=executor
        )
    done = read_progress(folder)
    columns = {
        "epoch": "{epoch}",
        "seconds": "{seconds:.0f}",
        "examples": "{examples:,}",
        "loss": "{loss:.2e}",
        "error of new ones, % of the pot": "{percent:.2f}",
    }
    rows = [{**asdict(entry), "percent": 100 * entry.error} for entry in done]
    print_report(console(), [table_of(rows, columns, text_columns=0, title=settings.name)])
    click.echo(f"{run.examples:,} examples in {run.epoch} epochs and {run.seconds:.0f} s")
    click.echo(f"kept in {folder}; the network is {folder / 'network.npz'}")
    if plot is not None:
        points = [(entry.examples, 100 * entry.error) for entry in done]
        panels = {settings.name: {"new examples": points}}
        plot_convergence(panels, plot, unit="% of the pot", across="examples", measure="error")
        click.echo(f"the picture:  {plot}")


def train_street(
    preset: str,
    changes: Mapping[str, str],
    folder: Path,
    workers: int,
    executor: Executor | None,
    *,
    resume: bool,
) -> None:
    """Learn what PBSs at the end of a street are worth, with a progress bar."""
    from tacit.learn.holdem.streets.run import StreetRun, find_street_preset

    settings = find_street_preset(preset).changed(changes)
    run = (StreetRun.resume if resume else StreetRun.create)(folder, settings)
    with counting(preset, settings.total, "chunks") as shown:
        network = run.train(workers=workers, each=lambda done, _: shown(done), executor=executor)
    click.echo(f"{network.origin.examples:,} examples; kept in {folder}")
    click.echo(f"the network is {folder / 'network.npz'}")
