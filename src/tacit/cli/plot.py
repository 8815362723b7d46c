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


def _picture() -> tuple[Figure, Axes]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, dpi=150, format="png")
    pyplot.close(figure)
