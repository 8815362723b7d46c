"""Pictures: how the exploitability falls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.solve import Checkpoint


def plot_convergence(
    histories: Mapping[str, Sequence[Checkpoint]], path: Path, *, title: str, unit: str
) -> None:
    """Exploitability over iterations, both logarithmic, one line for each history."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
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
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if len(histories) > 1:
        axes.legend(frameon=False, ncols=2)
    figure.savefig(path, dpi=150, format="png")
    pyplot.close(figure)
