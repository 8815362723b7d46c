"""What chosen sizes gain on flops over the base's, in sampled games apart from those of the choice.

A flop is too large to be solved exactly many times. Each measured game has other cards that may be
dealt and other hands than the games in which sizes were refined, and more hands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import FLOP
from tacit.learn.rl_cfr.chooser import LearnedChooser
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.refinement import (
    FLOP_BASE,
    FLOP_OPPONENT,
    flop_plan,
    refine_flop,
    sampled_games,
)
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.states import random_turn
from tacit.learn.rl_cfr.street_game import Plans, game_of_plans, plan_values

TEST_SEED = 7_000_061
"""Test states and the games in which they are measured are drawn with this seed."""
HANDS = 32
"""The hands of a range in a measured game."""
GAMES = 3
"""The number of games in which a flop is measured."""


def held_out_flop(number: int) -> Decision:
    """A flop at its start: the first three cards of a random turn, with its pot and ranges."""
    random = np.random.default_rng([TEST_SEED, number])
    while True:
        turn = random_turn(random)
        rules = replace(turn.rules, first_street=FLOP)
        decision = Decision(replace(turn, board=turn.board[:3], rules=rules))
        if decision.has_choice:
            return decision


def flop_choices(chooser: LearnedChooser, decision: Decision) -> dict[str, Plans]:
    """The plans of the flop refined by solves, and those of the actor alone."""
    refined = refine_flop(decision, chooser.flop_plans(decision))
    first, second = replace(chooser, refine=False).decide(decision.spot).plans[FLOP]
    actor = flop_plan(first.bets), flop_plan(second.bets)
    return {"refined": actor if refined is None else refined.plans, "actor alone": actor}


def flop_gains(
    decision: Decision, choices: dict[str, Plans], iterations: int
) -> dict[str, list[float]]:
    """What each player's plan gains over the base's, in percent of the pot, by choice."""
    games = sampled_games(decision, TEST_SEED, HANDS)[:GAMES]
    found: dict[str, list[float]] = {name: [] for name in choices}
    for player in (0, 1):
        plans = [FLOP_BASE, *(both[player] for both in choices.values())]
        pairs: list[Plans] = [
            (plan, FLOP_OPPONENT) if player == 0 else (FLOP_OPPONENT, plan) for plan in plans
        ]
        values: list[NDArray[np.float64]] = []
        for game in games:
            tree = game_of_plans(game, pairs)
            values.append(plan_values(tree, solved(tree, Solves(iterations)), player))
        means = 100 * np.mean(values, axis=0) / decision.betting.pot
        for own, worth in zip(found.values(), means[1:], strict=True):
            own.append(float(worth - means[0]))
    return found
