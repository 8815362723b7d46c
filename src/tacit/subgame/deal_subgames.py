"""All subgames behind a deal, solved again board by board, and the exploitability that results.

Given the policies before the deal of a two-street spot, its boards do not depend on each other. So
a blueprint in buckets (`tacit.solvers.sharing`) is evaluated once. Then every board is a small
forest, with one root for each line of betting that leads to it, and is solved again by any method
of `tacit.subgame.methods`. The opponent's best-response values are summed hand by hand over the
boards, and a best response on the first street gives the exact exploitability in the unabstracted
game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.solvers.best_response import BestResponse
from tacit.solvers.sharing.card_buckets import Buckets
from tacit.solvers.sharing.layout import Sharing
from tacit.subgame.blueprint import SubgameRoot, quotient, with_player
from tacit.subgame.methods import Method, SolveBudget, solve_roots
from tacit.tree import PLAYERS, Place, PublicTree, build_forest
from tacit.tree.cards.deals import Deal, NextDeal
from tacit.tree.cards.states import CardState
from tacit.tree.kernels.passes import BEST, EXPECT

Array = NDArray[Any]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class _Board:
    """A board's forest with the blueprint on it; root r is behind line r, with `reach[r]`."""

    tree: PublicTree
    policy: Array
    last: Array
    dealt: NextDeal
    reach: list[tuple[Vector, Vector]]


class DealSubgames:
    """A blueprint of a two-street spot, and the subgames behind the deal.

    average, last: [bucket slots] the blueprint's policy, and the solver's last policy, by which
    values are estimated.
    """

    def __init__(self, sharing: Sharing, average: Array, last: Array, buckets: Buckets) -> None:
        tree = sharing.tree
        root = tree.cards.state(tree.roots[0].node)
        self.spot = root.spot
        rules = self.spot.rules
        if rules.last_street != rules.first_street + 1 or self.spot.additions:
            raise GameError(
                "subgames behind a deal are for spots of two streets without added bets; "
                f"this one has {rules.last_street - rules.first_street + 1} streets"
            )
        self.sharing, self.tree, self.buckets = sharing, tree, buckets
        self.average, self.last = average, last
        self.deal: Deal = root.deal
        self.boards = [dealt.cards for dealt in self.deal.following]
        """The cards of each deal; deals that differ only in suits are one."""
        self.head = range(tree.ranges[0].first, tree.ranges[0].last)
        states = [(node, tree.cards.state(node)) for node in self.head]
        self.lines = [
            node
            for node, state in states
            if state.mover == CHANCE and state.betting.deal().player != TERMINAL
        ]
        """The chance nodes at the end of the lines of betting after which players still act."""
        responder = BestResponse(tree, average, sharing=sharing, keep_both=True)
        self._values: list[dict[int, Vector]] = []
        for player in PLAYERS:
            responder.visit(player, BEST)
            self._values.append(self._at_head(responder.work.values[player], player, values=True))
        reach = responder.work.reach
        self._reach = [self._at_head(reach[p], p, values=False) for p in PLAYERS]
        self._gifts = [[self._line_gifts(line, player) for line in self.lines] for player in (0, 1)]

    def _at_head(self, flat: Array, player: int, *, values: bool) -> dict[int, Vector]:
        """By node of the first street, [K] of a flat buffer."""
        vectors = self.tree.vectors
        return {n: vectors(flat, player, n, values=values)[0].copy() for n in self.head}

    def _line_gifts(self, line: int, player: int) -> tuple[Vector, Vector]:
        """[K], [K] the gifts of the opponent of `player` on the line: split, and whole as cfv."""
        opponent = 1 - player
        values = self._values[opponent]
        split, whole = np.zeros((2, self.deal.counts[opponent]))
        child = line
        while (edge := int(self.tree.parent_edge[child])) >= 0:
            node = int(self.tree.arrays.edge_parent[edge])
            if self.tree.arrays.player[node] == opponent:
                loss = np.maximum(values[node] - values[child], 0.0)
                reach = self._reach[player][node]
                split += quotient(loss, self.tree.state(node).compatible_reach(opponent, reach))
                whole += loss
            child = node
        return split, whole

    def board(self, number: int) -> _Board:
        """The forest of a board."""
        dealt = self.deal.following[number]
        rules = self.spot.rules
        spot = replace(
            self.spot,
            board=dealt.deal.board,
            rules=replace(rules, first_street=rules.last_street, committed=rules.big_blind),
        )
        deal = CardState.of(spot, isomorphism=False).deal
        before = [self.tree.cards.state(line) for line in self.lines]
        states = [CardState(spot, s.betting.deal(), deal, s.history + "/") for s in before]
        tree = build_forest(self.tree.builder, states)
        row, count = self.buckets.of(dealt.deal.board), self.buckets.count(rules.last_street)
        policy, last = np.zeros((2, tree.sizes.slots))
        for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
            state = tree.cards.state(node)
            own = row[state.deal.hands[state.mover]]
            first, actions = self.sharing.firsts[state.history], int(tree.arrays.action_count[node])
            for given, flat in ((self.average, policy), (self.last, last)):
                table = given[first : first + actions * count].reshape(actions, count)
                tree.block(flat, node)[:, 0] = table[:, own]
        reach = []
        for line in self.lines:
            both = []
            for p in PLAYERS:
                summed = np.zeros(dealt.deal.counts[p])
                np.add.at(summed, dealt.targets[p], self._reach[p][line][dealt.sources[p]])
                both.append(summed * dealt.share)
            reach.append((both[0], both[1]))
        return _Board(tree, policy, last, dealt, reach)

    def roots(self, board: _Board, player: int) -> list[SubgameRoot]:
        """The subgames of `player` on a board, one for each line."""
        opponent, tree, dealt = 1 - player, board.tree, board.dealt
        best = BestResponse(tree, board.policy, beliefs=board.reach)
        best.visit(opponent, BEST)
        estimating = with_player(tree, board.policy, board.last, opponent)
        estimate = BestResponse(tree, estimating, beliefs=board.reach)
        estimate.visit(opponent, EXPECT)
        sources, targets = dealt.sources[opponent], dealt.targets[opponent]
        roots = []
        for (node, copy), reach, gifts in zip(
            tree.roots, board.reach, self._gifts[player], strict=True
        ):
            state = tree.state(node)
            split, whole = np.zeros((2, int(targets.max()) + 1))
            split[targets], whole[targets] = (gift[sources] for gift in gifts)
            weights = state.compatible_reach(opponent, reach[player])
            whole = quotient(whole, dealt.chance * weights)
            cbv, value = best.expected(opponent, node)[0], estimate.expected(opponent, node)[0]
            place = Place(node, copy)
            roots.append(SubgameRoot(place, state, player, reach, cbv, value, split, whole))
        return roots

    def solve(
        self, number: int, methods: Sequence[Method], budget: SolveBudget
    ) -> NDArray[np.float64]:
        """[1 + methods, 2, lines, K] a board's share of the opponents' cfvs before the deal.

        Row 0 is the blueprint. Entry [m, p] is player 1 - p's best-response value when p plays by
        method m. Lines that a player never reaches are not solved.
        """
        board = self.board(number)
        dealt = board.dealt
        sums = np.zeros((1 + len(methods), 2, len(self.lines), max(self.deal.counts)))
        for player in PLAYERS:
            sources, targets = dealt.sources[1 - player], dealt.targets[1 - player]
            roots = self.roots(board, player)
            reached = [n for n, root in enumerate(roots) if all(r.any() for r in root.reach)]
            for row in range(1 + len(methods)):
                values = [root.best for root in roots]
                if row > 0 and reached:
                    chosen = [roots[n] for n in reached]
                    tree = board.tree
                    if len(chosen) < len(roots):
                        tree = build_forest(tree.builder, [root.state for root in chosen])
                    result = solve_roots(tree, chosen, methods[row - 1], budget, tree=tree)
                    for n, value in zip(reached, result.best(), strict=True):
                        values[n] = value
                for n, (root, value) in enumerate(zip(roots, values, strict=True)):
                    cfv = np.where(root.weights > 0, np.nan_to_num(value) * root.weights, 0.0)
                    np.add.at(sums[row, player, n], sources, dealt.chance * cfv[targets])
        return sums

    def blueprint_sums(self) -> NDArray[np.float64]:
        """[2, lines, K] the blueprint's argument of `best_responses`."""
        sums = np.zeros((2, len(self.lines), max(self.deal.counts)))
        for player in PLAYERS:
            for n, line in enumerate(self.lines):
                values = self._values[1 - player][line]
                sums[player, n, : len(values)] = values
        return sums

    def best_responses(self, sums: NDArray[np.float64]) -> tuple[float, float]:
        """Each player's best-response value when the cfvs at the deal are `sums` [2, lines, K].

        Entry [p] is the sum over all boards for the opponent of p.
        """
        responses = []
        root = self.tree.roots[0].node
        for player in PLAYERS:
            values = dict(self._values[player])
            count = self.deal.counts[player]
            for n, line in enumerate(self.lines):
                values[line] = sums[1 - player, n, :count]
            for node in reversed(self.head):
                mover = self.tree.arrays.player[node]
                if mover not in PLAYERS:
                    continue
                below = [
                    values[int(self.tree.arrays.edge_child[edge])] for edge in self.tree.edges(node)
                ]
                values[node] = np.max(below, axis=0) if mover == player else np.sum(below, axis=0)
            own, other = self._reach[player][root], self._reach[1 - player][root]
            weights = self.tree.state(root).compatible_reach(player, other)
            responses.append(float(own @ values[root] / (own @ weights)))
        return responses[0], responses[1]
