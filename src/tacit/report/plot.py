"""Pictures of exploitability: over iterations, over training time, and as bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.report.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tacit.learn.trainer import Progress


Curves = Mapping[str, Sequence[tuple[float, float]]]
"""By name: points (iteration, exploitability)."""


def curves(
    rows: Iterable[Row], *, x: str = "iteration", y: str = "exploitability", by: str = "algorithm"
) -> dict[str, list[tuple[float, float]]]:
    """A curve for each value of the column `by`."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        found.setdefault(row[by], []).append((row[x], row[y]))
    return found


def plot_convergence(histories: Curves, path: Path, *, title: str, unit: str) -> None:
    """Exploitability over iterations, both logarithmic, one line for each curve."""
    figure, axes = _picture()
    _draw(axes, histories, title)
    axes.set_ylabel(f"exploitability ({unit})")
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


def plot_panels(panels: Mapping[str, Curves], path: Path) -> None:
    """A panel for each game: exploitability over iterations, one line for each curve."""
    figure, grid = _panels(len(panels), width=3.4 * len(panels) + 0.6, height=3.4)
    for axes, (name, histories) in zip(grid, panels.items(), strict=True):
        _draw(axes, histories, name)
    grid[0].set_ylabel("exploitability")
    grid[0].legend(frameon=False)
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


def _draw(axes: Axes, histories: Curves, title: str) -> None:
    for name, points in histories.items():
        axes.plot(*zip(*points, strict=True), label=name, linewidth=1.6)
    axes.set(xscale="log", yscale="log", xlabel="iterations", title=title)


def _picture(width: float = 7.0) -> tuple[Figure, Axes]:
    figure, (axes,) = _panels(1, width=width, height=4.2)
    return figure, axes


def _panels(count: int, *, width: float, height: float) -> tuple[Figure, list[Axes]]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(
        1, count, figsize=(width, height), layout="constrained", squeeze=False
    )
    panels = list(grid[0])
    for axes in panels:
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _save(figure: Figure, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, dpi=150, format="png")
    pyplot.close(figure)
