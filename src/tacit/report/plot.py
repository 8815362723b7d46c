"""Pictures of exploitability: over iterations, over training time, and as bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.files import write_atomically
from tacit.report.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tacit.learn.trainer import Progress


Curves = Mapping[str, Sequence[tuple[float, float]]]
"""By name: points (iteration, exploitability)."""


def curves(rows: Iterable[Row], y: str = "exploitability") -> Curves:
    """By algorithm: the column `y` over the iterations."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        found.setdefault(row["algorithm"], []).append((row["iteration"], row[y]))
    return found


def plot_convergence(
    panels: Mapping[str, Curves],
    path: Path,
    *,
    unit: str = "",
    across: str = "iterations",
    measure: str = "exploitability",
) -> None:
    """A panel for each title: exploitability over iterations, both logarithmic."""
    single = len(panels) == 1
    width, height = (7.0, 4.2) if single else (3.4 * len(panels) + 0.6, 3.4)
    figure, grid = _panels(len(panels), width=width, height=height)
    for axes, (title, histories) in zip(grid, panels.items(), strict=True):
        for name, points in histories.items():
            axes.plot(*zip(*points, strict=True), label=name, linewidth=1.6)
        axes.set(xscale="log", yscale="log", xlabel=across, title=title)
    grid[0].set_ylabel(f"{measure} ({unit})" if unit else measure)
    if len(histories) > 1:
        grid[0].legend(frameon=False, ncols=2 if single else 1)
    save(figure, path)


def plot_training(
    measured: Sequence[Progress], path: Path, *, title: str, paper: float | None
) -> None:
    """Exploitability over the minutes of a training run, beside the paper's final figure."""
    figure, axes = picture()
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
    save(figure, path)


def plot_bars(rows: Sequence[Row], series: Mapping[str, str], path: Path, *, title: str) -> None:
    """Bars for each row, side by side: by the name of a series, the column of its heights.

    A bar that has no number is left out.
    """
    labels = [f"{row['game'].removeprefix('liars-dice-')}\n{row['algorithm']}" for row in rows]
    figure, axes = picture(max(7.0, 1.1 * len(rows)))
    width = 0.8 / len(series)
    for number, (name, column) in enumerate(series.items()):
        heights = {place: row[column] for place, row in enumerate(rows) if row.get(column)}
        places = [place + number * width for place in heights]
        axes.bar(places, list(heights.values()), width=width, label=name)
    middle = width * (len(series) - 1) / 2
    axes.set_xticks([place + middle for place in range(len(rows))], labels, fontsize=7)
    axes.set(ylabel="exploitability", title=title)
    axes.legend(frameon=False)
    save(figure, path)


def picture(width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """A figure with one panel; in inches."""
    figure, (axes,) = _panels(1, width=width, height=height)
    return figure, axes


def _panels(count: int, *, width: float, height: float) -> tuple[Figure, list[Axes]]:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["text.parse_math"] = False  # titles are names, where $ is a character
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(
        1, count, figsize=(width, height), layout="constrained", squeeze=False
    )
    panels = list(grid[0])
    for axes in panels:
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def save(figure: Figure, path: Path, *, dpi: int = 150) -> None:
    """Write a figure as a PNG file and close it; logarithmic axes have plain numbers."""
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
                axis.set_minor_formatter(NullFormatter())
    write_atomically(path, lambda file: figure.savefig(file, dpi=dpi, format="png"))
    pyplot.close(figure)
