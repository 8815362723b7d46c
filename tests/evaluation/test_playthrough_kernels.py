"""Kernels of playthroughs beside slow versions of themselves."""

from __future__ import annotations

import numpy as np

from tacit.evaluation.playthrough_kernels import order_by_cells


def test_rows_of_a_cell_are_neighbours() -> None:
    random = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 1.0], [0.0, 9.0, 2.0], [7.0, 7.0, 3.0]])
    which = random.permutation(np.repeat(np.arange(4), 16))
    rows = (centres[which] + 0.1 * random.standard_normal((64, 3))).astype(np.float32)
    order = np.arange(70)
    padded = np.concatenate([rows, np.zeros((6, 3), np.float32)])
    order_by_cells(padded, order, 0, 64, np.zeros(70, np.float32), np.zeros(3))
    assert sorted(order[:64].tolist()) == list(range(64))
    assert order[64:].tolist() == list(range(64, 70))
    groups = which[order[:64]]
    assert np.count_nonzero(np.diff(groups)) == 3


def test_equal_rows_keep_their_order() -> None:
    order = np.arange(8)
    order_by_cells(np.ones((8, 2), np.float32), order, 0, 8, np.zeros(8, np.float32), np.zeros(2))
    assert order.tolist() == list(range(8))
