"""Which infostates share regrets: hands of a card bucket, or merged infostates of a node.

A bucket is an infostate of the abstract game. Its regrets are the sums of those of its infostates,
each public state counting as often as it occurs, and its average policy weighs each infostate by
its own reach. The tree still holds every infostate, so no showdown is averaged. The result is a
policy for the whole, unabstracted game, and it is evaluated there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.spot import permute_hands
from tacit.solvers.kernels.sharing import BucketArrays, BucketRows, normalise_buckets, spread
from tacit.solvers.sharing.card_buckets import Buckets
from tacit.tree import CHANCE, PLAYERS, PublicTree, TreeArrays
from tacit.tree.cards.deals import Deal

Array = NDArray[Any]
Groups = Mapping[int, NDArray[np.int64]]
"""For nodes with merged infostates: the number [K] of each infostate's group, from zero on."""


@dataclass(frozen=True)
class Sharing:
    """The layout of a tree's buckets in flat arrays [slots] of regrets or policies.

    reach_slots: their length without the actions; range_slots: the slots of the infostates that are
    in use at the same time; arrays: the tree's, with those slots; solving: these with fewer maps at
    deals, exact for sums over buckets (`_one_renaming`); firsts: in buckets, where the row of each
    betting history begins.
    """

    tree: PublicTree
    slots: int
    reach_slots: int
    range_slots: int
    buckets: BucketArrays
    rows: tuple[BucketRows, BucketRows]
    arrays: TreeArrays
    solving: TreeArrays
    firsts: Mapping[str, int] = field(default_factory=dict)

    def normalised(self, sums: Array) -> NDArray[np.float64]:
        """[bucket slots] the policy in proportion to `sums`, uniform where they are zero."""
        policy = np.zeros(self.slots)
        for player in PLAYERS:
            normalise_buckets(self.rows[player], sums, policy)
        return policy

    def spread(self, policy: Array, dtype: type[np.floating[Any]]) -> Array:
        """[slots] the policy of every infostate from that of every bucket."""
        whole = np.zeros(self.tree.sizes.slots, dtype=dtype)
        for player in PLAYERS:
            spread(self.tree.arrays, self.buckets, 0, self.tree.nodes, player, policy, whole)
        return whole


class _Rows:
    """Builds rows of buckets, node by node.

    nodes: [4, N] slot, reach slot and size of a node's row, and where its members begin.
    """

    def __init__(self, tree: PublicTree) -> None:
        self.tree = tree
        self.slots = self.reach_slots = self.masked = self.length = 0
        self.nodes = np.zeros((4, tree.nodes), np.int64)
        self.rows: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([], [])
        self.masks: list[NDArray[np.int8]] = [np.zeros(0, np.int8)]
        self.members: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]

    def open(
        self, player: int, actions: int, count: int, legal: Array | None = None
    ) -> tuple[int, int, int]:
        """Add a row: its slot, reach slot and size; legal: [A, count], None if everything is."""
        slot, reach_slot, mask = self.slots, self.reach_slots, -1
        if legal is not None:
            mask, self.masked = self.masked, self.masked + legal.size
            self.masks.append(legal.ravel().astype(np.int8))
        self.rows[player].append((slot, actions, count, reach_slot, mask))
        self.slots += actions * count
        self.reach_slots += count
        return slot, reach_slot, count

    def add(self, members: Array) -> int:
        """Add the buckets of a node's entries and return where they begin."""
        self.members.append(members.astype(np.int32))
        self.length += len(members)
        return self.length - len(members)

    def sharing(self, weight: NDArray[np.float64], **more: Any) -> Sharing:
        """The result, for a tree whose nodes stand for `weight` [N] public states."""
        legal, members = np.concatenate(self.masks), np.concatenate(self.members)
        columns = [np.array(rows, np.int64).reshape(-1, 5).T for rows in self.rows]
        first, second = (BucketRows(c[0], c[1], c[2], c[3], c[4], legal) for c in columns)
        slot_start, range_slots = _range_slots(self.tree)
        arrays = replace(self.tree.arrays, slot_start=slot_start)
        slot, reach_slot, size, start = self.nodes
        buckets = BucketArrays(slot, reach_slot, size.astype(np.int32), start, members, weight)
        return Sharing(
            self.tree, self.slots, self.reach_slots, range_slots, buckets, (first, second), arrays,
            arrays, **more,
        )  # fmt: skip


def share_buckets(tree: PublicTree, buckets: Buckets) -> Sharing:
    """Hands of one bucket share regrets on all boards at the same point of the betting."""
    arrays, rows = tree.arrays, _Rows(tree)
    opened: dict[str, tuple[int, int, int]] = {}
    known: dict[tuple[Deal, int], int] = {}
    deals: dict[Deal, NDArray[np.int32]] = {}
    for node in np.flatnonzero(arrays.action_count > 0).tolist():
        state = tree.cards.state(node)
        player, deal = state.mover, state.deal
        if state.history not in opened:
            count = buckets.count(state.betting.street)
            opened[state.history] = rows.open(player, int(arrays.action_count[node]), count)
        if (deal, player) not in known:
            if deal not in deals:
                deals[deal] = buckets.of(deal.board)
            own = deals[deal][deal.hands[player]]
            if own.min(initial=0) < 0:
                raise GameError("a hand that can be held has no bucket")
            known[deal, player] = rows.add(own)
        rows.nodes[:, node] = (*opened[state.history], known[deal, player])
    firsts = {history: slot for history, (slot, _, _) in opened.items()}
    sharing = rows.sharing(_boards(tree), firsts=firsts)
    return replace(sharing, solving=_one_renaming(tree, sharing.arrays, buckets))


def merge_infostates(tree: PublicTree, groups: Groups) -> Sharing:
    """Infostates of one group of a node share regrets; nodes without groups share none."""
    rows = _Rows(tree)
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        legal, copies = tree.legal(node), int(tree.arrays.copies[node])
        group = groups.get(node, np.arange(legal.shape[1]))
        if group.shape != (legal.shape[1],):
            raise GameError(
                f"node {node} has {legal.shape[1]} infostates, but groups of shape {group.shape}"
            )
        members = np.eye(int(group.max()) + 1)[group]
        shared = legal @ members
        if np.any((shared > 0) & (shared < members.sum(axis=0))):
            raise GameError(f"node {node}: infostates with different actions are merged")
        count = members.shape[1]
        mask = None if legal.all() else np.tile(shared > 0, copies)
        row = rows.open(int(tree.arrays.player[node]), len(legal), count * copies, mask)
        first = count * np.arange(copies)
        rows.nodes[:, node] = (*row, rows.add((first[:, None] + group).ravel()))
    return rows.sharing(np.ones(tree.nodes))


def _boards(tree: PublicTree) -> NDArray[np.float64]:
    """[N] the number of boards, equal up to suits, that each node's board stands for."""
    arrays = tree.arrays
    boards = [1.0] * tree.nodes
    chance = (arrays.player == CHANCE).tolist()
    ways = arrays.edge_parent.tolist(), arrays.edge_child.tolist(), arrays.edge_share.tolist()
    # The edge to a node precedes the edges from it.
    for parent, child, share in zip(*ways, strict=True):
        boards[child] = boards[parent] / share if chance[parent] else boards[parent]
    return np.array(boards)


def _one_renaming(tree: PublicTree, arrays: TreeArrays, buckets: Buckets) -> TreeArrays:
    """The arrays with boards that stand for n others mapped once instead of n times.

    If buckets do not depend on the names of suits, all policies are the same under renamings, and
    so are the n maps of reaches. Then only sums of values over a bucket are exact, and linear
    functions of them. That suffices for a solver, not for a best response.
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
            # The first of a board's renamings is the identity.
            counts[:, edge] = arrays.info_count[:, arrays.edge_child[edge]]
            factor[edge] /= share[edge]
            share[edge] = 1.0
    return replace(arrays, map_count=counts, edge_share=share, edge_factor=factor)


def _range_slots(tree: PublicTree) -> tuple[NDArray[np.int64], int]:
    """[N] slots where ranges of a level share their place, and how many there are."""
    arrays, ranges = tree.arrays, tree.ranges
    widths = np.zeros(tree.nodes, np.int64)
    for player in PLAYERS:
        own = arrays.player == player
        widths[own] = arrays.action_count[own].astype(np.int64) * arrays.info_count[player, own]
    widths *= arrays.copies
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
