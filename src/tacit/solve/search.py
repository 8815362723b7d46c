"""Depth-limited search over a forest of public belief states (ReBeL, section 5.1, appendix I).

One `Search` solves many subgames together: each step asks the evaluator once for all leaves of all
of them. What a leaf answers, and for which beliefs, is the `mode`:

- `cfr-d`: values for the beliefs of the current policy;
- `cfr-avg`: values for the beliefs of the average policy, turned into the current policy's by
  differences, which is the modified form of appendix I;
- `cfr-avg-sound`: what is played below the leaf is what solves it at the beliefs of the average
  policy, and its values are those against the current policy. That takes an evaluator that answers
  for pairs of infostates; one question an iteration serves both players;
- fictitious play meets the average policy, so its leaves are evaluated there. That answers what is
  played against the average *now*, which is not the average of what was played: in modified
  rock-paper-scissors the second player's share of paper becomes the first one's of scissors. With
  `cfr-avg-sound` each response is met by what was believed at its time, and leaves answer the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solve.algorithms import FictitiousPlay, Minimiser, RegretMatching
from tacit.solve.engine import Beliefs, Workspace, normalise
from tacit.solve.gadgets import RootGadgets
from tacit.solve.kernels.iterations import normalise_sums
from tacit.solve.kernels.leaves import mix
from tacit.solve.leaves import Evaluator, Guide, Leaves, PairEvaluator
from tacit.solve.warm_start import imitate, propose, response_regrets
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.beliefs import cfv_to_value
from tacit.tree.passes import EXPECT, RECORD_BEST, UPDATE, WITHIN, ascend, descend

Array = NDArray[Any]
Mode = Literal["cfr-d", "cfr-avg", "cfr-avg-sound"]


class _Moment(NamedTuple):
    """An iteration that is remembered: policy [slots], answers of the leaves [L, .]."""

    weight: float
    policy: Array
    answers: Array


class Search:
    """A depth-limited search at work; `iteration` counts updates of both players.

    policy, regrets, sums: float32 [slots]. `beliefs[r][p]` [K_p]: the reach at root r. With a
    `warm_start` the first iterations, so many, are taken to have played what the evaluator's guide
    proposes (appendix J); they cost no more than one. `root_gadgets` puts
    gadgets above the roots, which decide on the reach of one player there.
    """

    def __init__(
        self,
        tree: PublicTree,
        minimiser: Minimiser,
        evaluator: Evaluator,
        *,
        beliefs: Beliefs,
        mode: Mode = "cfr-d",
        warm_start: int = 0,
        root_gadgets: RootGadgets | None = None,
    ) -> None:
        self.sound = mode == "cfr-avg-sound"
        if self.sound and not isinstance(evaluator, PairEvaluator):
            raise GameError(
                "cfr-avg-sound needs an evaluator that answers for pairs of infostates, such as "
                "the oracle or a network trained with pairs=true; with others use cfr-avg"
            )
        self.tree = tree
        self.minimiser = minimiser
        self.root_gadgets = root_gadgets
        self.mode = mode
        self.warm_start = warm_start
        self.iteration = 0
        self.leaves = Leaves(tree, evaluator, pairs=self.sound)
        self.work = Workspace(tree, beliefs, np.float32)
        if root_gadgets is not None:
            root_gadgets.open(tree, self.work.reach)
        self.spare_reach = (self.work.reach[0].copy(), self.work.reach[1].copy())
        self.policy = tree.uniform_policy().astype(np.float32)
        self.regrets = np.zeros_like(self.policy)
        self.sums = np.zeros_like(self.policy)
        self.mixture = self.policy.copy()
        self.root_nodes = sorted({root.node for root in tree.roots})
        self.root_sums = tuple(np.zeros(tree.sizes.values[p]) for p in PLAYERS)
        self.total_weight = 0.0
        self._averaged = [0.0, 0.0]
        self._latest_weight = [0.0, 0.0]
        """How much weight each player's sums hold, and how much of it came last."""
        self._last_average = tuple(np.zeros_like(self.work.values[p]) for p in PLAYERS)
        self._last_averaged = [0.0, 0.0]
        """What the modified CFR-AVG takes differences from: values, and the weight behind them."""
        self._asked: tuple[Array, Array] | None = None
        """The sound form: the average's reaches when the leaves were last asked."""
        self._met = tuple(np.zeros_like(self.work.values[p]) for p in PLAYERS)
        self._met_sums = tuple(np.zeros_like(self.work.values[p]) for p in PLAYERS)
        """Sound fictitious play: leaves' values against the latest response, and weighted sums."""
        self._remembered: list[_Moment] = []
        for player in PLAYERS:
            descend(tree.arrays, player, self.policy, self.work.reach[player], self.sums, _NONE)
        if warm_start > 0:
            if evaluator.guide is None:
                raise GameError(
                    "a warm start needs a policy network; train one beside the value network with "
                    "policy=true, or set warm_start=0"
                )
            self._start_warm(evaluator.guide)

    def run(self, iterations: int, *, each: Callable[[int], None] | None = None) -> None:
        """Run this many iterations more; `each` is called after every one with its number."""
        for _ in range(iterations):
            self.iteration += 1
            if self.iteration > self.warm_start:
                self._iterate()
            if each is not None:
                each(self.iteration)

    def average_policy(self) -> NDArray[np.float64]:
        """[slots] the average policy, uniform where it was never reached."""
        return normalise(self.tree, self.sums.astype(np.float64))

    def average_reach(self) -> tuple[Array, Array]:
        """The reaches of the average policy, in the tree's layout; leaves it in `mixture`."""
        for player in PLAYERS:
            normalise_sums(self.tree.arrays, player, self.sums, self.mixture)
            descend(
                self.tree.arrays, player, self.mixture, self.spare_reach[player], self.sums,
                _NONE,
            )  # fmt: skip
        return self.spare_reach

    def believed_reach(self) -> tuple[Array, Array]:
        """The reaches that make the leaves' PBSs when the game goes on from this iteration.

        They are the current policy's in CFR-D, and the average's in CFR-AVG and fictitious play
        (section 5.2); the game is played by the current policy in any case. In the sound form the
        average is that for which the leaves were last asked.
        """
        if self._asked is not None:
            return self._asked
        if self.mode == "cfr-d" and isinstance(self.minimiser, RegretMatching):
            return self.work.reach
        return self.average_reach()

    def root_values(self, player: int) -> list[NDArray[np.float64]]:
        """For each root, the expected values [K] of `player`, averaged over the iterations."""
        found = []
        for root in self.tree.roots:
            cfv = self.tree.vectors(self.root_sums[player], player, root.node, values=True)
            reach = self.tree.vectors(
                self.work.reach[1 - player], 1 - player, root.node, values=False
            )
            state = self.tree.state(root.node)
            mean = cfv[root.copy] / max(self.total_weight, 1e-30)
            found.append(cfv_to_value(state, player, mean, reach[root.copy].astype(np.float64)))
        return found

    def remember(self, weight: float = 1.0) -> None:
        """Keep the policy of this iteration, and what it met below the leaves, for `root_pairs`."""
        if not self.sound:
            self.leaves.ask(self.believed_reach())
        self._remembered.append(_Moment(weight, self.policy.copy(), self.leaves.answers.copy()))

    def root_pairs(self) -> list[NDArray[np.float64]]:
        """For each root [K0, K1] what pairs of infostates get, player 0's payoff.

        It is the mean over the iterations that were remembered. Half of it is what the average of
        player 0 gets from the iteration's policy of player 1, half the other way round, and below
        the leaves is played what the beliefs of that iteration lead to. If none was remembered, it
        is what the average policies get from each other, and below what its beliefs lead to: near
        enough where the average hardly moves any more, but where it does, as in fictitious play,
        the solutions below jump from one iteration to the next, and the last is but one of them.
        """
        tree = self.tree
        average = self.average_reach()
        states = [tree.state(root.node) for root in tree.roots]
        found = [np.zeros(state.counts) for state in states]
        if not self._remembered:
            self.leaves.ask(average)
            self._add_pairs(self.mixture, self.mixture, 1.0, found)
        total = sum(moment.weight for moment in self._remembered)
        for weight, policy, answers in self._remembered:
            self.leaves.recall(answers)
            for first, second in ((self.mixture, policy), (policy, self.mixture)):
                self._add_pairs(first, second, weight / (2 * total), found)
        for state, pairs in zip(states, found, strict=True):
            np.divide(pairs, state.compatibility, out=pairs, where=state.compatibility > 0)
        return found

    def _add_pairs(
        self, first: Array, second: Array, share: float, found: list[NDArray[np.float64]]
    ) -> None:
        """Add a share of what player 0 gets by a policy each: one column after the other."""
        tree, arrays = self.tree, self.tree.arrays
        reach = (self.work.reach[0], self.work.reach[1].copy())
        values = np.zeros_like(self.work.values[0])
        for column in range(max(pairs.shape[1] for pairs in found)):
            for node in self.root_nodes:
                at = tree.vectors(reach[1], 1, node, values=False)
                at[:] = np.arange(at.shape[1]) == column
            descend(arrays, 1, second, reach[1], self.sums, _NONE)
            self.leaves.meet(0, reach, values)
            ascend(
                arrays, 0, EXPECT, np.zeros(4, dtype=np.float32), self.work.matrices, reach[1],
                first, self.regrets, values, self.work.scratch,
            )  # fmt: skip
            for root, pairs in zip(tree.roots, found, strict=True):
                if column < pairs.shape[1]:
                    cfv = tree.vectors(values, 0, root.node, values=True)[root.copy]
                    pairs[:, column] += share * cfv

    def _iterate(self) -> None:
        weight = self.minimiser.weight(self.iteration)
        self.total_weight += weight
        if self.sound:
            first, second = self.average_reach()
            self._asked = (first.copy(), second.copy())
            self.leaves.ask(self._asked)
        if self.minimiser.alternating:
            for player in PLAYERS:
                self._improve(player)
                self._average(player, weight)
        else:
            for player in PLAYERS:
                self._improve(player)
            for player in PLAYERS:
                self._average(player, weight)

    def _start_warm(self, guide: Guide) -> None:
        """Play what the guide proposes, and remember it as so many iterations would have."""
        arrays, work = self.tree.arrays, self.work
        propose(self.tree, guide, self.policy, work.reach)
        count = self.warm_start
        weight = sum(self.minimiser.weight(t) for t in range(1, count + 1))
        self.total_weight = weight
        for player in PLAYERS:
            values = work.values[player]
            if self.sound:
                self.leaves.ask(work.reach)
                self.leaves.meet(player, work.reach, values)
            else:
                self.leaves.fill(player, work.reach, values)
            ascend(
                arrays, player, EXPECT, np.zeros(4, dtype=np.float32), work.matrices,
                work.reach[1 - player], self.policy, self.regrets, values, work.scratch,
            )  # fmt: skip
            self._add_root_values(player, weight)
            if isinstance(self.minimiser, RegretMatching):
                response_regrets(self.tree, player, self.policy, work, self.regrets)
        if isinstance(self.minimiser, RegretMatching):
            imitate(self.minimiser, self.regrets, count)
        for player in PLAYERS:
            self._average(player, weight)

    def _improve(self, player: int) -> None:
        """Ask the leaves, carry the values up, and update the player's policy."""
        work, arrays = self.work, self.tree.arrays
        values = work.values[player]
        if isinstance(self.minimiser, RegretMatching):
            if self.mode == "cfr-d":
                self.leaves.fill(player, work.reach, values)
            elif self.mode == "cfr-avg":
                self._fill_by_difference(player)
            else:
                self.leaves.meet(player, work.reach, values)
            step = self.minimiser.step(self.iteration)
            numbers = np.array(
                [step.positive, step.negative, step.floor, step.prediction], dtype=np.float32
            )
            mode = UPDATE
        else:
            if self.sound:
                self._fill_by_mean(player, self.minimiser)
            else:
                # An optimistic player meets the mixture, but PBSs are the average policy's.
                average = self.average_reach() if self.minimiser.optimistic else work.reach
                self.leaves.fill(player, work.reach, values, believed=average)
            numbers, mode = np.zeros(4, dtype=np.float32), RECORD_BEST
            numbers[WITHIN] = self.minimiser.within(self.iteration)
        ascend(
            arrays, player, mode, numbers, work.matrices, work.reach[1 - player], self.policy,
            self.regrets, values, work.scratch,
        )  # fmt: skip
        self._add_root_values(player, self.minimiser.weight(self.iteration))

    def _add_root_values(self, player: int, weight: float) -> None:
        for node in self.root_nodes:
            new = self.tree.vectors(self.work.values[player], player, node, values=True)
            self.tree.vectors(self.root_sums[player], player, node, values=True)[:] += weight * new
        if self.root_gadgets is not None and self.root_gadgets.opponent == player:
            self._pass_gadgets(self.root_gadgets)

    def _pass_gadgets(self, root_gadgets: RootGadgets) -> None:
        """Let the gadgets answer the values that have just come up."""
        if isinstance(self.minimiser, RegretMatching):
            root_gadgets.match(self.work.values, self.work.reach, self.minimiser, self.iteration)
            root_gadgets.write(self.spare_reach, root_gadgets.average())
        else:
            # The response goes down the spare reaches, the average the others; see `_average`.
            root_gadgets.respond(self.work.values, self.work.reach)
            root_gadgets.write(self.spare_reach, root_gadgets.entering)
            root_gadgets.mix(self.work.reach, self.minimiser, self.iteration)

    def _fill_by_difference(self, player: int) -> None:
        """Modified CFR-AVG: what the opponent's average has gained since the last time.

        With W the weight in the opponent's average, (W * cfv(average) - W' * cfv(average')) over
        W - W': were values below a leaf fixed, that would be the cfv of the policy that came in.
        """
        work, tree = self.work, self.tree
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
        """Sound fictitious play: the mean of what the opponent's responses gave at the leaves."""
        total = self._averaged[1 - player]
        if total == 0:
            self.leaves.meet(player, self.work.reach, self.work.values[player])
            return
        again = self._latest_weight[1 - player] if minimiser.optimistic else 0.0
        values = self.work.values[player]
        np.multiply(self._met[player], np.float32(again), out=values)
        values += self._met_sums[player]
        values /= np.float32(total + again)

    def _average(self, player: int, weight: float) -> None:
        """Put the player's policy into the average and carry its reach down."""
        arrays, work = self.tree.arrays, self.work
        amount = np.float32(weight)
        self._averaged[player] += weight
        self._latest_weight[player] = weight
        if isinstance(self.minimiser, FictitiousPlay):
            again = amount if self.minimiser.optimistic else _NONE
            spare = self.spare_reach[player]
            descend(arrays, player, self.policy, spare, self.sums, amount)
            if self.sound:
                met = self._met[1 - player]
                self.leaves.meet(1 - player, self.spare_reach, met)
                self._met_sums[1 - player][:] += amount * met
            mix(arrays, player, self.policy, self.mixture, self.sums, spare, again)
            normalise_sums(arrays, player, self.mixture, self.mixture)
            descend(arrays, player, self.mixture, work.reach[player], self.sums, _NONE)
        else:
            descend(arrays, player, self.policy, work.reach[player], self.sums, amount)


_NONE = np.float32(0)
