"""Gadgets: what stands above the root of a subgame that is solved for one player alone.

The player who solves keeps a given reach at the root. The opponent's is a gadget's answer: after
each of her updates it turns her counterfactual values at the root's infostates into the reach with
which she comes in next. The passes below do not know of it. `RootGadgets` holds the
gadgets of all roots of a forest, and what they remember.

Safe and nested subgame solving (Brown and Sandholm 2017), appendices A to D; Student of Games
(Schmid et al. 2023), *Modified Continual Re-solving*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solvers.algorithms import FictitiousPlay, RegretMatching
from tacit.solvers.kernels.gadgets import (
    GIVEN,
    HEDGE,
    MAXMARGIN,
    NORMAL,
    RESOLVE,
    GadgetArrays,
    come_in,
    match_gadgets,
    mix_gadgets,
    respond_gadgets,
    write_reach,
)
from tacit.tree import PublicTree

Vector = NDArray[np.float64]
Buffers = tuple[NDArray[Any], NDArray[Any]]
"""Both players' reaches, or values, in a tree's layout."""

LEAST_WEIGHT = 1e-12
"""Infostates that are so much less likely than the most likely one count as impossible."""


class Gadget:
    """One root's gadget; K infostates of the opponent there.

    weights: [K] how likely each is by chance and by the reach of the player who solves, the
    *compatible reach*; where it is zero the opponent cannot be, and her reach is zero. offered,
    deviations: [K] expected alternative payoffs, and how far they may be off; previous: [K] a given
    reach of hers, of which 1 - `share` goes into her range.
    """

    kind = GIVEN

    def __init__(self, weights: NDArray[Any]) -> None:
        self.weights: Vector = np.asarray(weights, dtype=np.float64)
        most = self.weights.max(initial=0.0)
        if not (most > 0 and np.all(np.isfinite(self.weights))):
            raise GameError(
                "the blueprint never reaches this public state: the player who is to solve it does "
                "not come here with any infostate; choose another one"
            )
        self.possible: NDArray[np.bool_] = self.weights > LEAST_WEIGHT * most
        none = np.zeros_like(self.weights)
        self.offered, self.deviations, self.previous = none, none, none
        self.share = 1.0

    def first(self) -> Vector:
        """[K] how likely she enters, or chooses an infostate, before any iteration."""
        return np.where(self.possible, 0.5, 0.0)

    def checked(self, given: NDArray[Any], what: str) -> Vector:
        """`given` as float64 [K]; GameError unless it has K entries, numbers wherever possible."""
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
    """Unsafe solving: she comes in with a given reach [K], whatever it is worth."""

    def __init__(self, weights: NDArray[Any], reach: NDArray[Any]) -> None:
        super().__init__(weights)
        self.previous = self.checked(reach, "reaches")
        if not (np.all(self.previous >= 0) and np.any(self.previous > 0)):
            raise GameError(
                "the blueprint never reaches this public state: the opponent does not come here "
                "with any infostate; solve it by a safe method, which needs no range of hers"
            )


class Resolve(Gadget):
    """At each infostate she enters or takes its alternative payoff [K].

    The re-solving gadget of CFR-D (Burch et al. 2014).
    """

    kind = RESOLVE

    def __init__(self, weights: NDArray[Any], alternatives: NDArray[Any]) -> None:
        super().__init__(weights)
        self.offered = self.checked(alternatives, "alternative payoffs")


class MaxMargin(Resolve):
    """She chooses the infostate to enter by; payoffs are shifted by its alternative payoff [K].

    Against her the best is to make the smallest margin as large as possible (appendix B).
    """

    kind = MAXMARGIN

    def first(self) -> Vector:
        """Every infostate alike."""
        uniform: Vector = self.possible / self.possible.sum()
        return uniform


class Distributional(Resolve):
    """The alternative payoff is drawn from N(mean, deviation²), both [K], and she sees it.

    She enters with the probability that it is worth less than entering is now, which is a best
    response to each draw: CFR-BR at the root (Theorem 2).
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
    """As `Distributional`, but she weighs both by Hedge with a variance-tuned rate (appendix D).

    After n iterations in which entering paid `mean` on average with variance `var`, she enters with
    probability e^(r n mean) / (e^(r n mean) + e^(r n x)) when x is drawn, r = sqrt(ln 2) / (3
    sqrt(var n)). The integral over x has a closed form for a normal function in place of the
    logistic one, which is a mixture of such. Iterations are discounted as positive regrets are.
    """

    kind = HEDGE


class Mixed(Resolve):
    """The re-solving gadget's range mixed with the opponent's range from the search before.

    As continual re-solving has it: `share` of the one, 1 - `share` of the other, each a
    distribution over her infostates.
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
    """The gadgets above all roots of a tree; `opponent` is who decides there.

    Each has its own place in the arrays of `GadgetArrays`; `open` tells them where the roots are.
    """

    def __init__(self, opponent: int, gadgets: Sequence[Gadget]) -> None:
        self.opponent = opponent
        self.gadgets = list(gadgets)
        sizes = [len(gadget.weights) for gadget in self.gadgets]
        count = sum(sizes)

        def flat(name: str) -> Vector:
            return np.concatenate([getattr(gadget, name) for gadget in self.gadgets])

        possible = flat("possible") > 0
        weights = np.where(possible, flat("weights"), 0.0)
        self.arrays = GadgetArrays(
            opponent=np.array([opponent]),
            kind=np.array([gadget.kind for gadget in self.gadgets]),
            start=np.concatenate([[0], np.cumsum(sizes)]),
            value_at=np.zeros(len(sizes), dtype=np.int64),
            reach_at=np.zeros(len(sizes), dtype=np.int64),
            share=np.array([gadget.share for gadget in self.gadgets]),
            weights=weights,
            inverse=np.divide(1.0, weights, out=np.zeros(count), where=possible),
            offered=flat("offered"),
            deviations=flat("deviations"),
            previous=flat("previous"),
            regrets=np.zeros((2, count)),
            sums=np.zeros((2, count)),
            seen=np.zeros(len(sizes)),
            chosen=np.concatenate([gadget.first() for gadget in self.gadgets]),
            entering=np.zeros(count),
            total=np.zeros(count),
            weight=np.zeros(1),
        )
        come_in(self.arrays)

    def open(self, tree: PublicTree, reach: Buffers) -> None:
        """Stand above a tree's roots, and write to its reaches what she comes in with now."""
        arrays, sizes = tree.arrays, np.diff(self.arrays.start)
        if len(self.gadgets) != len(tree.roots):
            raise GameError(
                f"there are {len(self.gadgets)} gadgets for {len(tree.roots)} roots; give each one"
            )
        for number, (root, size) in enumerate(zip(tree.roots, sizes, strict=True)):
            count = int(arrays.info_count[self.opponent, root.node])
            if count != size:
                raise GameError(
                    f"a gadget is for {size} infostates of the opponent; she has {count} at its "
                    "root"
                )
            before = root.copy * count
            self.arrays.value_at[number] = arrays.value_start[self.opponent, root.node] + before
            self.arrays.reach_at[number] = arrays.reach_start[self.opponent, root.node] + before
        write_reach(self.arrays, reach[self.opponent])

    def match(
        self, values: Buffers, reach: Buffers, minimiser: RegretMatching, iteration: int
    ) -> None:
        """After an update of hers by regret matching: set the reach of the next."""
        step = minimiser.step(iteration)
        numbers = np.array([step.positive, step.negative, step.floor, step.prediction])
        weight = minimiser.weight(iteration)
        match_gadgets(self.arrays, numbers, weight, values[self.opponent], reach[self.opponent])

    def respond(self, values: Buffers, reach: Buffers) -> None:
        """After a best response of hers: set the reach that belongs to it."""
        respond_gadgets(self.arrays, values[self.opponent], reach[self.opponent])

    def mix(self, reach: Buffers, minimiser: FictitiousPlay, iteration: int) -> None:
        """After a response has been mixed into her average: set the average's reach."""
        weight = minimiser.weight(iteration)
        again = weight if minimiser.optimistic else 0.0
        mix_gadgets(self.arrays, weight, again, reach[self.opponent])

    def write(self, reach: Buffers, vectors: Sequence[Vector]) -> None:
        """Write these reaches, one a root, to a tree's."""
        for vector, at in zip(vectors, self.arrays.reach_at, strict=True):
            reach[self.opponent][at : at + len(vector)] = vector

    @property
    def entering(self) -> list[Vector]:
        """For each root the reach [K] that she comes in with now."""
        return np.split(self.arrays.entering, self.arrays.start[1:-1])

    def average(self) -> list[Vector]:
        """For each root her reach [K], averaged over the iterations."""
        weight = self.arrays.weight[0]
        if weight == 0:
            return self.entering
        return np.split(self.arrays.total / weight, self.arrays.start[1:-1])
