"""How good chosen sizes are on turns, with those of the rivers behind them, beside the base's.

Both players have first bets of their own on the turn and on the river; raises are all-in and 0.8
pots, raises of raises all-in. In the fine-grained game of a turn the opponent has every size of the
grid on the turn and three on the river, which are not the base's. A player's policy is solved with
few sizes of its own against all of these, so it knows every bet that it may face.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from tacit.evaluation.river_sizes import with_all_hands
from tacit.games.holdem.betting import RIVER, TURN
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.refinement import TURN_BASE, is_deep, turn_plan
from tacit.learn.rl_cfr.rewards import ITERATIONS, Solves, solved
from tacit.learn.rl_cfr.sizes import HOLDEM
from tacit.learn.rl_cfr.states import MOST_HANDS, random_turn
from tacit.learn.rl_cfr.street_game import Plan, Plans, game_of_plans, plan_values
from tacit.solvers.best_response import BestResponse
from tacit.tree.kernels.passes import BEST

TEST_SEED = 7_000_033
"""Test states are drawn with this seed, apart from training's."""
HANDS = 24
"""The hands of a range; a tree has all rivers."""
FINE_TURN = turn_plan(HOLDEM.everything, HOLDEM.set_of((0.33, 0.7, 1.5)))
"""What a best response may bet."""
MILLI = 1000.0


class PlanRow(NamedTuple):
    """A player's plan on a turn, in mbb.

    response: what a best response in the fine-grained game wins from the solved policy; value: what
    the first player to act wins from an opponent with the base's sizes, None for the other player.

    Half the sum of both players' responses is the exploitability of their policies.
    """

    response: float
    value: float | None


def held_out_turn(number: int, *, deep: bool = False) -> Decision:
    """A turn at its start with at most `TURN_BEHIND` pots behind, or a deep one.

    It is drawn apart from those of training.
    """
    return _drawn([TEST_SEED, number], HANDS, deep=deep)


@cache
def deep_share(draws: int = 1000) -> float:
    """The share of turns, as they are drawn, with more than `TURN_BEHIND` pots behind."""
    random = np.random.default_rng(TEST_SEED)
    deep = [
        is_deep(decision)
        for decision in (Decision(random_turn(random, most_hands=HANDS)) for _ in range(draws))
        if decision.has_choice
    ]
    return sum(deep) / len(deep)


def mixed_turns(count: int) -> list[Decision]:
    """Turns of which every fifth has all hands in both ranges."""
    found = [_drawn([TEST_SEED, TEST_SEED, number], MOST_HANDS) for number in range(count)]
    found[::5] = map(with_all_hands, found[::5])
    return found


def _drawn(seed: list[int], hands: int, *, deep: bool = False) -> Decision:
    """A turn, deep or not, with ranges of at most so many hands."""
    random = np.random.default_rng(seed)
    while True:
        decision = Decision(random_turn(random, most_hands=hands))
        if decision.has_choice and is_deep(decision) == deep:
            return decision


def learned_plans(chooser: LearnedChooser, decision: Decision) -> Plans:
    """The chooser's first bets on the turn and on the river, for both players."""
    streets = chooser.decide(decision.spot).plans
    first, second = (
        turn_plan(turn.bets, river.bets)
        for turn, river in zip(streets[TURN], streets[RIVER], strict=True)
    )
    return first, second


def measure_plan(
    decision: Decision, plan: Plan, player: int, iterations: int = ITERATIONS
) -> PlanRow:
    """A player's plan on one turn."""
    solves, scale = Solves(iterations), MILLI / decision.spot.rules.big_blind
    tree = game_of_plans(decision, [(plan, FINE_TURN) if player == 0 else (FINE_TURN, plan)])
    response = BestResponse(tree, solved(tree, solves)).value(1 - player, BEST)
    value = None
    if player == 0:
        tree = game_of_plans(decision, [(plan, TURN_BASE)])
        value = scale * float(plan_values(tree, solved(tree, solves), 0)[0])
    return PlanRow(scale * response, value)
