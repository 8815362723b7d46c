"""How good chosen sizes are on turns, with those of the rivers behind them, beside the base's.

Both players have first bets of their own on the turn and on the river; raises are all-in and 0.8
pots. In the fine-grained game a best response has every size of the grid on the turn and those of
FINE-GRAIN on the river, and what a policy does not know is answered as on rivers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.evaluation.fine_grained import fine_grained
from tacit.games.holdem.betting import RIVER, TURN
from tacit.learn.rl_cfr.chooser import BASE_PLAN, LearnedChooser
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.rewards import ITERATIONS, Solves, solved
from tacit.learn.rl_cfr.sizes import FINE_GRAIN, HOLDEM
from tacit.learn.rl_cfr.states import random_turn
from tacit.learn.rl_cfr.street_game import Plan, Plans, game_of_plans, plan_values

TEST_SEED = 7_000_033
"""Test states are drawn with this seed, apart from training's."""
HANDS = 24
"""The hands of a range; a tree has all rivers."""
FINE_TURN = Plan(HOLDEM.everything, later=FINE_GRAIN)
MILLI = 1000.0


class TurnRow(NamedTuple):
    """One turn by one method, in mbb: exploitability, and EV of the first player to act.

    The value is that of the method's sizes against an opponent with the base's.
    """

    exploitability: float
    value: float


def held_out_turn(number: int) -> Decision:
    """A turn at its start, apart from those of training."""
    random = np.random.default_rng([TEST_SEED, number])
    while True:
        decision = Decision(random_turn(random, most_hands=HANDS))
        if decision.has_choice:
            return decision


def learned_plans(chooser: LearnedChooser, decision: Decision) -> Plans:
    """The chooser's first bets on the turn and on the river, for both players."""
    streets = chooser.decide(decision.spot).plans
    first, second = (
        Plan(turn.bets, later=river.bets)
        for turn, river in zip(streets[TURN], streets[RIVER], strict=True)
    )
    return first, second


def measure_turn(decision: Decision, plans: Plans, iterations: int = ITERATIONS) -> TurnRow:
    """One turn with these first bets."""
    found = fine_grained(decision, plans, FINE_TURN, iterations=iterations, nested=iterations)
    tree = game_of_plans(decision, [(plans[0], BASE_PLAN)])
    [value] = plan_values(tree, solved(tree, Solves(iterations)), 0)
    scale = MILLI / decision.spot.rules.big_blind
    return TurnRow(scale * found.exploitability, scale * float(value))
