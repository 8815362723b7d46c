"""How good chosen sizes are in PREFLOP43: exploitability in the fine-grained game, head to head.

Sizes are chosen for the first action of each player, and are the base's below. In the fine-grained
game these first actions have every size of the grid. As on rivers, a player's first decision is
that of the small game; an unknown raise is answered by solving again with all raises of the
opponent, and best responses are exact. Two methods play each other in both seats; what they win is
computed, not sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.learn.rl_cfr.learners import Bandit, Learner
from tacit.learn.rl_cfr.preflop43 import (
    Decision43,
    Table43,
    forest43,
    next_decision43,
    solve_sets43,
)
from tacit.learn.rl_cfr.rewards import Solves, solved
from tacit.learn.rl_cfr.sizes import PREFLOP43, Sizes
from tacit.solvers.best_response import BestResponse
from tacit.tree import PublicTree
from tacit.tree.dealt_betting import DealtBetting
from tacit.tree.kernels.passes import BEST, EXPECT

BIG_BLIND, SMALL_BLIND = 0, 1
"""The seats; the small blind acts first."""
MILLI = 1000.0
TEST_SEED = 8_000_003
PAPER = Solves(alternating=False)
"""The paper's: after them a policy's exploitability is for the most part that of its solve."""
CONVERGED = Solves(1_000)
"""What is left after them is for the most part due to the sizes."""

TRIED = 8
"""The number of predictions that are solved to refine a choice."""
ROUNDS = 2
"""How often a refined choice is changed by one size."""

Array = NDArray[np.float64]
Chooser = Callable[[Decision43], Sizes]


class SolvedPolicy(NamedTuple):
    """A policy of one seat, in a game in which the opponent's first action has every size."""

    tree: PublicTree
    policy: Array


@dataclass(frozen=True)
class Preflop43Result:
    """A method on a table: both seats' policies, and its exploitability in big blinds."""

    seats: tuple[SolvedPolicy, SolvedPolicy]
    exploitability: float


def base43(decision: Decision43) -> Sizes:
    """The base's set."""
    return PREFLOP43.base


def learned43(learner: Learner) -> Chooser:
    """A learner's set."""
    return lambda decision: learner.choose(decision.point)


def refined43(
    learner: Bandit, solves: Solves, *, tried: int = TRIED, rounds: int = ROUNDS
) -> Chooser:
    """The set that is worth most of those that are solved; a decision's choice is remembered.

    These are the base's, the `tried` best predictions, and then, in each of several rounds, those
    with one size more or less than the best so far.
    """
    chosen: dict[object, Sizes] = {}

    def choose(decision: Decision43) -> Sizes:
        beliefs = tuple(each.tobytes() for each in decision.beliefs)
        key = (decision.table.cards, decision.betting, beliefs)
        if key not in chosen:
            chosen[key] = refine(decision)
        return chosen[key]

    def refine(decision: Decision43) -> Sizes:
        sets = [PREFLOP43.base, *learner.best(decision.point, learner.sizes, tried)]
        best, most = sets[0], -np.inf
        for _ in range(1 + rounds):
            values = solve_sets43(decision, sets, solves=solves).values
            if values.max() > most:
                best, most = sets[int(values.argmax())], values.max()
            near = (set(best) ^ {int(size)} for size in np.flatnonzero(decision.point.usable))
            sets = [tuple(sorted(each)) for each in near if len(each) <= learner.sizes]
        return best

    return choose


def everything43(decision: Decision43) -> Sizes:
    """Every size of the grid."""
    return PREFLOP43.everything


def game43(table: Table43, choosers: Sequence[Chooser]) -> PublicTree:
    """The game in which both seats choose the sizes of their first action."""
    start = table.start()

    def pots(state: DealtBetting) -> Sequence[float]:
        seat = state.betting.player
        first = not state.betting.acted[seat]
        if not first:
            return PREFLOP43.base_pots
        decision = Decision43(table, state.betting, start.beliefs)
        return PREFLOP43.in_pots(choosers[seat](decision)) if decision.has_choice else ()

    return forest43(table, [DealtBetting(table.deal, start.betting)], pots)


def measure43(table: Table43, chooser: Chooser, solves: Solves) -> Preflop43Result:
    """Solve a table with chosen sizes, and respond to that with all sizes."""
    small = game43(table, (chooser, chooser))
    policy = solved(small, solves)
    seats, responses = [], []
    for seat in (BIG_BLIND, SMALL_BLIND):
        choosers: list[Chooser] = [everything43, everything43]
        choosers[seat] = chooser
        tree = game43(table, choosers)
        full = solved(tree, solves, locks=_first_decisions(small, policy, tree, seat))
        seats.append(SolvedPolicy(tree, full))
        responses.append(BestResponse(tree, full).value(1 - seat, BEST))
    return Preflop43Result((seats[0], seats[1]), sum(responses) / 2)


def _first_decisions(
    small: PublicTree, policy: Array, tree: PublicTree, seat: int
) -> dict[int, Array]:
    """By node of `tree`, the small game's policy at the first action of a seat."""
    root, other = small.roots[0], tree.roots[0]
    if seat == SMALL_BLIND:
        return {other.node: small.block(policy, root.node)}
    locks = {}
    for label, child in small.children(root):
        if small.arrays.action_count[child.node]:
            there = tree.find([label], other)
            locks[there.node] = small.block(policy, child.node)
    return locks


def head_to_head(first: Preflop43Result, second: Preflop43Result) -> float:
    """What the first method wins a hand from the second over both seats, in big blinds."""
    return (_seated(first, second, SMALL_BLIND) + _seated(first, second, BIG_BLIND)) / 2


def _seated(first: Preflop43Result, second: Preflop43Result, seat: int) -> float:
    """What the first method wins from the second in a seat.

    Both policies are defined wherever the other leads, because its sizes are on the grid.
    """
    own, other = first.seats[seat], second.seats[1 - seat]
    tree, policy = own.tree, own.policy.copy()
    answers = other.tree.roots[0]
    for place, path in tree.walk(tree.roots[0]):
        if tree.arrays.player[place.node] == 1 - seat:
            block = tree.block(policy, place.node)[:, place.copy]
            block[:] = 0
            try:
                there = other.tree.find(path, answers)
            except GameError:  # behind an action that the opponent never takes
                continue
            given = other.tree.block(other.policy, there.node)[:, there.copy]
            places = [tree.labels(place.node).index(n) for n in other.tree.labels(there.node)]
            block[places] = given
    return BestResponse(tree, policy).value(seat, EXPECT)


class TableRow(NamedTuple):
    """A table in mbb: rewards at its decisions, exploitability of both methods, head to head.

    most: the rewards of all sizes of the grid. With more sizes an equilibrium is worth no less to
    who has them, so in a converged solve no set is worth more.
    """

    rewards: list[float]
    most: list[float]
    base: float
    ours: float
    head_to_head: float


def held_out_table(number: int) -> Table43:
    """A table apart from those of training."""
    return Table43.random(np.random.default_rng([TEST_SEED, number]))


def measure_table(table: Table43, chooser: Chooser, seed: int, solves: Solves) -> TableRow:
    """A chooser beside the base on one table; rewards are those of a walk from its start."""
    base, ours = (measure43(table, each, solves) for each in (base43, chooser))
    random = np.random.default_rng([TEST_SEED, seed, 1])
    gains = []
    decision: Decision43 | None = table.start()
    while decision is not None:
        sets = [PREFLOP43.base, chooser(decision), PREFLOP43.everything]
        outcome = solve_sets43(decision, sets, solves=solves)
        gains.append(MILLI * (outcome.values[1:] - outcome.values[0]))
        decision = next_decision43(decision, outcome, int(random.integers(2)), random)
    rewards, most = np.transpose(gains).tolist()
    return TableRow(
        rewards,
        most,
        MILLI * base.exploitability,
        MILLI * ours.exploitability,
        MILLI * head_to_head(ours, base),
    )
