"""Depth-limited search over a forest of public belief states (ReBeL, section 5.1, appendix I).

One `Search` solves many subgames together: each step asks the evaluator once for all leaves of all
of them. What a leaf answers, and for which beliefs, is the `mode`:

- `CFR_D`: values for the beliefs of the current policy;
- `CFR_AVG`: values for the beliefs of the average policy, turned into the current policy's by
  differences, which is the modified form of appendix I;
- fictitious play always meets the average policy, so its leaves are evaluated there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.solve.engine import Beliefs, Workspace, normalise
from tacit.solve.gadgets import Gate
from tacit.solve.iterations import normalise_sums
from tacit.solve.leaves import Evaluator, Leaves
from tacit.solve.minimiser import FictitiousPlay, Minimiser, RegretMatching
from tacit.solve.search_kernels import mix
from tacit.tree import PLAYERS, PublicTree
from tacit.tree.beliefs import cfv_to_value
from tacit.tree.passes import RECORD_BEST, UPDATE, ascend, descend

Array = NDArray[Any]
Mode = Literal["cfr-d", "cfr-avg"]


class Search:
    """A depth-limited search at work; `iteration` counts updates of both players.

    policy, regrets, sums: float32 [slots]. `beliefs[r][p]` [K_p]: the reach at root r. `gate` puts
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
        gate: Gate | None = None,
    ) -> None:
        self.tree = tree
        self.minimiser = minimiser
        self.gate = gate
        self.mode = mode
        self.iteration = 0
        self.leaves = Leaves(tree, evaluator)
        self.work = Workspace(tree, beliefs, np.float32)
        if gate is not None:
            gate.open(tree, self.work.reach)
        self.spare_reach = (self.work.reach[0].copy(), self.work.reach[1].copy())
        self.policy = tree.uniform_policy().astype(np.float32)
        self.regrets = np.zeros_like(self.policy)
        self.sums = np.zeros_like(self.policy)
        self.mixture = self.policy.copy()
        self.root_nodes = sorted({root.node for root in tree.roots})
        self.root_sums = tuple(np.zeros(tree.sizes.values[p]) for p in PLAYERS)
        self.total_weight = 0.0
        self._last_average = tuple(np.zeros_like(self.work.values[p]) for p in PLAYERS)
        for player in PLAYERS:
            descend(tree.arrays, player, self.policy, self.work.reach[player], self.sums, _NONE)

    def run(self, iterations: int, *, each: Callable[[int], None] | None = None) -> None:
        """Run this many iterations more; `each` is called after every one with its number."""
        for _ in range(iterations):
            self.iteration += 1
            weight = self.minimiser.weight(self.iteration)
            self.total_weight += weight
            if self.minimiser.alternating:
                for player in PLAYERS:
                    self._improve(player)
                    self._average(player, weight)
            else:
                for player in PLAYERS:
                    self._improve(player)
                for player in PLAYERS:
                    self._average(player, weight)
            if each is not None:
                each(self.iteration)

    def average_policy(self) -> NDArray[np.float64]:
        """[slots] the average policy, uniform where it was never reached."""
        return normalise(self.tree, self.sums.astype(np.float64))

    def average_reach(self) -> tuple[Array, Array]:
        """The reaches of the average policy, in the tree's layout."""
        for player in PLAYERS:
            normalise_sums(self.tree.arrays, player, self.sums, self.mixture)
            descend(
                self.tree.arrays, player, self.mixture, self.spare_reach[player], self.sums,
                _NONE,
            )  # fmt: skip
        return self.spare_reach

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

    def _improve(self, player: int) -> None:
        """Ask the leaves, carry the values up, and update the player's policy."""
        work, arrays = self.work, self.tree.arrays
        values = work.values[player]
        if isinstance(self.minimiser, RegretMatching):
            if self.mode == "cfr-d":
                self.leaves.fill(player, work.reach, values)
            else:
                self._fill_by_difference(player)
            step = self.minimiser.step(self.iteration)
            numbers = np.array(
                [step.positive, step.negative, step.floor, step.prediction], dtype=np.float32
            )
            mode = UPDATE
        else:
            self.leaves.fill(player, work.reach, values)
            numbers, mode = np.zeros(4, dtype=np.float32), RECORD_BEST
        ascend(
            arrays, player, mode, numbers, work.matrices, work.reach[1 - player], self.policy,
            self.regrets, values, work.scratch,
        )  # fmt: skip
        weight = self.minimiser.weight(self.iteration)
        for node in self.root_nodes:
            new = self.tree.vectors(values, player, node, values=True)
            self.tree.vectors(self.root_sums[player], player, node, values=True)[:] += weight * new
        if self.gate is not None and self.gate.opponent == player:
            self._pass_gate(self.gate)

    def _pass_gate(self, gate: Gate) -> None:
        """Let the gadgets answer the values that have just come up."""
        if isinstance(self.minimiser, RegretMatching):
            gate.match(self.work.values, self.work.reach, self.minimiser, self.iteration)
            gate.write(self.spare_reach, gate.average())
        else:
            # The response goes down the spare reaches, the average the others; see `_average`.
            gate.respond(self.work.values, self.work.reach)
            gate.write(self.spare_reach, gate.entering)
            gate.mix(self.work.reach, self.minimiser, self.iteration)

    def _fill_by_difference(self, player: int) -> None:
        """Modified CFR-AVG: W_t * cfv(average t) - W_(t-1) * cfv(average t-1), over w_t.

        The averages are those before this iteration's update of `player`.
        """
        work, tree = self.work, self.tree
        weight = self.minimiser.weight(self.iteration)
        self.leaves.fill(player, self.average_reach(), work.values[player])
        before = self.total_weight - weight
        last = self._last_average[player]
        for node in tree.leaves:
            now = tree.vectors(work.values[player], player, int(node), values=True)
            old = tree.vectors(last, player, int(node), values=True)
            average = now.copy()
            if before > 0:
                now[:] = (self.total_weight * average - before * old) / weight
            old[:] = average

    def _average(self, player: int, weight: float) -> None:
        """Put the player's policy into the average and carry its reach down."""
        arrays, work = self.tree.arrays, self.work
        amount = np.float32(weight)
        if isinstance(self.minimiser, FictitiousPlay):
            again = amount if self.minimiser.optimistic else _NONE
            spare = self.spare_reach[player]
            descend(arrays, player, self.policy, spare, self.sums, amount)
            mix(arrays, player, self.policy, self.mixture, self.sums, spare, again)
            normalise_sums(arrays, player, self.mixture, self.mixture)
            descend(arrays, player, self.mixture, work.reach[player], self.sums, _NONE)
        else:
            descend(arrays, player, self.policy, work.reach[player], self.sums, amount)


_NONE = np.float32(0)
