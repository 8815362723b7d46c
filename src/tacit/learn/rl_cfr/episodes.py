"""Episodes: walks through decisions that turn into examples for a learner.

An episode follows Algorithm 1 of the paper: at each decision the learner proposes sets, the engine
solves the decision with each of them and with the base's, the differences are the rewards, and the
policy of one of these solutions leads on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.learn.rl_cfr.decisions import FEATURES, Decision
from tacit.learn.rl_cfr.learners import Learner, Point
from tacit.learn.rl_cfr.preflop43 import random_decisions43, reward43, walk43
from tacit.learn.rl_cfr.rewards import Solves, solve_sets
from tacit.learn.rl_cfr.sizes import HOLDEM, PREFLOP43, Grid, Sizes, all_in_pots
from tacit.learn.rl_cfr.states import (
    BASE_NEXT,
    TRAINING_HANDS,
    next_decision,
    random_rivers,
    random_turn,
)

Array = NDArray[np.float32]
WALKS = 24
"""The number of walks along a turn in an episode of rivers."""
TURN_HANDS = 40
"""The hands of a range in training on turns, whose solves include all rivers."""


class Examples(NamedTuple):
    """Features [n, F], rows of proposals [n, A] and rewards [n] in pots."""

    features: Array
    rows: Array
    rewards: Array

    @classmethod
    def joined(cls, parts: list[Examples]) -> Examples:
        """All of them."""
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))


@dataclass(frozen=True)
class Problem:
    """What sizes are learnt for; `sizes` is the paper's K.

    episode: makes examples from a learner, random numbers, and the number of proposals at each
    decision. decisions: draws so many for validation. reward: what a set is worth at a decision,
    less the base, in pots. point: what a learner sees of a decision.
    """

    name: str
    grid: Grid
    sizes: int
    features: int
    episode: Callable[[Learner, np.random.Generator, int, Solves], Examples]
    decisions: Callable[[int, np.random.Generator], list[Any]]
    reward: Callable[[Any, Sizes, Solves], float]
    point: Callable[[Any], Point]


def point_of(decision: Decision) -> Point:
    """What a learner sees."""
    betting = decision.betting
    return Point(decision.features, HOLDEM.usable(betting), all_in_pots(betting))


def collect(
    decision: Decision | None,
    learner: Learner,
    random: np.random.Generator,
    proposals: int,
    solves: Solves,
) -> list[Examples]:
    """The examples of one walk from a decision to the end of its street."""
    found = []
    while decision is not None:
        point = point_of(decision)
        proposed = learner.propose(point, random, proposals)
        sets = [HOLDEM.base, *(each.chosen for each in proposed)]
        solved = solve_sets(decision, sets, solves=solves)
        gains = (solved.values[1:] - solved.values[0]) / decision.betting.pot
        found.append(
            Examples(
                np.repeat(point.features[None], len(proposed), axis=0),
                np.stack([each.row for each in proposed]),
                gains.astype(np.float32),
            )
        )
        followed = 0 if random.random() < BASE_NEXT else 1
        decision = next_decision(decision, solved, followed, random)
    return found


def river_episode(
    learner: Learner, random: np.random.Generator, proposals: int, solves: Solves
) -> Examples:
    """Walks along one turn, and on through each river that they reach."""
    found: list[Examples] = []
    while not found:
        for river in random_rivers(random, walks=WALKS, most_hands=TRAINING_HANDS):
            found += collect(river, learner, random, proposals, solves)
    return Examples.joined(found)


def turn_episode(
    learner: Learner, random: np.random.Generator, proposals: int, solves: Solves
) -> Examples:
    """One walk through the betting of a random turn."""
    start: Decision | None = None
    while start is None or not start.has_choice:
        start = Decision(random_turn(random, most_hands=TURN_HANDS))
    return Examples.joined(collect(start, learner, random, proposals, solves))


def _rivers(count: int, random: np.random.Generator) -> list[Decision]:
    found: list[Decision] = []
    while len(found) < count:
        found += random_rivers(random, walks=4, most_hands=TRAINING_HANDS)
    return found[:count]


def _turns(count: int, random: np.random.Generator) -> list[Decision]:
    found: list[Decision] = []
    while len(found) < count:
        decision = Decision(random_turn(random, most_hands=TURN_HANDS))
        found += [decision] if decision.has_choice else []
    return found


def _reward(decision: Decision, chosen: Sizes, solves: Solves) -> float:
    solved = solve_sets(decision, [HOLDEM.base, chosen], solves=solves)
    return float(solved.values[1] - solved.values[0]) / decision.betting.pot


def preflop43_episode(
    learner: Learner, random: np.random.Generator, proposals: int, solves: Solves
) -> Examples:
    """One walk through PREFLOP43 from the start of a random table."""
    return Examples.joined(
        [
            Examples(
                np.repeat(decision.features[None], len(proposed), axis=0),
                np.stack([each.row for each in proposed]),
                gains.astype(np.float32),
            )
            for decision, proposed, gains in walk43(learner, random, proposals, solves)
        ]
    )


PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("river", HOLDEM, 3, FEATURES, river_episode, _rivers, _reward, point_of),
        Problem("turn", HOLDEM, 3, FEATURES, turn_episode, _turns, _reward, point_of),
        Problem(
            "preflop43",
            PREFLOP43,
            5,
            FEATURES,
            preflop43_episode,
            random_decisions43,
            reward43,
            attrgetter("point"),
        ),
    )
}
