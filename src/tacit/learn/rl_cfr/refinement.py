"""Refinement of chosen sizes: of several plans of each player, the one that is worth most.

On a river each plan is solved against an opponent who may bet every size of the grid. A turn is
solved to the end of the hand, so its plans have sizes for both streets, and the game is smaller:
the opponent has six sizes on the turn and two on the river, raises of raises are all-in, and large
ranges are thinned out, twice in different ways. A flop is solved in several sampled games, in which
both ranges are thinned out and eight cards may be dealt; its plans have sizes for the flop only.
The base's plan is always tried, so a refined choice is no worse than the base in the games that are
solved, up to the error of the solves. A plan replaces the base if it gains more than this error
and, where there are several games, more than a standard error; on flops the latter alone counts. A
turn with more than `MOST_BEHIND` pots behind is not refined.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.cards import HAND_CARDS, NUM_HANDS
from tacit.learn.rl_cfr.decisions import Decision
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.sizes import FINE_GRAIN, HOLDEM, Sizes
from tacit.learn.rl_cfr.street_game import Plan, Plans, game_of_plans, plan_values
from tacit.solvers.best_response import exploitability
from tacit.solvers.kernel_warm_up import cores
from tacit.steps import OnShare, ignore_share
from tacit.tree.cards.equity import Equity

BASE_PLAN = Plan(HOLDEM.base)
EVERY_SIZE = Plan(HOLDEM.everything)
RIVER_ITERATIONS = 160
"""Of the solves that refine a river of all hands; smaller ranges have up to three times as many."""
TURN_ITERATIONS = 250
"""Of the solves that refine a turn."""
TURN_HANDS = 40
"""Larger ranges of a turn are thinned out."""
TURN_SAMPLE = 30
"""The hands of a thinned range of a turn."""
TURN_GAMES = 2
"""The number of thinned games of a turn."""
TURN_BEHIND = 4
"""In pots: a turn with more is deep."""
MOST_BEHIND = 12
"""In pots: with deeper stacks the solves of a turn are off by more than its sizes gain."""
FLOP_ITERATIONS = 120
"""Of the solves that refine a flop."""
FLOP_HANDS = 24
"""The hands to which ranges of a flop are thinned out."""
FLOP_DECK = 8
"""The number of cards that may be dealt in a sampled game of a flop."""
FLOP_GAMES = 5
"""The number of sampled games of a flop."""
DECKS = 16
"""The number of decks of which that is taken which leaves most of both ranges."""
MARGIN = 4e-4
"""A plan replaces the base if it gains more than this share of the pot."""
ERROR_SHARE = 0.25
"""Two plans' difference is off by less than this share of their solves' exploitability."""

Tried = tuple[Sequence[Plan], Sequence[Plan]]
"""The plans of players 0 and 1 that are tried, the base's first."""


def turn_plan(bets: Sizes, later: Sizes) -> Plan:
    """A plan for turn and river in the game in which turns are solved."""
    return Plan(bets, later=later, reraises=())


TURN_BASE = turn_plan(HOLDEM.base, HOLDEM.base)
TURN_OPPONENT = turn_plan(FINE_GRAIN, HOLDEM.set_of((0.5, 1.0)))
"""The sizes of the opponent against whom a turn is refined."""


def flop_plan(bets: Sizes) -> Plan:
    """A plan for the flop in the game in which flops are solved."""
    return Plan(bets, later=HOLDEM.set_of((0.75,)), reraises=(), later_raises=())


FLOP_BASE = flop_plan(HOLDEM.base)
FLOP_OPPONENT = flop_plan(HOLDEM.set_of((0.25, 0.75, 1.5)))
"""The sizes of the opponent against whom a flop is refined."""


class Worth(NamedTuple):
    """What a player's plans are worth, in pots: [games, plans] in each of several games.

    error: of the difference between two plans, in pots, by the exploitability of the solves.
    """

    values: NDArray[np.float64]
    error: float


class Losses(NamedTuple):
    """Exploitability by other sizes with the base's plans and with the chosen ones, in chips."""

    base: float
    chosen: float


class Refined(NamedTuple):
    """The best plans, what each player wins more than with the base's, in chips, and losses."""

    plans: Plans
    gains: tuple[float, float]
    losses: Losses


def is_deep(start: Decision, pots: float = TURN_BEHIND) -> bool:
    """Whether more than so many pots are behind."""
    return min(start.betting.behind) > pots * start.betting.pot


def refine_river(
    start: Decision, tried: Tried, *, keep_base: bool = True, on_share: OnShare = ignore_share
) -> Refined:
    """The best plans against every size of the grid.

    keep_base: whether the base's plan may be the best one; otherwise it only stands beside.
    """
    share = max(start.state.counts) / NUM_HANDS
    iterations = round(RIVER_ITERATIONS * min(3.0, 0.8 / share))
    solves = Solves(max(RIVER_ITERATIONS, iterations))
    worths = _worths([start], tried, EVERY_SIZE, solves, on_share)
    return _refined(tried, worths, start.betting.pot, keep_base=keep_base)


def refine_turns(
    starts: Sequence[Decision],
    tried: Tried,
    *,
    keep_base: bool = True,
    on_share: OnShare = ignore_share,
) -> Refined:
    """The best plans for turn and river against an opponent with `TURN_OPPONENT`'s sizes.

    With several turns it is the mean share of the pot that counts; chips are those of the first.
    """
    ways = TURN_GAMES if len(starts) == 1 else 1
    games = [game for start in starts for game in turn_games(start, ways)]
    worths = _worths(games, tried, TURN_OPPONENT, Solves(TURN_ITERATIONS), on_share)
    return _refined(tried, worths, starts[0].betting.pot, keep_base=keep_base)


def refine_flop(
    start: Decision, tried: Tried, *, keep_base: bool = True, on_share: OnShare = ignore_share
) -> Refined | None:
    """The best plans for a flop against an opponent with `FLOP_OPPONENT`'s sizes.

    None if the ranges are too small to be sampled.
    """
    games = sampled_games(start)
    if not games:
        return None
    worths = _worths(games, tried, FLOP_OPPONENT, Solves(FLOP_ITERATIONS), on_share)
    return _refined(tried, worths, start.betting.pot, keep_base=keep_base, by_solves=False)


def turn_games(start: Decision, ways: int) -> list[Decision]:
    """A turn with its ranges if they are small, or thinned out in so many ways."""
    if max(start.state.counts) <= TURN_HANDS:
        return [start]
    return [thinned(start, TURN_SAMPLE, number / ways) for number in range(ways)]


def sampled_games(start: Decision, seed: int = 0, hands: int = FLOP_HANDS) -> list[Decision]:
    """Smaller games of a flop: few hands, and few cards that may be dealt, which no hand holds.

    Fewer than `FLOP_GAMES` if the cards take away a range or leave hands that block each other.
    """
    random = np.random.default_rng([seed, *start.spot.board])
    found = []
    for number in range(FLOP_GAMES):
        deck = _kept_deck(start, random)
        ranges = tuple(held * _apart(deck) for held in start.spot.ranges)
        try:
            spot = replace(start.spot, ranges=(ranges[0], ranges[1]))
        except GameError:  # a range is empty, or both block each other
            continue
        smaller = Decision(spot, start.history, deck)
        found.append(thinned(smaller, hands, number / FLOP_GAMES, start.equity))
    return found


def _kept_deck(start: Decision, random: np.random.Generator) -> tuple[int, ...]:
    """Of several random decks, the one that leaves the largest share of the smaller range."""

    def kept(deck: tuple[int, ...]) -> float:
        apart = _apart(deck)
        return min(float((held * apart).sum() / held.sum()) for held in start.spot.ranges)

    return max((_random_deck(start.spot.board, random) for _ in range(DECKS)), key=kept)


def _random_deck(board: tuple[int, ...], random: np.random.Generator) -> tuple[int, ...]:
    """Cards of different ranks, with suits as even as possible."""
    suits = np.zeros(4, int)
    deck = []
    for rank in random.permutation(13)[:FLOP_DECK].tolist():
        left = [suit for suit in random.permutation(4).tolist() if 4 * rank + suit not in board]
        suit = min(left, key=lambda suit: suits[suit])
        suits[suit] += 1
        deck.append(4 * rank + suit)
    return tuple(sorted(deck))


def _apart(deck: tuple[int, ...]) -> NDArray[np.bool_]:
    """[1326] the hands that hold no card of a deck."""
    held: NDArray[np.bool_] = np.isin(HAND_CARDS, deck)
    return ~(held[:, 0] | held[:, 1])


def thinned(
    start: Decision, most: int, shift: float = 0.0, equity: Equity | None = None
) -> Decision:
    """A decision whose ranges have at most so many hands, with the same density over equity.

    shift: which hands are taken, in steps between neighbours; equity: by default the decision's.
    """
    known = equity or start.equity
    ranges = [
        _sampled(
            held,
            np.nan_to_num(known.hands[player], nan=0.5),
            most,
            ((1 + 2 * player) / 4 + shift) % 1,
        )
        for player, held in enumerate(start.spot.ranges)
    ]
    return replace(start, spot=replace(start.spot, ranges=(ranges[0], ranges[1])))


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


def _refined(
    tried: Tried, worths: Sequence[Worth], pot: int, *, keep_base: bool, by_solves: bool = True
) -> Refined:
    """Each player's best plan, or the base's where none gains more than its error.

    The error is the largest of `MARGIN`, the standard error of the mean over the games and, if
    `by_solves`, the error of the solves.

    What two plans lose to an opponent with more sizes is, together, what the first player would
    win with these against the second one's plan, less what the first one's plan wins against them.
    """
    plans, gains, base = [], [], []
    for own, worth in zip(tried, worths, strict=True):
        differences = worth.values - worth.values[:, :1]
        least = max(MARGIN, worth.error) if by_solves else MARGIN
        means, errors = differences.mean(axis=0), np.full(len(own), least)
        if len(differences) > 1:
            spread = differences.std(axis=0, ddof=1)
            errors = np.maximum(errors, spread / np.sqrt(len(differences)))
        errors[0] = 0 if keep_base else np.inf
        place = int((means - errors).argmax())
        plans.append(own[place])
        gains.append(float(means[place]))
        base.append(float(worth.values[:, 0].mean()))
    lost = -sum(base) / 2
    losses = Losses(pot * max(lost, 0.0), pot * max(lost - sum(gains) / 2, 0.0))
    return Refined((plans[0], plans[1]), (pot * gains[0], pot * gains[1]), losses)


def _worths(
    games: Sequence[Decision], tried: Tried, opponent: Plan, solves: Solves, on_share: OnShare
) -> list[Worth]:
    """What each player's plans are worth against an opponent with this plan.

    The players are solved on two threads.
    """

    def worth(player: int) -> Worth:
        pairs = [(plan, opponent) if player == 0 else (opponent, plan) for plan in tried[player]]
        rows, error = [], 0.0
        for game in games:
            tree = game_of_plans(game, pairs)
            policy, pot = solved(tree, solves), game.betting.pot
            rows.append(plan_values(tree, policy, player) / pot)
            error += ERROR_SHARE * exploitability(tree, policy) / pot
            on_share(next(done) / (2 * len(games)))
        return Worth(np.stack(rows), error / len(games))

    done = count(1)

    with ThreadPoolExecutor(min(2, cores())) as threads:
        return list(threads.map(worth, (0, 1)))
