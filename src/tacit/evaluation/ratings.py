"""Elo ratings of players from matches between some pairs of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

SCALE = 400 / log(10)
"""Elo points of one unit of log-odds."""
DRAWS = 1.0
"""Drawn games added to each match, so that a player who wins every game has a finite rating."""


def elo_ratings(
    matches: Mapping[tuple[str, str], tuple[float, float]], *, anchor: str
) -> dict[str, float]:
    """By player: the most likely rating (Bradley and Terry), where `anchor` has 0.

    matches: by pair of players, the points of the first one (a win is 1, a draw 0.5) and the number
    of games. Every player must be connected with the anchor by matches.
    """
    names = sorted({name for pair in matches for name in pair})
    place = {name: number for number, name in enumerate(names)}
    pairs = np.array([[place[first], place[second]] for first, second in matches])
    points = np.array([won + DRAWS / 2 for won, _ in matches.values()])
    games = np.array([played + DRAWS for _, played in matches.values()])
    strength = np.zeros(len(names))
    for _ in range(100):  # Newton's method; the likelihood is concave
        expected = games / (1 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))
        curvature = expected * (1 - expected / games)
        gradient, hessian = np.zeros(len(names)), np.zeros((len(names), len(names)))
        for side, sign in ((0, 1.0), (1, -1.0)):
            np.add.at(gradient, pairs[:, side], sign * (points - expected))
            np.add.at(hessian, (pairs[:, side], pairs[:, side]), curvature)
            np.add.at(hessian, (pairs[:, side], pairs[:, 1 - side]), -curvature)
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        strength += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return {
        name: float(SCALE * (strength[place[name]] - strength[place[anchor]])) for name in names
    }
