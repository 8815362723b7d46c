"""What a depth-limited search tells of its leaves, so that they can be solved again in their turn.

Over the iterations of a search the opponent meets one policy of the player after another, and the
evaluator tells what she gets at each leaf. The averages of these values are what the search counts
on: if below each leaf she gets no more, it keeps its promise at the root. So they are offered to
her when the leaf is solved again (CFR-D, Burch et al. 2014; *Modified Continual Re-solving* of
Student of Games).
"""

from __future__ import annotations

import numpy as np

from tacit.solvers.engine import Solver
from tacit.subgame.blueprint import SubgameRoot
from tacit.tree import TERMINAL, Place


class LeafRoots:
    """The views of `player` at the leaves of a search by regret matching.

    `each` is for `Solver.run`.
    """

    def __init__(self, search: Solver, player: int) -> None:
        self.search = search
        self.player = player
        self.opponent = 1 - player
        self.sums = np.zeros(len(search.work.values[self.opponent]))
        self.total = 0.0
        # An opponent who is not the second to be updated meets the policy of the iteration before.
        self.meets_old = self.opponent == 0 or not search.minimiser.alternating

    def each(self, iteration: int) -> None:
        """Add what the opponent has got at the leaves in this iteration."""
        met = iteration - 1 if self.meets_old else iteration
        if met > 0:
            self._add(self.search.minimiser.weight(met))

    def _add(self, weight: float) -> None:
        self.sums += weight * self.search.work.values[self.opponent]
        self.total += weight

    def found(self, *, low: float, high: float) -> list[SubgameRoot]:
        """One view for each leaf to which the player comes; call it once, after the last iteration.

        What the game cannot pay, from `low` to `high`, is not offered. Gifts are used up above.
        """
        search, tree, opponent = self.search, self.search.tree, self.opponent
        if self.meets_old:
            search.limited.leaves.fill(opponent, search.work.reach, search.work.values[opponent])
            self._add(search.minimiser.weight(search.iteration))
        reach = search.average_reach()
        views = []
        for node in tree.leaves.tolist():
            state = tree.state(node)
            if state.mover == TERMINAL:
                continue
            both = [tree.vectors(reach[p], p, node, values=False) for p in (0, 1)]
            sums = tree.vectors(self.sums, opponent, node, values=True)
            for copy in range(int(tree.arrays.copies[node])):
                own = (both[0][copy].astype(np.float64), both[1][copy].astype(np.float64))
                weights = state.compatible_reach(opponent, own[self.player])
                if not weights.max(initial=0.0) > 0:
                    continue
                values = np.full(len(weights), np.nan)
                np.divide(sums[copy], self.total * weights, out=values, where=weights > 0)
                values = np.clip(values, low, high)
                none, place = np.zeros(len(weights)), Place(node, copy)
                views.append(
                    SubgameRoot(place, state, self.player, own, weights, values, values, none, none)
                )
        return views
