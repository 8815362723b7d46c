"""Leaves of a depth-limited tree: beliefs out, values in, for all leaves of a forest at once.

An **evaluator** answers expected values for a batch of public belief states. It speaks in rows of
numbers: it says which column of its input holds the belief in each infostate of a public state, and
which column of its answer holds each infostate's value, so that one network can serve states with
different infostates. Here reaches become normalised beliefs, and answers counterfactual values.

A **guide** speaks in the same rows, and answers policies instead of values.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.solve.search_kernels import gather_beliefs, scatter_values
from tacit.tree import PLAYERS, PublicState, PublicTree

Array = NDArray[Any]


class Encoder(Protocol):
    """What makes rows of numbers out of PBSs."""

    @property
    def inputs(self) -> int:
        """How many columns its input has; those that describe the public state come first."""

    def describe(self, state: PublicState, player: int) -> Array:
        """[features] the public state as numbers, when `player`'s values are asked."""

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the input's column for the belief in each infostate of `player`."""


class Guide(Encoder, Protocol):
    """What proposes a policy at a PBS, for all infostates of the player who acts."""

    def action_columns(self, state: PublicState) -> NDArray[np.int32]:
        """[A, K] the answer's column for each action and infostate of the state's mover."""

    def policies(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] weights, not negative, that divided by their sum are probabilities."""


class Evaluator(Encoder, Protocol):
    """What answers values at leaves; its `guide`, if it has one, proposes policies for searches."""

    guide: Guide | None

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the answer's column for the value of each infostate of `player`."""

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] expected values for the PBSs in the rows of `inputs` [n, inputs]."""


@runtime_checkable
class PairEvaluator(Protocol):
    """An evaluator that also answers for other beliefs than those that it solves for."""

    def values_met(
        self, believed: NDArray[np.float32], met: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """[n, outputs] expected values at the PBSs `met` of what solves the PBSs `believed`."""


class Zero:
    """The evaluator that knows nothing: every infostate is worth zero."""

    inputs = 0
    guide: Guide | None = None

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


class Rows:
    """The PBSs at some nodes of a tree as rows of an encoder.

    L public states in the order of the nodes and their copies. `inputs` [L, .] holds one row for
    each that the opponent reaches, and `row` [L] its number, or -1.
    """

    def __init__(self, tree: PublicTree, nodes: NDArray[np.int32], encoder: Encoder) -> None:
        self.tree = tree
        self.nodes = nodes
        self.count = int(tree.arrays.copies[nodes].sum())
        self.inputs = np.zeros((self.count, encoder.inputs), dtype=np.float32)
        self.row = np.zeros(self.count, dtype=np.int32)
        self.states = [tree.state(int(node)) for node in nodes]
        self.static = tuple(
            np.array([encoder.describe(s, p) for s in self.states] or np.zeros((0, 0)), np.float32)
            for p in PLAYERS
        )
        pairs = [(s, p) for s in self.states for p in PLAYERS]
        self.columns, self.start = pack([encoder.input_columns(*pair) for pair in pairs])

    def gather(self, player: int, reach: tuple[Array, Array]) -> NDArray[np.float32]:
        """[n, .] the rows that matter to `player`, given both reaches; sets `row`."""
        used = gather_beliefs(
            self.tree.arrays, self.nodes, player, self.static[player], self.columns, self.start,
            reach[0], reach[1], self.inputs, self.row,
        )  # fmt: skip
        return self.inputs[:used]


class Leaves:
    """The leaves of a tree and an evaluator for them; all arrays float32.

    Where the opponent's reach is zero so are the counterfactual values, and the evaluator is not
    asked.
    """

    def __init__(self, tree: PublicTree, evaluator: Evaluator) -> None:
        self.tree = tree
        self.evaluator = evaluator
        self.rows = Rows(tree, tree.leaves, evaluator)
        self.believed: Rows | None = None
        self.asked = 0
        states = self.rows.states
        pairs = [(s, p) for s in states for p in PLAYERS]
        self.answer_columns, _ = pack([evaluator.output_columns(*pair) for pair in pairs])
        self.apart = np.array([s.margins is not None for s in states], dtype=np.int8)
        chance, self.chance_start = pack(
            [np.concatenate(s.margins or [s.compatibility.ravel()]) for s in states]
        )
        self.chance = chance.astype(np.float32)

    def fill(
        self,
        player: int,
        reach: tuple[Array, Array],
        values: Array,
        *,
        believed: tuple[Array, Array] | None = None,
        pair: bool = False,
    ) -> None:
        """Write `player`'s counterfactual values at the leaves, given both reaches.

        With `believed`, the evaluator is asked for the beliefs of those reaches instead, and with
        `pair` also told of the others, which meet what it plays.
        """
        if self.rows.count == 0:
            return
        met = self.rows.gather(player, reach if pair or believed is None else believed)
        self.asked += len(met)
        if len(met) == 0:
            answers = np.zeros((0, 1), dtype=np.float32)
        elif pair and believed is not None:
            assert isinstance(self.evaluator, PairEvaluator)
            answers = self.evaluator.values_met(self._believed(player, met, believed), met)
        else:
            answers = self.evaluator.values(met)
        scatter_values(
            self.tree.arrays, self.rows.nodes, player, self.answer_columns, self.rows.start,
            self.apart, self.chance, self.chance_start, reach[1 - player], self.rows.row, answers,
            values,
        )  # fmt: skip

    def _believed(
        self, player: int, met: NDArray[np.float32], reach: tuple[Array, Array]
    ) -> NDArray[np.float32]:
        """[n, .] the rows of the leaves in `met`, for these reaches."""
        if self.believed is None:
            self.believed = Rows(self.tree, self.tree.leaves, self.evaluator)
        rows = self.believed.gather(player, reach)
        place = self.believed.row[self.rows.row >= 0]
        # A tiny reach may be lost in the average; then the leaf is believed as it is met.
        return np.where((place >= 0)[:, None], rows[place], met)


def pack(parts: list[Array]) -> tuple[Array, NDArray[np.int64]]:
    """Arrays one after the other, and where each starts."""
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return flat, np.cumsum(sizes) - sizes
