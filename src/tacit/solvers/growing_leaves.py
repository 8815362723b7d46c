"""Leaves of a growing tree: an evaluator's values and priors, asked in batches.

A leaf's values depend on the beliefs there, so it is asked again in every iteration, at the beliefs
of the current policies. Where each player has one infostate the answer cannot change, and a leaf is
asked once. Priors are the evaluator's policies; without any they are uniform.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.solvers.kernels.growing import (
    SearchArrays,
    gather_questions,
    scatter_answers,
    weigh_leaves,
)
from tacit.solvers.leaves import (
    Encoder,
    Evaluator,
    Leaves,
    PBSEvaluator,
    ValueEvaluator,
    lengthened,
)
from tacit.tree import LEAF, PLAYERS, Expansion, PublicState, PublicTree
from tacit.tree.pbs import PBS, normalised

Array = NDArray[Any]
Pair = tuple[Array, Array]


@runtime_checkable
class ValuePolicyEvaluator(ValueEvaluator, Protocol):
    """A counterfactual value-and-policy network: a row answers both players' values and policies.

    Its rows are those of player 0's values.
    """

    def action_columns(self, state: PublicState, expansion: Expansion) -> NDArray[np.int32]:
        """[A, K] the policy output's column for each action and infostate of the state's mover."""

    def answer(
        self, inputs: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """[n, outputs] expected values and [n, policy outputs] non-negative weights of actions."""


@runtime_checkable
class PBSPolicyEvaluator(PBSEvaluator, Protocol):
    """Evaluates public belief states without an encoding, and proposes policies there."""

    def policies(self, pbss: Sequence[PBS]) -> Sequence[Array]:
        """For each PBS the mover's weights of actions [A, K]; none where nobody decides."""


class _Question(NamedTuple):
    """A PBS at which the evaluator was asked: its node, the beliefs, and a random key."""

    key: float
    node: int
    beliefs: Pair


class GrowingLeaves(Leaves):
    """The leaves of an unfolded tree that grows.

    stats: see `SearchArrays`; sample: how many of the PBSs asked are kept in `questions`, each
    equally likely; alternating: whether the reaches change between the players' updates.
    """

    def __init__(
        self,
        tree: PublicTree,
        evaluator: Evaluator,
        stats: SearchArrays,
        *,
        alternating: bool = False,
        sample: int = 0,
        random: np.random.Generator,
    ) -> None:
        self.tree = tree
        self.stats = stats
        self.alternating = alternating
        self.sample = sample
        self.random = random
        self.asked = 0
        """PBSs evaluated so far."""
        self.seconds = 0.0
        """Time that the evaluator took."""
        self.questions: list[_Question] = []
        self.pairs = self.single = self.simple = None
        self.network = evaluator if isinstance(evaluator, ValuePolicyEvaluator) else None
        """The evaluator, if it answers policies with the values."""
        if isinstance(evaluator, ValueEvaluator):
            self.single = evaluator
            self._open = _OpenQuestions(tree, evaluator)
        else:
            self.simple = evaluator  # type: ignore[assignment]
        self._waiting: list[int] = []
        self._unsettled: list[int] = []
        self._expected = tuple(np.zeros(0, np.float32) for _ in PLAYERS)
        self._policies = np.zeros((0, 0), np.float32)
        self._proposed: dict[int, Array] = {}
        """By node, the proposal of a `PBSPolicyEvaluator`."""
        self.grow((), 0)

    def grow(self, expanded: Sequence[int], first: int) -> None:
        """Update for a tree with new nodes from `first` on."""
        new = (first + np.flatnonzero(self.tree.arrays.player[first:] == LEAF)).tolist()
        self._waiting += new
        sizes = self.tree.sizes.values
        self._expected = tuple(
            lengthened(old, size) for old, size in zip(self._expected, sizes, strict=True)
        )

    def fill(
        self, player: int, reach: Pair, values: Array, *, believed: Pair | None = None
    ) -> None:
        """Write `player`'s counterfactual values at the leaves, given both reaches."""
        if player == 0 or self.alternating:
            if self.single is not None:
                self._ask(self.single, reach)
            else:
                self._ask_simply(reach)
        weigh_leaves(
            self.tree.arrays, self.stats, player, self._expected[player], reach[1 - player], values
        )

    def _ask(self, evaluator: ValueEvaluator, reach: Pair) -> None:
        """Ask about all leaves that are new or whose answer depends on beliefs."""
        tree, questions = self.tree, self._open
        questions.add(self._waiting)
        self._waiting = []
        for players in ((0, 1),) if questions.joint else ((0,), (1,)):
            inputs, rows = questions.gather(players[0], reach)
            if len(rows) == 0:
                continue
            nodes = questions.nodes[rows]
            began = time.perf_counter()
            if self.network is not None:
                outputs, policies = self.network.answer(inputs)
                self.seconds += time.perf_counter() - began
                self._keep_policies(nodes, policies)
            else:
                outputs = evaluator.values(inputs)
                self.seconds += time.perf_counter() - began
            self.asked += len(rows)
            for player in players:
                scatter_answers(
                    tree.arrays, questions.nodes, rows, player, questions.flat.array,
                    questions.outputs, outputs, self._expected[player],
                )  # fmt: skip
            if players[0] == 0:
                self._draw(nodes, reach)
        questions.settle()

    def _keep_policies(self, nodes: NDArray[np.int32], policies: NDArray[np.float32]) -> None:
        if self._policies.shape[1] != policies.shape[1]:
            self._policies = np.zeros((0, policies.shape[1]), np.float32)
        self._policies = lengthened(self._policies, self.tree.nodes)
        self._policies[nodes] = policies

    def _ask_simply(self, reach: Pair) -> None:
        assert self.simple is not None
        tree, arrays = self.tree, self.tree.arrays
        old = [node for node in self._unsettled if arrays.player[node] == LEAF]
        nodes = old + self._waiting
        fresh = [False] * len(old) + [True] * len(self._waiting)
        self._waiting, self._unsettled = [], nodes
        pbss = [self.pbs(node, reach) for node in nodes]
        chosen = [
            number
            for number, node in enumerate(nodes)
            if fresh[number] or any(self._reached(p, node, reach) for p in PLAYERS)
        ]
        if not chosen:
            return
        asked = [pbss[number] for number in chosen]
        began = time.perf_counter()
        answers = self.simple.values(asked)
        if isinstance(self.simple, PBSPolicyEvaluator):
            for number, policy in zip(chosen, self.simple.policies(asked), strict=True):
                self._proposed[nodes[number]] = policy
        self.seconds += time.perf_counter() - began
        self.asked += len(asked)
        for number, answer in zip(chosen, answers, strict=True):
            for player in PLAYERS:
                to = tree.vectors(self._expected[player], player, nodes[number], values=True)
                to[0] = answer[player]
        self._draw(np.array([nodes[number] for number in chosen]), reach)
        self._unsettled = [node for node in nodes if tree.state(node).counts != (1, 1)]

    def _reached(self, player: int, node: int, reach: Pair) -> bool:
        return bool(self.tree.vectors(reach[player], player, node, values=False).any())

    def pbs(self, node: int, reach: Pair) -> PBS:
        """The PBS at a node, without its path."""
        first, second = (
            normalised(self.tree.vectors(reach[p], p, node, values=False)[0]) for p in PLAYERS
        )
        return PBS(self.tree.state(node), (first, second))

    def _draw(self, nodes: NDArray[Any], reach: Pair) -> None:
        """Keep the questions with the smallest random keys."""
        if not self.sample:
            return
        keys = self.random.random(len(nodes))
        limit = self.questions[-1].key if len(self.questions) == self.sample else 2.0
        for number in np.argsort(keys)[: self.sample].tolist():
            if keys[number] >= limit:
                break
            node = int(nodes[number])
            beliefs = self.pbs(node, reach).beliefs
            self.questions.append(_Question(float(keys[number]), node, beliefs))
        self.questions = sorted(self.questions, key=lambda question: question.key)[: self.sample]

    def weights(self, node: int, expansion: Expansion) -> Array:
        """[A, K] the evaluator's weights of the actions of a node that was a leaf, legal or not."""
        state = self.tree.state(node)
        if node in self._proposed:
            return self._proposed.pop(node)
        if self.network is not None:
            proposed: Array = self._policies[node][self.network.action_columns(state, expansion)]
            return proposed
        return np.ones((len(expansion.actions), state.counts[state.mover]))

    def ask_policies(self, nodes: Sequence[int], reach: Pair) -> None:
        """Ask for priors at nodes that are not leaves."""
        pbss = [self.pbs(node, reach) for node in nodes]
        if isinstance(self.simple, PBSPolicyEvaluator):
            self._proposed.update(zip(nodes, self.simple.policies(pbss), strict=True))
        elif self.network is not None:
            inputs = np.array([encode(self.network, pbs) for pbs in pbss], dtype=np.float32)
            _, policies = self.network.answer(inputs)
            self._keep_policies(np.array(nodes), policies)


def encode(encoder: Encoder, pbs: PBS, player: int = 0) -> NDArray[np.float32]:
    """[inputs] a PBS as a row, for a query of `player`'s values."""
    row = np.zeros(encoder.inputs, dtype=np.float32)
    static = encoder.describe(pbs.state, player)
    row[: len(static)] = static
    for p in PLAYERS:
        columns = encoder.input_columns(pbs.state, p)
        row[columns[columns >= 0]] = pbs.beliefs[p][columns >= 0]
    return row


class _Columns:
    """Arrays of columns one after the other, equal ones once."""

    def __init__(self) -> None:
        self.array = np.zeros(0, dtype=np.int32)
        self._starts: dict[bytes, int] = {}

    def put(self, columns: NDArray[np.int32]) -> int:
        """Where these columns begin."""
        key = columns.tobytes()
        if key not in self._starts:
            self._starts[key] = length = len(self.array)
            self.array = lengthened(self.array, length + len(columns))
            self.array[length:] = columns
        return self._starts[key]


class _OpenQuestions:
    """The leaves to be asked about by rows.

    nodes: [n]; fresh: [n] never asked; static: for each player, or once for both, [n, features];
    inputs, outputs: [n, 2] where each player's columns begin in `flat`. joint: one row serves both
    players.
    """

    def __init__(self, tree: PublicTree, evaluator: ValueEvaluator) -> None:
        self.tree = tree
        self.evaluator = evaluator
        self.flat = _Columns()
        self.nodes = np.zeros(0, np.int32)
        self.fresh = np.zeros(0, np.bool_)
        self.static: list[NDArray[np.float32]] = []
        self.inputs = self.outputs = np.zeros((0, 2), np.int64)
        self.joint = True
        self._asked_for = (0,) if isinstance(evaluator, ValuePolicyEvaluator) else PLAYERS
        self._rows = np.zeros((0, evaluator.inputs), np.float32)
        self._asked = np.zeros(0, np.int64)

    def add(self, nodes: Sequence[int]) -> None:
        """Add new leaves."""
        if not nodes:
            return
        states = [self.tree.state(node) for node in nodes]
        evaluator, put = self.evaluator, self.flat.put
        static = [
            np.array([evaluator.describe(state, p) for state in states], np.float32).reshape(
                len(states), -1
            )
            for p in self._asked_for
        ]
        self.joint = self.joint and np.array_equal(static[0], static[-1])
        before = self.static or [block[:0] for block in static]
        self.static = [_joined(old, new) for old, new in zip(before, static, strict=True)]
        self.nodes = _joined(self.nodes, np.array(nodes, np.int32))
        self.fresh = _joined(self.fresh, np.ones(len(nodes), np.bool_))
        inputs = [[put(evaluator.input_columns(s, p)) for p in PLAYERS] for s in states]
        outputs = [[put(evaluator.output_columns(s, p)) for p in PLAYERS] for s in states]
        self.inputs = _joined(self.inputs, np.array(inputs, np.int64))
        self.outputs = _joined(self.outputs, np.array(outputs, np.int64))

    def gather(self, player: int, reach: Pair) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """[rows, inputs] the rows of a query of `player`'s values, and [rows] their questions."""
        if len(self.nodes) == 0:
            return self._rows[:0], self._asked[:0]
        self._rows = lengthened(self._rows, max(len(self._rows), len(self.nodes)))
        self._asked = lengthened(self._asked, max(len(self._asked), len(self.nodes)))
        used = gather_questions(
            self.tree.arrays, self.nodes, self.fresh, self.static[player], self.flat.array,
            self.inputs, reach[0], reach[1], self._rows, self._asked,
        )  # fmt: skip
        return self._rows[:used], self._asked[:used]

    def settle(self) -> None:
        """Remove leaves whose answer cannot change and nodes that are no leaves any more."""
        arrays = self.tree.arrays
        self.fresh[:] = False
        hides = arrays.info_count[0, self.nodes] * arrays.info_count[1, self.nodes] > 1
        keep = hides & (arrays.player[self.nodes] == LEAF)
        if not keep.all():
            self.nodes, self.fresh = self.nodes[keep], self.fresh[keep]
            self.inputs, self.outputs = self.inputs[keep], self.outputs[keep]
            self.static = [block[keep] for block in self.static]


def _joined(old: Array, new: Array) -> Array:
    """Both, one after the other."""
    if len(old) == 0:
        return new
    joined = lengthened(old, len(old) + len(new))
    joined[len(old) :] = new
    return joined
