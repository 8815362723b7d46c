"""The perfect value network: an evaluator that solves the game below each leaf.

It answers what each infostate can get at best against a near-equilibrium of the subgame rooted at
the leaf's PBS (ReBeL, equation 1), found by so many iterations of an algorithm. It is as exact as
they are many, and as slow; it tells what a learned network could reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.solve.engine import Solver
from tacit.solve.evaluation import infostate_values
from tacit.solve.minimiser import find_algorithm
from tacit.tree import PLAYERS, Builder, PublicState, build_forest


class Oracle:
    """An evaluator that solves to the end of the game; rows are (state's number, beliefs)."""

    def __init__(self, builder: Builder, *, algorithm: str = "dcfr", iterations: int = 200) -> None:
        self.builder = builder
        self.algorithm = algorithm
        self.iterations = iterations
        self._states: list[PublicState] = []
        self._numbers: dict[int, int] = {}
        self._widths = _most_infostates(builder.root)
        self.inputs = 1 + sum(self._widths)

    def describe(self, state: PublicState, player: int) -> NDArray[np.float32]:
        """The state's number in this oracle's list."""
        if id(state) not in self._numbers:
            self._numbers[id(state)] = len(self._states)
            self._states.append(state)
        return np.array([self._numbers[id(state)]], dtype=np.float32)

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """Player 0's beliefs, then player 1's."""
        return 1 + self.output_columns(state, player)

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """Player 0's values, then player 1's."""
        first = 0 if player == 0 else self._widths[0]
        return first + np.arange(state.counts[player], dtype=np.int32)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Solve every row's subgame, all as one forest."""
        answers = np.zeros((len(inputs), sum(self._widths)), dtype=np.float32)
        states = [self._states[int(number)] for number in inputs[:, 0]]
        beliefs = [
            (row[self.input_columns(s, 0)], row[self.input_columns(s, 1)])
            for s, row in zip(states, inputs.astype(np.float64), strict=True)
        ]
        forest = build_forest(self.builder, states)
        solver = Solver(forest, find_algorithm(self.algorithm), beliefs=beliefs)
        solver.run(self.iterations)
        policy = solver.average_policy()
        for player in PLAYERS:
            found = infostate_values(forest, policy, player, best=True, beliefs=beliefs)
            for number, (state, root) in enumerate(zip(states, forest.roots, strict=True)):
                answer = np.nan_to_num(found[root.node][root.copy])
                answers[number, self.output_columns(state, player)] = answer
        return answers


def _most_infostates(root: PublicState) -> tuple[int, int]:
    """The largest numbers of infostates that any public state has."""
    most = [0, 0]
    seen: set[int] = set()
    stack = [root]
    while stack:
        state = stack.pop()
        if id(state) not in seen:
            seen.add(id(state))
            most = [max(m, c) for m, c in zip(most, state.counts, strict=True)]
            stack += [transition.child for transition in state.expansion.transitions]
    return most[0], most[1]
