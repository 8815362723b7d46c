"""Examples: the hands that are drawn, their targets, and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.games import GameError
from tacit.learn.holdem.examples import HANDS, Examples, encode, join, load_pbss, save_pbss
from tacit.learn.holdem.knots import INPUTS, locate, pbs_arrays
from tacit.learn.holdem.random_positions import TableSettings, random_positions
from tacit.tree.pbs import PBS


def some(count: int = 3) -> list[PBS]:
    random = np.random.default_rng(0)
    return [random_positions(TableSettings(), 1, random, before_card=True)[0] for _ in range(count)]


def test_examples_hold_the_targets_of_drawn_hands() -> None:
    pbss = some()
    # A value that tells the hand apart: chips are the pot times (player + hand / 10,000).
    values = [
        tuple(p.state.betting.pot * (q + p.state.deal.hands[q] / 10_000) for q in (0, 1))
        for p in pbss
    ]
    found = encode(pbss, values, np.random.default_rng(1))  # type: ignore[arg-type]
    positions = locate(pbss)
    assert found.rows.shape == (6, INPUTS)
    assert found.target.shape == (6, HANDS)
    for row in range(6):
        number, player = divmod(row, 2)
        hands = np.rint((found.target[row] - player) * 10_000).astype(int)
        assert positions.live[number, hands].all()
        assert np.array_equal(found.equity[row], positions.equity[number, player, hands])
        assert np.array_equal(found.potential[row], positions.potential[number, hands])
        by_weight = positions.weight[number, player, hands[: HANDS // 2]]
        assert (by_weight > 0).all()
        uniform = positions.weight[number, player, hands[HANDS // 2 :]]
        assert by_weight.mean() > uniform.mean()


def test_examples_are_saved_joined_and_chosen(tmp_path: Path) -> None:
    pbss = some(2)
    values = [(np.zeros(p.state.counts[0]), np.zeros(p.state.counts[1])) for p in pbss]
    one = encode(pbss, values, np.random.default_rng(0))
    one.save(tmp_path / "examples.npz")
    both = join([one, Examples.load(tmp_path / "examples.npz")])
    assert len(both) == 8
    assert np.array_equal(both.at(np.array([5])).rows, one.at(np.array([1])).rows)


def test_pbss_are_saved_with_ranges_in_16_bits(tmp_path: Path) -> None:
    pbss = some(2)
    arrays = pbs_arrays(pbss)
    save_pbss(tmp_path / "pbss.npz", [arrays.at([0]), arrays.at([1])])
    found = load_pbss(tmp_path / "pbss.npz")
    assert list(found.boards) == list(arrays.boards)
    one, two = arrays.locate(), found.locate()
    assert np.array_equal(one.ratio, two.ratio)
    assert np.abs(one.weight - two.weight).max() < 1e-3 * one.weight.max()
    assert np.abs(one.equity - two.equity).max() < 1e-2


def test_values_must_belong_to_the_pbss() -> None:
    with pytest.raises(GameError, match="1 PBSs have 0 values"):
        encode(some(1), [], np.random.default_rng(0))
