"""Leaves: beliefs go out and counterfactual values come in, as a slow, obvious way has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.games import load_game
from tacit.games.holdem.spot import Spot
from tacit.solvers.leaves import Guide, Leaves, concatenated_ranges
from tacit.tree import PLAYERS, Builder, PublicState, build_forest
from tacit.tree.builder import before_chance
from tacit.tree.cards.builder import build_spot
from tacit.tree.pbs import PBS, normalised, value_to_cfv

Array = NDArray[Any]

WIDTH = 40


class _Opinion:
    """An evaluator that makes something of every belief it is shown."""

    inputs = 1 + 2 * WIDTH
    guide: Guide | None = None

    def describe(self, state: PublicState, player: int) -> NDArray[np.float64]:
        return np.array([float(player)])

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        return (1 + player * WIDTH + np.arange(state.counts[player])).astype(np.int32)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        return np.arange(state.counts[player], dtype=np.int32)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        weights = np.random.default_rng(0).normal(size=(self.inputs, WIDTH))
        return np.tanh(inputs @ weights).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "apart"), [("kuhn", False), ("leduc", False), ("liars-dice-2x3", True)]
)
def test_values_are_weighed_by_the_opponents_reach_and_by_chance(name: str, apart: bool) -> None:
    builder = Builder(load_game(name))
    root = builder.root
    assert (root.margins is not None) == apart
    tree = build_forest(builder, [root, root.expansion.transitions[0].child], depth=1)
    random = np.random.default_rng(1)
    reach = tuple(random.random(tree.sizes.reach[p]).astype(np.float32) for p in PLAYERS)
    evaluator = _Opinion()
    unmet = int(tree.leaves[0])
    for player in PLAYERS:
        met = reach[1 - player].copy()
        tree.vectors(met, 1 - player, unmet, values=False)[0] = 0
        given = (reach[0], met) if player == 0 else (met, reach[1])
        values = np.full(tree.sizes.values[player], np.nan, dtype=np.float32)
        leaves = Leaves(tree, evaluator)
        leaves.fill(player, given, values)
        assert leaves.asked < leaves.rows.count
        for node in tree.leaves.tolist():
            state = tree.state(node)
            vectors = [tree.vectors(given[p], p, node, values=False) for p in PLAYERS]
            for copy in range(len(vectors[0])):
                row = np.zeros((1, evaluator.inputs), dtype=np.float32)
                row[0, 0] = player
                for p in PLAYERS:
                    row[0, evaluator.input_columns(state, p)] = normalised(vectors[p][copy])
                answer = evaluator.values(row)[0, : state.counts[player]]
                expected = value_to_cfv(state, player, answer, vectors[1 - player][copy])
                found = tree.vectors(values, player, node, values=True)[copy]
                assert found == pytest.approx(expected, abs=1e-5)


class _SimpleOpinion:
    """The same for PBSs, without rows."""

    def __init__(self) -> None:
        self.rows = _Opinion()

    def values(self, pbss: Sequence[PBS]) -> list[tuple[Array, Array]]:
        found = []
        for pbs in pbss:
            both = []
            for player in PLAYERS:
                row = np.zeros((1, self.rows.inputs), dtype=np.float32)
                row[0, 0] = player
                for p in PLAYERS:
                    row[0, self.rows.input_columns(pbs.state, p)] = pbs.beliefs[p]
                both.append(self.rows.values(row)[0, : pbs.state.counts[player]])
            found.append((both[0], both[1]))
        return found


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-2x3"])
def test_an_evaluator_of_pbss_fills_leaves_as_one_of_rows_does(name: str) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root, builder.root], depth=1)
    random = np.random.default_rng(2)
    first, second = (random.random(tree.sizes.reach[p]).astype(np.float32) for p in PLAYERS)
    first[: len(first) // 2] = 0
    for player in PLAYERS:
        found = []
        for evaluator in (_Opinion(), _SimpleOpinion()):
            leaves = Leaves(tree, evaluator)
            values = np.full(tree.sizes.values[player], np.nan, dtype=np.float32)
            leaves.fill(player, (first, second), values)
            found.append((leaves.asked, values))
        assert found[0][0] == found[1][0]
        assert found[0][1] == pytest.approx(found[1][1], abs=1e-5, nan_ok=True)


class _Hands(_Opinion):
    """Rows for hold'em: more hands, and one column of the answer for all of them."""

    inputs = 1 + 2 * 1326

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        return (1 + player * 1326 + np.arange(state.counts[player])).astype(np.int32)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        return np.arange(state.counts[player], dtype=np.int32) % WIDTH


def test_leaves_of_cards_are_weighed_by_their_compatible_reach() -> None:
    spot = Spot.of("2c7dJhQs", ranges=("22+,A2s+", "KTo+,76s"), pot=100, behind=200, bets="a")
    tree = build_spot(spot, stop=before_chance)
    assert len(tree.leaves)
    random = np.random.default_rng(3)
    reach = tuple(random.random(tree.sizes.reach[p]).astype(np.float32) for p in PLAYERS)
    evaluator = _Hands()
    for player in PLAYERS:
        values = np.zeros(tree.sizes.values[player], dtype=np.float32)
        Leaves(tree, evaluator).fill(player, (reach[0], reach[1]), values)
        for node in tree.leaves.tolist():
            state = tree.state(node)
            vectors = [tree.vectors(reach[p], p, node, values=False)[0] for p in PLAYERS]
            row = np.zeros((1, evaluator.inputs), dtype=np.float32)
            row[0, 0] = player
            for p in PLAYERS:
                row[0, evaluator.input_columns(state, p)] = normalised(vectors[p])
            answer = evaluator.values(row)[0, evaluator.output_columns(state, player)]
            expected = answer * state.compatible_reach(player, vectors[1 - player])
            found = tree.vectors(values, player, node, values=True)[0]
            assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_ranges_are_concatenated() -> None:
    starts, lengths = np.array([3, 7, 2, 20]), np.array([2, 1, 0, 3])
    expected = [3, 4, 7, 20, 21, 22]
    assert concatenated_ranges(starts, lengths).tolist() == expected
