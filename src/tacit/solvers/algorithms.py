"""The algorithms, each a small definition: how regrets are weighted and how policies are averaged.

Regret minimisers differ in four numbers per iteration (`Step`) and in the weight of the iteration's
policy in the average. Fictitious play plays a best response to the opponent's average instead.
To add an algorithm, add it to `ALGORITHMS`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from math import inf
from typing import NamedTuple

from tacit.games import GameError
from tacit.suggest import unknown


class Step(NamedTuple):
    """One iteration: see `POSITIVE` … `PREDICTION` in `tacit.tree.kernels.passes`."""

    positive: float
    negative: float
    floor: float
    prediction: float


@dataclass(frozen=True)
class _Algorithm:
    """What all algorithms have; iteration t's policy weighs t^gamma in the average."""

    name: str
    about: str
    _: KW_ONLY
    gamma: float = 0.0
    alternating: bool = True

    def weight(self, iteration: int) -> float:
        """The weight of an iteration in the average policy; the first is 1."""
        return float(iteration**self.gamma)


@dataclass(frozen=True, kw_only=True)
class RegretMatching(_Algorithm):
    """CFR and its descendants (Zinkevich et al. 2007; Brown and Sandholm 2019, section 3).

    Before iteration t + 1 positive regrets are multiplied by t^alpha / (t^alpha + 1) and negative
    ones by t^beta / (t^beta + 1); iteration t's policy weighs t^gamma in the average. `plus` keeps
    regrets from falling below zero (Tammelin 2014), `predictive` counts the latest regret twice
    when the policy is chosen (Farina et al. 2021).
    """

    alpha: float = inf
    beta: float = inf
    plus: bool = False
    predictive: bool = False

    def step(self, iteration: int) -> Step:
        """The numbers of an iteration; the first is 1."""
        return Step(
            _discount(iteration - 1, self.alpha),
            _discount(iteration - 1, self.beta),
            0.0 if self.plus else -inf,
            1.0 if self.predictive else 0.0,
        )

    def row(self, iteration: int) -> tuple[float, ...]:
        """[6] an iteration's row of the kernels' schedule: the step and the weight."""
        return (*self.step(iteration), self.weight(iteration), 0.0)


@dataclass(frozen=True, kw_only=True)
class FictitiousPlay(_Algorithm):
    """Fictitious play (Brown 1951), linear FP, FLOP (ReBeL, appendix H) and soft FLOP.

    Each player plays a best response to the opponent's average policy; iteration t's response
    weighs t^gamma in the average. `optimistic` counts the opponent's latest response once more:
    with linear weights that is FLOP's t/(t+2) average + 2/(t+2) latest. With `softness` all actions
    near the best are played, see `within`; this tends to the best response, so it is generalised
    weakened fictitious play (Leslie and Collins 2006), as FLOP is. `blur` is a lower bound of
    `within`, for values that are not exact.
    """

    optimistic: bool = False
    softness: float = 0.0
    blur: float = 0.0

    def within(self, iteration: int) -> float:
        """The largest distance from the best action at which an action is played.

        It is a share of the largest value among the actions.
        """
        return max(self.softness / iteration, self.blur)

    def row(self, iteration: int) -> tuple[float, ...]:
        """[6] an iteration's row of the kernels' schedule.

        The last entry is how often an optimistic player counts the response once more.
        """
        weight = self.weight(iteration)
        return self.within(iteration), 0.0, 0.0, 0.0, weight, weight if self.optimistic else 0.0


Minimiser = RegretMatching | FictitiousPlay

ALGORITHMS: dict[str, Minimiser] = {
    algorithm.name: algorithm
    for algorithm in (
        RegretMatching("cfr", "counterfactual regret minimisation"),
        RegretMatching("cfr+", "regrets never below zero, linear averaging", plus=True, gamma=1),
        RegretMatching(
            "linear-cfr", "iteration t weighs t in regrets and average", alpha=1, beta=1, gamma=1
        ),
        RegretMatching(
            "quadratic-cfr", "quadratic averaging, only the first regrets discounted",
            alpha=2, beta=2, gamma=2,
        ),
        RegretMatching("dcfr", "discounted CFR (3/2, 0, 2)", alpha=1.5, beta=0, gamma=2),
        RegretMatching(
            "pcfr+", "predictive CFR+, quadratic averaging", plus=True, predictive=True, gamma=2
        ),
        FictitiousPlay("fp", "fictitious play"),
        FictitiousPlay("linear-fp", "fictitious play, linear averaging", gamma=1),
        FictitiousPlay("flop", "fictitious linear optimistic play", gamma=1, optimistic=True),
        FictitiousPlay(
            "soft-flop", "FLOP that also plays nearly best actions",
            gamma=1, optimistic=True, softness=4,
        ),
    )
}  # fmt: skip


def find_algorithm(name: str, *, alternating: bool = True) -> Minimiser:
    """The algorithm called `name`; GameError names the nearest one if there is none."""
    if name in ALGORITHMS:
        return replace(ALGORITHMS[name], alternating=alternating)
    raise GameError(unknown("algorithm", name, ALGORITHMS))


def _discount(iteration: int, power: float) -> float:
    if iteration == 0 or power == inf:
        return 1.0
    scaled = float(iteration**power)
    return scaled / (scaled + 1)
