"""`tacit train rl-cfr-…`: learn which bet sizes to choose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tacit.cluster import Executor
    from tacit.learn.rl_cfr.training import ActorProgress, ActorRun


def train_sizes(
    preset: str,
    folder: Path,
    changes: Mapping[str, str],
    *,
    resume: bool,
    workers: int,
    seconds: float | None,
    plot: Path | None,
    executor: Executor | None,
) -> None:
    """Train a chooser of sizes in a folder, with a progress bar, and report its rewards."""
    from tacit.games import GameError
    from tacit.learn.rl_cfr.training import PRESETS, ActorRun, read_actor_log
    from tacit.learn.run_folder import check_same
    from tacit.report.holdem.sizes import plot_rewards, rewards_table
    from tacit.report.output import console, print_report
    from tacit.suggest import unknown

    if preset not in PRESETS:
        raise GameError(unknown("preset", preset, PRESETS))
    settings = PRESETS[preset].changed(changes)
    if plot is not None and settings.validate_every == 0:
        raise GameError("--plot draws the mean reward; set validate_every above 0")
    if resume:
        run = ActorRun.open(folder)
        check_same(folder, run.settings, run.settings.changed(changes))
    else:
        run = ActorRun.create(folder, settings)
    _show_training(run, workers, seconds, executor)
    click.echo(
        f"{run.examples:,} rewards in {run.epoch} epochs and {run.seconds:.0f} s; kept in {folder}"
    )
    measured = [entry for entry in read_actor_log(folder) if entry.choice is not None]
    if measured:
        print_report(console(), [rewards_table(measured, preset)])
        if plot is not None:
            plot_rewards(measured, plot, title=f"{preset}, {run.settings.learner}")
            click.echo(f"the picture:  {plot}")
    if run.settings.learner == "bandit" and "preflop43" not in preset:
        click.echo(f"use it: tacit spot river --bets auto --actor {folder}")


def _show_training(
    run: ActorRun, workers: int, seconds: float | None, executor: Executor | None
) -> None:
    from rich.progress import TimeRemainingColumn

    from tacit.cli.progress import Bar

    texts = "epoch {task.completed}/{task.total}", "{task.fields[state]}"
    latest = ""
    with Bar(*texts, TimeRemainingColumn(), visible=True) as shown:
        total, name = run.settings.epochs, f"sizes, {run.settings.problem}"
        task = shown.add_task(name, total=total, completed=run.epoch, state="")

        def each(progress: ActorProgress) -> None:
            nonlocal latest
            if progress.choice is not None:
                latest = f"  gain {progress.choice:+.3f} % of the pot"
            state = f"{progress.examples:,} rewards  loss {progress.loss:.1e}{latest}"
            shown.update(task, completed=progress.epoch, state=state)

        run.train(workers=workers, each=each, seconds=seconds, executor=executor)
