"""Leaves of a depth-limited tree: their values from an evaluator, for a whole forest at once.

An **evaluator** returns expected values for a batch of public belief states (PBSs). A
`PBSEvaluator` takes PBSs of any kind. `ValueEvaluator` and `PairEvaluator`, for networks, take and
return rows of numbers, and say which column belongs to which infostate, so that one network serves
states with different infostates. The second returns the value of each *pair* of infostates, one of
each player, when both play the solution at the given beliefs; it can be combined with any reach.
A **guide** (a policy network) takes the same rows and returns policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.kernels.leaves import (
    Chances,
    Columns,
    LeafArrays,
    RowArrays,
    gather_beliefs,
    scatter_values,
)
from tacit.tree import LEAF, PLAYERS, PublicState, PublicTree
from tacit.tree.pbs import PBS, normalised, value_to_cfv

Array = NDArray[Any]
Pair = tuple[Array, Array]


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

    L public states in the order of `arrays.nodes` and their copies. `inputs` [L, .] holds one row
    for each that is evaluated; `row` [L] is its number, or -1.
    """

    def __init__(self, tree: PublicTree, nodes: NDArray[np.int32], encoder: Encoder) -> None:
        self.tree = tree
        self.encoder = encoder
        self.arrays = RowArrays.empty(tree=tree.arrays, columns=Columns.empty())
        self.count = 0
        self.inputs = np.zeros((0, encoder.inputs), dtype=np.float32)
        self.row = np.zeros(0, dtype=np.int32)
        self.static = [np.zeros((0, 0), dtype=np.float32) for _ in PLAYERS]
        self.states = self.put(range(len(nodes)), nodes.tolist())

    def put(self, numbers: Sequence[int], nodes: Sequence[int]) -> list[PublicState]:
        """Make these the entries with these numbers, old or new; returns their public states."""
        if not numbers:
            return []
        arrays, copies, old = self.arrays, self.tree.arrays.copies, len(self.arrays.nodes)
        for number, node in zip(numbers, nodes, strict=True):
            replaced = copies[arrays.nodes[number]] if number < old else 0
            self.count += int(copies[node] - replaced)
        length = max(old, max(numbers) + 1)
        arrays.extend(["nodes"], length)
        arrays.nodes[numbers] = nodes
        states = [self.tree.state(node) for node in nodes]
        for player in PLAYERS:
            described = np.array([self.encoder.describe(s, player) for s in states], np.float32)
            kept = self.static[player] if old else described[:0]
            self.static[player] = lengthened(kept, length)
            self.static[player][numbers] = described
            columns = [self.encoder.input_columns(state, player) for state in states]
            arrays.columns.put([2 * number + player for number in numbers], columns)
        self.inputs, self.row = (lengthened(old, self.count) for old in (self.inputs, self.row))
        return states

    def drop(self) -> int:
        """Remove and return the last node."""
        node = int(self.arrays.nodes[-1])
        self.arrays.extend(["nodes"], len(self.arrays.nodes) - 1)
        self.count -= int(self.tree.arrays.copies[node])
        return node

    def gather(self, player: int, reach: Pair, *, every: bool = False) -> NDArray[np.float32]:
        """[n, .] the rows that the opponent of `player` reaches, or all of them; sets `row`."""
        used = gather_beliefs(
            self.arrays, player, every, self.static[player], *reach, self.inputs,
            self.row,
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
        self.linear = len(tree.arrays.cards.low) > 0
        if isinstance(evaluator, ValueEvaluator) and not (
            pairs and isinstance(evaluator, PairEvaluator)
        ):
            self.single = evaluator
        elif self.linear:
            raise GameError("pairs of hands are too many; use cfr-d or cfr-avg")
        else:
            self.pairs = evaluator
        self.rows = Rows(tree, tree.leaves, evaluator)
        self.outputs = np.zeros((0, 1), dtype=np.float32)
        self._place: dict[int, int] = {}
        self._columns: dict[int, Pair] = {}
        """By number, the output's columns of each player's hands; card states only."""
        self.arrays = LeafArrays.empty(
            rows=self.rows.arrays, columns=Columns.empty(), chance=Chances.empty()
        )
        self._add(range(len(tree.leaves)), tree.leaves.tolist(), self.rows.states)

    def _add(
        self, numbers: Sequence[int], nodes: Sequence[int], states: Sequence[PublicState]
    ) -> None:
        """Say how the outputs for leaves that were put into `rows` are read."""
        self._place |= zip(nodes, numbers, strict=True)
        arrays = self.arrays
        if self.linear:
            assert self.single is not None
            for number, state in zip(numbers, states, strict=True):
                first, second = (self.single.output_columns(state, player) for player in PLAYERS)
                self._columns[number] = first, second
        if self.linear or not numbers:
            return
        arrays.extend(["apart", "sign"], len(arrays.rows.nodes))
        arrays.apart[numbers] = [state.margins is not None for state in states]
        # [K0 * K1] chance weights, or [K0 + K1] margins whose product they are.
        chances = [np.concatenate(s.margins or [s.compatibility.ravel()]) for s in states]
        arrays.chance.put(numbers, chances)
        if self.pairs is not None:
            arrays.sign[numbers] = [self.pairs.pair_sign(state) for state in states]
            arrays.columns.put(numbers, [self.pairs.pair_columns(s).ravel() for s in states])
        elif self.single is not None:
            for player in PLAYERS:
                columns = [self.single.output_columns(state, player) for state in states]
                arrays.columns.put([2 * number + player for number in numbers], columns)

    def grow(self, expanded: Sequence[int], first: int) -> None:
        """Update for a tree in which the leaves `expanded` got moves to new nodes from `first`."""
        if self.simple is not None:
            return
        rows = self.rows
        new = (first + np.flatnonzero(self.tree.arrays.player[first:] == LEAF)).tolist()
        free = [self._place.pop(node) for node in expanded]
        end = len(rows.arrays.nodes)
        numbers = [*free[::-1], *range(end, end + len(new))][: len(new)]
        self._add(numbers, new, rows.put(numbers, new))
        for number in sorted(free[: max(0, len(free) - len(new))], reverse=True):
            last = rows.drop()
            if number < len(rows.arrays.nodes):
                self._add([number], [last], rows.put([number], [last]))

    def fill(
        self, player: int, reach: Pair, values: Array, *, believed: Pair | None = None
    ) -> None:
        """Write `player`'s counterfactual values at the leaves, given both reaches.

        With `believed`, the evaluator is called with the beliefs of those reaches instead.
        """
        believed = reach if believed is None else believed
        if self.simple is not None:
            answers = self._ask_pbss(self.simple, player, believed)
            self._write(player, reach, values, self._places(), answers)
            return
        if self.rows.count == 0:
            return
        rows = self.rows.gather(player, believed)
        self.asked += len(rows)
        if len(rows):
            self._evaluate(rows)
        if not self.linear:
            self.fill_from_outputs(player, reach, values)
            return
        # Nodes of cards have one copy, so rows are numbered as the nodes are.
        expected = [
            self.outputs[row, self._columns[number][player]] if row >= 0 else None
            for number, row in enumerate(self.rows.row[: self.rows.count].tolist())
        ]
        places = [(node, 0) for node in self.rows.arrays.nodes.tolist()]
        self._write(player, reach, values, places, expected)

    def _evaluate(self, rows: NDArray[np.float32]) -> None:
        if self.pairs is not None:
            self.outputs = self.pairs.pair_values(rows)
        elif self.single is not None:
            self.outputs = self.single.values(rows)

    def _ask_pbss(self, evaluator: PBSEvaluator, player: int, believed: Pair) -> list[Array | None]:
        """For each leaf the expected values [K] of `player`; None: the opponent is not there."""
        tree, pbss, asked = self.tree, list[PBS](), list[bool]()
        for node, copy in self._places():
            first, second = (
                tree.vectors(believed[p], p, node, values=False)[copy] for p in PLAYERS
            )
            asked.append(bool((first if player else second).sum() > 0))
            if asked[-1]:
                pbss.append(PBS(tree.state(node), (normalised(first), normalised(second))))
        self.asked += len(pbss)
        outputs = iter(evaluator.values(pbss) if pbss else ())
        return [next(outputs)[player] if reached else None for reached in asked]

    def _places(self) -> list[tuple[int, int]]:
        """Node and copy of each leaf."""
        copies = self.tree.arrays.copies
        return [(node, c) for node in self.tree.leaves.tolist() for c in range(copies[node])]

    def _write(
        self,
        player: int,
        reach: Pair,
        values: Array,
        places: Sequence[tuple[int, int]],
        expected: Sequence[Array | None],
    ) -> None:
        """Write expected values [K] of leaves as counterfactual ones; None: not reached."""
        tree = self.tree
        for (node, copy), value in zip(places, expected, strict=True):
            to = tree.vectors(values, player, node, values=True)[copy]
            opponent = tree.vectors(reach[1 - player], 1 - player, node, values=False)[copy]
            to[:] = 0 if value is None else value_to_cfv(tree.state(node), player, value, opponent)

    def ask(self, believed: Pair) -> None:
        """Evaluate the pairs at every leaf at the beliefs of these reaches; sets `outputs`."""
        if self.rows.count:
            rows = self.rows.gather(0, believed, every=True)
            self.asked += len(rows)
            self._evaluate(rows)

    def recall(self, outputs: NDArray[np.float32]) -> None:
        """Replace `outputs` by those of an earlier `ask`."""
        self.rows.row[:] = np.arange(self.rows.count)
        self.outputs = outputs

    def fill_from_outputs(self, player: int, reach: Pair, values: Array) -> None:
        """Write `player`'s counterfactual values at the leaves from the latest `outputs`."""
        scatter_values(
            self.arrays, player, self.pairs is not None, self.rows.row,
            reach[1 - player], self.outputs, values,
        )  # fmt: skip


def pbs_row(encoder: Encoder, pbs: PBS, player: int) -> NDArray[np.float32]:
    """[inputs] one PBS, for a query of `player`'s values."""
    row = np.zeros(encoder.inputs, dtype=np.float32)
    head = encoder.describe(pbs.state, player)
    row[: len(head)] = head
    for each in PLAYERS:
        columns = encoder.input_columns(pbs.state, each)
        row[columns[columns >= 0]] = pbs.beliefs[each][columns >= 0]
    return row


def lengthened(old: Array, length: int) -> Array:
    """An array with a longer first axis, zero-filled; storage at least doubles when it runs out."""
    whole = old if old.base is None else old.base
    if len(whole) < length or whole.ndim != old.ndim:
        whole = np.zeros((max(length, 2 * len(old)), *old.shape[1:]), dtype=old.dtype)
        whole[: len(old)] = old
    return whole[:length]


def concatenated_ranges(starts: Array, lengths: Array) -> NDArray[np.int64]:
    """[sum of lengths] the numbers from each start on, `lengths` of them, one range after another.

    >>> concatenated_ranges(np.array([3, 7]), np.array([2, 1])).tolist()
    [3, 4, 7]
    """
    before = np.cumsum(lengths) - lengths
    ranges: NDArray[np.int64] = np.repeat(starts - before, lengths) + np.arange(lengths.sum())
    return ranges
