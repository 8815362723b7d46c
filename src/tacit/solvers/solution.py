"""A solved game: the average policy, its value and exploitability, and how to compute it.

`solve_tree` runs any algorithm, the exact linear program included, and returns a `Solution`, which
holds the policy and the solver's arrays, so that it can be resumed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import Game, GameError
from tacit.solvers.algorithms import Minimiser, find_algorithm
from tacit.solvers.anytime import Checkpoint, Limits, OnCheckpoint, OnChunk, Run, Stop, run
from tacit.solvers.best_response import evaluate
from tacit.solvers.engine import Solver
from tacit.solvers.kernel_warm_up import prepare
from tacit.tree import PublicTree
from tacit.tree.layout import Place

DEFAULT_ALGORITHM = "pcfr+"
LINEAR_PROGRAM = "lp"
PRECISIONS = {"single": 32, "double": 64}
"""The bits of a number."""


@dataclass(frozen=True, kw_only=True)
class Solution(Run):
    """A policy [slots] for a whole game, its value and exploitability, and how it was solved.

    `memory` holds the solver's arrays by name for `resume`; it is empty after the linear program.
    """

    tree: PublicTree = field(repr=False)
    algorithm: str
    minimiser: Minimiser | None
    precision: str
    seed: int
    target: float | None
    policy: NDArray[np.float64] = field(repr=False)
    memory: Mapping[str, NDArray[Any]] = field(repr=False)

    @property
    def game(self) -> Game:
        """The game that is solved."""
        return self.tree.game

    @property
    def shortfall(self) -> str | None:
        """One line that says why the target was missed; None if it was met, or without a target."""
        if self.target is None or self.exploitability <= self.target:
            return None
        reached = f"exploitability {self.exploitability:.3g} after {self.iterations:,} iterations"
        advice = {
            Stop.STALLED: f"{self.algorithm} no longer improves"
            + (", try --precision double" if self.precision == "single" else ""),
            Stop.ITERATIONS: "allow more iterations",
            Stop.TIME: "allow more time",
        }
        hint = advice.get(self.stop, "")
        return f"the target {self.target:g} is not met: {reached}" + (f"; {hint}" if hint else "")

    def place(self, moves: str = "") -> Place:
        """The public state after `moves`: labels of public moves, split by spaces."""
        return self.tree.find(moves)

    def probabilities(self, place: Place) -> NDArray[np.float64]:
        """[A, K] the probability of each action at each infostate of the mover."""
        chosen: NDArray[np.float64] = self.tree.block(self.policy, place.node)[:, place.copy]
        return chosen

    def policy_at(self, moves: str = "", infostate: str = "") -> dict[str, float]:
        """The mover's policy after `moves` at `infostate`, one of `PublicState.names`."""
        place = self.place(moves)
        state = self.tree.state(place.node)
        if state.mover > 1:
            raise GameError(f"no player moves after {moves!r}")
        names = state.names(state.mover)
        if infostate not in names:
            raise GameError(f"no infostate {infostate!r} here; there are: {', '.join(names)}")
        column = names.index(infostate)
        legal = self.tree.legal(place.node)[:, column]
        chosen = self.probabilities(place)[:, column]
        labels = self.tree.expansion(place.node).labels
        return {
            label: float(share)
            for label, share, possible in zip(labels, chosen, legal, strict=True)
            if possible
        }


def solve_tree(
    tree: PublicTree,
    limits: Limits,
    *,
    algorithm: str = DEFAULT_ALGORITHM,
    alternating: bool = True,
    precision: str = "single",
    seed: int = 0,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> Solution:
    """Solve a whole tree. All algorithms are deterministic; `seed` is only stored."""
    if algorithm == LINEAR_PROGRAM:
        return _solve_exactly(tree, limits, seed)
    if precision not in PRECISIONS:
        raise GameError(f"unknown precision {precision!r}; known: {', '.join(PRECISIONS)}")
    minimiser = find_algorithm(algorithm, alternating=alternating)
    prepare(np.float64)
    solver = Solver(tree, minimiser, storage=PRECISIONS[precision])
    begun = Solution(
        tree=tree,
        algorithm=algorithm,
        minimiser=minimiser,
        precision=precision,
        seed=seed,
        stop=Stop.INTERRUPTED,
        target=limits.target,
        history=(),
        policy=np.zeros(0),
        memory={},
    )
    return _go_on(begun, solver, limits, on_checkpoint, on_chunk)


def resume(
    solution: Solution,
    limits: Limits,
    *,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> Solution:
    """Resume `solution`: the result is that of a run that never stopped."""
    if solution.minimiser is None:
        how = "exactly" if solution.algorithm == LINEAR_PROGRAM else f"by {solution.algorithm}"
        raise GameError(f"this was solved {how}; there is nothing to resume")
    solver = Solver(solution.tree, solution.minimiser, storage=PRECISIONS[solution.precision])
    solver.restore(solution.iterations, solution.memory)
    return _go_on(solution, solver, limits, on_checkpoint, on_chunk)


def _go_on(
    solution: Solution,
    solver: Solver,
    limits: Limits,
    on_checkpoint: OnCheckpoint | None,
    on_chunk: OnChunk | None,
) -> Solution:
    seen = solution.history
    done = run(solver, limits, history=seen, on_checkpoint=on_checkpoint, on_chunk=on_chunk)
    return replace(
        solution,
        stop=done.stop,
        target=limits.target,
        history=done.history,
        policy=solver.average_policy(),
        memory=solver.memory,
    )


def _solve_exactly(tree: PublicTree, limits: Limits, seed: int) -> Solution:
    from tacit.solvers.linear_program import solve_exactly  # SciPy takes a second to load

    start = time.perf_counter()
    policy = solve_exactly(tree).policy
    evaluation = evaluate(tree, policy)
    seconds = time.perf_counter() - start
    return Solution(
        tree=tree,
        algorithm=LINEAR_PROGRAM,
        minimiser=None,
        precision="double",
        seed=seed,
        stop=Stop.EXACT,
        target=limits.target,
        history=(Checkpoint(0, seconds, evaluation.exploitability, evaluation.value),),
        policy=policy,
        memory={},
    )
