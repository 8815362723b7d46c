"""k-means on points whose clusters are known."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.solvers.sharing.k_means import assign, k_means

CENTRES = np.array([[0, 0], [10, 0], [0, 10], [10, 10], [5, 5]], np.float32)


def blobs(seed: int, each: int = 200) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(CENTRES)), each)
    points = CENTRES[label] + 0.3 * random.standard_normal((len(label), 2))
    return points.astype(np.float32), label


def test_far_clusters_are_found() -> None:
    points, label = blobs(3)
    found = k_means(points, len(CENTRES), seed=1)
    nearest, distance = assign(CENTRES, found.centres)
    assert sorted(nearest.tolist()) == list(range(len(CENTRES)))
    assert distance.max() < 0.1
    own, _ = assign(points, found.centres)
    assert all(len(set(own[label == number].tolist())) == 1 for number in range(len(CENTRES)))
    assert 0.1 < found.error < 0.25  # two variances of 0.09


def test_the_nearest_centre_is_the_nearest() -> None:
    random = np.random.default_rng(5)
    points, centres = (random.standard_normal((n, 4)).astype(np.float32) for n in (500, 37))
    nearest, distance = assign(points, centres)
    apart = ((points[:, None] - centres[None]).astype(np.float64) ** 2).sum(axis=2)
    assert np.array_equal(nearest, apart.argmin(axis=1))
    assert np.allclose(distance, apart.min(axis=1), atol=1e-6)


def test_the_same_seed_gives_the_same_centres_and_another_seed_may_not() -> None:
    points = np.random.default_rng(0).random((3000, 3)).astype(np.float32)
    first, again, other = (k_means(points, 40, seed=seed).centres for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_weights_pull_a_centre() -> None:
    points = np.array([[0.0], [1.0]], np.float32)
    found = k_means(points, 1, weights=np.array([3.0, 1.0]))
    assert found.centres[0, 0] == pytest.approx(0.25)


def test_as_many_clusters_as_points_leave_no_error() -> None:
    points = np.random.default_rng(2).random((50, 3)).astype(np.float32)
    found = k_means(points, 50, seed=4)
    assert found.error < 1e-12
    assert sorted(assign(points, found.centres)[0].tolist()) == list(range(50))


def test_more_clusters_than_points_that_differ_are_refused() -> None:
    points = np.array([[0.0], [0.0], [1.0]], np.float32)
    with pytest.raises(GameError, match="3 clusters asked for, but there are 2 points"):
        k_means(points, 3)
    with pytest.raises(GameError, match="expected 1 to 2"):
        k_means(points, 0)
