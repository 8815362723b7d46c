"""Leaves of a depth-limited tree: their values from an evaluator, for a whole forest at once.

An **evaluator** returns expected values for a batch of public belief states (PBSs). There are two
ways to write one:

- `PBSEvaluator`, the simple one: `values` takes PBSs and returns both players' values of each. It
  works on every kind of public state.
- `ValueEvaluator` and `PairEvaluator`, the fast ones, for networks: they take and return rows of
  numbers. They say which input column holds the belief in each infostate of a public state, and
  which output column holds each infostate's value, so one network can serve states with different
  infostates. The first returns the value of each infostate at the given beliefs. The second returns
  the value of each *pair* of infostates, one of each player, when both play the solution at those
  beliefs; its values can be combined with any reach.

`Leaves` takes both: it turns reaches into beliefs, and outputs into counterfactual values.

A **guide** (a policy network) takes the same rows and returns policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.kernels.leaves import gather_beliefs, scatter_pairs, scatter_values
from tacit.tree import LEAF, PLAYERS, PublicState, PublicTree
from tacit.tree.pbs import PBS, normalised, value_to_cfv

Array = NDArray[Any]


class Encoder(Protocol):
    """Turns PBSs into rows of numbers."""

    @property
    def inputs(self) -> int:
        """The number of input columns; those that describe the public state come first."""

    def describe(self, state: PublicState, player: int) -> Array:
        """[features] the public state as numbers, for a query of `player`'s values."""

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the input's column for the belief in each infostate of `player`."""


class Guide(Encoder, Protocol):
    """Proposes a policy at a PBS for all infostates of the mover."""

    def action_columns(self, state: PublicState) -> NDArray[np.int32]:
        """[A, K] the output's column for each action and infostate of the state's mover."""

    def policies(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] non-negative weights; divided by their sum they are probabilities."""


@runtime_checkable
class ValueEvaluator(Encoder, Protocol):
    """Evaluates infostates at leaves; its `guide`, if any, proposes policies for searches."""

    guide: Guide | None

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """[K] the output's column for the value of each infostate of `player`."""

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] expected values for the PBSs in the rows of `inputs` [n, inputs]."""


@runtime_checkable
class PairEvaluator(Encoder, Protocol):
    """Evaluates pairs of infostates at leaves."""

    guide: Guide | None

    def pair_columns(self, state: PublicState) -> NDArray[np.int32]:
        """[K0, K1] the output's column for each infostate of player 0 against each of player 1."""

    def pair_sign(self, state: PublicState) -> float:
        """1 if outputs for this state are payoffs to player 0, -1 if to player 1."""

    def pair_values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, pairs] payoffs by the solutions of the PBSs in the rows of `inputs` [n, inputs]."""


class PBSEvaluator(Protocol):
    """Evaluates public belief states without an encoding."""

    def values(self, pbss: Sequence[PBS]) -> Sequence[tuple[Array, Array]]:
        """For each PBS the expected values [K_0] and [K_1] of both players' infostates."""


RowEvaluator = ValueEvaluator | PairEvaluator
Evaluator = RowEvaluator | PBSEvaluator


class Zero:
    """The evaluator whose values are all zero."""

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

    L public states in the order of `nodes` and their copies. `inputs` [L, .] holds one row for
    each that is evaluated; `row` [L] is its number, or -1.
    """

    def __init__(self, tree: PublicTree, nodes: NDArray[np.int32], encoder: Encoder) -> None:
        self.tree = tree
        self.encoder = encoder
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
        self.columns = Packed([encoder.input_columns(*pair) for pair in pairs])

    def put(self, number: int, node: int) -> PublicState:
        """Set or append entry `number` to `node`; returns its public state."""
        if number < len(self.nodes):
            self.count -= int(self.tree.arrays.copies[self.nodes[number]])
        else:
            self.nodes = lengthened(self.nodes, number + 1)
            self.static = tuple(lengthened(old, number + 1) for old in self.static)
        self.nodes[number], state = node, self.tree.state(node)
        for player in PLAYERS:
            self.static[player][number] = self.encoder.describe(state, player)
            self.columns.put(2 * number + player, self.encoder.input_columns(state, player))
        self.count += int(self.tree.arrays.copies[node])
        self.inputs, self.row = (lengthened(old, self.count) for old in (self.inputs, self.row))
        return state

    def drop(self) -> int:
        """Remove and return the last node."""
        node = int(self.nodes[-1])
        self.nodes = self.nodes[:-1]
        self.count -= int(self.tree.arrays.copies[node])
        return node

    def gather(
        self, player: int, reach: tuple[Array, Array], *, every: bool = False
    ) -> NDArray[np.float32]:
        """[n, .] the rows that the opponent of `player` reaches, or all of them; sets `row`."""
        used = gather_beliefs(
            self.tree.arrays, self.nodes, player, every, self.static[player], self.columns.flat,
            self.columns.start, reach[0], reach[1], self.inputs, self.row,
        )  # fmt: skip
        return self.inputs[:used]


class Leaves:
    """The leaves of a tree and an evaluator for them.

    Where the opponent's reach is zero so are the counterfactual values, and the evaluator is not
    called. `pairs`: use values of pairs of infostates even if the evaluator also has values of
    single ones. Card states have too many pairs of infostates for a table of chance weights; they
    use `compatible_reach`.
    """

    def __init__(self, tree: PublicTree, evaluator: Evaluator, *, pairs: bool = False) -> None:
        self.tree = tree
        self.asked = 0
        self.pairs: PairEvaluator | None = None
        self.single: ValueEvaluator | None = None
        self.simple: PBSEvaluator | None = None
        if not isinstance(evaluator, ValueEvaluator | PairEvaluator):
            self.simple = evaluator
            return
        self.rows = Rows(tree, tree.leaves, evaluator)
        self._place = {node: number for number, node in enumerate(tree.leaves.tolist())}
        states = self.rows.states
        self.linear = len(tree.arrays.cards.batch_node) > 0
        if not self.linear:
            self.apart = np.array([s.margins is not None for s in states], dtype=np.int8)
            self.chance = Packed([_chance(s) for s in states], np.float32)
        if isinstance(evaluator, PairEvaluator) and (
            pairs or not isinstance(evaluator, ValueEvaluator)
        ):
            if self.linear:
                raise GameError("pairs of hands are too many; use cfr-d or cfr-avg")
            self.pairs = evaluator
            self.sign = np.array([evaluator.pair_sign(s) for s in states], dtype=np.float32)
            self.columns = Packed([evaluator.pair_columns(s).ravel() for s in states])
            self.outputs = np.zeros((0, 1), dtype=np.float32)
        else:
            assert isinstance(evaluator, ValueEvaluator)
            self.single = evaluator
            self.columns = Packed([evaluator.output_columns(s, p) for s in states for p in PLAYERS])

    def grow(self, expanded: Sequence[int], first: int) -> None:
        """Update for a tree in which the leaves `expanded` got moves to new nodes from `first`."""
        if self.simple is not None:
            return
        new = (first + np.flatnonzero(self.tree.arrays.player[first:] == LEAF)).tolist()
        places = [self._place.pop(node) for node in expanded]
        for node in new:
            self._put(places.pop() if places else len(self.rows.nodes), node)
        for number in sorted(places, reverse=True):
            last = self.rows.drop()
            if number < len(self.rows.nodes):
                self._put(number, last)

    def _put(self, number: int, node: int) -> None:
        """Set or append leaf `number`."""
        state = self.rows.put(number, node)
        self._place[node] = number
        self.apart = lengthened(self.apart, len(self.rows.nodes))
        self.apart[number] = state.margins is not None
        self.chance.put(number, _chance(state))
        if self.pairs is not None:
            self.sign = lengthened(self.sign, len(self.rows.nodes))
            self.sign[number] = self.pairs.pair_sign(state)
            self.columns.put(number, self.pairs.pair_columns(state).ravel())
        else:
            assert self.single is not None
            for player in PLAYERS:
                columns = self.single.output_columns(state, player)
                self.columns.put(2 * number + player, columns)

    def fill(
        self,
        player: int,
        reach: tuple[Array, Array],
        values: Array,
        *,
        believed: tuple[Array, Array] | None = None,
    ) -> None:
        """Write `player`'s counterfactual values at the leaves, given both reaches.

        With `believed`, the evaluator is called with the beliefs of those reaches instead.
        """
        believed = reach if believed is None else believed
        if self.simple is not None:
            self._fill_simply(self.simple, player, reach, values, believed)
            return
        if self.rows.count == 0:
            return
        rows = self.rows.gather(player, believed)
        self.asked += len(rows)
        if self.pairs is not None:
            if len(rows):
                self.outputs = self.pairs.pair_values(rows)
            self.fill_from_pairs(player, reach, values)
            return
        assert self.single is not None
        outputs = self.single.values(rows) if len(rows) else np.zeros((0, 1), dtype=np.float32)
        if self.linear:
            expected = [
                outputs[row, self.single.output_columns(self.tree.state(node), player)]
                if row >= 0
                else None
                for (node, _), row in zip(self._places(), self.rows.row.tolist(), strict=True)
            ]
            self._write(player, reach, values, expected)
            return
        scatter_values(
            self.tree.arrays, self.rows.nodes, player, self.columns.flat, self.columns.start,
            self.apart, self.chance.flat, self.chance.start, reach[1 - player], self.rows.row,
            outputs, values,
        )  # fmt: skip

    def _fill_simply(
        self,
        evaluator: PBSEvaluator,
        player: int,
        reach: tuple[Array, Array],
        values: Array,
        believed: tuple[Array, Array],
    ) -> None:
        tree, pbss, asked = self.tree, list[PBS](), list[bool]()
        for node, copy in self._places():
            first, second = (
                tree.vectors(believed[p], p, node, values=False)[copy] for p in PLAYERS
            )
            asked.append(bool((first if player else second).sum() > 0))
            if asked[-1]:
                beliefs = (normalised(first), normalised(second))
                pbss.append(PBS(tree.state(node), beliefs))
        self.asked += len(pbss)
        outputs = iter(evaluator.values(pbss) if pbss else ())
        expected = [next(outputs)[player] if reached else None for reached in asked]
        self._write(player, reach, values, expected)

    def _places(self) -> list[tuple[int, int]]:
        """Node and copy of each leaf."""
        copies = self.tree.arrays.copies
        return [(node, c) for node in self.tree.leaves.tolist() for c in range(copies[node])]

    def _write(
        self,
        player: int,
        reach: tuple[Array, Array],
        values: Array,
        expected: Sequence[Array | None],
    ) -> None:
        """Write expected values [K] of each leaf as counterfactual ones; None: not reached."""
        tree = self.tree
        for (node, copy), value in zip(self._places(), expected, strict=True):
            to = tree.vectors(values, player, node, values=True)[copy]
            opponent = tree.vectors(reach[1 - player], 1 - player, node, values=False)[copy]
            to[:] = 0 if value is None else value_to_cfv(tree.state(node), player, value, opponent)

    def ask(self, believed: tuple[Array, Array]) -> None:
        """Evaluate the pairs at every leaf at the beliefs of these reaches; sets `outputs`."""
        assert self.pairs is not None
        if self.rows.count == 0:
            return
        rows = self.rows.gather(0, believed, every=True)
        self.asked += len(rows)
        self.outputs = self.pairs.pair_values(rows)

    def recall(self, outputs: NDArray[np.float32]) -> None:
        """Replace `outputs` by those of an earlier `ask`."""
        self.rows.row[:] = np.arange(self.rows.count)
        self.outputs = outputs

    def fill_from_pairs(self, player: int, reach: tuple[Array, Array], values: Array) -> None:
        """Write `player`'s counterfactual values at the leaves from `outputs` of pairs."""
        scatter_pairs(
            self.tree.arrays, self.rows.nodes, player, self.columns.flat, self.columns.start,
            self.sign, self.apart, self.chance.flat, self.chance.start, reach[1 - player],
            self.rows.row, self.outputs, values,
        )  # fmt: skip


def lengthened(old: Array, length: int) -> Array:
    """An array with a longer first axis, zero-filled; storage at least doubles when it runs out."""
    whole = old if old.base is None else old.base
    if len(whole) < length or whole.ndim != old.ndim:
        whole = np.zeros((max(length, 2 * len(old)), *old.shape[1:]), dtype=old.dtype)
        whole[: len(old)] = old
    return whole[:length]


def _chance(state: PublicState) -> Array:
    """[K0 * K1] chance weights of a public state, or [K0 + K1] margins whose product they are."""
    return np.concatenate(state.margins or [state.compatibility.ravel()])


class Packed:
    """Concatenated arrays: array n begins at `flat[start[n]]`."""

    def __init__(self, parts: Sequence[Array], dtype: type[np.generic] = np.int32) -> None:
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        self.start: NDArray[np.int64] = np.cumsum(sizes) - sizes
        self.flat: Array = np.concatenate([*parts, np.zeros(0, dtype)]).astype(dtype)

    def put(self, number: int, part: Array) -> None:
        """Replace or append an array."""
        self.start = lengthened(self.start, max(len(self.start), number + 1))
        self.start[number] = length = len(self.flat)
        self.flat = lengthened(self.flat, length + len(part))
        self.flat[length:] = part
