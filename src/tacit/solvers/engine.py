"""The engine: iterations of any algorithm over any public tree.

A `Solver` holds an algorithm's regrets, policy sums and current policy in flat arrays of the tree's
slot layout, and runs the two passes of `tacit.tree.kernels.passes`. On a depth-limited tree
`tacit.solvers.depth_limited` evaluates the leaves between a pass down and a pass up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.kernel import entry_point
from tacit.simd import ROWS
from tacit.solvers.algorithms import FictitiousPlay, Minimiser, RegretMatching
from tacit.solvers.depth_limited import DepthLimited, Mode
from tacit.solvers.gadgets import RootGadgets
from tacit.solvers.kernels.iterations import (
    match_regrets,
    match_short_regrets,
    normalise_nodes,
    normalise_sums,
    play_fictitiously,
)
from tacit.solvers.kernels.sharing import average_buckets, match_buckets, visit_shared
from tacit.solvers.leaves import Evaluator, Leaves
from tacit.solvers.sharing.layout import Sharing
from tacit.tree import PLAYERS, PublicTree, TreeArrays
from tacit.tree.arrays import UP, Order
from tacit.tree.kernels.buffers import SLOTS, VECTORS, ShortSlots, Slots, Vectors
from tacit.tree.kernels.passes import UPDATE
from tacit.tree.kernels.storage16 import LARGEST, read_sums
from tacit.tree.layout import GrowingLayout
from tacit.tree.public_state import Expansion

Array = NDArray[Any]
Pair = tuple[Array, Array]

Beliefs = Sequence[tuple[Array, Array]]
"""For each root, the two players' reaches [K_0] and [K_1] there."""


Locks = Mapping[int, Array]
"""For nodes whose policy is given: the policy [A, K] or [A, copies, K] there."""


class Solver:
    """An algorithm running on a tree; `iteration` counts updates of both players.

    `beliefs[r][p]` [K_p]: player p's reach at root r; by default the tree's own, at the start of a
    game ones. `leaves` evaluates the leaves of a depth-limited tree, at the beliefs that `mode`
    says; the first `warm_start` iterations are assumed to have played the proposal of its policy
    network. `root`: gadgets that decide one player's reach at the roots; that player's beliefs are
    then ignored. `sharing`: which infostates share regrets. `storage`: the bits of a number, 16, 32
    or 64. `locks` fixes the policy at some nodes; the solver finds an equilibrium given these.
    `threads` affects only the time that an iteration takes.

    regrets, sums, policy: [slots], or [bucket slots] with `sharing`; in 16 bits see
    `tacit.tree.kernels.storage16`, and `policy` is empty. The tree may grow between runs.
    """

    def __init__(
        self,
        tree: PublicTree,
        algorithm: Minimiser,
        *,
        beliefs: Beliefs | None = None,
        leaves: Evaluator | Leaves | None = None,
        mode: Mode = "cfr-d",
        warm_start: int = 0,
        root: RootGadgets | None = None,
        sharing: Sharing | None = None,
        storage: int = 32,
        locks: Locks | None = None,
        threads: int = 1,
    ) -> None:
        _check_options(tree, algorithm, leaves, warm_start, sharing, storage, locks)
        self.tree = tree
        self.minimiser = algorithm
        self.beliefs = beliefs
        self.root = root
        self.sharing = sharing
        self.storage = storage
        self.iteration = 0
        self.dtype: type[np.floating[Any]] = np.float64 if storage == 64 else np.float32
        self._nodes, self._expanded = tree.nodes, len(_expansions(tree))
        # Several threads would need a copy of the buckets each.
        self.threads = 1 if sharing is not None else max(1, min(threads, len(tree.order.parts)))
        self.team = ThreadTeam(self.threads)
        self.mixture: Array | None = None
        self.slots: Slots | ShortSlots | None = None
        self._entry: Callable[..., None] | None = None
        self.arrays, self.locks = tree.arrays, dict[int, NDArray[np.float64]]()
        if storage == 16:
            self._allocate_short(locks or {})
        elif sharing is not None:
            self.regrets: Array = np.zeros(sharing.slots)
            self.sums: Array = np.zeros(sharing.slots)
            self.policy: Array = sharing.normalised(self.sums)
            self._range = np.zeros((2, sharing.range_slots), dtype=self.dtype)
            width = max((int(rows.size.max(initial=1)) for rows in sharing.rows), default=1)
            self._gains = np.zeros(sharing.slots + width)
            self._bucket_scratch = np.zeros((2, width))
        else:
            matches, none = isinstance(algorithm, RegretMatching), np.zeros(0, self.dtype)
            sums = np.zeros(tree.sizes.slots, dtype=self.dtype)
            policy = normalise(tree, np.zeros_like(sums))
            self.arrays, self.locks = lock(tree, locks or {}, policy)
            regrets = np.zeros_like(sums) if matches else none
            mixture = none if matches else policy.copy()
            self._take(SLOTS[self.dtype](policy, regrets, sums, mixture))
        self.work = Workspace(tree, beliefs, self.dtype, threads=self.threads)
        if root is not None:
            root.open(tree, self.work.reach)
        self.limit = None if leaves is None else DepthLimited(self, leaves, mode, warm_start)

    def _take(self, slots: Slots) -> None:
        """Use these slots."""
        self.slots = slots
        self.policy, self.regrets, self.sums = slots.policy, slots.regrets, slots.sums
        if isinstance(self.minimiser, FictitiousPlay):
            self.mixture = slots.mixture

    def _allocate_short(self, locks: Locks) -> None:
        """Regrets, their scales and sums in 16 bits; a locked node's regrets are its policy."""
        tree, arrays = self.tree, self.tree.arrays
        self.policy = np.zeros(0, np.float32)
        self.sums = np.zeros(tree.sizes.slots, np.uint16)
        self.regrets = np.zeros(tree.sizes.slots, np.int16)
        movers = np.minimum(arrays.player, 1)
        counts = arrays.info_count[movers, np.arange(tree.nodes)]
        hands = np.where(arrays.action_count > 0, counts, 0)
        self.starts = np.cumsum(hands, dtype=np.int64) - hands
        self.regret_scales = np.zeros(int(hands.sum()), np.float32)
        self.slots = ShortSlots(self.regrets, self.sums, self.regret_scales, self.starts)
        if locks:
            self.arrays, self.locks = lock(tree, locks)
            for node, given in self.locks.items():
                tree.block(self.regrets, node)[:] = np.rint(LARGEST * given)
                start = self.starts[node]
                self.regret_scales[start : start + hands[node]] = 1

    def run(self, iterations: int, *, each: Callable[[int], None] | None = None) -> None:
        """Run `iterations` more iterations; if the tree has grown, on all of it.

        `each` is called with the number of each iteration after it.
        """
        if self._nodes != self.tree.nodes:
            self._grow()
        alternating = self.minimiser.alternating
        turns = (1 + isinstance(self.minimiser, FictitiousPlay)) * (1 + alternating)
        by_turns = self.limit is not None or self.sharing is not None or self.threads > 1
        with self.team:
            if not by_turns and each is None:
                schedule = self.schedule(self.iteration + 1, iterations)
                gadgets = None if self.root is None else self.root.arrays
                self._kernel()(
                    self.arrays, self.slots, self.work.vectors[0], self.tree.order.whole, 0,
                    schedule, -1, alternating, gadgets,
                )  # fmt: skip
                self.iteration += iterations
                return
            for _ in range(iterations):
                self.iteration += 1
                if self.limit is not None:
                    self.limit.iterate()
                else:
                    schedule = self.schedule(self.iteration, 1)
                    for turn in range(turns):
                        self.visit(self.tree.order, turn, schedule)
                        self._ask_gadgets(turn)
                if each is not None:
                    each(self.iteration)

    def visit(
        self,
        order: Order,
        turn: int,
        schedule: Array,
        *,
        alternating: bool | None = None,
        vectors: Sequence[Vectors] | None = None,
    ) -> None:
        """One turn of an iteration, whose `schedule` is [1, 6], along an order of steps.

        vectors: for each thread, in place of the workspace's.
        """
        if alternating is None:
            alternating = self.minimiser.alternating
        if self.sharing is not None:
            self._visit_shared(order.whole, (turn,) if alternating else PLAYERS, schedule[0])
            return
        vectors = vectors or self.work.vectors
        arrays, slots = self.arrays, self.slots
        kernel = self._entry
        if kernel is None:
            kernel = self._entry = entry_point(
                self._kernel(), arrays, slots, vectors[0], order.whole, 0, schedule, 0, True, None
            )

        def call(steps: Array, thread: int) -> None:
            own = vectors[thread]
            kernel(arrays, slots, own, steps, thread, schedule, turn, alternating, None)

        self.team.visit(order, call)

    def _kernel(self) -> Callable[..., None]:
        if isinstance(self.minimiser, FictitiousPlay):
            return play_fictitiously
        return match_short_regrets if self.storage == 16 else match_regrets

    def _ask_gadgets(self, turn: int) -> None:
        """Update the gadgets after a turn, where iterations are run turn by turn."""
        if self.root is None:
            return
        mover = turn if isinstance(self.minimiser, RegretMatching) else turn // 2
        if mover == self.root.opponent or not self.minimiser.alternating:
            work, mixes = self.work, turn % 2 == 1
            self.root.update(self.minimiser, self.iteration, work.values, work.reach, mixes=mixes)

    def _visit_shared(self, steps: Array, players: Sequence[int], row: Array) -> None:
        """A turn of these players with regrets of buckets; `row`: [6] of the schedule."""
        assert self.sharing is not None
        sharing, work = self.sharing, self.work
        self._gains[:] = 0
        for player in players:
            reaches = np.zeros(sharing.reach_slots)
            visit_shared(
                sharing.solving, work.vectors[0], steps, sharing.buckets, player, UPDATE,
                self.policy, *self._range, self._gains, reaches,
            )  # fmt: skip
            average_buckets(sharing.rows[1 - player], row[4], reaches, self.policy, self.sums)
        if np.any(steps[:, 0] == UP):
            for player in players:
                match_buckets(
                    sharing.rows[player], row[:4], self._gains, self.regrets, self.policy,
                    self._bucket_scratch,
                )  # fmt: skip

    def schedule(self, first: int, count: int) -> Array:
        """[count, 6] the rows of these iterations; see `RegretMatching.row`."""
        rows = [self.minimiser.row(first + number) for number in range(count)]
        dtype = np.float64 if self.sharing is not None else self.dtype
        return np.array(rows, dtype=dtype).reshape(count, 6)

    def _grow(self) -> None:
        """Extend the arrays; old entries are kept, new ones start as in a new solver."""
        tree = self.tree
        if self.sharing is not None or self.storage == 16:
            raise GameError(
                "the tree has grown, but buckets and 16-bit numbers are laid out for the tree as "
                "it was; start a new solver"
            )
        assert isinstance(self.slots, Slots)
        first, self._nodes = self._nodes, tree.nodes
        own = "regrets" if isinstance(self.minimiser, RegretMatching) else "mixture"
        self.slots.extend(("policy", "sums", own), tree.sizes.slots)
        self._take(self.slots)
        expansions = _expansions(tree)
        expanded = list(islice(reversed(expansions), len(expansions) - self._expanded))[::-1]
        self._expanded = len(expansions)
        for started in (self.policy,) if self.mixture is None else (self.policy, self.mixture):
            normalise_nodes(tree.arrays, np.array(expanded, dtype=np.int64), self.sums, started)
        self.arrays, self.locks = lock(tree, self.locks, self.policy)
        self.work.grow(tree)
        if self.limit is not None:
            self.limit.grow([node for node in expanded if node < first], first)

    def average_buckets(self) -> NDArray[np.float64]:
        """[bucket slots] the average policy, uniform in buckets that were never reached."""
        assert self.sharing is not None
        return self.sharing.normalised(self.sums)

    def average_policy(self, dtype: type[np.floating[Any]] = np.float64) -> Array:
        """[slots] the average policy, uniform at infostates that were never reached."""
        if self.sharing is not None:
            return self.sharing.spread(self.average_buckets(), dtype)
        if self.storage == 16:
            return self._locked(
                normalise(self.tree, read_sums(self.sums).astype(dtype, copy=False))
            )
        return self._locked(normalise(self.tree, self.sums.astype(dtype)))

    def current_policy(self, dtype: type[np.floating[Any]] = np.float64) -> Array:
        """[slots] the policy of the last iteration."""
        if self.sharing is not None:
            return self.sharing.spread(self.policy, dtype)
        if self.storage == 16:
            positive = np.maximum(self.regrets, 0).astype(dtype)
            return self._locked(normalise(self.tree, positive))
        return self.policy.astype(dtype)

    def _locked(self, policy: Array) -> Array:
        for node, given in self.locks.items():
            self.tree.block(policy, node)[:] = given
        return policy

    @property
    def memory(self) -> dict[str, Array]:
        """The arrays that the next iteration depends on, by name; `restore` takes them back."""
        if self.limit is not None or self.root is not None:
            raise GameError(
                "a solver with leaves or a gadget cannot be resumed; keep the solver itself"
            )
        names = ["policy", "regrets", "sums"]
        if self.storage == 16:
            names = ["regrets", "regret_scales", "sums"]
        elif self.mixture is not None:
            names = ["policy", "mixture", "sums"]
        return {name: getattr(self, name) for name in names}

    def restore(self, iteration: int, memory: Mapping[str, Array]) -> None:
        """Resume from `iteration` with the `memory` saved after it."""
        own = self.memory
        if {name: kept.shape for name, kept in memory.items()} != {
            name: mine.shape for name, mine in own.items()
        }:
            raise GameError("the saved arrays do not fit this algorithm; solve it again")
        self.iteration = iteration
        for name, mine in own.items():
            mine[:] = memory[name]

    @property
    def limited(self) -> DepthLimited:
        """How the leaves are evaluated, and the values that follow at the roots."""
        if self.limit is None:
            raise GameError("this solver has no leaves; give it an evaluator: leaves=Zero()")
        return self.limit

    @property
    def averaged(self) -> Array:
        """[slots] with leaves: the average policy when `average_reach` was last called."""
        return self.limited.averaged

    def average_reach(self) -> Pair:
        """With leaves: the reaches of the average policy, in the tree's layout."""
        return self.limited.average_reach()

    def believed_reach(self) -> Pair:
        """With leaves: the reaches of the leaves' PBSs when self-play continues from here."""
        return self.limited.believed_reach()

    def root_values(self, player: int) -> list[NDArray[np.float64]]:
        """With leaves: for each root the expected values [K], averaged over the iterations."""
        return self.limited.root_values(player)

    def remember(self, weight: float = 1.0) -> None:
        """With leaves: record the policy and pair values of this iteration for `root_pairs`."""
        self.limited.remember(weight)

    def root_pairs(self) -> list[NDArray[np.float64]]:
        """With leaves: for each root [K0, K1] player 0's payoff for each pair of infostates."""
        return self.limited.root_pairs()


def _check_options(
    tree: PublicTree,
    algorithm: Minimiser,
    leaves: Evaluator | Leaves | None,
    warm_start: int,
    sharing: Sharing | None,
    storage: int,
    locks: Locks | None,
) -> None:
    """Raise GameError for options that cannot be combined."""
    matches, shares = isinstance(algorithm, RegretMatching), sharing is not None
    decides = tree.arrays.action_count > 0
    plain = (tree.arrays.simple[decides] == 1) & (tree.arrays.copies[decides] == 1)
    refused = {
        f"numbers are kept in 16, 32 or 64 bits, not in {storage}": storage not in (16, 32, 64),
        f"{algorithm.name} needs more than 16 bits a number; take 32, or cfr, cfr+, linear-cfr or "
        "dcfr": storage == 16
        and (not isinstance(algorithm, RegretMatching) or algorithm.predictive),
        "16-bit storage is for spots of hold'em; take 32 bits for this game": storage == 16
        and not np.all(plain),
        f"{algorithm.name} has no regrets that infostates could share; choose an algorithm that "
        "matches regrets, such as dcfr": shares and not matches,
        "the sharing was made for another tree; make one for this tree": sharing is not None
        and sharing.tree.arrays is not tree.arrays,
        "shared regrets are always 64 bits; use storage=32": shares and storage == 16,
        "a locked policy is not one of a bucket; lock without sharing": shares and bool(locks),
        "a warm start sets the regrets of single infostates; leave out sharing, locks and "
        "storage=16, or set warm_start=0": warm_start > 0
        and (storage == 16 or shares or bool(locks)),
        "the tree ends in leaves; give an evaluator for them: leaves=…": leaves is None
        and len(tree.leaves) > 0,
    }
    for why, applies in refused.items():
        if applies:
            raise GameError(why)


def _expansions(tree: PublicTree) -> dict[int, Expansion]:
    """The moves of the nodes of a tree that may grow, in the order in which they were added."""
    return tree.layout.expansions if isinstance(tree.layout, GrowingLayout) else {}


def lock(
    tree: PublicTree, locks: Locks, policy: Array | None = None
) -> tuple[TreeArrays, dict[int, NDArray[np.float64]]]:
    """The tree's arrays with these nodes locked, and the locks [A, copies, K]; sets `policy`."""
    whole: dict[int, NDArray[np.float64]] = {}
    for node, given in locks.items():
        legal = tree.legal(node)
        shape = len(legal), int(tree.arrays.copies[node]), legal.shape[1]
        full = np.asarray(given, dtype=np.float64)
        full = np.broadcast_to(full[:, None] if full.ndim == 2 else full, shape)
        if not (np.all(full >= 0) and np.allclose(full.sum(axis=0), 1, atol=1e-5)):
            raise GameError(f"the policy locked at node {node} is not a distribution over actions")
        whole[node] = full
        if policy is not None:
            tree.block(policy, node)[:] = full
    if not whole:
        return tree.arrays, whole
    locked = tree.arrays.locked.copy()
    locked[list(whole)] = 1
    return replace(tree.arrays, locked=locked), whole


class ThreadTeam:
    """Threads that visit independent parts of a tree in parallel."""

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
        """Call `call(steps, thread)` for all parts of the tree, in a valid order."""
        if self._pool is None:
            call(order.whole, 0)
            return
        call(order.head, 0)
        left = iter(order.parts)  # threads take turns: to take the next part is one operation

        def work(thread: int) -> None:
            for steps in left:
                call(steps, thread)

        others = [self._pool.submit(work, thread) for thread in range(1, self.threads)]
        work(0)
        for other in others:
            other.result()
        call(order.tail, 0)


class Workspace:
    """The vectors that the passes write: reaches, values and scratch, of one float type.

    vectors: for each thread, whose scratch is its own; reach, values: those of each player. With
    `one_at_a_time` both players' vectors have the same place: a pass for one player, which starts
    with `begin`, overwrites those of the pass before it.
    """

    def __init__(
        self,
        tree: PublicTree,
        beliefs: Beliefs | None,
        dtype: type[np.floating[Any]],
        *,
        threads: int = 1,
        one_at_a_time: bool = False,
    ) -> None:
        sizes, more = tree.sizes, threads - 1

        def pair(own: tuple[int, int], shared: tuple[int, int], room: int) -> Pair:
            first, second = (own[p] + more * shared[p] + room for p in PLAYERS)
            if one_at_a_time:
                both = np.zeros(max(first, second), dtype)
                return both[:first], both[:second]
            return np.zeros(first, dtype), np.zeros(second, dtype)

        self.reach = pair(sizes.reach, sizes.shared_reach, ROWS)
        self.values = pair(sizes.values, sizes.shared_values, sizes.scratch)
        matrices = tree.matrices.astype(dtype)
        self._matrices = len(tree.arrays.matrix_start)
        self.vectors = [
            VECTORS[dtype](matrices, *self.reach, *self.values, np.zeros((2, sizes.scratch), dtype))
            for _ in range(threads)
        ]
        self._tree = tree
        self._beliefs = tree.beliefs if beliefs is None else beliefs
        for player in PLAYERS:
            self.begin(player)

    def root_reach(self, number: int, player: int) -> Array:
        """[K] the reach that was given for a root."""
        count = int(self._tree.arrays.info_count[player, self._tree.roots[number].node])
        given = self._beliefs
        reach = np.ones(count) if given is None else np.asarray(given[number][player])
        if reach.shape != (count,):
            raise ValueError(
                f"root {number}: beliefs of player {player} have shape {reach.shape}, "
                f"expected ({count},)"
            )
        return reach

    def begin(self, player: int) -> None:
        """Write the player's reaches at the roots."""
        for number, root in enumerate(self._tree.roots):
            place = self._tree.vectors(self.reach[player], player, root.node, values=False)
            place[root.copy] = self.root_reach(number, player)

    def grow(self, tree: PublicTree) -> None:
        """Extend all vectors to a tree that has grown; it has one range, so one thread."""
        sizes, vectors = tree.sizes, self.vectors[0]
        if self._matrices != len(tree.arrays.matrix_start):
            self._matrices = len(tree.arrays.matrix_start)
            vectors = replace(vectors, matrices=tree.matrices.astype(vectors.scratch.dtype))
        if vectors.scratch.shape[1] < sizes.scratch:
            scratch = np.zeros((2, 2 * sizes.scratch), dtype=vectors.scratch.dtype)
            vectors = replace(vectors, scratch=scratch)
        room = vectors.scratch.shape[1]
        for player in PLAYERS:
            vectors.extend([f"reach{player}"], sizes.reach[player] + ROWS)
            vectors.extend([f"values{player}"], sizes.values[player] + room)
        self.vectors = [vectors]
        self.reach = vectors.reach0, vectors.reach1
        self.values = vectors.values0, vectors.values1

    def with_reach(self, reach: Pair) -> list[Vectors]:
        """The vectors with other reaches."""
        return [replace(each, reach0=reach[0], reach1=reach[1]) for each in self.vectors]


def normalise(tree: PublicTree, sums: Array) -> Array:
    """[slots] normalise sums to a policy in place; uniform at infostates without weight."""
    normalise_sums(tree.arrays, 0, sums, sums)
    normalise_sums(tree.arrays, 1, sums, sums)
    return sums
