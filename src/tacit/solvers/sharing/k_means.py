"""k-means: clusters of points by Lloyd's algorithm from k-means++ seeds.

Distances are Euclidean. All randomness is drawn from the seed, so the same points give the same
centres on the same machine. With very many points the centres are computed from a sample.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.kernel import kernel

LEAST_SAMPLE = 100_000
POINTS_PER_CENTRE = 20
SEEDING_POINTS_PER_CENTRE = 4
ITERATIONS = 20
BLOCK = 1 << 20
"""Distances computed at a time."""

Points = NDArray[np.float32]
OnShare = Callable[[float], None]
"""Called with the share of the work that is done."""


@dataclass(frozen=True)
class Clusters:
    """centres: float32[k, D]; error: the mean squared distance of a point to its centre."""

    centres: Points
    error: float


def k_means(
    points: Points,
    count: int,
    *,
    weights: NDArray[np.float64] | None = None,
    seed: int = 0,
    iterations: int = ITERATIONS,
    on_share: OnShare | None = None,
) -> Clusters:
    """`count` centres of `points` [n, D], each point counting as `weights` [n] (by default 1).

    A centre that loses all its points moves to the point that is farthest from its own.
    """
    distinct = len(np.unique(points, axis=0)) if len(points) <= LEAST_SAMPLE else len(points)
    if not 1 <= count <= distinct:
        raise GameError(
            f"{count} clusters asked for, but there are {distinct} points that differ; "
            f"expected 1 to {distinct}"
        )
    random = np.random.default_rng(seed)
    mass = np.ones(len(points)) if weights is None else np.asarray(weights, np.float64)
    size = max(LEAST_SAMPLE, POINTS_PER_CENTRE * count)
    points, mass = _sample(points, mass, size, random)
    centres = _seeds(points, mass, count, random)
    error = np.inf
    for iteration in range(iterations):
        nearest, distance = assign(points, centres)
        error = float(mass @ distance / mass.sum())
        totals = np.bincount(nearest, mass, count)
        moved = np.stack(
            [np.bincount(nearest, mass * points[:, d], count) for d in range(points.shape[1])],
            axis=1,
        )
        full = totals > 0
        centres[full] = (moved[full] / totals[full, None]).astype(np.float32)
        empty = np.flatnonzero(~full)
        if len(empty):
            centres[empty] = points[np.argsort(-mass * distance, kind="stable")[: len(empty)]]
        if on_share is not None:
            on_share((iteration + 1) / iterations)
    return Clusters(centres, error)


def assign(points: Points, centres: Points) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """[n] the nearest centre of each point (the first among equals), and the squared distance."""
    nearest = np.empty(len(points), np.int64)
    norms = (centres * centres).sum(axis=1)
    turned = np.ascontiguousarray(-2 * centres.T)
    step = max(1, BLOCK // len(centres))
    for start in range(0, len(points), step):
        distances = points[start : start + step] @ turned
        distances += norms
        nearest[start : start + step] = distances.argmin(axis=1)
    apart = (points - centres[nearest]).astype(np.float64)
    return nearest, (apart * apart).sum(axis=1)


def _sample(
    points: Points, mass: NDArray[np.float64], size: int, random: np.random.Generator
) -> tuple[Points, NDArray[np.float64]]:
    if len(points) <= size:
        return points, mass
    chosen = random.choice(len(points), size, replace=False, shuffle=False)
    return points[chosen], mass[chosen]


def _seeds(
    points: Points, mass: NDArray[np.float64], count: int, random: np.random.Generator
) -> Points:
    """Seeds far from each other, by k-means++ (Arthur and Vassilvitskii 2007)."""
    size = max(LEAST_SAMPLE // 5, SEEDING_POINTS_PER_CENTRE * count)
    points, mass = _sample(points, mass, size, random)
    picked = np.empty(count, np.int64)
    _spread_out(points, mass, random.random(count), picked)
    return points[picked].copy()


@kernel
def _spread_out(points, mass, draws, picked):
    """Pick points with probability in proportion to mass * (distance to the nearest picked)².

    points: [n, D]; mass: [n]; draws: [k] uniform numbers; picked: [k] to be set.
    """
    count, width = points.shape
    nearest = np.full(count, np.inf)
    total = mass.sum()
    for k in range(len(draws)):
        left = draws[k] * total
        here = -1
        for n in range(count):
            weight = mass[n] if k == 0 else mass[n] * nearest[n]
            if weight > 0:
                here = n
                left -= weight
                if left < 0:
                    break
        here = max(here, 0)
        picked[k] = here
        total = 0.0
        for n in range(count):
            distance = 0.0
            for d in range(width):
                apart = points[n, d] - points[here, d]
                distance += apart * apart
            if distance < nearest[n]:
                nearest[n] = distance
            total += mass[n] * nearest[n]
