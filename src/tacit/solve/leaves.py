"""Leaves of a depth-limited tree: beliefs out, values in, for all leaves of a forest at once.

An **evaluator** answers expected values for a batch of public belief states. It speaks in rows of
numbers: it says which column of its input holds the belief in each infostate of a public state, and
which column of its answer holds each infostate's value, so that one network can serve states with
different infostates. Here reaches become normalised beliefs, and answers counterfactual values.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.solve.search_kernels import gather_beliefs, scatter_values
from tacit.tree import PLAYERS, PublicState, PublicTree

Array = NDArray[Any]


class Evaluator(Protocol):
    """What answers values at leaves."""

    @property
    def inputs(self) -> int:
        """How many columns its input has; those that describe the public state come first."""

    def describe(self, state: PublicState, player: int) -> Array:
        """[features] the public state as numbers, when `player`'s values are asked."""

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the input's column for the belief in each infostate of `player`."""

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the answer's column for the value of each infostate of `player`."""

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] expected values for the PBSs in the rows of `inputs` [n, inputs]."""


class Zero:
    """The evaluator that knows nothing: every infostate is worth zero."""

    inputs = 0

    def describe(self, state: PublicState, player: int) -> Array:
        """Nothing."""
        return np.zeros(0)

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """None."""
        return np.full(state.counts[player], -1, dtype=np.int32)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """One column for all."""
        return np.zeros(state.counts[player], dtype=np.int32)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Zeros."""
        return np.zeros((len(inputs), 1), dtype=np.float32)


class Leaves:
    """The leaves of a tree and an evaluator for them; all arrays float32.

    L leaf public states in the order of the leaf nodes and their copies. `inputs` [L, .] holds one
    row for each leaf that can matter: where the opponent's reach is zero so are the counterfactual
    values, and the evaluator is not asked.
    """

    def __init__(self, tree: PublicTree, evaluator: Evaluator) -> None:
        self.tree = tree
        self.evaluator = evaluator
        self.nodes = tree.leaves
        self.count = int(tree.arrays.copies[self.nodes].sum())
        self.inputs = np.zeros((self.count, evaluator.inputs), dtype=np.float32)
        self.row = np.zeros(self.count, dtype=np.int32)
        self.asked = 0
        states = [tree.state(int(node)) for node in self.nodes]
        self.static = tuple(
            np.array([evaluator.describe(s, p) for s in states] or np.zeros((0, 0)), np.float32)
            for p in PLAYERS
        )
        pairs = [(s, p) for s in states for p in PLAYERS]
        self.columns, self.start = _pack([evaluator.input_columns(*pair) for pair in pairs])
        self.answer_columns, _ = _pack([evaluator.output_columns(*pair) for pair in pairs])
        chance, self.chance_start = _pack([s.compatibility.ravel() for s in states])
        self.chance = chance.astype(np.float32)

    def fill(self, player: int, reach: tuple[Array, Array], values: Array) -> None:
        """Write `player`'s counterfactual values at the leaves, given both reaches."""
        if self.count == 0:
            return
        used = gather_beliefs(
            self.tree.arrays, self.nodes, player, self.static[player], self.columns, self.start,
            reach[0], reach[1], self.inputs, self.row,
        )  # fmt: skip
        self.asked += used
        # A gadget may keep the opponent out everywhere; then there is nothing to ask.
        none = np.zeros((0, 1), dtype=np.float32)
        answers = self.evaluator.values(self.inputs[:used]) if used else none
        scatter_values(
            self.tree.arrays, self.nodes, player, self.answer_columns, self.start, self.chance,
            self.chance_start, reach[1 - player], self.row, answers, values,
        )  # fmt: skip


def _pack(parts: list[Array]) -> tuple[Array, NDArray[np.int64]]:
    """Arrays one after the other, and where each starts."""
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return flat, np.cumsum(sizes) - sizes
