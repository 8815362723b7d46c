"""Gadgets: extra decisions of the opponent above the root of a subgame solved for one player.

The player who solves has a given reach at the root. After each update of the opponent a gadget maps
the opponent's counterfactual values at the root to the opponent's reach in the next iteration.

Safe and nested subgame solving (Brown and Sandholm 2017), appendices A to D; Student of Games
(Schmid et al. 2023), *Modified Continual Re-solving*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.algorithms import Minimiser, RegretMatching
from tacit.solvers.kernels.gadgets import (
    GIVEN,
    HEDGE,
    MAXMARGIN,
    NORMAL,
    RESOLVE,
    GadgetArrays,
    match_gadgets,
    mix_gadgets,
    respond_gadgets,
    set_entering,
    write_reach,
)
from tacit.solvers.leaves import concatenated_ranges
from tacit.tree import PublicTree

Vector = NDArray[np.float64]
Buffers = tuple[NDArray[Any], NDArray[Any]]
"""Both players' reaches, or values, in a tree's layout."""

LEAST_WEIGHT = 1e-12
"""Infostates with less than this share of the most likely one's weight count as impossible."""


class Gadget:
    """The gadget of one root, where the opponent has K infostates.

    weights: [K] the *compatible reach*: how likely each infostate is by chance and by the reach of
    the player who solves. Where it is zero, the infostate is impossible and its reach is zero.
    offered, deviations: [K] mean and standard deviation of the alternative payoffs. previous: [K] a
    given reach of the opponent, which makes up 1 - `share` of its range.
    """

    kind = GIVEN

    def __init__(self, weights: NDArray[Any]) -> None:
        self.weights: Vector = np.asarray(weights, dtype=np.float64)
        most = self.weights.max(initial=0.0)
        if not (most > 0 and np.all(np.isfinite(self.weights))):
            raise GameError(
                "the blueprint never reaches this public state: no infostate of the player who is "
                "to solve it has any reach here; choose another one"
            )
        self.possible: NDArray[np.bool_] = self.weights > LEAST_WEIGHT * most
        self.offered = self.deviations = self.previous = np.zeros_like(self.weights)
        self.share = 1.0

    def first(self) -> Vector:
        """[K] the probability of entering, or of choosing each infostate, before any iteration."""
        uniform = 1 / self.possible.sum() if self.kind == MAXMARGIN else 0.5
        return np.where(self.possible, uniform, 0.0)

    def checked(self, given: NDArray[Any], what: str) -> Vector:
        """`given` as float64 [K]; GameError unless it is finite at each possible infostate."""
        vector = np.asarray(given, dtype=np.float64)
        if vector.shape != self.possible.shape:
            raise GameError(
                f"a gadget's {what} have shape {vector.shape}; the opponent has "
                f"{len(self.possible)} infostates here, give one number each"
            )
        if not np.all(np.isfinite(vector[self.possible])):
            raise GameError(
                f"a gadget's {what} are not all numbers; give one for each infostate that is "
                "possible"
            )
        return np.where(self.possible, vector, 0.0)


class Given(Gadget):
    """Unsafe solving: the opponent enters with a given reach [K]."""

    def __init__(self, weights: NDArray[Any], reach: NDArray[Any]) -> None:
        super().__init__(weights)
        self.previous = self.checked(reach, "reaches")
        if not (np.all(self.previous >= 0) and np.any(self.previous > 0)):
            raise GameError(
                "the blueprint never reaches this public state: no infostate of the opponent has "
                "any reach here; solve it by a safe method, which needs no range of the opponent"
            )


class Resolve(Gadget):
    """At each infostate the opponent enters or takes its alternative payoff [K].

    The re-solving gadget of CFR-D (Burch et al. 2014).
    """

    kind = RESOLVE

    def __init__(self, weights: NDArray[Any], alternatives: NDArray[Any]) -> None:
        super().__init__(weights)
        self.offered = self.checked(alternatives, "alternative payoffs")


class MaxMargin(Resolve):
    """The opponent chooses the infostate to enter with and pays its alternative payoff [K].

    Solving against it makes the smallest margin as large as possible (appendix B).
    """

    kind = MAXMARGIN


class Distributional(Resolve):
    """The alternative payoff is drawn from N(mean, deviation²), both [K]; the opponent sees it.

    The opponent enters with the probability that the draw is less than the current value of
    entering. This is a best response to each draw: CFR-BR at the root (Theorem 2).
    """

    kind = NORMAL

    def __init__(
        self, weights: NDArray[Any], means: NDArray[Any], deviations: NDArray[Any]
    ) -> None:
        super().__init__(weights, means)
        self.deviations = self.checked(deviations, "deviations of the alternative payoffs")
        if np.any(self.deviations < 0):
            raise GameError("a deviation of the alternative payoffs is negative; give zero or more")


class Hedged(Distributional):
    """As `Distributional`, but the opponent plays Hedge with a variance-tuned rate (appendix D).

    After n iterations in which entering paid `mean` on average with variance `var`, the probability
    of entering when x is drawn is e^(r n mean) / (e^(r n mean) + e^(r n x)), with
    r = sqrt(ln 2) / (3 sqrt(var n)). This logistic function is approximated by a mixture of normal
    distribution functions, whose integral over x has a closed form. Iterations are discounted as
    positive regrets are.
    """

    kind = HEDGE


class Mixed(Resolve):
    """The re-solving gadget's range mixed with the opponent's range from the previous search.

    As in continual re-solving: `share` of the first, 1 - `share` of the second, each a distribution
    over the opponent's infostates.
    """

    def __init__(
        self,
        weights: NDArray[Any],
        alternatives: NDArray[Any],
        previous: NDArray[Any],
        *,
        share: float = 0.5,
    ) -> None:
        super().__init__(weights, alternatives)
        if not 0 <= share <= 1:
            raise GameError(f"the gadget's share of the range is {share}; give one from 0 to 1")
        self.share = share
        reach = Given(weights, previous).previous
        self.previous = reach * (self.weights.sum() / (reach @ self.weights))


class RootGadgets:
    """The gadgets above all roots of a tree; `opponent` is the player who decides there."""

    def __init__(self, opponent: int, gadgets: Sequence[Gadget]) -> None:
        self.opponent = opponent
        self.gadgets = list(gadgets)
        sizes = [len(gadget.weights) for gadget in self.gadgets]

        def flat(name: str) -> Vector:
            return np.concatenate([getattr(gadget, name) for gadget in self.gadgets])

        possible = flat("possible") > 0
        weights, none = np.where(possible, flat("weights"), 0.0), np.zeros(sum(sizes))
        self.arrays = GadgetArrays(
            opponent=np.array([opponent]),
            kind=np.array([gadget.kind for gadget in self.gadgets]),
            start=np.concatenate([[0], np.cumsum(sizes)]),
            value_at=np.zeros(len(sizes), dtype=np.int64),
            reach_at=np.zeros(len(sizes), dtype=np.int64),
            share=np.array([gadget.share for gadget in self.gadgets]),
            weights=weights,
            inverse=np.divide(1.0, weights, out=none.copy(), where=possible),
            **{name: flat(name) for name in ("offered", "deviations", "previous")},
            regrets=np.stack([none, none]),
            sums=np.stack([none, none]),
            seen=np.zeros(len(sizes)),
            chosen=np.concatenate([gadget.first() for gadget in self.gadgets]),
            entering=none.copy(),
            total=none.copy(),
            weight=np.zeros(1),
        )
        set_entering(self.arrays)

    def open(self, tree: PublicTree, reach: Buffers) -> None:
        """Attach to the roots of a tree, and write the current entering reach to `reach`."""
        arrays, sizes = tree.arrays, np.diff(self.arrays.start)
        if len(self.gadgets) != len(tree.roots):
            raise GameError(
                f"there are {len(self.gadgets)} gadgets for {len(tree.roots)} roots; give each one"
            )
        for number, (root, size) in enumerate(zip(tree.roots, sizes, strict=True)):
            count = int(arrays.info_count[self.opponent, root.node])
            if count != size:
                raise GameError(
                    f"a gadget is for {size} infostates of the opponent, who has {count} at its "
                    "root"
                )
            before = root.copy * count
            self.arrays.value_at[number] = arrays.value_start[self.opponent, root.node] + before
            self.arrays.reach_at[number] = arrays.reach_start[self.opponent, root.node] + before
        self._entries = concatenated_ranges(self.arrays.reach_at, sizes)
        write_reach(self.arrays, reach[self.opponent])

    def update(
        self,
        minimiser: Minimiser,
        iteration: int,
        values: Buffers,
        reach: Buffers,
        *,
        mixes: bool = False,
    ) -> None:
        """Set the opponent's next reach after its update by regret matching.

        In fictitious play: that of its best response or, if it `mixes`, of its average after that.
        """
        row, own, gained = minimiser.row(iteration), reach[self.opponent], values[self.opponent]
        if isinstance(minimiser, RegretMatching):
            match_gadgets(self.arrays, np.array(row[:4]), row[4], gained, own)
        elif mixes:
            mix_gadgets(self.arrays, row[4], row[5], own)
        else:
            respond_gadgets(self.arrays, gained, own)

    def write(self, reach: Buffers, vectors: Vector) -> None:
        """Write the opponent's reaches at the roots, one after the other, to `reach`."""
        reach[self.opponent][self._entries] = vectors

    @property
    def entering(self) -> list[Vector]:
        """For each root, the opponent's current reach [K]."""
        return np.split(self.arrays.entering, self.arrays.start[1:-1])

    def average(self) -> list[Vector]:
        """For each root, the opponent's reach [K] averaged over the iterations."""
        return np.split(self.joined_average(), self.arrays.start[1:-1])

    def joined_average(self) -> Vector:
        """These averages one after the other."""
        weight = self.arrays.weight[0]
        return self.arrays.entering if weight == 0 else self.arrays.total / weight
