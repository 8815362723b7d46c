"""Solving hold'em spots: to a target, a time or a number of iterations.

`solve_spot` returns a `SpotSolution`; its `view` shows any point of the tree: who moves, and each
hand's policy, reach, value and equity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.spot import Spot, permute_hands
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.anytime import Checkpoint, Limits, OnCheckpoint, OnChunk, Run, Stop, run
from tacit.solvers.best_response import BestResponse
from tacit.solvers.engine import Locks, Solver
from tacit.solvers.kernel_warm_up import cores, prepare
from tacit.solvers.spot_node import Path, SpotNode, find
from tacit.tree import Place, PublicTree
from tacit.tree.cards.builder import build_spot
from tacit.tree.kernels.passes import BEST

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_TARGET = 0.5
"""Percent of the pot."""
RIVER_TARGET = 0.1
"""Percent of the pot to which rivers that are missing in a file are solved again."""
FIRST_CHECK = 16
NEAR = 8.0
"""An exploitability of at most this many times the target is near it."""
FIRST_POWER, FASTER = 1.5, 0.5
"""The exploitability is predicted to fall as a power of the number of iterations: the first
exponent, and what is added to the exponent that was observed."""

Policy = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class SpotLimits:
    """When to stop: at the first of these that is reached; without any, at `DEFAULT_TARGET`.

    percent: exploitability in percent of the pot; mbb: in thousandths of a big blind a hand.
    """

    percent: float | None = None
    mbb: float | None = None
    seconds: float | None = None
    iterations: int | None = None

    def limits(self, spot: Spot) -> Limits:
        """The same in chips."""
        targets = []
        if self.percent is not None:
            targets.append(self.percent / 100 * spot.pot)
        if self.mbb is not None:
            targets.append(self.mbb / 1000 * spot.rules.big_blind)
        if not targets and self.seconds is None and self.iterations is None:
            targets.append(DEFAULT_TARGET / 100 * spot.pot)
        target = max(targets) if targets else None
        return Limits(target=target, seconds=self.seconds, iterations=self.iterations)


def solve_spot(
    spot: Spot,
    limits: SpotLimits | None = None,
    *,
    algorithm: str = DEFAULT_ALGORITHM,
    threads: int | None = None,
    isomorphism: bool = True,
    locks: Mapping[str, Mapping[str, float] | NDArray[Any]] | None = None,
    storage: int = 32,
    resumable: bool = False,
    max_bytes: int = 8 << 30,
    tree: PublicTree | None = None,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> SpotSolution:
    """Solve a spot; after an interrupt the solution so far is returned.

    `threads`: by default all cores. `locks`: by path, the fixed policy there: probabilities by
    label, the same for all hands, or an array [A, 1326]. `storage`: the bits of a regret or policy
    sum, 32, or 16 where memory is short. `resumable`: keep the arrays that `resume_spot` needs.
    """
    if storage not in (16, 32):
        raise GameError(f"numbers are kept in 32 or 16 bits, not in {storage}")
    prepare(np.float32, equity=True)
    tree = tree or build_spot(spot, isomorphism=isomorphism, storage=storage, max_bytes=max_bytes)
    begun = SpotSolution(
        spot=spot,
        tree=tree,
        policy=np.zeros(0, np.float32),
        algorithm=algorithm,
        stop=Stop.INTERRUPTED,
        history=(),
        storage=storage,
    )
    fixed = _locks(tree, locks or {})
    return _go_on(begun, fixed, limits, threads, resumable, on_checkpoint, on_chunk)


def resume_spot(
    solution: SpotSolution,
    limits: SpotLimits | None = None,
    *,
    threads: int | None = None,
    on_checkpoint: OnCheckpoint | None = None,
    on_chunk: OnChunk | None = None,
) -> SpotSolution:
    """Resume a resumable solution: the result is that of a run that never stopped."""
    if not solution.complete:
        raise GameError("a solution without rivers cannot be resumed; solve the spot again")
    if not solution.memory:
        raise GameError(
            "this solution was saved without the arrays that resuming needs (--resumable keeps "
            "them); solve the spot again"
        )
    fixed = {node: solution.tree.block(solution.policy, node) for node in solution.locked}
    return _go_on(solution, fixed, limits, threads, True, on_checkpoint, on_chunk)


def _go_on(
    solution: SpotSolution,
    fixed: Locks,
    limits: SpotLimits | None,
    threads: int | None,
    resumable: bool,
    on_checkpoint: OnCheckpoint | None,
    on_chunk: OnChunk | None,
) -> SpotSolution:
    """Run a solver with the settings, and from the state, of the solution to a limit."""
    tree, bounds = solution.tree, (limits or SpotLimits()).limits(solution.spot)
    solver = Solver(
        tree, find_algorithm(solution.algorithm), threads=threads or cores(), locks=fixed,
        storage=solution.storage,
    )  # fmt: skip
    if solution.memory:
        solver.restore(solution.iterations, solution.memory)

    def measure(solver: Solver) -> tuple[float, float]:
        policy = solver.average_policy(np.float32)
        jury = BestResponse(tree, policy, locks=fixed, threads=solver.threads)
        best = jury.value(0, BEST), jury.value(1, BEST)
        return (best[0] + best[1]) / 2, (best[0] - best[1]) / 2

    result = run(
        solver,
        bounds,
        history=solution.history,
        on_checkpoint=on_checkpoint,
        on_chunk=on_chunk,
        measure=measure,
        next_check=lambda iteration, seen: max(iteration + 1, next_check(seen, bounds.target)),
    )
    return replace(
        solution,
        policy=solver.average_policy(np.float32),
        stop=result.stop,
        history=result.history,
        locked=tuple(fixed),
        memory=solver.memory if resumable else {},
    )


def next_check(seen: Sequence[Checkpoint], target: float | None) -> int:
    """The next iteration at which the policy is evaluated, which costs about two iterations.

    Iterations double from one evaluation to the next, and grow by half near the target, unless the
    target is predicted to be met earlier. The exploitability is predicted to fall as a power of the
    number of iterations, somewhat faster than observed, because its fall mostly accelerates.
    """
    if not seen:
        return FIRST_CHECK
    now = seen[-1]
    if target is None:
        return 2 * now.iteration
    missing = now.exploitability / target
    latest = now.iteration + (now.iteration if missing > NEAR else now.iteration // 2)
    power = FIRST_POWER
    if len(seen) > 1:
        then = seen[-2]
        if not 0 < now.exploitability < then.exploitability:
            return latest
        power = log(then.exploitability / now.exploitability) / log(now.iteration / then.iteration)
    promised = now.iteration * missing ** (1 / (power + FASTER))
    earliest = now.iteration + max(1, now.iteration // 20)
    return int(min(latest, max(earliest, ceil(promised))))


@dataclass(frozen=True, kw_only=True)
class SpotSolution(Run):
    """A solved spot: the policy [slots] and its exploitability, in chips.

    `complete` is false where the policies of the last street are left out (see
    `tacit.formats.spot_solution`); they are solved again when they are viewed.
    """

    spot: Spot
    tree: PublicTree = field(repr=False)
    policy: Policy = field(repr=False)
    algorithm: str
    locked: tuple[int, ...] = ()
    complete: bool = True
    storage: int = 32
    """The bits of a regret or policy sum."""
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    """The solver's arrays by name, for `resume_spot`; empty unless `resumable`."""
    values: Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=dict, repr=False
    )
    """Without rivers: the values [K] of both players' hands at the nodes before them."""

    @property
    def percent_of_pot(self) -> float:
        """The exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    @property
    def mbb(self) -> float:
        """The exploitability in thousandths of a big blind a hand."""
        return 1000 * self.exploitability / self.spot.rules.big_blind

    def view(self, path: Path = "") -> SpotNode:
        """The point of the tree after `path`; GameError lists the possible moves."""
        solve_river = None if self.complete else _solve_river
        return SpotNode(self, find(self.tree, path), solve_river=solve_river)

    @cached_property
    def responder(self) -> BestResponse:
        """Evaluates the policy."""
        return BestResponse(self.tree, self.policy)


def _locks(
    tree: PublicTree, locks: Mapping[str, Mapping[str, float] | NDArray[Any]]
) -> dict[int, NDArray[np.float64]]:
    """Locks by node from locks by path."""
    fixed = {}
    for path, given in locks.items():
        target = find(tree, path)
        state = tree.cards.state(target.node)
        if state.mover >= CHANCE:
            raise GameError(f"no player moves after {path!r}, so nothing can be locked there")
        labels, count = tree.labels(target.node), state.counts[state.mover]
        if isinstance(given, Mapping):
            unknown = set(given) - set(labels)
            if unknown:
                raise GameError(
                    f"{', '.join(sorted(unknown))} is not possible after {path!r}; "
                    f"possible: {', '.join(labels)}"
                )
            column = np.array([given.get(label, 0.0) for label in labels])
            fixed[target.node] = np.repeat(column[:, None], count, axis=1)
        else:
            hands = permute_hands(target.suits)[state.deal.hands[state.mover]]
            fixed[target.node] = np.asarray(given, dtype=np.float64)[:, hands]
    return fixed


def _solve_river(view: SpotNode) -> SpotNode:
    """The same point in a solution of its river alone, with the reaches at its start as ranges."""
    moves, start, spot = view.target.moves, view.target.dealt, view.solution.spot
    above, dealt = (
        SpotNode(view.solution, find(view.solution.tree, moves[:end])) for end in (start - 1, start)
    )
    first, second = (
        reach * np.isin(np.arange(NUM_HANDS), live)
        for reach, live in zip(above.reach, dealt.live, strict=True)
    )
    if not (first.any() and second.any()):
        raise GameError("this point is never reached, so the policy on its river is not solved")
    scale = float(first.max()), float(second.max())
    street, committed = dealt.betting.street, dealt.betting.before[0]
    river = replace(
        spot,
        board=dealt.board,
        rules=replace(spot.rules, first_street=street, committed=committed, ante=0),
        ranges=((first / scale[0]).astype(np.float32), (second / scale[1]).astype(np.float32)),
        additions={},
    )
    locks = _river_locks(dealt)
    solution = solve_spot(river, SpotLimits(percent=RIVER_TARGET), locks=locks)
    return SpotNode(solution, find(solution.tree, moves[start:]), scale=scale)


def _river_locks(dealt: SpotNode) -> dict[str, NDArray[np.float32]]:
    """The locks on the river that begins at `dealt`: by path from there, [A, 1326]."""
    tree, policy = dealt.solution.tree, dealt.solution.policy
    locked = set(dealt.solution.locked)
    locks = {}
    for place, path in tree.walk(Place(dealt.target.node, 0)) if locked else ():
        if place.node in locked:
            block = tree.block(policy, place.node)[:, 0]
            hands = dealt.live[tree.arrays.player[place.node]]
            locks[" ".join(path)] = np.zeros((len(block), NUM_HANDS), np.float32)
            locks[" ".join(path)][:, hands] = block
    return locks
