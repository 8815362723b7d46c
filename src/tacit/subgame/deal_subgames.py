"""All subgames that follow a deal, solved again board by board, and what that makes of a blueprint.

A spot of two streets falls apart at the deal between them: given how both play before it, the
boards do not depend on each other. So a blueprint in buckets (`tacit.solvers.sharing`) is
evaluated once; then every board is a small forest, one root for each line of betting that leads to
it, which is solved again by any method of `tacit.subgame.methods`. What the opponent gets there at
best, hand by hand, is added up to what it gets before the deal, and a best response on the first
street makes that the exact exploitability in the unabstracted game.
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
from tacit.subgame.blueprint import SubgameRoot, with_player
from tacit.subgame.methods import Method, SolveBudget, solve_roots
from tacit.tree import PLAYERS, Place, PublicTree, build_forest
from tacit.tree.beliefs import compatible_reach
from tacit.tree.cards.deals import Deal
from tacit.tree.cards.states import CardState
from tacit.tree.passes import BEST, EXPECT

Array = NDArray[Any]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A line of betting that leads to the deal: its chance node and its history."""

    node: int
    history: str


@dataclass(frozen=True)
class _Board:
    """A board's forest with the blueprint on it; root r is what line r leads to."""

    tree: PublicTree
    policy: Array
    last: Array
    chance: float
    sources: tuple[Array, Array]
    targets: tuple[Array, Array]
    reach: list[tuple[Vector, Vector]]


class DealSubgames:
    """A blueprint of a spot of two streets, ready to be solved again behind the deal.

    average, last: [bucket slots] its policy and the policy of its solver's last iteration, by
    which values are estimated.
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
        """The cards of each deal, one for all that differ in suits only."""
        self.head = range(tree.ranges[0].first, tree.ranges[0].last)
        self.lines = self._lines()
        responder = BestResponse(tree, average, sharing=sharing)
        self._values: list[dict[int, Vector]] = []
        for player in PLAYERS:
            responder.visit(player, BEST)
            flat = responder.work.values[player]
            self._values.append(
                {n: tree.vectors(flat, player, n, values=True)[0].copy() for n in self.head}
            )
        self._reach = [
            {
                n: tree.vectors(responder.work.reach[p], p, n, values=False)[0].copy()
                for n in self.head
            }
            for p in PLAYERS
        ]
        self._gifts = [[self._line_gifts(line, player) for line in self.lines] for player in (0, 1)]

    def _lines(self) -> list[Line]:
        """The lines after which players still act."""
        found = []
        for node in self.head:
            state = self.tree.cards.state(node)
            if state.mover == CHANCE and state.betting.deal().player != TERMINAL:
                found.append(Line(node, state.history))
        return found

    def _path(self, node: int) -> list[tuple[int, int]]:
        """The nodes from the root to `node`, each with the child that follows."""
        found = []
        while (come := int(self.tree.parent_edge[node])) >= 0:
            parent = int(self.tree.arrays.edge_parent[come])
            found.append((parent, node))
            node = parent
        return found[::-1]

    def _line_gifts(self, line: Line, player: int) -> tuple[Vector, Vector]:
        """[K], [K] what the opponent of `player` gives away by the line: expected, and as cfv."""
        opponent = 1 - player
        values = self._values[opponent]
        count = self.deal.counts[opponent]
        expected, whole = np.zeros(count), np.zeros(count)
        for node, child in self._path(line.node):
            if self.tree.arrays.player[node] == opponent:
                lost = np.maximum(values[node] - values[child], 0.0)
                mass = compatible_reach(self.tree.state(node), opponent, self._reach[player][node])
                expected += np.divide(lost, mass, out=np.zeros(count), where=mass > 0)
                whole += lost
        return expected, whole

    def _board(self, number: int) -> _Board:
        """The forest of a board."""
        dealt = self.deal.following[number]
        child = dealt.deal
        rules = self.spot.rules
        spot = replace(
            self.spot,
            board=child.board,
            rules=replace(rules, first_street=rules.last_street, committed=rules.big_blind),
        )
        deal = CardState.of(spot, isomorphism=False).deal
        states = []
        for line in self.lines:
            betting = self.tree.cards.state(line.node).betting.deal()
            states.append(CardState(spot, betting, deal, line.history + "/"))
        tree = build_forest(self.tree.builder, states)
        row = self.buckets.of(child.board)
        policy, last = np.zeros((2, tree.sizes.slots))
        for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
            state = tree.cards.state(node)
            own = row[state.deal.hands[state.mover]]
            first, count = self.sharing.firsts[state.history], self.buckets.count(rules.last_street)
            actions = int(tree.arrays.action_count[node])
            for given, flat in ((self.average, policy), (self.last, last)):
                table = given[first : first + actions * count].reshape(actions, count)
                tree.block(flat, node)[:, 0] = table[:, own]
        sources, targets = dealt.sources, dealt.targets
        reach = []
        for line in self.lines:
            both = []
            for p in PLAYERS:
                summed = np.zeros(child.counts[p])
                np.add.at(summed, targets[p], self._reach[p][line.node][sources[p]])
                both.append(summed * dealt.share)
            reach.append((both[0], both[1]))
        return _Board(tree, policy, last, dealt.chance, sources, targets, reach)

    def views(self, number: int, player: int) -> tuple[PublicTree, list[SubgameRoot]]:
        """The forest of a board, and the blueprint at its roots as `player` sees it."""
        board = self._board(number)
        return board.tree, self._views(board, player)

    def _views(self, board: _Board, player: int) -> list[SubgameRoot]:
        opponent, tree = 1 - player, board.tree
        best = BestResponse(tree, board.policy, beliefs=board.reach)
        best.visit(opponent, BEST)
        estimating = with_player(tree, board.policy, board.last, opponent)
        estimate = BestResponse(tree, estimating, beliefs=board.reach)
        estimate.visit(opponent, EXPECT)
        found = []
        for number, root in enumerate(tree.roots):
            state, reach = tree.state(root.node), board.reach[number]
            weights = state.compatible_reach(opponent, reach[player])
            expected, whole = (
                self._down(board, opponent, gift) for gift in self._gifts[player][number]
            )
            mass = board.chance * weights
            found.append(
                SubgameRoot(
                    Place(root.node, 0),
                    state,
                    player,
                    reach,
                    weights,
                    best.expected(opponent, root.node)[0],
                    estimate.expected(opponent, root.node)[0],
                    expected,
                    np.divide(whole, mass, out=np.zeros(len(whole)), where=mass > 0),
                )
            )
        return found

    def _down(self, board: _Board, player: int, vector: Vector) -> Vector:
        """[K below] what stands at each hand of the board's before the deal."""
        moved = np.zeros(int(board.targets[player].max()) + 1)
        moved[board.targets[player]] = vector[board.sources[player]]
        return moved

    def _up(self, board: _Board, player: int, cfv: Vector) -> Vector:
        """[K above] what a board's counterfactual values add to those before the deal."""
        moved = np.zeros(self.deal.counts[player])
        np.add.at(moved, board.sources[player], board.chance * cfv[board.targets[player]])
        return moved

    def solve(
        self, number: int, methods: Sequence[Method], budget: SolveBudget
    ) -> NDArray[np.float64]:
        """[1 + methods, 2, lines, K] what a board adds to the opponents' values before the deal.

        The first row is the blueprint's; entry [m, p] is what player 1 - p gets at best when p
        plays by method m. Lines to which p never comes stay as they are: they are worth nothing.
        """
        board = self._board(number)
        width = max(self.deal.counts)
        sums = np.zeros((1 + len(methods), 2, len(self.lines), width))
        for player in PLAYERS:
            opponent = 1 - player
            views = self._views(board, player)
            count = self.deal.counts[opponent]
            for row in range(1 + len(methods)):
                values = [view.best for view in views]
                if row > 0:
                    come = [n for n, view in enumerate(views) if self._comes(view)]
                    answers = _solved(board, [views[n] for n in come], methods[row - 1], budget)
                    for n, answer in zip(come, answers, strict=True):
                        values[n] = answer
                for n, (view, value) in enumerate(zip(views, values, strict=True)):
                    cfv = np.where(view.weights > 0, np.nan_to_num(value) * view.weights, 0.0)
                    sums[row, player, n, :count] = self._up(board, opponent, cfv)
        return sums

    def _comes(self, view: SubgameRoot) -> bool:
        return all(float(reach.max(initial=0.0)) > 0 for reach in view.reach)

    def blueprint_sums(self) -> NDArray[np.float64]:
        """[2, lines, K] as of `best_responses`, the blueprint's, from the pass over the tree."""
        sums = np.zeros((2, len(self.lines), max(self.deal.counts)))
        for player in PLAYERS:
            opponent = 1 - player
            for n, line in enumerate(self.lines):
                count = self.deal.counts[opponent]
                sums[player, n, :count] = self._values[opponent][line.node]
        return sums

    def best_responses(self, sums: NDArray[np.float64]) -> tuple[float, float]:
        """What each player's best response gets when `sums` [2, lines, K] come up at the deal.

        Entry [p] is what is added up for the opponent of p, over all boards.
        """
        found = []
        for player in PLAYERS:
            values = dict(self._values[player])
            count = self.deal.counts[player]
            for n, line in enumerate(self.lines):
                values[line.node] = sums[1 - player, n, :count]
            for node in reversed(self.head):
                mover = self.tree.arrays.player[node]
                if mover not in PLAYERS:
                    continue
                below = [
                    values[int(self.tree.arrays.edge_child[edge])] for edge in self.tree.edges(node)
                ]
                values[node] = np.max(below, axis=0) if mover == player else np.sum(below, axis=0)
            found.append(self._root_value(player, values))
        return found[0], found[1]

    def _root_value(self, player: int, values: dict[int, Vector]) -> float:
        root = self.tree.roots[0].node
        own, other = self._reach[player][root], self._reach[1 - player][root]
        met = compatible_reach(self.tree.state(root), player, other)
        return float(own @ values[root] / (own @ met))


def _solved(
    board: _Board, views: list[SubgameRoot], method: Method, budget: SolveBudget
) -> list[Vector]:
    """For each view what the opponent's hands get at best after the subgame is solved again."""
    if not views:
        return []
    tree = board.tree
    if len(views) < len(tree.roots):
        states = [view.state for view in views]
        tree = build_forest(tree.builder, states)
    return solve_roots(tree, views, method, budget, tree=tree).best()
