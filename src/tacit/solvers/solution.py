"""A solved game: the average policy, its value and exploitability, and how to compute it.

`solve_tree` runs any algorithm, the exact linear program included, and returns a `Solution`, which
holds the policy and the solver's arrays, so that it can be resumed. `policy_in_words` and
`written_policy` turn policies into words and back.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import Game, GameError
from tacit.games.game import Probabilities
from tacit.solvers.algorithms import Minimiser, find_algorithm
from tacit.solvers.anytime import Checkpoint, Limits, OnCheckpoint, OnChunk, Run, Stop, run
from tacit.solvers.best_response import evaluate
from tacit.solvers.engine import Solver
from tacit.solvers.kernel_warm_up import prepare
from tacit.solvers.linear_program import solve_exactly
from tacit.tree import CHANCE, Place, PublicTree, SolveKind

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
        rows = _named(self.tree, self.policy, place)
        if infostate not in rows:
            raise GameError(f"no infostate {infostate!r} here; there are: {', '.join(rows)}")
        return rows[infostate]


def solve_kind(algorithm: str = DEFAULT_ALGORITHM, precision: str = "single") -> SolveKind:
    """What `build_tree` needs to know of a solve to say how much memory it takes."""
    return SolveKind(storage=PRECISIONS.get(precision, 32), exact=algorithm == LINEAR_PROGRAM)


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
    return _go_on(begun, minimiser, limits, on_checkpoint, on_chunk)


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
    return _go_on(solution, solution.minimiser, limits, on_checkpoint, on_chunk)


def _go_on(
    solution: Solution,
    minimiser: Minimiser,
    limits: Limits,
    on_checkpoint: OnCheckpoint | None,
    on_chunk: OnChunk | None,
) -> Solution:
    """Run a solver with the settings, and from the state, of the solution to a limit."""
    storage, seen = PRECISIONS[solution.precision], solution.history
    solver = Solver(solution.tree, minimiser, storage=storage)
    if solution.memory:
        solver.restore(solution.iterations, solution.memory)
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


def written_policy(tree: PublicTree, given: Probabilities) -> NDArray[np.float64]:
    """[slots] a policy from words; infostates that are left out play uniformly."""
    policy = tree.uniform_policy()
    for moves, rows in given.items():
        place = tree.find(moves)
        state = tree.state(place.node)
        if state.mover >= CHANCE:
            raise GameError(f"no player moves after {moves!r}")
        names = state.names(state.mover)
        for name, chances in rows.items():
            if name not in names:
                raise GameError(f"no infostate {name!r} after {moves!r}; there are: {names}")
            column = [chances.get(label, 0.0) for label in tree.expansion(place.node).labels]
            if abs(sum(column) - 1) > 1e-9 or set(chances) - set(tree.expansion(place.node).labels):
                raise GameError(f"after {moves!r} {name!r} has no distribution over its actions")
            tree.block(policy, place.node)[:, place.copy, names.index(name)] = column
    return policy


def policy_in_words(
    tree: PublicTree,
    policy: NDArray[Any],
    start: Place | None = None,
    *,
    player: int | None = None,
    before: str = "",
) -> dict[str, dict[str, dict[str, float]]]:
    """The policy of `player` (None: both) below `start`, which is reached by the moves `before`.

    By public moves, then by infostate, then by action.
    """
    return {
        " ".join([*before.split(), *path]): _named(tree, policy, place)
        for place, path in tree.walk(start)
        if (mover := tree.arrays.player[place.node]) < CHANCE and player in (None, mover)
    }


def _named(tree: PublicTree, policy: NDArray[Any], place: Place) -> dict[str, dict[str, float]]:
    """The mover's policy at a public state: by infostate, then by action."""
    state, legal = tree.state(place.node), tree.legal(place.node)
    chosen = tree.block(policy, place.node)[:, place.copy]
    return {
        name: {
            label: float(chosen[action, number])
            for action, label in enumerate(tree.expansion(place.node).labels)
            if legal[action, number]
        }
        for number, name in enumerate(state.names(state.mover))
    }
