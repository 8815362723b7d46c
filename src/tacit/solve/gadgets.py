"""Gadgets: what stands above the root of a subgame that is solved for one player alone.

The player who solves keeps a given reach at the root. The opponent's is a gadget's answer: after
each of her updates it turns her counterfactual values at the root's infostates into the reach with
which she comes in next. The engine below does not know of it. A `Gate` holds the gadgets of all
roots of a forest.

Safe and nested subgame solving (Brown and Sandholm 2017), appendices A to D; Student of Games
(Schmid et al. 2023), *Modified Continual Re-solving*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.solve.minimiser import FictitiousPlay, RegretMatching, Step
from tacit.tree import PublicTree

Vector = NDArray[np.float64]

LEAST_TOTAL = 1e-30
"""As in `tacit.tree.passes`: positive regrets that sum to less count as none."""
LEAST_WEIGHT = 1e-12
"""Infostates that are so much less likely than the most likely one count as impossible."""


class Gadget(ABC):
    """One root's gadget; K infostates of the opponent there.

    weights: [K] how likely each is by chance and by the reach of the player who solves, the
    *compatible reach*; where it is zero the opponent cannot be, and her reach is zero.
    """

    def __init__(self, weights: NDArray[Any]) -> None:
        self.weights: Vector = np.asarray(weights, dtype=np.float64)
        most = self.weights.max(initial=0.0)
        self.possible: NDArray[np.bool_] = self.weights > LEAST_WEIGHT * most
        if not (most > 0 and np.all(np.isfinite(self.weights))):
            raise GameError(
                "the blueprint never reaches this public state: the player who is to solve it does "
                "not come here with any infostate; choose another one"
            )
        self._inverse: Vector = np.divide(
            1.0, self.weights, out=np.zeros_like(self.weights), where=self.possible
        )

    @abstractmethod
    def first(self) -> Vector:
        """[K] her reach before any iteration."""

    @abstractmethod
    def match(self, cfv: Vector, step: Step) -> Vector:
        """[K] her next reach after counterfactual values [K], by regret matching with `step`."""

    @abstractmethod
    def respond(self, cfv: Vector) -> Vector:
        """[K] her best answer to counterfactual values [K], as fictitious play wants it."""

    def values(self, cfv: Vector) -> Vector:
        """[K] expected values, zero where she cannot be."""
        return cfv * self._inverse


class Given(Gadget):
    """Unsafe solving: she comes in with a given reach [K], whatever it is worth."""

    def __init__(self, weights: NDArray[Any], reach: NDArray[Any]) -> None:
        super().__init__(weights)
        self.reach = check_vector(reach, self.possible, "reach")
        if not (np.all(self.reach >= 0) and np.any(self.reach[self.possible] > 0)):
            raise GameError(
                "the blueprint never reaches this public state: the opponent does not come here "
                "with any infostate; solve it by a safe method, which needs no range of hers"
            )

    def first(self) -> Vector:
        """The given reach."""
        return self.reach

    def match(self, cfv: Vector, step: Step) -> Vector:
        """The given reach."""
        return self.reach

    def respond(self, cfv: Vector) -> Vector:
        """The given reach."""
        return self.reach


class Resolve(Gadget):
    """At each infostate she enters or takes its alternative payoff [K], an expected value.

    The re-solving gadget of CFR-D (Burch et al. 2014).
    """

    def __init__(self, weights: NDArray[Any], alternatives: NDArray[Any]) -> None:
        super().__init__(weights)
        checked = check_vector(alternatives, self.possible, "alternative payoffs")
        self.alternatives: Vector = np.where(self.possible, checked * self.weights, 0.0)
        self._regrets = np.zeros((2, len(self.weights)))
        self._enters = np.full(len(self.weights), 0.5)

    def first(self) -> Vector:
        """She enters half the time."""
        return np.where(self.possible, self._enters, 0.0)

    def match(self, cfv: Vector, step: Step) -> Vector:
        """Two regrets at each infostate."""
        mean = self._enters * cfv + (1 - self._enters) * self.alternatives
        gains = np.stack([cfv - mean, self.alternatives - mean])
        chosen = _matched(self._regrets, gains, step)
        total = chosen.sum(axis=0)
        self._enters = np.divide(chosen[0], total, out=self._half(), where=total > LEAST_TOTAL)
        return np.where(self.possible, self._enters, 0.0)

    def respond(self, cfv: Vector) -> Vector:
        """She enters where that is worth more."""
        return np.where(self.possible & (cfv > self.alternatives), 1.0, 0.0)

    def _half(self) -> Vector:
        return np.full(len(self.weights), 0.5)


class MaxMargin(Gadget):
    """She chooses the infostate to enter by; payoffs are shifted by its alternative payoff [K].

    Against her the best is to make the smallest margin as large as possible (appendix B).
    """

    def __init__(self, weights: NDArray[Any], alternatives: NDArray[Any]) -> None:
        super().__init__(weights)
        checked = check_vector(alternatives, self.possible, "alternative payoffs")
        self.alternatives: Vector = np.where(self.possible, checked, 0.0)
        # An entry is dealt in proportion to the weights below it, so that choosing infostate s with
        # probability x is a reach of x / weight; the total keeps the size that it has in the game.
        self._scale: Vector = self._inverse * self.weights.sum()
        self._regrets = np.zeros(len(self.weights))
        self._uniform: Vector = self.possible / self.possible.sum()
        self._chosen = self._uniform

    def first(self) -> Vector:
        """Every infostate alike."""
        return self._reach()

    def match(self, cfv: Vector, step: Step) -> Vector:
        """One regret an infostate."""
        gains = self.values(cfv) - self.alternatives
        gains = np.where(self.possible, gains - self._chosen @ gains, 0.0)
        chosen = np.where(self.possible, _matched(self._regrets, gains, step), 0.0)
        total = chosen.sum()
        self._chosen = chosen / total if total > LEAST_TOTAL else self._uniform
        return self._reach()

    def _reach(self) -> Vector:
        reach: Vector = self._chosen * self._scale
        return reach

    def respond(self, cfv: Vector) -> Vector:
        """The infostate with the smallest margin."""
        gains = np.where(self.possible, self.values(cfv) - self.alternatives, -np.inf)
        chosen = np.zeros_like(self._scale)
        chosen[int(np.argmax(gains))] = 1.0
        return chosen * self._scale


class Distributional(Gadget):
    """The alternative payoff is drawn from N(mean, deviation²), both [K], and she sees it.

    She enters with the probability that it is worth less than entering is now, which is a best
    response to each draw: CFR-BR at the root (Theorem 2).
    """

    def __init__(
        self, weights: NDArray[Any], means: NDArray[Any], deviations: NDArray[Any]
    ) -> None:
        super().__init__(weights)
        checked = check_vector(means, self.possible, "alternative payoffs")
        self.means: Vector = np.where(self.possible, checked, 0.0)
        spread = check_vector(deviations, self.possible, "deviations of the alternative payoffs")
        if np.any(spread[self.possible] < 0):
            raise GameError("a deviation of the alternative payoffs is negative; give zero or more")
        self.deviations: Vector = np.where(self.possible, spread, 0.0)

    def first(self) -> Vector:
        """She enters half the time."""
        return np.where(self.possible, 0.5, 0.0)

    def match(self, cfv: Vector, step: Step) -> Vector:
        """P(alternative <= value of entering)."""
        return self.respond(cfv)

    def respond(self, cfv: Vector) -> Vector:
        """P(alternative <= value of entering)."""
        ahead = self.values(cfv) - self.means
        sure = np.where(ahead >= 0, 1.0, 0.0)
        ratio = np.divide(ahead, self.deviations, out=ahead.copy(), where=self.deviations > 0)
        chance = np.where(self.deviations > 0, _normal(ratio), sure)
        return np.where(self.possible, chance, 0.0)


_SHARES = np.array([0.25220157, 0.58522507, 0.16257336])[:, None]
_WIDTHS = 1 / np.array([0.90793080, 0.57778732, 0.36403772])[:, None]
"""The logistic function as a mixture of three normal ones, to 6e-4 (Monahan and Stefanski 1992)."""


class HedgedDistributional(Distributional):
    """As `Distributional`, but she weighs both by Hedge with a variance-tuned rate (appendix D).

    After n iterations in which entering paid `mean` on average with variance `var`, she enters with
    probability e^(r n mean) / (e^(r n mean) + e^(r n x)) when x is drawn, r = sqrt(ln 2) / (3
    sqrt(var n)). The integral over x has a closed form for a normal function in place of the
    logistic one, which is a mixture of such. Iterations are discounted as positive regrets are.
    """

    def __init__(
        self, weights: NDArray[Any], means: NDArray[Any], deviations: NDArray[Any]
    ) -> None:
        super().__init__(weights, means, deviations)
        self._count = 0.0
        self._sums = np.zeros((2, len(self.weights)))

    def match(self, cfv: Vector, step: Step) -> Vector:
        """The integral (3) of appendix D."""
        value = self.values(cfv)
        self._count = step.positive * self._count + 1
        self._sums *= step.positive
        self._sums[0] += value
        self._sums[1] += value * value
        mean = self._sums[0] / self._count
        spread = np.sqrt(np.maximum(self._sums[1] / self._count - mean * mean, 0.0))
        rate = sqrt(log(2) * self._count) / 3
        # The chance is that of a logistic step at `mean`, `width` wide, met by a normal draw.
        width = spread / rate
        ahead = mean - self.means
        wide = np.sqrt((width * _WIDTHS) ** 2 + self.deviations**2)
        ratio = np.divide(ahead, wide, out=np.sign(ahead) * np.full_like(wide, 40), where=wide > 0)
        chance: Vector = (_SHARES * _normal(ratio)).sum(axis=0)
        return np.where(self.possible, np.where(spread > 0, chance, 0.5), 0.0)


class Mixed(Gadget):
    """A gadget's range mixed with the opponent's range from the search before.

    As continual re-solving has it: `share` of the one, 1 - `share` of the other, each a
    distribution over her infostates.
    """

    def __init__(self, gadget: Gadget, previous: NDArray[Any], *, share: float = 0.5) -> None:
        super().__init__(gadget.weights)
        if not 0 <= share <= 1:
            raise GameError(f"the gadget's share of the range is {share}; give one from 0 to 1")
        self.gadget = gadget
        self.share = share
        self._previous = self._range(Given(gadget.weights, previous).reach)

    def first(self) -> Vector:
        """The gadget's, mixed."""
        return self._mix(self.gadget.first())

    def match(self, cfv: Vector, step: Step) -> Vector:
        """The gadget's, mixed."""
        return self._mix(self.gadget.match(cfv, step))

    def respond(self, cfv: Vector) -> Vector:
        """The gadget's, mixed."""
        return self._mix(self.gadget.respond(cfv))

    def _range(self, reach: Vector) -> Vector:
        """The reach in proportion, weighing as much in all as every infostate entering."""
        mass = reach @ self.weights
        return reach * (self.weights.sum() / mass) if mass > 0 else np.zeros_like(reach)

    def _mix(self, reach: Vector) -> Vector:
        entering = self._range(reach)
        return self.share * entering + (1 - self.share) * self._previous


def _normal(bounds: Vector) -> Vector:
    """The probability that a standard normal draw is at most each of `bounds`."""
    from scipy.special import ndtr  # SciPy takes a second to load

    chances: Vector = ndtr(bounds)
    return chances


def _matched(regrets: Vector, gains: Vector, step: Step) -> Vector:
    """Update `regrets` in place as the kernels do, and what the policy is proportional to."""
    regrets *= np.where(regrets > 0, step.positive, step.negative)
    regrets += gains
    np.maximum(regrets, step.floor, out=regrets)
    return np.maximum(regrets + step.prediction * gains, 0.0)


def check_vector(given: NDArray[Any], possible: NDArray[np.bool_], what: str) -> Vector:
    """`given` as float64 [K]; GameError unless it has K entries, numbers wherever possible."""
    vector = np.asarray(given, dtype=np.float64)
    if vector.shape != possible.shape:
        raise GameError(
            f"a gadget's {what} have shape {vector.shape}; the opponent has {len(possible)} "
            f"infostates here, give one number each"
        )
    if not np.all(np.isfinite(vector[possible])):
        raise GameError(
            f"a gadget's {what} are not all numbers; give one for each infostate that is possible"
        )
    return np.where(possible, vector, 0.0)


class Buffers(Protocol):
    """The vectors of an engine at work: `reach` and `values`, of both players."""

    @property
    def reach(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Both players' reaches."""

    @property
    def values(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Both players' counterfactual values."""


class Gate:
    """The gadgets above all roots of a tree; `opponent` is who decides there.

    entering: for each root, the reach [K] that she comes in with now.
    """

    def __init__(self, opponent: int, gadgets: Sequence[Gadget]) -> None:
        self.opponent = opponent
        self.gadgets = list(gadgets)
        self.entering = [gadget.first() for gadget in self.gadgets]
        self._sums = [np.zeros_like(reach) for reach in self.entering]
        self._total = 0.0

    def match(
        self, tree: PublicTree, work: Buffers, minimiser: RegretMatching, iteration: int
    ) -> None:
        """After an update of hers by regret matching: set the reach of the next."""
        step = minimiser.step(iteration)
        self.entering = [
            gadget.match(cfv, step)
            for gadget, cfv in zip(self.gadgets, self._values(tree, work), strict=True)
        ]
        self._add(minimiser.weight(iteration))
        self.set_reach(tree, work.reach, self.entering)

    def respond(self, tree: PublicTree, work: Buffers) -> None:
        """After a best response of hers: set the reach that belongs to it."""
        self.entering = [
            gadget.respond(cfv)
            for gadget, cfv in zip(self.gadgets, self._values(tree, work), strict=True)
        ]
        self.set_reach(tree, work.reach, self.entering)

    def mix(
        self, tree: PublicTree, work: Buffers, minimiser: FictitiousPlay, iteration: int
    ) -> None:
        """After a response has been mixed into her average: set the average's reach."""
        weight = minimiser.weight(iteration)
        self._add(weight)
        self.set_reach(tree, work.reach, self.mixture(weight if minimiser.optimistic else 0.0))

    def average(self) -> list[Vector]:
        """For each root, her reach [K] averaged over the iterations."""
        return self.mixture(0.0)

    def mixture(self, again: float) -> list[Vector]:
        """The average with the latest reach counted `again`."""
        total = self._total + again
        if total == 0:
            return self.entering
        return [
            (sums + again * reach) / total
            for sums, reach in zip(self._sums, self.entering, strict=True)
        ]

    def set_reach(
        self,
        tree: PublicTree,
        reach: tuple[NDArray[Any], NDArray[Any]],
        entering: Sequence[Vector],
    ) -> None:
        """Write what she comes in with to the roots of a tree's reaches."""
        if len(self.gadgets) != len(tree.roots):
            raise GameError(
                f"a gate has {len(self.gadgets)} gadgets for {len(tree.roots)} roots; give each one"
            )
        for root, vector in zip(tree.roots, entering, strict=True):
            place = tree.vectors(reach[self.opponent], self.opponent, root.node, values=False)
            if place.shape[1] != len(vector):
                raise GameError(
                    f"a gadget is for {len(vector)} infostates of the opponent; she has "
                    f"{place.shape[1]} at its root"
                )
            place[root.copy] = vector

    def _add(self, weight: float) -> None:
        self._total += weight
        for sums, reach in zip(self._sums, self.entering, strict=True):
            sums += weight * reach

    def _values(self, tree: PublicTree, work: Buffers) -> list[Vector]:
        """For each root her counterfactual values [K]."""
        flat = work.values[self.opponent]
        return [
            tree.vectors(flat, self.opponent, root.node, values=True)[root.copy].astype(np.float64)
            for root in tree.roots
        ]
