"""The perfect value network: an evaluator that solves the game below each leaf.

A value is an infostate's best-response value against a near-equilibrium of the subgame rooted at
the leaf's PBS (ReBeL, equation 1). The oracle shows what a learned network could reach.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Beliefs, Solver
from tacit.solvers.leaves import Guide
from tacit.tree import PLAYERS, Builder, PublicState, PublicTree, build_forest
from tacit.tree.kernels.passes import BEST, EXPECT
from tacit.tree.pbs import PBS, normalised
from tacit.tree.public_tree import TreeBuilder

FORESTS = 64
"""How many forests are kept for the next query of the same leaves."""
LEAST_BELIEF = 1e-6
"""The least belief in an infostate when a subgame is solved."""


class SubgameSolver:
    """Solves the subgames at public belief states to the end of the game, all as one forest."""

    def __init__(
        self,
        builder: TreeBuilder,
        *,
        algorithm: str = "dcfr",
        iterations: int = 200,
        threads: int = 1,
    ) -> None:
        self.builder = builder
        self.algorithm = algorithm
        self.iterations = iterations
        self.threads = threads
        self._forests: dict[tuple[int, ...], PublicTree] = {}
        """The latest one comes last."""

    def solve(
        self, states: Sequence[PublicState], beliefs: Beliefs
    ) -> tuple[PublicTree, NDArray[np.float64]]:
        """The subgames at `states` to the end of the game, and a policy [slots] that solves them.

        The equilibrium is one that also plays well against infostates that `beliefs` rule out, so
        values change less from one iteration of a search to the next.
        """
        forest = self._forest(states)
        roots = [(_not_ruled_out(a), _not_ruled_out(b)) for a, b in beliefs]
        algorithm = find_algorithm(self.algorithm)
        solver = Solver(forest, algorithm, beliefs=roots, threads=self.threads)
        solver.run(self.iterations)
        return forest, solver.average_policy()

    def best_values(
        self, states: Sequence[PublicState], beliefs: Beliefs
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For each subgame the best-response values [K_0] and [K_1] against its solution."""
        forest, policy = self.solve(states, beliefs)
        responder = BestResponse(forest, policy, beliefs=beliefs, threads=self.threads)
        first, second = (responder.root_values(player, BEST) for player in PLAYERS)
        return list(zip(first, second, strict=True))

    def _forest(self, states: Sequence[PublicState]) -> PublicTree:
        key = tuple(id(state) for state in states)
        forest = self._forests.pop(key, None) or build_forest(self.builder, states)
        self._forests[key] = forest
        if len(self._forests) > FORESTS:
            del self._forests[next(iter(self._forests))]
        return forest


class PBSOracle(SubgameSolver):
    """The oracle for any kind of public state.

    At a leaf before a deal of cards all possible boards are solved, and the values are their mean.
    """

    def values(self, pbss: Sequence[PBS]) -> Sequence[tuple[NDArray[Any], NDArray[Any]]]:
        """The best-response values against the solution of each PBS's subgame."""
        return self.best_values([pbs.state for pbs in pbss], [pbs.beliefs for pbs in pbss])


class Oracle(SubgameSolver):
    """The oracle with rows (state's number, beliefs), for games whose states can be listed."""

    guide: Guide | None = None

    def __init__(self, builder: Builder, *, algorithm: str = "dcfr", iterations: int = 200) -> None:
        super().__init__(builder, algorithm=algorithm, iterations=iterations)
        self._states: list[PublicState] = []
        self._numbers: dict[int, int] = {}
        self._widths = _most_infostates(builder.root)
        self.inputs = 1 + sum(self._widths)

    def describe(self, state: PublicState, player: int) -> NDArray[np.float32]:
        """The state's number in this oracle's list."""
        return np.array([self._number(state)], dtype=np.float32)

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """Player 0's beliefs, then player 1's."""
        return 1 + self.output_columns(state, player)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """Player 0's values, then player 1's."""
        first = 0 if player == 0 else self._widths[0]
        return first + np.arange(state.counts[player], dtype=np.int32)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The best-response values against the solution of each row's subgame."""
        states, beliefs = self._read(inputs)
        outputs = np.zeros((len(states), sum(self._widths)), dtype=np.float32)
        for number, values in enumerate(self.best_values(states, beliefs)):
            for player in PLAYERS:
                outputs[number, self.output_columns(states[number], player)] = values[player]
        return outputs

    def pair_columns(self, state: PublicState) -> NDArray[np.int32]:
        """In row-major order."""
        rows, columns = self._widths
        every = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
        return every[: state.counts[0], : state.counts[1]]

    def pair_sign(self, state: PublicState) -> float:
        """Always payoffs to player 0."""
        return 1.0

    def pair_values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The payoff of each pair of infostates under the solution of each row's subgame.

        It is zero for impossible pairs.
        """
        states, beliefs = self._read(inputs)
        forest, policy = self.solve(states, beliefs)
        outputs = np.zeros((len(states), *self._widths), dtype=np.float32)
        for column in range(self._widths[1]):
            reaches = [
                (np.ones(s.counts[0]), (np.arange(s.counts[1]) == column).astype(np.float64))
                for s in states
            ]
            payoffs = BestResponse(forest, policy, beliefs=reaches).root_values(0, EXPECT)
            for number, values in enumerate(payoffs):
                outputs[number, : len(values), column] = values
        return outputs.reshape(len(states), -1)

    def _number(self, state: PublicState) -> int:
        if id(state) not in self._numbers:
            self._numbers[id(state)] = len(self._states)
            self._states.append(state)
        return self._numbers[id(state)]

    def _read(
        self, inputs: NDArray[np.float32]
    ) -> tuple[list[PublicState], list[tuple[NDArray[Any], NDArray[Any]]]]:
        """The public states and beliefs of rows."""
        states = [self._states[int(number)] for number in inputs[:, 0]]
        beliefs = [
            (row[self.input_columns(s, 0)], row[self.input_columns(s, 1)])
            for s, row in zip(states, inputs.astype(np.float64), strict=True)
        ]
        return states, beliefs


def _not_ruled_out(reach: NDArray[Any]) -> NDArray[Any]:
    """Beliefs [K] from a reach [K] that leave every infostate possible."""
    return np.maximum(normalised(reach), LEAST_BELIEF)


def _most_infostates(root: PublicState) -> tuple[int, int]:
    """The largest numbers of infostates that any public state has."""
    most = [0, 0]
    seen, stack = set[Hashable](), [root]
    while stack:
        state = stack.pop()
        if state.key not in seen:
            seen.add(state.key)
            most = [max(m, c) for m, c in zip(most, state.counts, strict=True)]
            stack += [transition.child for transition in state.expansion.transitions]
    return most[0], most[1]
