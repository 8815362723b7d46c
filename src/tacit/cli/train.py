"""`tacit train`: learn a value network by self-play."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.options import command
from tacit.report.experiment import option

if TYPE_CHECKING:
    from tacit.cluster import Executor
    from tacit.games import Game
    from tacit.learn.settings import Settings
    from tacit.learn.trainer import Progress, Run


SIZES = "rl-cfr-"
"""What the names of presets begin with that learn bet sizes."""


@command
def train(
    preset: str,
    *,
    out: Path | None = option(None, "The run's folder.  [runs/PRESET]"),
    resume: bool = option(False, "Resume the run in that folder."),
    changes: Sequence[str] = option((), "Change a setting.", "--set", metavar="NAME=VALUE"),
    seed: int | None = option(None, "Of all that is random.  [0]", least=0),
    time: float | None = option(None, "Stop after this many s.", least=0),
    workers: int | None = option(None, "Processes.  [one for each core]", least=0, most=1024),
    executor: str | None = option(
        None, "Instead of processes: a Ray cluster.", metavar="ray[:ADDRESS]"
    ),
    plot: Path | None = option(None, "Save a picture of exploitability over time (PNG)."),
) -> None:
    """Learn PRESET, such as liars-dice-1x4, or any game, by ReBeL's self-play and search.

    A game is given as to `tacit solve`: by its name, openspiel:<game string> or module:Class. In
    hold'em the presets are holdem-turn, holdem-turn-random, holdem-flop and holdem-preflop;
    rl-cfr-river and other presets with rl-cfr- learn which bet sizes to choose.

    The run is saved in its folder as it proceeds; an interrupted run is resumed with --resume.
    """
    from tacit.cluster import find_executor
    from tacit.files import check_writable
    from tacit.games import GameError
    from tacit.learn.presets import HOLDEM, STREET_RUNS
    from tacit.learn.trainer import Run, check_resume, default_folder, read_log

    check_writable(plot)
    if executor is not None and workers is not None:
        raise click.UsageError("--workers has no effect on another executor; leave one of them out")
    where = find_executor(executor) if executor is not None else None
    folder = out or default_folder(preset)
    given = dict(change.partition("=")[::2] for change in changes)
    if seed is not None:
        given["seed"] = str(seed)
    processes = os.cpu_count() or 1 if workers is None else workers
    if preset.startswith(SIZES):
        from tacit.cli.holdem.train_sizes import train_sizes

        train_sizes(
            preset,
            folder,
            given,
            resume=resume,
            workers=processes,
            seconds=time,
            plot=plot,
            executor=where,
        )
        return
    if preset in HOLDEM:
        from tacit.cli.holdem.train_holdem import train_holdem

        train_holdem(HOLDEM[preset], given, folder, processes, plot, time, where, resume=resume)
        return
    if preset in STREET_RUNS:
        from tacit.cli.holdem.train_holdem import train_street

        if time is not None or plot is not None:
            raise GameError(f"{preset} takes neither --time nor --plot; set rounds and chunks")
        train_street(preset, given, folder, processes, where, resume=resume)
        return
    game, settings = _find(preset)
    if plot is not None and settings.changed(given).evaluation.evaluate_every == 0:
        raise GameError("--plot draws the exploitability; set evaluate_every above 0")
    if resume:
        run = Run.open(folder, game)
        check_resume(run, run.settings.changed(given))
    else:
        run = Run.create(folder, settings.changed(given), game)
    show_training(run, processes, time, where)
    click.echo(
        f"{run.examples:,} examples in {run.epoch} epochs and {run.seconds:.0f} s; kept in {folder}"
    )
    measured = [entry for entry in read_log(folder) if entry.exploitability is not None]
    if measured:
        _report(run, measured, plot)
    click.echo(f"measure it:   tacit evaluate {folder}")
    click.echo(f"play with it: tacit play {run.settings.game} --agent {folder}")


def _find(name: str) -> tuple[Game, Settings]:
    """The game and the settings of a preset, or of a game without one."""
    from tacit.games import GameError, load_game
    from tacit.learn.presets import PRESETS, find_preset, settings_for

    if name in PRESETS:
        return load_game(PRESETS[name].game), PRESETS[name]
    try:
        game = load_game(name)
    except GameError:
        if ":" not in name:
            find_preset(name)  # which names the nearest preset
        raise
    return game, settings_for(game)


def _report(run: Run, measured: Sequence[Progress], plot: Path | None) -> None:
    """The exploitability over the run, beside the paper's figure where there is one."""
    from dataclasses import asdict

    from tacit.report.output import console, print_report
    from tacit.report.plot import plot_training
    from tacit.report.table import table_of
    from tacit.reproduce.rebel.figure4 import PAPER

    game, settings = run.settings.game, run.settings
    times = settings.evaluation.evaluate_playthroughs
    if settings.method == "student-of-games":
        paper = None
        title = f"{game}: search of {settings.growing_play.simulations} simulations, {times} seeds"
    else:
        paper = PAPER.get((game, "rebel-cfr-d"))
        title = (
            f"{game}: search of {settings.play.iterations} iterations, depth "
            f"{settings.search.depth}, {times} playthroughs"
        )
    columns = {"seconds": "{seconds:.0f}", "examples": "{examples:,}", "loss": "{loss:.1e}"}
    columns["exploitability"] = "{exploitability:.4f}"
    shown = table_of(map(asdict, measured), columns, text_columns=0, title=title)
    if paper is not None:
        shown.add_row("", "", "ReBeL's paper, CFR-D", f"{paper}")
    print_report(console(), [shown])
    if plot is not None:
        plot_training(measured, plot, title=f"{game}, learned from self-play", paper=paper)
        click.echo(f"the picture:  {plot}")


def show_training(
    run: Run, workers: int, seconds: float | None, executor: Executor | None = None
) -> None:
    """Train with a progress bar."""
    from rich.progress import TimeRemainingColumn

    from tacit.cli.progress import Bar
    from tacit.evaluation.continual_play import measure_of

    settings = run.settings
    texts = "epoch {task.completed}/{task.total}", "{task.fields[state]}"
    latest = ""
    with Bar(*texts, TimeRemainingColumn(), visible=True) as shown:
        task = shown.add_task(settings.game, total=settings.epochs, completed=run.epoch, state="")

        def each(progress: Progress) -> None:
            nonlocal latest
            if progress.exploitability is not None:
                latest = f"  exploitability {progress.exploitability:.4f}"
            state = f"{progress.examples_per_second:.0f} examples/s  loss {progress.loss:.1e}"
            shown.update(task, completed=progress.epoch, state=state + latest)

        measure = measure_of(run) if settings.evaluation.evaluate_every else None
        run.train(workers=workers, each=each, seconds=seconds, measure=measure, executor=executor)
