"""The betting tree of a whole hand of hold'em with a few bet sizes, as flat arrays.

Cards are not in it: a policy has a row for each bucket of the street's card abstraction. Where
players are all in, the rest of the board is dealt without betting, so the showdown comes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import CALL, FOLD, PREFLOP, RIVER, Betting, BettingRules

FOLDED, SHOWDOWN = 2, 3
"""The players of nodes at which the hand is over."""
MAX_NODES = 1_000_000


@dataclass(frozen=True)
class BettingTree:
    """Nodes in preorder; N nodes, of which D are decisions.

    player: int8[N], 0, 1, FOLDED or SHOWDOWN; street: int8[N]; children: int32[N, A] by the number
    of the action, -1 where there is none; actions: int32[N, A] as in `betting`, -1; counts:
    int32[N] the number of actions; start: int64[N] the first slot of the node's policy, whose slots
    are [actions, buckets]; slots: their number; stake: float32[N] what player 0 wins after a fold,
    and what the winner wins at a showdown, in big blinds; bettings: [N] the betting there.
    """

    player: NDArray[np.int8]
    street: NDArray[np.int8]
    children: NDArray[np.int32]
    actions: NDArray[np.int32]
    counts: NDArray[np.int32]
    start: NDArray[np.int64]
    slots: int
    stake: NDArray[np.float32]
    depth: int
    bettings: tuple[Betting, ...] = field(repr=False)

    def block(self, flat: NDArray[np.generic], node: int, buckets: int) -> NDArray[np.generic]:
        """A view [actions, buckets] of a node's part of a policy."""
        first, count = int(self.start[node]), int(self.counts[node])
        return flat[first : first + count * buckets].reshape(count, buckets)


def betting_tree(rules: BettingRules, bets: BetSettings, buckets: Sequence[int]) -> BettingTree:
    """The tree of a whole hand; buckets: their number on each street.

    Stacks must be equal, so that a showdown is for what each player has put in.
    """
    if rules.first_street != PREFLOP or rules.last_street != RIVER or rules.dead:
        raise GameError("a blueprint is for whole hands, from the blinds to the river")
    if rules.stacks[0] != rules.stacks[1]:
        raise GameError(f"a blueprint needs equal stacks, not {rules.stacks}")
    nodes: list[Betting] = []
    lists: list[tuple[int, ...]] = []
    parents: list[tuple[int, int, int]] = []
    stack = [(rules.start(), -1, 0, 0)]
    while stack:
        betting, parent, number, depth = stack.pop()
        if betting.player == CHANCE and min(betting.behind) > 0:
            betting = betting.deal()
        here = len(nodes)
        if here >= MAX_NODES:
            raise GameError(f"these bet sizes give more than {MAX_NODES:,} nodes; name fewer")
        possible: tuple[int, ...] = ()
        if betting.player in (0, 1):
            possible = (*([FOLD] if betting.can_fold else []), CALL, *bets.raises(betting))
        nodes.append(betting)
        lists.append(possible)
        parents.append((parent, number, depth))
        for each in range(len(possible) - 1, -1, -1):
            stack.append((betting.act(possible[each]), here, each, depth + 1))
    return _arrays(rules, nodes, lists, parents, buckets)


def _arrays(
    rules: BettingRules,
    nodes: list[Betting],
    lists: list[tuple[int, ...]],
    parents: list[tuple[int, int, int]],
    buckets: Sequence[int],
) -> BettingTree:
    count, most = len(nodes), max(map(len, lists))
    children = np.full((count, most), -1, np.int32)
    actions = np.full((count, most), -1, np.int32)
    player, street = np.zeros(count, np.int8), np.zeros(count, np.int8)
    start, stake = np.zeros(count, np.int64), np.zeros(count, np.float32)
    slots = 0
    for node, (betting, possible, (parent, number, _)) in enumerate(
        zip(nodes, lists, parents, strict=True)
    ):
        if parent >= 0:
            children[parent, number] = node
        street[node], start[node] = betting.street, slots
        actions[node, : len(possible)] = possible
        slots += len(possible) * buckets[betting.street]
        if betting.player in (0, 1):
            player[node] = betting.player
        elif betting.player == TERMINAL and betting.folded is not None:
            player[node] = FOLDED
            stake[node] = betting.payoffs()[0] / rules.big_blind
        else:
            player[node] = SHOWDOWN
            stake[node] = min(betting.committed) / rules.big_blind
    return BettingTree(
        player=player,
        street=street,
        children=children,
        actions=actions,
        counts=np.array([len(possible) for possible in lists], np.int32),
        start=start,
        slots=slots,
        stake=stake,
        depth=1 + max(depth for _, _, depth in parents),
        bettings=tuple(nodes),
    )
