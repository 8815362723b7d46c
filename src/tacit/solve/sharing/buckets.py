"""CFR in a card abstraction: hands of a bucket share one policy, whatever the board.

A bucket's regrets are those of its hands added up, each board counting as often as it is dealt, and
its average policy weighs each hand by its own reach: these are the abstract game's infostates, in a
tree that still knows every hand, so that no showdown is averaged. What comes out is a policy for
the whole, unabstracted game, and it is judged there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.spot import permute_hands
from tacit.solve.algorithms import Minimiser, RegretMatching
from tacit.solve.best_response import Evaluation
from tacit.solve.engine import Array, Workspace
from tacit.solve.kernels.sharing import (
    add_to_bucket_sums,
    match_buckets,
    normalise_buckets,
    respond_to_buckets,
    spread,
    visit_buckets,
)
from tacit.solve.sharing.card_buckets import Buckets
from tacit.tree import CHANCE, PLAYERS, PublicTree, TreeArrays
from tacit.tree.beliefs import compatible_reach
from tacit.tree.cards.deals import Deal
from tacit.tree.passes import BEST, EXPECT

FORGET = np.array([0.0, 0.0, -np.inf, 0.0])
"""The step that leaves in the regrets nothing but what an iteration has brought."""
_NO_STEP = np.zeros(4)


class BucketSolver:
    """Regret matching in buckets, at work on the tree of a hold'em spot.

    regrets, sums, policy: float64[bucket slots], one row [A, buckets] for each point of the
    betting; the policy is that of the last iteration.
    """

    def __init__(
        self,
        tree: PublicTree,
        minimiser: Minimiser,
        buckets: Buckets,
        *,
        dtype: type[np.floating[Any]] = np.float32,
    ) -> None:
        if not isinstance(minimiser, RegretMatching):
            raise GameError(
                f"{minimiser.name} has no regrets that the hands of a bucket could share; "
                "choose an algorithm that matches regrets, such as dcfr"
            )
        self.tree = tree
        self.minimiser = minimiser
        self.iteration = 0
        self.layout = BucketLayout(tree, buckets)
        self.regrets = np.zeros(self.layout.slots)
        self.sums = np.zeros(self.layout.slots)
        self.policy = self.layout.normalised(self.sums)
        self._work = Workspace(tree, None, dtype)
        self._shared = np.zeros((2, self.layout.shared_slots), dtype=dtype)

    def run(self, iterations: int) -> None:
        """Run this many iterations more."""
        for _ in range(iterations):
            step = self.minimiser.step(self.iteration + 1)
            numbers = np.array([step.positive, step.negative, step.floor, step.prediction])
            weight = self.minimiser.weight(self.iteration + 1)
            gains = np.zeros(self.layout.slots)
            for player in PLAYERS:
                self._visit(player, gains, weight)
                if self.minimiser.alternating:
                    self._match(player, numbers, gains)
            if not self.minimiser.alternating:
                for player in PLAYERS:
                    self._match(player, numbers, gains)
            self.iteration += 1

    def _visit(self, player: int, gains: Array, weight: float) -> None:
        """What `player`'s buckets would gain; the opponent's policy is averaged as it is met."""
        work, layout = self._work, self.layout
        reaches = np.zeros(layout.reach_slots)
        visit_buckets(
            layout.fewer, self.tree.order.whole, layout.kernel, player,
            FORGET.astype(self._shared.dtype), work.matrices, self.policy, gains, reaches,
            self._shared[0], self._shared[1], work.reach[1 - player], work.values[player],
            work.scratch,
        )  # fmt: skip
        add_to_bucket_sums(layout.rows[1 - player], weight, reaches, self.policy, self.sums)

    def _match(self, player: int, step: NDArray[np.float64], gains: Array) -> None:
        match_buckets(self.layout.rows[player], step, gains, self.regrets, self.policy)

    def average(self) -> NDArray[np.float64]:
        """[bucket slots] the average policy, uniform where no hand of a bucket ever came."""
        return self.layout.normalised(self.sums)

    def average_policy(self, dtype: type[np.floating[Any]] = np.float64) -> Array:
        """[slots] the average policy of every hand: that of its bucket."""
        return self.layout.spread(self.average(), dtype)


class BucketLayout:
    """Where the buckets of a hold'em tree stand.

    slots: the length of the flat arrays of buckets; reach_slots: without the actions; shared_slots:
    the slots of hands that are at work at the same time; arrays: the tree's, with those slots;
    fewer: these with less to do at deals, good for sums over buckets (`_one_renaming`); kernel,
    rows: see `tacit.solve.kernels.sharing`; firsts: by history where its row begins.
    """

    def __init__(self, tree: PublicTree, buckets: Buckets) -> None:
        arrays = tree.arrays
        self.tree = tree
        self.slots = self.reach_slots = 0
        self.firsts: dict[str, int] = {}
        reach_firsts: dict[str, int] = {}
        bucket_slot, reach_slot, bucket_start = np.zeros((3, tree.nodes), np.int64)
        bucket_count = np.zeros(tree.nodes, np.int32)
        flat: list[NDArray[np.int32]] = []
        length = 0
        known: dict[tuple[Deal, int], int] = {}
        deals: dict[Deal, NDArray[np.int32]] = {}
        rows: tuple[list[tuple[int, int, int, int]], ...] = ([], [])
        if not len(arrays.cards.batch_node):
            raise GameError("card buckets are for trees of hold'em")
        for node in np.flatnonzero(arrays.action_count > 0).tolist():
            state = tree.cards.state(node)
            player, deal = state.mover, state.deal
            count = buckets.count(state.betting.street)
            if state.history not in self.firsts:
                actions = int(arrays.action_count[node])
                self.firsts[state.history] = self.slots
                reach_firsts[state.history] = self.reach_slots
                rows[player].append((self.slots, actions, count, self.reach_slots))
                self.slots += actions * count
                self.reach_slots += count
            if (deal, player) not in known:
                if deal not in deals:
                    deals[deal] = buckets.of(deal.board)
                known[deal, player] = length
                flat.append(deals[deal][deal.hands[player]].astype(np.int32))
                length += len(flat[-1])
            bucket_slot[node] = self.firsts[state.history]
            reach_slot[node] = reach_firsts[state.history]
            bucket_count[node] = count
            bucket_start[node] = known[deal, player]
        bucket = np.concatenate(flat) if flat else np.zeros(0, np.int32)
        if len(bucket) and bucket.min() < 0:
            raise GameError("a hand that can be held has no bucket")
        self.kernel = (
            bucket_slot, reach_slot, bucket_count, bucket_start, bucket, _boards(tree)
        )  # fmt: skip
        self.rows = [tuple(np.array(row, np.int64).reshape(-1, 4).T.copy()) for row in rows]
        slot_start, self.shared_slots = _shared_slots(tree)
        self.arrays = replace(arrays, slot_start=slot_start)
        self.fewer = _one_renaming(tree, self.arrays, buckets)

    def normalised(self, sums: Array) -> NDArray[np.float64]:
        """[bucket slots] the policy in proportion to `sums`, uniform where they are zero."""
        policy = np.zeros(self.slots)
        for player in PLAYERS:
            normalise_buckets(self.rows[player], sums, policy)
        return policy

    def spread(self, policy: Array, dtype: type[np.floating[Any]]) -> Array:
        """[slots] the policy of every hand from that of every bucket."""
        whole = np.zeros(self.tree.sizes.slots, dtype=dtype)
        for player in PLAYERS:
            spread(self.tree.arrays, self.kernel, 0, self.tree.nodes, player, policy, whole)
        return whole


class BucketBestResponse:
    """A policy [bucket slots] judged in the unabstracted game, by what every hand can get."""

    def __init__(self, layout: BucketLayout, policy: Array) -> None:
        self.layout = layout
        self.policy = policy
        self.work = Workspace(layout.tree, None, np.float64)
        self._shared = np.zeros(layout.shared_slots)

    def visit(self, player: int, mode: int) -> None:
        """A pass down and up; the values of `player` stay at the nodes before the first deal."""
        work, tree = self.work, self.layout.tree
        respond_to_buckets(
            self.layout.arrays, tree.order.whole, self.layout.kernel, player, mode, _NO_STEP,
            work.matrices, self.policy, self._shared, work.reach[1 - player],
            work.values[player], work.scratch,
        )  # fmt: skip

    def value(self, player: int, mode: int) -> float:
        """What `player` expects at the root."""
        self.visit(player, mode)
        tree, root = self.layout.tree, self.layout.tree.roots[0]
        own, other = (
            tree.vectors(self.work.reach[p], p, root.node, values=False)[root.copy]
            for p in (player, 1 - player)
        )
        cfv = tree.vectors(self.work.values[player], player, root.node, values=True)[root.copy]
        met = compatible_reach(tree.state(root.node), player, other)
        return float(own @ cfv / (own @ met))

    def evaluate(self) -> Evaluation:
        """The policy's value, and what best responses get that need not keep to buckets."""
        value = self.value(0, EXPECT)
        return Evaluation(value, (self.value(0, BEST), self.value(1, BEST)))


def _boards(tree: PublicTree) -> NDArray[np.float64]:
    """[N] how many boards each node's own stands for, below the spot."""
    arrays = tree.arrays
    boards = [1.0] * tree.nodes
    chance = (arrays.player == CHANCE).tolist()
    ways = zip(
        arrays.edge_parent.tolist(),
        arrays.edge_child.tolist(),
        arrays.edge_share.tolist(),
        strict=True,
    )
    for parent, child, share in ways:  # the edge to a node stands before the edges from it
        boards[child] = boards[parent] / share if chance[parent] else boards[parent]
    return np.array(boards)


def _one_renaming(tree: PublicTree, arrays: TreeArrays, buckets: Buckets) -> TreeArrays:
    """The arrays with boards that stand for n others mapped once instead of n times.

    Where buckets cannot tell the suits apart all policies are the same under renamings, and so are
    the n maps of reaches. Of values only sums over a bucket are right then, and linear functions of
    them: what a solver needs, not a best response.
    """
    counts, share, factor = (
        arrays.map_count.copy(), arrays.edge_share.copy(), arrays.edge_factor.copy()
    )  # fmt: skip
    symmetric: dict[Deal, bool] = {}
    for edge in np.flatnonzero(arrays.edge_share < 1).tolist():
        deal = tree.cards.state(int(arrays.edge_parent[edge])).deal
        if deal not in symmetric:
            row = buckets.of(deal.board)
            symmetric[deal] = all(
                np.array_equal(row[permute_hands(suits)], row) for suits in deal.symmetries
            )
        if symmetric[deal]:
            # The first of a board's renamings leaves all names as they are.
            counts[:, edge] = arrays.info_count[:, arrays.edge_child[edge]]
            factor[edge] /= share[edge]
            share[edge] = 1.0
    return replace(arrays, map_count=counts, edge_share=share, edge_factor=factor)


def _shared_slots(tree: PublicTree) -> tuple[NDArray[np.int64], int]:
    """[N] slots where ranges of a level take turns in the same place, and how many there are."""
    arrays, ranges = tree.arrays, tree.ranges
    widths = np.zeros(tree.nodes, np.int64)
    for player in PLAYERS:
        own = arrays.player == player
        widths[own] = arrays.action_count[own].astype(np.int64) * arrays.info_count[player, own]
    starts = np.cumsum(widths) - widths
    ends = starts + widths
    depth = max(part.level for part in ranges) + 1
    most = np.zeros(depth, np.int64)
    for part in ranges:
        most[part.level] = max(most[part.level], ends[part.last - 1] - starts[part.first])
    base = np.cumsum(most) - most
    for part in ranges:
        here = slice(part.first, part.last)
        starts[here] += base[part.level] - starts[part.first]
    return starts, int(most.sum())
