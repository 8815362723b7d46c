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
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.spot import Spot, permute_hands
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.anytime import Checkpoint, Limits, OnCheckpoint, OnChunk, Stop, run
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
    _check_storage(storage)
    prepare(np.float32, equity=True)
    threads = threads or cores()
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
    solver = _solver(begun, fixed, threads)
    return _go_on(begun, solver, fixed, limits, resumable, on_checkpoint, on_chunk)


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
    solver = _solver(solution, fixed, threads or cores())
    solver.restore(solution.iterations, solution.memory)
    return _go_on(solution, solver, fixed, limits, True, on_checkpoint, on_chunk)


def _check_storage(storage: int) -> None:
    if storage not in (16, 32):
        raise GameError(f"numbers are kept in 32 or 16 bits, not in {storage}")


def _solver(solution: SpotSolution, fixed: Locks, threads: int) -> Solver:
    """A new solver with the settings of the solution."""
    return Solver(
        solution.tree, find_algorithm(solution.algorithm), threads=threads, locks=fixed,
        storage=solution.storage,
    )  # fmt: skip


def _go_on(
    solution: SpotSolution,
    solver: Solver,
    fixed: Locks,
    limits: SpotLimits | None,
    resumable: bool,
    on_checkpoint: OnCheckpoint | None,
    on_chunk: OnChunk | None,
) -> SpotSolution:
    """Run the solver until a limit is reached."""
    tree = solution.tree

    def measure(solver: Solver) -> tuple[float, float]:
        policy = solver.average_policy(np.float32)
        jury = BestResponse(tree, policy, locks=fixed, threads=solver.threads)
        best = jury.value(0, BEST), jury.value(1, BEST)
        return (best[0] + best[1]) / 2, (best[0] - best[1]) / 2

    bounds = (limits or SpotLimits()).limits(solution.spot)
    seen = list(solution.history)

    def note(point: Checkpoint) -> None:
        seen.append(point)
        if on_checkpoint is not None:
            on_checkpoint(point)

    result = run(
        solver,
        bounds,
        history=solution.history,
        on_checkpoint=note,
        on_chunk=on_chunk,
        measure=measure,
        next_check=lambda iteration: max(iteration + 1, next_check(seen, bounds.target)),
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
class SpotSolution:
    """A solved spot: the policy [slots] and its exploitability.

    `complete` is false where the policies of the last street are left out (see
    `tacit.formats.spot_solution`); they are solved again when they are viewed.
    """

    spot: Spot
    tree: PublicTree = field(repr=False)
    policy: Policy = field(repr=False)
    algorithm: str
    stop: Stop
    history: tuple[Checkpoint, ...] = field(repr=False)
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
    def iterations(self) -> int:
        """How many iterations were run."""
        return self.history[-1].iteration

    @property
    def seconds(self) -> float:
        """How long they took."""
        return self.history[-1].seconds

    @property
    def exploitability(self) -> float:
        """NashConv / 2 in chips, exact."""
        return self.history[-1].exploitability

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


def subgame_spot(view: SpotNode, ranges: tuple[NDArray[Any], NDArray[Any]]) -> Spot:
    """The spot at the start of the street of `view`: its board and chips, with these ranges.

    The ranges are divided by their largest weights.
    """
    rules, betting = view.solution.spot.rules, view.betting
    return Spot(
        board=view.board,
        rules=BettingRules(
            stacks=rules.stacks,
            big_blind=rules.big_blind,
            small_blind=rules.small_blind,
            first_street=betting.street,
            last_street=rules.last_street,
            committed=betting.before[0],
            dead=rules.dead,
        ),
        ranges=(
            (ranges[0] / ranges[0].max()).astype(np.float32),
            (ranges[1] / ranges[1].max()).astype(np.float32),
        ),
        bets=view.solution.spot.bets,
        name=view.solution.spot.name,
    )


def _solve_river(view: SpotNode) -> SpotNode:
    """The same point in a solution of its river alone, with the reaches at its start as ranges."""
    moves = list(view.target.moves)
    start = max(n for n, (node, _) in enumerate(view.target.steps) if _deals(view, node)) + 1
    above = SpotNode(view.solution, find(view.solution.tree, moves[: start - 1]))
    dealt = SpotNode(view.solution, find(view.solution.tree, moves[:start]))
    alive = (
        np.isin(np.arange(NUM_HANDS), dealt.live[0]),
        np.isin(np.arange(NUM_HANDS), dealt.live[1]),
    )
    ranges = above.reach[0] * alive[0], above.reach[1] * alive[1]
    if not (ranges[0].any() and ranges[1].any()):
        raise GameError("this point is never reached, so the policy on its river is not solved")
    solution = solve_spot(
        subgame_spot(dealt, ranges),
        SpotLimits(percent=RIVER_TARGET),
        locks=_river_locks(dealt),
    )
    scale = float(ranges[0].max()), float(ranges[1].max())
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


def _deals(view: SpotNode, node: int) -> bool:
    return view.solution.tree.state(node).mover == CHANCE
