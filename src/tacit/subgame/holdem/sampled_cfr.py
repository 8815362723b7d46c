"""Public chance sampling CFR (Johanson et al. 2012) over a betting tree with card buckets.

Each iteration deals one board of five cards and walks the whole betting tree with vectors over the
hands that it leaves, once for each player. Hands of one bucket share a policy: its regrets are the
sums of theirs. Iteration t counts t times (linear CFR).
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import BOARD_SIZES
from tacit.games.holdem.cards import HAND_CARDS, NUM_CARDS
from tacit.games.holdem.hand_rank import rank_boards
from tacit.kernel import inner_kernel, kernel
from tacit.solvers.sharing.card_buckets import Buckets
from tacit.subgame.holdem.betting_tree import FOLDED, SHOWDOWN, BettingTree

Array = NDArray[Any]


class SampledCFR:
    """The regrets and policy sums [slots] of a betting tree; iterations follow from the seed."""

    def __init__(self, tree: BettingTree, buckets: Buckets, *, seed: int) -> None:
        self.tree = tree
        self.buckets = buckets
        self.seed = seed
        self.iteration = 0
        self.regrets = np.zeros(tree.slots, np.float32)
        self.sums = np.zeros(tree.slots, np.float32)

    def run(self, iterations: int, each: Callable[[int], None] | None = None) -> None:
        """So many more iterations; `each` is told the number of the last one."""
        tree = self.tree
        for _ in range(iterations):
            self.iteration += 1
            random = np.random.default_rng((self.seed, self.iteration))
            board = random.choice(NUM_CARDS, 5, replace=False).tolist()
            strength, cards, rows = self._deal(tuple(board))
            hands = len(strength)
            reach = np.ones((tree.depth + 1, hands), np.float32)
            values = np.zeros((tree.depth + 1, hands), np.float32)
            for player in (0, 1):
                _walk_tree(
                    tree.player, tree.street, tree.children, tree.counts, tree.start, tree.stake,
                    rows, self._counts, cards, strength, np.int64(player),
                    np.float32(self.iteration), reach, values, self.regrets, self.sums,
                )  # fmt: skip
            if each is not None:
                each(self.iteration)

    @property
    def _counts(self) -> NDArray[np.int64]:
        """[4] the number of buckets on each street."""
        return np.array([self.buckets.count(street) for street in range(4)], np.int64)

    def _deal(self, board: tuple[int, ...]) -> tuple[Array, Array, Array]:
        """The live hands, weakest first: strengths [H], cards [H, 2], buckets [4, H]."""
        strength = rank_boards([sorted(board)])[0]
        order = np.argsort(strength, kind="stable")
        order = order[strength[order] >= 0]
        rows = [self.buckets.of(board[:size])[order] for size in BOARD_SIZES]
        cards = HAND_CARDS[order].astype(np.int64)
        return strength[order], cards, np.stack(rows).astype(np.int64)

    def average_policy(self) -> NDArray[np.float32]:
        """[slots] the average policy; uniform where a bucket has not been reached."""
        policy = np.empty_like(self.sums)
        for node in np.flatnonzero(self.tree.player < FOLDED).tolist():
            buckets = self.buckets.count(int(self.tree.street[node]))
            sums = self.tree.block(self.sums, node, buckets)
            total = sums.sum(axis=0)
            uniform = np.float32(1 / len(sums))
            shares = np.where(total > 0, sums / np.where(total > 0, total, 1), uniform)
            self.tree.block(policy, node, buckets)[:] = shares
        return policy


@kernel
def _walk_tree(
    player, street, children, counts, start, stake, rows, buckets, cards, strength, updated, weight,
    reach, values, regrets, sums,
):  # fmt: skip
    """Update the regrets of the player `updated` and the policy sums of the opponent.

    player to stake: see `BettingTree`; rows: [4, H] the bucket of each hand on each street;
    buckets: [4]; cards: [H, 2]; strength: [H], ascending; reach, values: [depth + 1, H] work space,
    of which reach[0] is the opponent's at the root; regrets, sums: [slots].
    """
    most = 0
    for street_number in range(4):
        most = max(most, buckets[street_number])
    width, levels = children.shape[1], reach.shape[0]
    policies = np.empty((levels, width, most), dtype=np.float32)
    below = np.empty((levels, width, reach.shape[1]), dtype=np.float32)
    totals = np.empty(NUM_CARDS, dtype=np.float32)
    # The path to the current node, and the action that each of its nodes is at; -1: just entered.
    # A recursive kernel would be shorter, but Numba cannot load one from its cache.
    path = np.zeros(levels, dtype=np.int64)
    at = np.full(levels, -1, dtype=np.int64)
    depth = 0
    while depth >= 0:
        node = path[depth]
        mover = player[node]
        if mover == FOLDED:
            amount = stake[node] if updated == 0 else -stake[node]
            _fold(reach[depth], cards, amount, values[depth], totals)
            depth -= 1
            continue
        if mover == SHOWDOWN:
            _showdown(reach[depth], cards, strength, stake[node], values[depth], totals)
            depth -= 1
            continue
        count, row, number = counts[node], rows[street[node]], buckets[street[node]]
        block = regrets[start[node] : start[node] + count * number].reshape(count, number)
        if at[depth] < 0:
            _match_regrets(block, policies[depth])
            values[depth] = 0
        elif mover == updated:
            _add_own(values, below, policies[depth], row, depth, at[depth])
        else:
            values[depth] += values[depth + 1]
        action = at[depth] + 1
        if mover == updated:
            reach[depth + 1] = reach[depth]
        else:
            played = sums[start[node] : start[node] + count * number].reshape(count, number)
            while action < count and not _descend(
                reach, policies[depth, action], row, depth, played[action], weight
            ):
                action += 1
        if action < count:
            at[depth] = action
            depth += 1
            path[depth] = children[node, action]
            at[depth] = -1
            continue
        if mover == updated:
            _add_regrets(block, below[depth], values[depth], row, weight)
        depth -= 1


@inner_kernel
def _match_regrets(regrets, policy):
    """Set policy [A, K] to the positive regrets [A, K] as shares; uniform if there are none."""
    count, number = regrets.shape
    for bucket in range(number):
        total = np.float32(0)
        for action in range(count):
            total += max(regrets[action, bucket], np.float32(0))
        for action in range(count):
            regret = max(regrets[action, bucket], np.float32(0))
            policy[action, bucket] = regret / total if total > 0 else np.float32(1 / count)


@inner_kernel
def _add_own(values, below, policy, row, depth, action):
    """Keep the values below an action of the updated player, and add them to the node's own."""
    for hand in range(values.shape[1]):
        value = values[depth + 1, hand]
        below[depth, action, hand] = value
        values[depth, hand] += policy[action, row[hand]] * value


@inner_kernel
def _descend(reach, policy, row, depth, sums, weight):
    """Write the opponent's reach below an action, add it to its sums [K]; whether it is any."""
    reached = np.float32(0)
    for hand in range(reach.shape[1]):
        share = reach[depth, hand] * policy[row[hand]]
        reach[depth + 1, hand] = share
        reached += share
        sums[row[hand]] += weight * share
    return reached > 0


@inner_kernel
def _add_regrets(regrets, below, own, row, weight):
    """Add to regrets [A, K] what each action is worth more than the policy, by the hands' rows."""
    for action in range(len(regrets)):
        for hand in range(len(own)):
            regrets[action, row[hand]] += weight * (below[action, hand] - own[hand])


@inner_kernel
def _fold(opponent, cards, amount, own, totals):
    """Set own [H] to `amount` times the opponent's reach [H] that shares no card with the hand."""
    total = np.float32(0)
    totals[:] = 0
    for hand in range(len(opponent)):
        weight = opponent[hand]
        total += weight
        totals[cards[hand, 0]] += weight
        totals[cards[hand, 1]] += weight
    for hand in range(len(opponent)):
        met = total - totals[cards[hand, 0]] - totals[cards[hand, 1]] + opponent[hand]
        own[hand] = amount * met


@inner_kernel
def _showdown(opponent, cards, strength, amount, own, totals):
    """Set own [H] to `amount` times the reach of weaker less that of stronger hands.

    Hands come in the order of their strength, so one pass forwards adds up the weaker ones and one
    backwards the stronger ones.
    """
    hands = len(opponent)
    for direction in range(2):
        total = np.float32(0)
        totals[:] = 0
        begin = 0
        while begin < hands:
            place = begin if direction == 0 else hands - 1 - begin
            level = strength[place]
            end = begin
            while end < hands:
                at = end if direction == 0 else hands - 1 - end
                if strength[at] != level:
                    break
                met = total - totals[cards[at, 0]] - totals[cards[at, 1]]
                if direction == 0:
                    own[at] = amount * met
                else:
                    own[at] -= amount * met
                end += 1
            for step in range(begin, end):
                at = step if direction == 0 else hands - 1 - step
                weight = opponent[at]
                total += weight
                totals[cards[at, 0]] += weight
                totals[cards[at, 1]] += weight
            begin = end
