"""The engine: iterations of any algorithm over any public tree.

A `Solver` holds what an algorithm remembers (regrets, policy sums, the current policy) in flat
arrays of the tree's slot layout, and runs the two passes of `tacit.tree.passes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.simd import ROWS
from tacit.solve.algorithms import FictitiousPlay, Minimiser, RegretMatching
from tacit.solve.gadgets import RootGadgets
from tacit.solve.kernels.gadgets import GadgetArrays
from tacit.solve.kernels.iterations import match_regrets, normalise_sums, play_fictitiously
from tacit.tree import PLAYERS, PublicTree, TreeArrays
from tacit.tree.order import Order
from tacit.tree.passes import WITHIN

Array = NDArray[Any]

Beliefs = Sequence[tuple[Array, Array]]
"""For each root, the two players' reaches [K_0] and [K_1] there."""


Locks = Mapping[int, Array]
"""For nodes whose policy is given: the policy [A, K] or [A, copies, K] there."""


class Solver:
    """An algorithm at work on a tree.

    `beliefs[r][p]` [K_p]: player p's reach at root r; by default the tree's own, at the start of a
    game ones. `threads` changes how long an iteration takes and nothing else. `locks` fixes the
    policy at some nodes; the solver then finds the best both can do around it. `root_gadgets`
    decide the reach of one player at the roots; the beliefs of that player are then not used.
    regrets, sums, policy: [slots].
    """

    by_turns = False
    """Whether `finish_turn` has more to do than to ask the gadgets, which the kernels do too."""

    def __init__(
        self,
        tree: PublicTree,
        minimiser: Minimiser,
        *,
        beliefs: Beliefs | None = None,
        dtype: type[np.floating[Any]] = np.float32,
        threads: int = 1,
        locks: Locks | None = None,
        root_gadgets: RootGadgets | None = None,
    ) -> None:
        self.tree = tree
        self.minimiser = minimiser
        self.root_gadgets = root_gadgets
        self.iteration = 0
        self.beliefs = beliefs
        self.sums = np.zeros(tree.sizes.slots, dtype=dtype)
        self.policy = _uniform(tree, self.sums)
        self.arrays, self.locks = lock(tree, locks or {}, self.policy)
        self.regrets = np.zeros(
            tree.sizes.slots if isinstance(minimiser, RegretMatching) else 0, dtype=dtype
        )
        self.mixture = self.policy.copy() if isinstance(minimiser, FictitiousPlay) else None
        self.threads = max(1, min(threads, len(tree.order.parts)))
        self.workspace = Workspace(tree, beliefs, dtype, threads=self.threads)
        if root_gadgets is not None:
            root_gadgets.open(tree, self.workspace.reach)

    def run(self, iterations: int) -> None:
        """Run this many iterations more; if the tree has grown, on all of it."""
        if len(self.sums) != self.tree.sizes.slots:
            self._grow()
        schedule = _schedule(self.minimiser, self.iteration + 1, iterations, self.policy.dtype)
        order = self.tree.order
        turns = 1 if isinstance(self.minimiser, RegretMatching) else 2
        turns *= 2 if self.minimiser.alternating else 1
        if self.threads == 1 and not self.by_turns:
            root_gadgets = None if self.root_gadgets is None else self.root_gadgets.arrays
            self._visit(order.whole, 0, schedule, 0, turns, root_gadgets)
            self.iteration += iterations
            return
        with ThreadTeam(self.threads) as team:
            for row in range(iterations):
                self.iteration += 1
                for turn in range(turns):
                    now = partial(
                        self._visit, schedule=schedule[row : row + 1], first=turn, last=turn + 1
                    )
                    team.visit(order, now)
                    self.finish_turn(turn)

    def finish_turn(self, turn: int) -> None:
        """Where iterations are run turn by turn, what is done after one: the gadgets answer."""
        if self.root_gadgets is None:
            return
        alternating, work = self.minimiser.alternating, self.workspace
        if isinstance(self.minimiser, RegretMatching):
            if not alternating or turn == self.root_gadgets.opponent:
                self.root_gadgets.match(work.values, work.reach, self.minimiser, self.iteration)
        elif not alternating or turn // 2 == self.root_gadgets.opponent:
            if turn % 2 == 0:
                self.root_gadgets.respond(work.values, work.reach)
            else:
                self.root_gadgets.mix(work.reach, self.minimiser, self.iteration)

    def _visit(
        self,
        steps: Array,
        thread: int,
        schedule: Array,
        first: int,
        last: int,
        root_gadgets: GadgetArrays | None = None,
    ) -> None:
        """Turns `first` … `last - 1` of the iterations of `schedule` [T, 5], along `steps`.

        A root_gadgets is passed only when the steps are all of a turn.
        """
        work = self.workspace
        head = (
            self.arrays, steps, thread, schedule, first, last, self.minimiser.alternating,
            work.matrices,
        )  # fmt: skip
        tail = (*work.reach, *work.values, work.scratches[thread], root_gadgets)
        if isinstance(self.minimiser, RegretMatching):
            match_regrets(*head, self.policy, self.regrets, self.sums, *tail)
        else:
            play_fictitiously(
                *head, self.minimiser.optimistic, self.policy, self.mixture, self.sums, *tail
            )

    def _grow(self) -> None:
        """Keep what has been learnt; what is new starts as a new solver does."""
        known, more = len(self.sums), self.tree.sizes.slots - len(self.sums)
        self.sums = np.concatenate([self.sums, np.zeros(more, dtype=self.sums.dtype)])
        uniform = _uniform(self.tree, np.zeros_like(self.sums))
        self.policy = np.concatenate([self.policy, uniform[known:]])
        if isinstance(self.minimiser, RegretMatching):
            self.regrets = np.concatenate([self.regrets, np.zeros(more, dtype=self.sums.dtype)])
        if self.mixture is not None:
            self.mixture = np.concatenate([self.mixture, uniform[known:]])
        self.arrays, self.locks = lock(self.tree, self.locks, self.policy)
        self.workspace = Workspace(
            self.tree, self.beliefs, self.sums.dtype.type, threads=self.threads
        )
        if self.root_gadgets is not None:
            self.root_gadgets.open(self.tree, self.workspace.reach)

    def average_policy(self, dtype: type[np.floating[Any]] = np.float64) -> Array:
        """[slots] the average policy, uniform at infostates that were never reached."""
        average = normalise(self.tree, self.sums.astype(dtype))
        for node, given in self.locks.items():
            self.tree.block(average, node)[:] = given
        return average


def lock(
    tree: PublicTree, locks: Locks, policy: Array
) -> tuple[TreeArrays, dict[int, NDArray[np.float64]]]:
    """The tree's arrays with these nodes locked, and the locks [A, copies, K]; sets `policy`."""
    whole: dict[int, NDArray[np.float64]] = {}
    for node, given in locks.items():
        block = tree.block(policy, node)
        full = np.asarray(given, dtype=np.float64)
        full = np.broadcast_to(full[:, None] if full.ndim == 2 else full, block.shape)
        if not (np.all(full >= 0) and np.allclose(full.sum(axis=0), 1, atol=1e-5)):
            raise GameError(f"the policy locked at node {node} is not a distribution over actions")
        whole[node] = full
        block[:] = full
    if not whole:
        return tree.arrays, whole
    locked = tree.arrays.locked.copy()
    locked[list(whole)] = 1
    return replace(tree.arrays, locked=locked), whole


class ThreadTeam:
    """Threads that visit the independent parts of a tree side by side."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> ThreadTeam:
        if self.threads > 1:
            self._pool = ThreadPoolExecutor(self.threads - 1)
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def visit(self, order: Order, call: Callable[[Array, int], None]) -> None:
        """Call with the steps of the tree's parts and the number of a thread, in a right order."""
        if self._pool is None:
            call(order.whole, 0)
            return
        call(order.head, 0)
        left = iter(order.parts)
        taking = Lock()

        def work(thread: int) -> None:
            while True:
                with taking:
                    steps = next(left, None)
                if steps is None:
                    return
                call(steps, thread)

        others = [self._pool.submit(work, thread) for thread in range(1, self.threads)]
        work(0)
        for other in others:
            other.result()
        call(order.tail, 0)


class Workspace:
    """The vectors that the passes write: reaches, values and scratch, of one float type.

    scratches: [2, room] for each thread; scratch: that of the first.
    """

    def __init__(
        self,
        tree: PublicTree,
        beliefs: Beliefs | None,
        dtype: type[np.floating[Any]],
        *,
        threads: int = 1,
    ) -> None:
        sizes, more = tree.sizes, threads - 1
        self.matrices = tree.matrices.astype(dtype)
        self.reach = _pair(sizes.reach, sizes.shared_reach, more, ROWS, dtype)
        self.values = _pair(sizes.values, sizes.shared_values, more, sizes.scratch, dtype)
        self.scratches = [np.zeros((2, sizes.scratch), dtype=dtype) for _ in range(threads)]
        self.scratch = self.scratches[0]
        if beliefs is None:
            beliefs = tree.beliefs
        for player in PLAYERS:
            for number, root in enumerate(tree.roots):
                count = tree.arrays.info_count[player, root.node]
                given = np.ones(count) if beliefs is None else np.asarray(beliefs[number][player])
                if given.shape != (count,):
                    raise ValueError(
                        f"root {number}: beliefs of player {player} have shape {given.shape}, "
                        f"expected ({count},)"
                    )
                place = tree.vectors(self.reach[player], player, root.node, values=False)
                place[root.copy] = given


def _pair(
    sizes: tuple[int, int],
    shared: tuple[int, int],
    times: int,
    more: int,
    dtype: type[np.floating[Any]],
) -> tuple[Array, Array]:
    """A buffer of zeros for each player, `times` the shared sizes and `more` entries longer."""
    return (
        np.zeros(sizes[0] + times * shared[0] + more, dtype=dtype),
        np.zeros(sizes[1] + times * shared[1] + more, dtype=dtype),
    )


def normalise(tree: PublicTree, sums: Array) -> Array:
    """[slots] sums made into a policy, in their place; infostates without weight play uniformly."""
    normalise_sums(tree.arrays, 0, sums, sums)
    normalise_sums(tree.arrays, 1, sums, sums)
    return sums


def _uniform(tree: PublicTree, none: Array) -> Array:
    """[slots] the policy that plays every legal action alike; `none` [slots] are zeros."""
    policy = np.empty_like(none)
    for player in PLAYERS:
        normalise_sums(tree.arrays, player, none, policy)
    return policy


def _schedule(minimiser: Minimiser, first: int, count: int, dtype: np.dtype[Any]) -> Array:
    """[count, 5]: the entries of `Step`, or `WITHIN`, and the weight in the average."""
    rows = np.zeros((count, 5))
    for row in range(count):
        if isinstance(minimiser, RegretMatching):
            step = minimiser.step(first + row)
            rows[row, :4] = step.positive, step.negative, step.floor, step.prediction
        else:
            rows[row, WITHIN] = minimiser.within(first + row)
        rows[row, 4] = minimiser.weight(first + row)
    return rows.astype(dtype)
