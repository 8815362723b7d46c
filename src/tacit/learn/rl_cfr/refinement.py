"""Refinement of chosen sizes: of several plans of each player, the one that is worth most.

On a river each plan is solved against an opponent who may bet every size of the grid. A turn is
solved to the end of the hand, so its plans have sizes for both streets, and the game is smaller:
the opponent has six sizes on the turn and two on the river, raises of raises are all-in, and large
ranges are thinned out.
The base's plan is always tried, so a refined choice is no worse than the base in the game that is
solved, up to the error of the solves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.cards import NUM_HANDS
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.sizes import FINE_GRAIN, HOLDEM, Sizes
from tacit.learn.rl_cfr.street_game import Plan, Plans, game_of_plans, plan_values
from tacit.solvers.kernel_warm_up import cores

BASE_PLAN = Plan(HOLDEM.base)
EVERY_SIZE = Plan(HOLDEM.everything)
RIVER_ITERATIONS = 120
"""Of the solves that refine a river of all hands; smaller ranges have up to four times as many."""
TURN_ITERATIONS = 60
"""Of the solves that refine a turn."""
TURN_HANDS = 40
"""The hands to which ranges of a turn are thinned out."""
MARGIN = 4e-4
"""A plan replaces the base if it gains more than this share of the pot, the error of a solve."""

Tried = tuple[Sequence[Plan], Sequence[Plan]]
"""The plans of players 0 and 1 that are tried, the base's first."""


def turn_plan(bets: Sizes, later: Sizes) -> Plan:
    """A plan for turn and river in the game in which turns are solved."""
    return Plan(bets, later=later, reraises=())


TURN_BASE = turn_plan(HOLDEM.base, HOLDEM.base)
TURN_OPPONENT = turn_plan(FINE_GRAIN, HOLDEM.set_of((0.5, 1.0)))
"""The sizes of the opponent against whom a turn is refined."""


class Refined(NamedTuple):
    """The best plans, and what each player wins more than with the base's, in chips."""

    plans: Plans
    gains: tuple[float, float]


class Losses(NamedTuple):
    """Exploitability by other sizes with the base's plans and with the chosen ones, in chips."""

    base: float
    chosen: float


def refine_river(start: Decision, tried: Tried) -> tuple[Refined, Losses]:
    """The best plans against every size of the grid, and the exploitability by these sizes."""
    share = max(start.state.counts) / NUM_HANDS
    iterations = round(RIVER_ITERATIONS * min(4.0, 0.8 / share))
    solves = Solves(max(RIVER_ITERATIONS, iterations))
    first, second = _of_both(
        lambda player: _values(start, [*tried[player], EVERY_SIZE], player, EVERY_SIZE, solves)
    )
    refined = _best(start, tried, (first[:-1], second[:-1]))
    places = [plans.index(plan) for plans, plan in zip(tried, refined.plans, strict=True)]
    return refined, _losses((first, second), places)


def refine_turn(start: Decision, tried: Tried) -> Refined:
    """The best plans for turn and river against an opponent with `TURN_OPPONENT`'s sizes."""
    thin = thinned(start)
    solves = Solves(TURN_ITERATIONS)
    values = _of_both(lambda player: _values(thin, tried[player], player, TURN_OPPONENT, solves))
    return _best(start, tried, values)


def turn_losses(start: Decision, plans: Plans) -> Losses:
    """Exploitability of plans of a turn by the sizes of `TURN_OPPONENT`."""
    thin = thinned(start)
    solves = Solves(TURN_ITERATIONS)

    def values(player: int) -> NDArray[np.float64]:
        tried = [TURN_BASE, plans[player], TURN_OPPONENT]
        return _values(thin, tried, player, TURN_OPPONENT, solves)

    return _losses(_of_both(values), (1, 1))


def thinned(start: Decision, most: int = TURN_HANDS) -> Decision:
    """A decision whose ranges have at most so many hands, with the same density over equity."""
    ranges = [
        _sampled(
            held, np.nan_to_num(start.equity.hands[player], nan=0.5), most, (1 + 2 * player) / 4
        )
        for player, held in enumerate(start.spot.ranges)
    ]
    return Decision(replace(start.spot, ranges=(ranges[0], ranges[1])), start.history)


def _sampled(
    held: NDArray[np.float32], equity: NDArray[np.float64], most: int, offset: float
) -> NDArray[np.float32]:
    """[1326] a range of equal shares: the hands at `most` evenly spaced quantiles of equity.

    offset: of the first quantile in steps; it differs by player, for whom the same hands would
    block each other.
    """
    hands = np.flatnonzero(held)
    if len(hands) <= most:
        return held
    hands = hands[np.argsort(equity[hands], kind="stable")]
    shares = np.cumsum(held[hands], dtype=np.float64)
    places = np.searchsorted(shares, shares[-1] * (np.arange(most) + offset) / most)
    counts = np.bincount(hands[places], minlength=len(held))
    sample: NDArray[np.float32] = (counts / counts.max()).astype(np.float32)
    return sample


def _of_both(values: Callable[[int], NDArray[np.float64]]) -> tuple[NDArray[np.float64], ...]:
    """The values of both players' plans, on two threads."""
    with ThreadPoolExecutor(min(2, cores())) as threads:
        return tuple(threads.map(values, (0, 1)))


def _values(
    start: Decision, plans: Sequence[Plan], player: int, opponent: Plan, solves: Solves
) -> NDArray[np.float64]:
    """[plans] what each is worth to `player` against an opponent with this plan, in chips."""
    pairs = [(plan, opponent) if player == 0 else (opponent, plan) for plan in plans]
    tree = game_of_plans(start, pairs)
    return plan_values(tree, solved(tree, solves), player)


def _best(start: Decision, tried: Tried, values: Sequence[NDArray[np.float64]]) -> Refined:
    """Each player's best plan, or the base's where none gains more than `MARGIN`."""
    plans, gains = [], []
    for own, worth in zip(tried, values, strict=True):
        place = int(worth.argmax())
        if worth[place] - worth[0] < MARGIN * start.betting.pot:
            place = 0
        plans.append(own[place])
        gains.append(float(worth[place] - worth[0]))
    return Refined((plans[0], plans[1]), (gains[0], gains[1]))


def _losses(values: Sequence[NDArray[np.float64]], places: Sequence[int]) -> Losses:
    """What both players lose with the first plan and with that at `places` to the last plan."""
    base = chosen = 0.0
    for worth, place in zip(values, places, strict=True):
        most = float(worth.max())
        base += (most - float(worth[0])) / 2
        chosen += (most - float(worth[place])) / 2
    return Losses(base, chosen)
