"""How good chosen sizes are on rivers as they come up in play, beside fixed sets of sizes.

Every method plays the same rivers. What is measured of each: the expected value of the first player
to act with its set at the root (as in training, with the paper's 250 iterations), and the
exploitability of both players' sets in the fine-grained game.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tacit.evaluation.fine_grained import Both, fine_grained, river_plans
from tacit.games.holdem.betting import CALL, RIVER
from tacit.games.holdem.cards import live_hands
from tacit.games.holdem.spot import action_label
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.episodes import point_of
from tacit.learn.rl_cfr.learners import Bandit, Learner
from tacit.learn.rl_cfr.refinement import BASE_PLAN, EVERY_SIZE, TURN_BASE, TURN_OPPONENT
from tacit.learn.rl_cfr.rewards import ITERATIONS, Solves, solve_sets, solved
from tacit.learn.rl_cfr.sizes import FINE_GRAIN, HOLDEM, MUL_ACTION, Sizes
from tacit.learn.rl_cfr.states import random_rivers
from tacit.learn.rl_cfr.street_game import Plans, game_of_plans, plan_values
from tacit.solvers.best_response import exploitability

TEST_SEED = 7_000_003
"""Test states are drawn with this seed and the number of their block, apart from training's."""
BLOCK = 20
"""The number of states that are measured together."""
MILLI = 1000.0


class Method(NamedTuple):
    """A way to choose both players' sets, and the iterations that it then has for a solve."""

    sets: Callable[[Decision], Both]
    iterations: Callable[[Decision, Both], int]


class RiverRow(NamedTuple):
    """One river by one method, in mbb: exploitability, and EV of the first player to act."""

    exploitability: float
    value: float
    seconds: float


@lru_cache(maxsize=1)
def held_out_rivers(block: int) -> list[Decision]:
    """The rivers of a block."""
    random = np.random.default_rng([TEST_SEED, block])
    found: list[Decision] = []
    while len(found) < BLOCK:
        found += random_rivers(random, walks=4)
    return found[:BLOCK]


def after_check(decision: Decision) -> Decision:
    """The other player's decision if the first one checks, with the beliefs as they are."""
    return Decision(decision.spot, decision.history + action_label(decision.betting, CALL))


def learned(learner: Learner, most: int | None = None) -> Method:
    """Sets by a learner, for both players."""

    def choose(decision: Decision) -> Sizes:
        point = point_of(decision)
        if isinstance(learner, Bandit):
            return learner.choose(point, most)
        return learner.choose(point)

    return Method(lambda d: (choose(d), choose(after_check(d))), _paper)


def refined(chooser: LearnedChooser) -> Method:
    """Both players' first bets as `--bets auto` chooses them."""

    def choose(decision: Decision) -> Both:
        first, second = chooser.decide(decision.spot).plans[RIVER]
        return first.bets, second.bets

    return Method(choose, _paper)


def fixed(chosen: Sizes) -> Method:
    """The same set for both players."""
    return Method(lambda _: (chosen, chosen), _paper)


def mul_action(*, equal_time: bool) -> Method:
    """The best of three fixed sets by solving each at the root; both players take it.

    equal_time: a third of the iterations for each solve, so that all three take the time of one.
    """
    iterations = ITERATIONS // len(MUL_ACTION) if equal_time else ITERATIONS

    def choose(decision: Decision) -> Both:
        values = solve_sets(decision, MUL_ACTION, solves=Solves(iterations)).values
        best = MUL_ACTION[int(values.argmax())]
        return best, best

    return Method(choose, lambda *_: iterations)


def fine_grain(*, equal_time: bool) -> Method:
    """FINE-GRAIN's six sizes; equal_time: fewer iterations, by the number of slots of the tree."""

    def iterations(decision: Decision, sets: Both) -> int:
        base, ours = (
            game_of_plans(decision, [river_plans(both)]).sizes.slots
            for both in ((HOLDEM.base, HOLDEM.base), sets)
        )
        return max(1, round(ITERATIONS * base / ours))

    return Method(lambda _: (FINE_GRAIN, FINE_GRAIN), iterations if equal_time else _paper)


def _paper(decision: Decision, sets: Both) -> int:
    return ITERATIONS


def measure(decision: Decision, method: Method) -> RiverRow:
    """One river by one method."""
    begun = time.perf_counter()
    sets = method.sets(decision)
    iterations = method.iterations(decision, sets)
    seconds = time.perf_counter() - begun
    found = fine_grained(decision, river_plans(sets), iterations=iterations)
    scale = MILLI / decision.spot.rules.big_blind
    value = solve_sets(decision, [sets[0]], solves=Solves(iterations)).values[0]
    return RiverRow(scale * found.exploitability, scale * float(value), seconds)


class AutoRow(NamedTuple):
    """`--bets auto` on a spot: by how much each player's plan is worse than the base, and time.

    worse: the larger loss of the two players against the opponent of the refinement, in percent of
    the pot, solved anew with all hands and more iterations than the choice was made with; error:
    the exploitability of these solves, in percent of the pot.
    """

    worse: float
    error: float
    seconds: float


def mixed_rivers(count: int) -> list[Decision]:
    """Rivers of which every fifth has all hands in both ranges."""
    random = np.random.default_rng([TEST_SEED, TEST_SEED])
    found: list[Decision] = []
    while len(found) < count:
        found += random_rivers(random, walks=2)[:1]
    for place in range(0, count, 5):
        found[place] = with_all_hands(found[place])
    return found


def with_all_hands(decision: Decision) -> Decision:
    """The same decision with all hands in both ranges."""
    every = live_hands(decision.spot.board).astype(np.float32)
    return Decision(replace(decision.spot, ranges=(every, every)), decision.history)


def measure_auto(chooser: LearnedChooser, decision: Decision, *, iterations: int) -> AutoRow:
    """Choose sizes for a river or a turn and compare each player's plan with the base's."""
    choice = chooser.decide(decision.spot)
    street = decision.betting.street
    plans = choice.plans[street]
    usual, opponent = (BASE_PLAN, EVERY_SIZE) if street == RIVER else (TURN_BASE, TURN_OPPONENT)
    worse, error = -np.inf, 0.0
    for player in (0, 1):
        pairs: list[Plans] = [
            (plan, opponent) if player == 0 else (opponent, plan) for plan in (usual, plans[player])
        ]
        tree = game_of_plans(decision, pairs)
        policy = solved(tree, Solves(iterations))
        base, ours = plan_values(tree, policy, player)
        worse = max(worse, 100 * float(base - ours) / decision.betting.pot)
        error = max(error, 100 * exploitability(tree, policy) / decision.betting.pot)
    return AutoRow(worse, error, choice.seconds)


def summary(differences: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    found = np.array(differences)
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found)))
