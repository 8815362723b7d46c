"""PBSs as they come up in search: at the end of the preflop betting, and of the flop's.

A street is solved with an evaluator at its leaves, and its leaves at the beliefs of some iteration
are PBSs before the next card. Half of those that are kept are drawn by how often they are reached,
half evenly, so that rare lines are learned, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.games import GameError
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import HAND_CLASS, NUM_CLASSES, NUM_HANDS
from tacit.learn.holdem.random_positions import random_board
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import PBSEvaluator
from tacit.subgame.street import BetMenu, StreetPBS, blocked
from tacit.tree import PLAYERS
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS, normalised

PREFLOP_MENU = BetMenu(now=("50%,100%,a", "75%,a", "a"))
FLOP_MENU = BetMenu(now=("50%,100%", "75%", "a"))
STACK_STEP = 100


@dataclass(frozen=True, kw_only=True)
class StreetSettings:
    """How PBSs are found.

    Stacks are drawn evenly on a logarithmic scale. noise: the standard deviation of the random
    factors' logarithms that hands of one class share, before a flop is searched.
    """

    least_stack: int = 2_000
    most_stack: int = 50_000
    preflop_iterations: int = 40
    flop_iterations: int = 24
    noise: float = 0.5

    def __post_init__(self) -> None:
        if not 2 <= self.least_stack <= self.most_stack:
            raise GameError(f"stacks from {self.least_stack} to {self.most_stack} are impossible")
        if min(self.preflop_iterations, self.flop_iterations) < 3 or self.noise < 0:
            raise GameError("a search has 3 iterations or more, and its noise is not negative")


@dataclass(frozen=True, eq=False)
class Reached:
    """PBSs at the leaves of a search that are not all in, and the chance to come to each."""

    pbss: list[PBS]
    chances: list[float]

    def draw(self, count: int, random: np.random.Generator) -> list[PBS]:
        """Different ones, `count` at most."""
        if not self.pbss:
            return []
        share = np.array(self.chances) / max(sum(self.chances), 1e-30)
        share = (share + 1 / len(share)) / 2
        chosen = random.choice(
            len(share), min(count, len(share)), replace=False, p=share / share.sum()
        )
        return [self.pbss[number] for number in chosen.tolist()]


def search_leaves(
    root: StreetPBS, menu: BetMenu, evaluator: PBSEvaluator, when: Sequence[int]
) -> tuple[Solver, Reached]:
    """Solve a street to its end; its leaves at the average policies of these iterations."""
    tree = root.tree(menu, whole=False)
    solver = Solver(
        tree, find_algorithm("dcfr"), beliefs=[root.beliefs(tree)], leaves=evaluator, mode="cfr-avg"
    )
    pbss: list[PBS] = []
    chances: list[float] = []
    for iteration in sorted(when):
        solver.run(iteration - solver.iteration)
        reach = solver.average_reach()
        for node in tree.leaves.tolist():
            state = tree.cards.state(node)
            first, second = (
                tree.vectors(reach[p], p, node, values=False)[0].astype(np.float64) for p in PLAYERS
            )
            met = float(first @ state.compatible_reach(0, second))
            if min(state.betting.behind) > 0 and met > 1e-9:
                pbss.append(PBS(state, (normalised(first), normalised(second))))
                chances.append(met)
    return solver, Reached(pbss, chances)


def preflop_leaves(
    settings: StreetSettings, evaluator: PBSEvaluator, random: np.random.Generator
) -> Reached:
    """PBSs before the flop, with a random stack."""
    low, high = np.log(settings.least_stack), np.log(settings.most_stack)
    stack = round(float(np.exp(random.uniform(low, high))) / STACK_STEP) * STACK_STEP
    root = StreetPBS.first(BettingRules(stacks=(stack, stack)))
    last = settings.preflop_iterations
    return search_leaves(root, PREFLOP_MENU, evaluator, (last // 3, last))[1]


def shaken(pbs: PBS, noise: float, random: np.random.Generator) -> PBS:
    """The PBS with each class of hands more or less likely by a random factor."""
    state, beliefs = pbs.state, []
    assert isinstance(state, CardState)
    for player in PLAYERS:
        factors = np.exp(noise * random.standard_normal(NUM_CLASSES))
        own = HAND_CLASS[state.deal.hands[player]]
        beliefs.append(normalised(pbs.beliefs[player] * factors[own]))
    return PBS(state, (beliefs[0], beliefs[1]))


def flop_root(pbs: PBS, random: np.random.Generator) -> StreetPBS:
    """The start of a random flop's betting after a PBS before the flop."""
    state = pbs.state
    assert isinstance(state, CardState)
    board = random_board(3, random)
    ranges = np.zeros((2, NUM_HANDS))
    for player in PLAYERS:
        ranges[player, state.deal.hands[player]] = pbs.beliefs[player]
    betting = state.betting
    return StreetPBS(
        rules=betting.rules,
        board=board,
        committed=min(betting.committed),
        line=(),
        ranges=blocked((ranges[0], ranges[1]), board),
    )
