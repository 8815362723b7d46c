"""Depth-limited solving of a forest of public belief states (ReBeL, section 5.1, appendix I).

A solver with leaves solves many subgames together: each step calls the evaluator once for all
leaves of all subgames. The `mode` says at which beliefs a leaf is evaluated:

- `cfr-d`: at the beliefs of the current policy;
- `cfr-avg`: at the beliefs of the average policy. Differences turn these values into those of the
  current policy, which is the modified form of appendix I;
- `cfr-avg-sound`: at the beliefs of the average policy. The solution there is played below the
  leaf, and the values are those against the current policy. This needs an evaluator for pairs of
  infostates; one call per iteration serves both players;
- fictitious play responds to the average policy, so its leaves are evaluated there. The values are
  those against the solution at the average *now*, which is not the average of the earlier
  solutions: in modified rock-paper-scissors the second player's share of paper becomes the first
  one's of scissors. With `cfr-avg-sound` each response keeps the solution at the beliefs of its
  own iteration, and a leaf's value is the mean over responses.

A policy is updated and then averaged; a solver without leaves averages it in the next pass down.
A warm start begins with the proposal of a policy network (appendix J): the first iterations are
assumed to have played the guide's policy. Each infostate's regrets are those of that policy against
an exact best response, times the weight that these iterations would have given them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.algorithms import FictitiousPlay, RegretMatching
from tacit.solvers.kernels.iterations import normalise_sums
from tacit.solvers.leaves import (
    Evaluator,
    Guide,
    Leaves,
    Pair,
    PairEvaluator,
    Rows,
    concatenated_ranges,
    lengthened,
)
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.arrays import DOWN, Order
from tacit.tree.kernels.buffers import Vectors
from tacit.tree.kernels.passes import EXPECT, RECORD_BEST, UPDATE, ascend, descend
from tacit.tree.pbs import cfv_to_value

if TYPE_CHECKING:
    from tacit.solvers.engine import Solver, Workspace

Array = NDArray[Any]
Mode = Literal["cfr-d", "cfr-avg", "cfr-avg-sound"]


def way_down(order: Order) -> Order:
    """The steps of an order that go down."""
    if not order.parts:
        return Order(order.head, (), order.tail[:0], order.head)
    whole, *parts = (steps[steps[:, 0] == DOWN] for steps in (order.whole, *order.parts))
    return Order(order.head, tuple(parts), order.tail[:0], whole)


class DepthLimited:
    """How a solver evaluates its leaves, and the values that follow at the roots.

    averaged: [slots] the average policy, by `average_reach`.
    """

    def __init__(
        self, solver: Solver, evaluator: Evaluator | Leaves, mode: Mode, warm_start: int
    ) -> None:
        self.sound = mode == "cfr-avg-sound"
        if self.sound and not isinstance(evaluator, PairEvaluator):
            raise GameError(
                "cfr-avg-sound needs an evaluator with values for pairs of infostates, such as the "
                "oracle or a network trained with pairs=true; with others use cfr-avg"
            )
        self.solver = solver
        self.evaluator = evaluator
        self.mode = mode
        self.warm_start = warm_start
        self.total_weight = 0.0
        self._averaged, self._latest_weight = [0.0, 0.0], [0.0, 0.0]
        """The total weight in each player's sums, and the weight of the latest policy."""
        self._last_averaged = [0.0, 0.0]
        """The total weight at which `_last_average` was evaluated."""
        self._asked: Pair | None = None
        """The sound form: the average's reaches when the leaves were last evaluated."""
        self._averaging = np.zeros_like(solver.schedule(1, 1))
        """The schedule of a pass down, in which only the weight is set."""
        tree = solver.tree
        self.leaves = (
            evaluator
            if isinstance(evaluator, Leaves)
            else Leaves(tree, evaluator, pairs=self.sound)
        )
        self.root_nodes = sorted({root.node for root in tree.roots})
        self._root_entries = [concatenated_ranges(*self._root_ranges(p)) for p in PLAYERS]
        """For each player: where the values [K] of the roots are, one root after the other."""
        self.root_sums = [np.zeros(len(entries)) for entries in self._root_entries]
        """For each player: the weighted sum of these cfvs."""
        self._remembered: list[tuple[float, Array, Array]] = []
        """Recorded iterations: weight, policy [slots], outputs of the evaluator [L, .]."""
        self.averaged, work = solver.current_policy(solver.dtype), solver.work
        for player in PLAYERS:
            self._descend(player, self.averaged, work.reach)
        self.spare_reach = (work.reach[0].copy(), work.reach[1].copy())
        self._spare: list[Vectors] | None = None
        self._last_average, self._response_values, self._response_sums = (
            (np.zeros_like(work.values[0]), np.zeros_like(work.values[1])) for _ in range(3)
        )
        """The previous values in the differences of the modified CFR-AVG; in sound fictitious play
        the leaves' values against the latest response, and their weighted sums."""
        self._set_order(tree.order)
        if warm_start > 0:
            self._start_warm()

    def _set_order(self, order: Order) -> None:
        self._down = way_down(order)
        self._up = order if order.parts else replace(order, head=order.head[:0], whole=order.tail)
        """The way up, with the way down below the first deal."""

    def grow(self, expanded: list[int], first: int) -> None:
        """Extend what depends on the size of the tree: these leaves got moves to new nodes."""
        solver, tree, work = self.solver, self.solver.tree, self.solver.work
        if self.sound and isinstance(solver.minimiser, FictitiousPlay):
            raise GameError(
                "new leaves have no values for earlier responses of fictitious play; grow with "
                "cfr-d or cfr-avg"
            )
        self.leaves.grow(expanded, first)
        self.averaged = lengthened(self.averaged, len(solver.sums))
        self.spare_reach, self._last_average = (
            (lengthened(old[0], len(new[0])), lengthened(old[1], len(new[1])))
            for old, new in ((self.spare_reach, work.reach), (self._last_average, work.values))
        )
        self._spare = None
        self._set_order(tree.order)
        rows = [(node, node + 1) for node in expanded] + [(first, tree.nodes)]
        steps = np.array([(DOWN, *row, 0, 0, 0, 0) for row in rows], dtype=np.int64)
        self._averaging[:] = 0
        for turn in (0, 1) if isinstance(solver.minimiser, RegretMatching) else (0, 2):
            order = Order(steps[:0], (), steps[:0], steps)
            solver.visit(order, turn, self._averaging, alternating=True)
        # Differences restart: new leaves have no previous values.
        self._last_averaged, self._asked = [0.0, 0.0], None
        self._remembered.clear()

    def _root_ranges(self, player: int) -> tuple[Array, Array]:
        """[R] where the player's values of each root begin, and [R] their number."""
        arrays, roots = self.solver.tree.arrays, self.solver.tree.roots
        nodes = np.array([root.node for root in roots], dtype=np.int64)
        counts = arrays.info_count[player, nodes].astype(np.int64)
        copies = np.array([root.copy for root in roots], dtype=np.int64)
        return arrays.value_start[player, nodes] + copies * counts, counts

    def _descend(self, player: int, policy: Array, reach: Pair) -> None:
        """Carry a reach down to the first deal; all leaves are above it."""
        none = reach[player].dtype.type(0)
        descend(self.solver.tree.arrays, player, policy, reach[player], policy, none)

    def iterate(self) -> None:
        """The solver's next iteration, unless the warm start replaces it."""
        solver = self.solver
        if solver.iteration <= self.warm_start:
            return
        weight = solver.minimiser.weight(solver.iteration)
        self.total_weight += weight
        if self.sound:
            first, second = self.average_reach()
            self._asked = (first.copy(), second.copy())
            self.leaves.ask(self._asked)
        schedule = solver.schedule(solver.iteration, 1)
        schedule[0, 4] = 0
        matches = isinstance(solver.minimiser, RegretMatching)
        for players in ((0,), (1,)) if solver.minimiser.alternating else (PLAYERS,):
            for player in players:
                self._fill(player)
            turn = players[0] if matches else 2 * players[0]
            solver.visit(self._up, turn, schedule, alternating=len(players) == 1)
            for player in players:
                self._add_root_values(player, weight)
            self._average(players, weight)

    def average_reach(self) -> Pair:
        """The reaches of the average policy, in the tree's layout; sets `averaged`."""
        solver = self.solver
        if solver.sharing is not None or solver.storage == 16 or solver.locks:
            self.averaged = solver.average_policy(solver.dtype)
        else:
            for player in PLAYERS:
                normalise_sums(solver.tree.arrays, player, solver.sums, self.averaged)
        for player in PLAYERS:
            self._descend(player, self.averaged, self.spare_reach)
        return self.spare_reach

    def believed_reach(self) -> Pair:
        """The reaches that define the leaves' PBSs when self-play continues from this iteration.

        They are the current policy's in CFR-D, and the average's in CFR-AVG and fictitious play
        (section 5.2); the current policy is played in any case. In the sound form the average is
        the one at which the leaves were last evaluated.
        """
        if self._asked is not None:
            return self._asked
        if self.mode == "cfr-d" and isinstance(self.solver.minimiser, RegretMatching):
            return self.solver.work.reach
        return self.average_reach()

    def root_values(self, player: int) -> list[NDArray[np.float64]]:
        """For each root, the expected values [K] of `player`, averaged over the iterations."""
        tree, other, expected = self.solver.tree, 1 - player, []
        counts = self._root_ranges(player)[1]
        sums = np.split(self.root_sums[player], np.cumsum(counts)[:-1])
        for root, total in zip(tree.roots, sums, strict=True):
            reach = tree.vectors(self.solver.work.reach[other], other, root.node, values=False)
            mean = total / max(self.total_weight, 1e-30)
            opponent = reach[root.copy].astype(np.float64)
            expected.append(cfv_to_value(tree.state(root.node), player, mean, opponent))
        return expected

    def remember(self, weight: float = 1.0) -> None:
        """Record this iteration's policy and its leaves' pair values for `root_pairs`."""
        if not self.sound:
            self.leaves.ask(self.believed_reach())
        policy = self.solver.current_policy(self.solver.dtype)
        self._remembered.append((weight, policy, self.leaves.outputs.copy()))

    def root_pairs(self) -> list[NDArray[np.float64]]:
        """For each root [K0, K1] player 0's payoff for each pair of infostates.

        It is the mean over the recorded iterations of one player's average against the other's
        policy then, and of the solution at the beliefs of then below the leaves. If none was
        recorded, both play their averages and the solution at the average's beliefs, which is
        accurate where the average has settled, but not in fictitious play.
        """
        tree = self.solver.tree
        if tree.order.parts:
            raise GameError("pair values need a tree that ends before the first deal")
        average = self.average_reach()
        states = [tree.state(root.node) for root in tree.roots]
        payoffs = [np.zeros(state.counts) for state in states]
        if not self._remembered:
            self.leaves.ask(average)
            self._add_pairs(self.averaged, self.averaged, 1.0, payoffs)
        total = sum(weight for weight, _, _ in self._remembered)
        for weight, policy, outputs in self._remembered:
            self.leaves.recall(outputs)
            for first, second in ((self.averaged, policy), (policy, self.averaged)):
                self._add_pairs(first, second, weight / (2 * total), payoffs)
        for state, pairs in zip(states, payoffs, strict=True):
            np.divide(pairs, state.compatibility, out=pairs, where=state.compatibility > 0)
        return payoffs

    def _add_pairs(
        self, first: Array, second: Array, share: float, payoffs: list[NDArray[np.float64]]
    ) -> None:
        """Add `share` times player 0's payoffs for policies `first` and `second`, by columns."""
        tree, work = self.solver.tree, self.solver.work
        reach = (work.reach[0], work.reach[1].copy())
        values, none = np.zeros_like(work.values[0]), np.zeros(4, dtype=work.values[0].dtype)
        vectors = replace(work.vectors[0], reach1=reach[1], values0=values)
        for column in range(max(pairs.shape[1] for pairs in payoffs)):
            for node in self.root_nodes:
                at = tree.vectors(reach[1], 1, node, values=False)
                at[:] = np.arange(at.shape[1]) == column
            self._descend(1, second, reach)
            self.leaves.fill_from_outputs(0, reach, values)
            ascend(tree.arrays, vectors, 0, EXPECT, none, first, first)
            for root, pairs in zip(tree.roots, payoffs, strict=True):
                if column < pairs.shape[1]:
                    cfv = tree.vectors(values, 0, root.node, values=True)[root.copy]
                    pairs[:, column] += share * cfv

    def _start_warm(self) -> None:
        """Set regrets and averages as if the first iterations had played the guide's policy."""
        solver = self.solver
        tree, work, minimiser = solver.tree, solver.work, solver.minimiser
        guide = getattr(self.evaluator, "guide", None)
        if guide is None:
            raise GameError(
                "a warm start needs a policy network; train one beside the value network with "
                "policy=true, or set warm_start=0"
            )
        propose(tree, guide, solver.policy, work.reach)
        self.total_weight = weight = sum(minimiser.weight(t) for t in range(1, self.warm_start + 1))
        for player in PLAYERS:
            values = work.values[player]
            if self.sound:
                self.leaves.ask(work.reach)
                self.leaves.fill_from_outputs(player, work.reach, values)
            else:
                self.leaves.fill(player, work.reach, values)
            none = np.zeros(4, dtype=values.dtype)
            ascend(tree.arrays, work.vectors[0], player, EXPECT, none, solver.policy, solver.policy)
            self._add_root_values(player, weight)
            if isinstance(minimiser, RegretMatching):
                response_regrets(tree, player, solver.policy, work, solver.regrets)
        if isinstance(minimiser, RegretMatching):
            imitate(minimiser, solver.regrets, self.warm_start)
        self._average(PLAYERS, weight)

    def _fill(self, player: int) -> None:
        """Write the player's values at the leaves, at the beliefs that `mode` says."""
        work, minimiser = self.solver.work, self.solver.minimiser
        values = work.values[player]
        if isinstance(minimiser, RegretMatching):
            if self.mode == "cfr-d":
                self.leaves.fill(player, work.reach, values)
            elif self.mode == "cfr-avg":
                self._fill_by_difference(player)
            else:
                self.leaves.fill_from_outputs(player, work.reach, values)
        elif self.sound:
            self._fill_by_mean(player, minimiser)
        else:
            # An optimistic player responds to the mixture, but PBSs are the average policy's.
            average = self.average_reach() if minimiser.optimistic else work.reach
            self.leaves.fill(player, work.reach, values, believed=average)

    def _add_root_values(self, player: int, weight: float) -> None:
        """Add the values of the latest pass to those of the roots, and update the gadgets."""
        root, work, minimiser = self.solver.root, self.solver.work, self.solver.minimiser
        self.root_sums[player] += weight * work.values[player][self._root_entries[player]]
        if root is None or root.opponent != player:
            return
        if isinstance(minimiser, RegretMatching):
            root.update(minimiser, max(1, self.solver.iteration), work.values, work.reach)
            root.write(self.spare_reach, root.joined_average())
        else:
            # The response uses the spare reaches, the average the others; see `_average`.
            root.update(minimiser, self.solver.iteration, work.values, work.reach)
            root.write(self.spare_reach, root.arrays.entering)
            root.update(minimiser, self.solver.iteration, work.values, work.reach, mixes=True)

    def _fill_by_difference(self, player: int) -> None:
        """Modified CFR-AVG: the change of the weighted cfv against the opponent's average.

        With W the weight in the opponent's average, (W * cfv(average) - W' * cfv(average')) over
        W - W'. If values below a leaf were fixed, this would be the cfv against the latest policy.
        """
        work, tree = self.solver.work, self.solver.tree
        self.leaves.fill(player, self.average_reach(), work.values[player])
        total, before = self._averaged[1 - player], self._last_averaged[player]
        last = self._last_average[player]
        for node in tree.leaves:
            now = tree.vectors(work.values[player], player, int(node), values=True)
            old = tree.vectors(last, player, int(node), values=True)
            average = now.copy()
            if before > 0:
                now[:] = (total * average - before * old) / (total - before)
            old[:] = average
        self._last_averaged[player] = total

    def _fill_by_mean(self, player: int, minimiser: FictitiousPlay) -> None:
        """Sound fictitious play: the mean of the leaves' values against the responses so far."""
        total, work = self._averaged[1 - player], self.solver.work
        values = work.values[player]
        if total == 0:
            self.leaves.fill_from_outputs(player, work.reach, values)
            return
        again = self._latest_weight[1 - player] if minimiser.optimistic else 0.0
        np.multiply(self._response_values[player], values.dtype.type(again), out=values)
        values += self._response_sums[player]
        values /= values.dtype.type(total + again)

    def _average(self, players: Sequence[int], weight: float) -> None:
        """Add the policies of these players to the average and carry their reaches down."""
        solver, schedule = self.solver, self._averaging
        for player in players:
            self._averaged[player] += weight
            self._latest_weight[player] = weight
        schedule[0, 4] = weight
        if isinstance(solver.minimiser, RegretMatching):
            alone = len(players) == 1
            solver.visit(self._down, 1 - players[0] if alone else 0, schedule, alternating=alone)
            return
        for player in players:
            self._average_response(player, weight)

    def _average_response(self, player: int, weight: float) -> None:
        """As `_average`, in fictitious play."""
        solver, schedule = self.solver, self._averaging
        assert isinstance(solver.minimiser, FictitiousPlay)
        assert solver.mixture is not None
        schedule[0, 5] = weight if solver.minimiser.optimistic else 0
        if self._spare is None:
            self._spare = solver.work.with_reach(self.spare_reach)
        solver.visit(self._down, 2 * player + 1, schedule, alternating=True, vectors=self._spare)
        if self.sound:
            values = self._response_values[1 - player]
            self.leaves.fill_from_outputs(1 - player, self.spare_reach, values)
            self._response_sums[1 - player][:] += values.dtype.type(weight) * values
        self._descend(player, solver.mixture, solver.work.reach)


def propose(tree: PublicTree, guide: Guide, policy: Array, reach: tuple[Array, Array]) -> None:
    """Set `policy` [slots] to the guide's proposal at every decision, and `reach` to its reach.

    The beliefs at a node follow from the proposals above it, so the guide is called once for each
    level of the tree and player. Where the opponent's reach is zero, `policy` is unchanged.
    """
    levels = _levels(tree)
    for level in range(int(levels.max()) + 1):
        for player in PLAYERS:
            nodes = np.flatnonzero((levels == level) & (tree.arrays.player == player))
            if len(nodes):
                rows = Rows(tree, nodes.astype(np.int32), guide)
                _write(tree, guide, nodes, policy, rows.gather(player, reach), rows.row)
        for player in PLAYERS:
            descend(tree.arrays, player, policy, reach[player], policy, reach[player].dtype.type(0))


def _write(
    tree: PublicTree, guide: Guide, nodes: Array, policy: Array, inputs: Array, row: Array
) -> None:
    outputs = guide.policies(inputs)
    first = 0
    for node in nodes.tolist():
        block = tree.block(policy, node)
        here = row[first : first + block.shape[1]]
        first += block.shape[1]
        asked = np.flatnonzero(here >= 0)
        state = tree.state(node)
        columns = guide.action_columns(state)
        weights = outputs[here[asked]][:, columns] * state.expansion.legal
        total = weights.sum(axis=1, keepdims=True)
        uniform = state.expansion.legal / state.expansion.legal.sum(axis=0)
        chosen = np.where(total > 0, weights / np.where(total > 0, total, 1), uniform)
        block[:, asked] = chosen.transpose(1, 0, 2)


def _levels(tree: PublicTree) -> NDArray[np.int64]:
    """[nodes] the length of the longest path from a root to each node; parents come first."""
    levels = np.zeros(tree.nodes, dtype=np.int64)
    for edge in np.argsort(tree.arrays.edge_parent, kind="stable").tolist():
        parent, child = tree.arrays.edge_parent[edge], tree.arrays.edge_child[edge]
        levels[child] = max(levels[child], levels[parent] + 1)
    return levels


def response_regrets(
    tree: PublicTree, player: int, policy: Array, work: Workspace, regrets: Array
) -> None:
    """Set `player`'s part of `regrets` [slots] to those of `policy` before a best response.

    An action's regret is its value, with the best response played afterwards, less the mean of
    these values under the policy. Both reaches and the values at the leaves are given in `work`.
    """
    vectors = work.vectors[0]
    best, gains = policy.copy(), np.zeros_like(policy)
    none = np.zeros(4, dtype=policy.dtype)
    ascend(tree.arrays, vectors, player, RECORD_BEST, none, best, gains)
    step = np.array([1, 1, -np.inf, 0], dtype=policy.dtype)
    ascend(tree.arrays, vectors, player, UPDATE, step, best, gains)
    for node in np.flatnonzero(tree.arrays.player == player).tolist():
        gain = tree.block(gains, node)
        mean = (tree.block(policy, node) * gain).sum(axis=0)
        legal = tree.state(node).expansion.legal[:, None, :]
        tree.block(regrets, node)[:] = np.where(legal, gain - mean, 0)


def imitate(minimiser: RegretMatching, regrets: Array, iterations: int) -> None:
    """Turn one iteration's `regrets` [slots] into the discounted sum over `iterations`."""
    positive = negative = 0.0
    for iteration in range(1, iterations + 1):
        step = minimiser.step(iteration)
        positive = positive * step.positive + 1
        negative = negative * step.negative + 1
    floor = minimiser.step(1).floor
    regrets *= np.where(regrets > 0, positive, negative).astype(regrets.dtype)
    np.maximum(regrets, floor, out=regrets)
