"""The figures of ReBeL's Table 2, to print beside ours."""

from __future__ import annotations

PAPER: dict[tuple[str, str], float] = {
    (f"liars-dice-{game}", algorithm): figure
    for algorithm, figures in {
        "rebel-cfr-d": (0.017, 0.015, 0.024, 0.017),
        "rebel-fp": (0.041, 0.020, 0.040, 0.020),
    }.items()
    for game, figure in zip(("1x4", "1x5", "1x6", "2x3"), figures, strict=True)
}
"""Exploitability by game and algorithm; search depth 2, 1,024 iterations."""
