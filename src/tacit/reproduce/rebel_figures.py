"""The figures of ReBeL's Table 2, to print beside ours."""

from __future__ import annotations

GAMES = ("liars-dice-1x4", "liars-dice-1x5", "liars-dice-1x6", "liars-dice-2x3")
PAPER: dict[tuple[str, str], float] = {
    (game, algorithm): figure
    for algorithm, figures in {
        "fp": (0.012, 0.024, 0.039, 0.057),
        "cfr": (0.001, 0.001, 0.002, 0.002),
        "rebel-fp": (0.041, 0.020, 0.040, 0.020),
        "rebel-cfr-d": (0.017, 0.015, 0.024, 0.017),
    }.items()
    for game, figure in zip(GAMES, figures, strict=True)
}
"""Exploitability by game and algorithm: of the whole game after 1,024 iterations, and of search of
depth 2 and 1,024 iterations."""
