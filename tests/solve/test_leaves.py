"""Leaves: beliefs go out and counterfactual values come in, as a slow, obvious way has them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.games import load_game
from tacit.solve.leaves import Guide, Leaves
from tacit.tree import PLAYERS, Builder, PublicState, build_forest
from tacit.tree.beliefs import normalised, value_to_cfv

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
