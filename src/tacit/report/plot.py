"""Pictures: how the exploitability falls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tacit.learn.trainer import Progress
    from tacit.solve import Checkpoint


def plot_convergence(
    histories: Mapping[str, Sequence[Checkpoint]], path: Path, *, title: str, unit: str
) -> None:
    """Exploitability over iterations, both logarithmic, one line for each history."""
    figure, axes = _picture()
    for name, history in histories.items():
        axes.plot(
            [point.iteration for point in history],
            [point.exploitability for point in history],
            label=name,
            linewidth=1.6,
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="iterations",
        ylabel=f"exploitability ({unit})",
        title=title,
    )
    if len(histories) > 1:
        axes.legend(frameon=False, ncols=2)
    _save(figure, path)


def plot_training(
    measured: Sequence[Progress], path: Path, *, title: str, paper: float | None
) -> None:
    """Exploitability over the minutes of a training run, beside the paper's final figure."""
    figure, axes = _picture()
    axes.plot(
        [entry.seconds / 60 for entry in measured],
        [entry.exploitability or 0.0 for entry in measured],
        marker="o",
        label="tacit",
        linewidth=1.6,
    )
    if paper is not None:
        axes.axhline(paper, color="0.4", linestyle="--", label=f"ReBeL's paper: {paper}")
        axes.legend(frameon=False)
    axes.set(yscale="log", xlabel="minutes", ylabel="exploitability", title=title)
    _save(figure, path)


def plot_panels(panels: Mapping[str, Mapping[str, Sequence[Checkpoint]]], path: Path) -> None:
    """One small picture for each game: exploitability over iterations, a line an algorithm."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(
        1, len(panels), figsize=(3.4 * len(panels) + 0.6, 3.4), layout="constrained", squeeze=False
    )
    for axes, (name, histories) in zip(grid[0], panels.items(), strict=True):
        for algorithm, history in histories.items():
            axes.plot(
                [point.iteration for point in history],
                [point.exploitability for point in history],
                label=algorithm,
                linewidth=1.6,
            )
        axes.set(xscale="log", yscale="log", xlabel="iterations", title=name)
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0][0].set_ylabel("exploitability")
    grid[0][0].legend(frameon=False)
    _save(figure, path)


def plot_bars(
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    path: Path,
    *,
    title: str,
) -> None:
    """Bars side by side, one colour a series; a bar that has no number is left out."""
    figure, axes = _picture(width=max(7.0, 1.1 * len(labels)))
    width = 0.8 / len(series)
    for number, (name, heights) in enumerate(series.items()):
        places = [place + number * width for place, height in enumerate(heights) if height]
        axes.bar(places, [height for height in heights if height], width=width, label=name)
    axes.set_xticks(
        [place + width * (len(series) - 1) / 2 for place in range(len(labels))],
        labels,
        fontsize=7,
    )
    axes.set(ylabel="exploitability", title=title)
    axes.legend(frameon=False)
    _save(figure, path)


def _picture(width: float = 7.0) -> tuple[Figure, Axes]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(width, 4.2), layout="constrained")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, dpi=150, format="png")
    pyplot.close(figure)
