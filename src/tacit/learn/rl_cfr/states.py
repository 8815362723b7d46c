"""States as they come up in play: walks through solved turns with random boards and stacks.

A turn is drawn: a board, a pot by the kind of betting before the flop, stacks, and ranges as they
reach a turn: a share of hands by their strength before the flop, thinned out by the betting of the
flop. The engine solves it, and walks along its policy lead to rivers, whose ranges are the reaches.
Decisions on a street follow as in ReBeL's self-play: the mover's action is drawn from the solved
policy or, with probability `EXPLORE`, at random.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import TURN, BettingRules
from tacit.games.holdem.cards import HAND_CLASS, NUM_CARDS, NUM_CLASSES, live_hands
from tacit.games.holdem.hand_rank import rank_boards
from tacit.games.holdem.spot import Spot, action_label
from tacit.learn.rl_cfr.decisions import Decision, pruned
from tacit.learn.rl_cfr.rewards import SolvedSets
from tacit.solvers.spot import SpotLimits, SpotNode, SpotSolution, solve_spot
from tacit.tree.cards.equity import combinations_array
from tacit.tree.cards.hand_features import group_equities

EXPLORE = 0.25
"""The probability of a random action (the paper's ε)."""
BASE_NEXT = 0.33
"""The probability that the base's policy leads on, not that of the chosen sizes (the paper's η)."""
BIG_BLIND = 100
POTS = ((2.0, 0.15), (4.5, 0.35), (6.0, 0.2), (16.0, 0.2), (40.0, 0.1))
"""Pots before the flop in big blinds, and how often they are drawn."""
TURN_BETS = BetSettings.parse({"turn": "33%,80%/100%", "river": "75%/a"}, add_all_in=1.0)
TURN_ITERATIONS = 50
RIVERS = 16
"""The number of walks along each solved turn."""
MOST_HANDS = 250
"""A drawn range has at most about this many hands."""
TRAINING_HANDS = 100
"""In training ranges are thinned out to this many hands, which changes their densities little."""
_STRENGTH_BOARDS = 2_000
_BLUFFS = 0.3

Range = NDArray[np.float32]


def random_turn(random: np.random.Generator, *, most_hands: int = MOST_HANDS) -> Spot:
    """A turn with both players' ranges, as play might reach it, of at most so many hands."""
    board = tuple(int(card) for card in random.choice(NUM_CARDS, 4, replace=False))
    sizes, shares = zip(*POTS, strict=True)
    pot = random.choice(sizes, p=shares) * (1 + 2 * random.choice([0, 0.33, 0.5, 0.75]))
    stack = 20 * 10 ** random.uniform(0, 1)
    behind = max(stack - pot / 2, pot * random.uniform(0.3, 1.5))
    half = round(BIG_BLIND * pot / 2)
    stacks = half + round(BIG_BLIND * behind)
    rules = BettingRules(
        stacks=(stacks, stacks), big_blind=BIG_BLIND, first_street=TURN, committed=half
    )
    return Spot(
        board=board,
        rules=rules,
        ranges=(
            _random_range(board, random, most_hands),
            _random_range(board, random, most_hands),
        ),
        bets=TURN_BETS,
    )


def _random_range(board: tuple[int, ...], random: np.random.Generator, most: int) -> Range:
    """[1326] the best hands before the flop, thinned out by their equity on the board."""
    strength = _strengths()[HAND_CLASS] + random.normal(0, 0.03, NUM_CLASSES)[HAND_CLASS]
    share = random.uniform(0.1, 0.45)
    live = live_hands(board)
    cut = np.quantile(strength[live], 1 - share)
    best = 1 / (1 + np.exp(-(strength - cut) / 0.02))
    if random.random() < 0.3:  # a caller: the very best hands raised
        best *= 1 / (1 + np.exp((strength - np.quantile(strength[live], 0.97)) / 0.01))
    equity = _board_equity(board)
    middle, steep = random.uniform(0.2, 0.55), random.uniform(0.05, 0.4)
    stays = 1 / (1 + np.exp(-(equity - middle) / steep))
    stays = np.maximum(stays, _BLUFFS * random.random(len(stays)))
    weights = np.where(live, best * stays, 0)
    weights[weights < np.sort(weights)[-MOST_HANDS]] = 0
    held = np.flatnonzero(weights)
    if len(held) > most:
        weights[random.choice(held, len(held) - most, replace=False)] = 0
    return pruned(weights)


@cache
def _strengths() -> NDArray[np.float64]:
    """[classes] each class's equity against a random hand on random boards."""
    random = np.random.default_rng(0)
    all_boards = combinations_array(NUM_CARDS, 5)
    boards = all_boards[random.choice(len(all_boards), _STRENGTH_BOARDS, replace=False)]
    sums, met = np.zeros(NUM_CLASSES), np.zeros(NUM_CLASSES)
    for start in range(0, len(boards), 256):
        ranked = rank_boards(boards[start : start + 256])
        equities = np.where(ranked >= 0, group_equities(ranked)[:, :, 0], 0).sum(axis=0)
        sums += np.bincount(HAND_CLASS, equities, NUM_CLASSES)
        met += np.bincount(HAND_CLASS, (ranked >= 0).sum(axis=0), NUM_CLASSES)
    strengths: NDArray[np.float64] = sums / met
    return strengths


def _board_equity(board: tuple[int, ...]) -> NDArray[np.float64]:
    """[1326] each hand's equity against a random hand over the rivers, 0 for dead hands."""
    left = [card for card in range(NUM_CARDS) if card not in board]
    ranked = rank_boards([(*board, card) for card in left])
    alive = (ranked >= 0).sum(axis=0)
    equity: NDArray[np.float64] = group_equities(ranked)[:, :, 0].sum(axis=0) / np.maximum(alive, 1)
    return equity


def solve_turn(spot: Spot, *, iterations: int = TURN_ITERATIONS) -> SpotSolution:
    """A turn solved well enough for its reaches."""
    return solve_spot(spot, SpotLimits(iterations=iterations), threads=1)


def walk_to_river(
    solution: SpotSolution, random: np.random.Generator, views: dict[tuple[str, ...], SpotNode]
) -> Decision | None:
    """A river that a walk along the policy leads to; None if the hand ends before.

    views: the nodes of the turn that earlier walks came by, to which this one adds.
    """
    path: tuple[str, ...] = ()
    here = views.setdefault((), solution.view())
    while here.mover != CHANCE:
        if here.mover not in (0, 1):
            return None
        shares = list(here.frequencies().values())
        if random.random() < EXPLORE:
            shares = [1 / len(shares)] * len(shares)
        path = *path, str(random.choice(here.actions, p=np.array(shares) / sum(shares)))
        if path not in views:
            views[path] = solution.view(path)
        here = views[path]
    if min(here.betting.behind) == 0:
        return None
    card = str(random.choice(here.cards))
    here = solution.view([*path, card])
    live = live_hands(here.board)
    reaches = [np.where(live, np.nan_to_num(reach), 0) for reach in here.reach]
    if not all(reach.any() for reach in reaches):
        return None
    rules = replace(solution.spot.rules, first_street=TURN + 1, committed=here.betting.committed[0])
    try:
        ranges = pruned(reaches[0]), pruned(reaches[1])
        spot = Spot(board=here.board, rules=rules, ranges=ranges, bets=TURN_BETS)
    except GameError:  # the two ranges block each other
        return None
    decision = Decision(spot)
    return decision if decision.has_choice else None


def random_rivers(
    random: np.random.Generator, *, walks: int = RIVERS, most_hands: int = MOST_HANDS
) -> list[Decision]:
    """The rivers at the end of so many walks along one solved turn."""
    solution = solve_turn(random_turn(random, most_hands=most_hands))
    views: dict[tuple[str, ...], SpotNode] = {}
    ends = (walk_to_river(solution, random, views) for _ in range(walks))
    return [decision for decision in ends if decision is not None]


def next_decision(
    decision: Decision, solved: SolvedSets, number: int, random: np.random.Generator
) -> Decision | None:
    """Where a walk goes on from a solved decision on the same street; None if it ends.

    number: of the set whose policy is followed.
    """
    actions, policy = solved.actions[number], solved.policies[number]
    mover, hands = decision.betting.player, decision.state.deal.hands
    shares = policy @ (decision.spot.ranges[mover][hands[mover]])
    chances = shares / shares.sum()
    if random.random() < EXPLORE:
        chances = np.full(len(actions), 1 / len(actions))
    taken = int(random.choice(len(actions), p=chances))
    after = decision.betting.act(actions[taken])
    if after.player not in (0, 1) or not shares[taken] > 0:
        return None
    ranges = [each.copy() for each in decision.spot.ranges]
    ranges[mover][hands[mover]] *= policy[taken].astype(np.float32)
    label = action_label(decision.betting, actions[taken])
    try:
        spot = replace(decision.spot, ranges=(pruned(ranges[0]), pruned(ranges[1])))
    except GameError:  # the two ranges block each other
        return None
    following = Decision(spot, decision.history + label)
    return following if following.has_choice else None
