"""The leaves of a depth-limited search as roots of subgames that are solved in their turn.

In every iteration the evaluator answers the opponent's value at each leaf. The search assumes the
average of these values: if the opponent gets no more below each leaf, its value at the root holds.
So the averages are the alternative payoffs when a leaf is solved again (CFR-D, Burch et al. 2014;
*Modified Continual Re-solving* of Student of Games).
"""

from __future__ import annotations

import numpy as np

from tacit.solvers.engine import Solver
from tacit.subgame.blueprint import SubgameRoot
from tacit.tree import TERMINAL, Place


class LeafRoots:
    """The roots of `player` at the leaves of a search by regret matching.

    Pass `each` to `Solver.run`.
    """

    def __init__(self, search: Solver, player: int) -> None:
        self.search = search
        self.player = player
        self.opponent = 1 - player
        self.sums = np.zeros(len(search.work.values[self.opponent]))
        self.total = 0.0
        # Unless the opponent is updated second, its values are against the previous policy.
        self.against_previous = self.opponent == 0 or not search.minimiser.alternating

    def each(self, iteration: int) -> None:
        """Add the opponent's values at the leaves in this iteration."""
        against = iteration - 1 if self.against_previous else iteration
        if against > 0:
            weight = self.search.minimiser.weight(against)
            self.sums += weight * self.search.work.values[self.opponent]
            self.total += weight

    def roots(self, *, low: float, high: float) -> list[SubgameRoot]:
        """One root for each leaf that the player reaches; call it once, after the last iteration.

        Values are clipped to the game's payoffs, `low` to `high`. Gifts are zero: the search above
        has used them.
        """
        search, tree, opponent = self.search, self.search.tree, self.opponent
        if self.against_previous:
            search.limited.leaves.fill(opponent, search.work.reach, search.work.values[opponent])
            self.each(search.iteration + 1)
        reach = search.average_reach()
        roots = []
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
                values, none = np.clip(values, low, high), np.zeros(len(weights))
                place = Place(node, copy)
                roots.append(
                    SubgameRoot(place, state, self.player, own, values, values, none, none)
                )
        return roots
