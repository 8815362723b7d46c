"""A solver that keeps regrets and policy sums in sixteen bits, where memory is short.

See `tacit.tree.storage16`. An iteration takes a little longer, and the policies that it comes
to are as good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.kernel import kernel
from tacit.solve.algorithms import Minimiser, RegretMatching
from tacit.solve.engine import Beliefs, Locks, Solver, Workspace, lock, normalise
from tacit.solve.kernels.gadgets import GadgetArrays
from tacit.tree import PublicTree
from tacit.tree.order import DOWN
from tacit.tree.passes import UPDATE, ascend_range, descend_range
from tacit.tree.storage16 import LARGEST, flow_on_short, improve_short, read_sums

SHORT_MEMORY = ("regrets", "regret_scales", "sums")
"""The arrays that the next iteration depends on."""


class ShortSolver(Solver):
    """As `Solver`, for regret matching without prediction on the trees of hold'em.

    regrets, regret_scales, starts, sums: see `tacit.tree.storage16`; `policy` is empty.
    """

    def __init__(
        self,
        tree: PublicTree,
        minimiser: Minimiser,
        *,
        beliefs: Beliefs | None = None,
        threads: int = 1,
        locks: Locks | None = None,
    ) -> None:
        if not isinstance(minimiser, RegretMatching) or minimiser.predictive:
            raise GameError(
                f"{minimiser.name} needs more than 16 bits a number; take 32, or cfr, cfr+, "
                "linear-cfr or dcfr"
            )
        decides = tree.arrays.action_count > 0
        if not np.all((tree.arrays.simple[decides] == 1) & (tree.arrays.copies[decides] == 1)):
            raise GameError("16-bit storage is for spots of hold'em; take 32 bits for this game")
        self.tree = tree
        self.minimiser = minimiser
        self.root_gadgets = None
        self.iteration = 0
        self.beliefs = beliefs
        self.mixture = None
        self.policy = np.zeros(0, np.float32)
        self.sums = np.zeros(tree.sizes.slots, np.uint16)
        self.regrets = np.zeros(tree.sizes.slots, np.int16)
        arrays = tree.arrays
        movers = np.minimum(arrays.player, 1)
        hands = np.where(decides, arrays.info_count[movers, np.arange(tree.nodes)], 0)
        self.starts = np.cumsum(hands, dtype=np.int64) - hands
        self.regret_scales = np.zeros(int(hands.sum()), np.float32)
        self.arrays, self.locks = arrays, {}
        if locks:
            self.arrays, self.locks = lock(tree, locks, np.zeros(tree.sizes.slots, np.float32))
            for node, given in self.locks.items():
                tree.block(self.regrets, node)[:] = np.rint(LARGEST * given)
                start = self.starts[node]
                self.regret_scales[start : start + hands[node]] = 1
        self.threads = max(1, min(threads, len(tree.order.parts)))
        self.workspace = Workspace(tree, beliefs, np.float32, threads=self.threads)

    def average_policy(self, dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """[slots] the average policy, uniform at infostates that were never reached."""
        average = normalise(self.tree, read_sums(self.sums).astype(dtype, copy=False))
        for node, given in self.locks.items():
            self.tree.block(average, node)[:] = given
        return average

    def _visit(
        self,
        steps: NDArray[Any],
        thread: int,
        schedule: NDArray[Any],
        first: int,
        last: int,
        root_gadgets: GadgetArrays | None = None,
    ) -> None:
        assert root_gadgets is None, "spots in 16 bits have no gadgets"
        work = self.workspace
        kept = (
            self.regrets,
            self.regret_scales,
            self.starts,
            self.sums,
            work.scratches[thread],
        )
        match_short_regrets(
            self.arrays, steps, thread, schedule, first, last, self.minimiser.alternating,
            work.matrices, self.policy, kept, *work.reach, *work.values, work.scratches[thread],
        )  # fmt: skip


@kernel
def match_short_regrets(
    tree, order, thread, schedule, first_turn, last_turn, alternating, matrices,
    policy, kept, reach0, reach1, values0, values1, scratch,
):  # fmt: skip
    """As `tacit.solve.kernels.iterations.match_regrets`; kept: see `tacit.tree.storage16`."""
    for t in range(len(schedule)):
        step, weight = schedule[t, :4], schedule[t, 4]
        for turn in range(first_turn, last_turn):
            for n in range(len(order)):
                for player in range(2):
                    if alternating and player != turn:
                        continue
                    reach = reach1 if player == 0 else reach0
                    if order[n, 0] == DOWN:
                        descend_range(
                            tree, order[n], thread, 1 - player, flow_on_short, kept,
                            policy, reach, policy, weight,
                        )  # fmt: skip
                    else:
                        values = values0 if player == 0 else values1
                        ascend_range(
                            tree, order[n], thread, player, improve_short, UPDATE,
                            step, matrices, reach, policy, kept, values, scratch,
                        )  # fmt: skip
