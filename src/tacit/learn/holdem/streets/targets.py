"""Examples for the networks before the turn card and before the flop.

Before the turn card: leaves of flop searches, some turn cards of each, solved to the end of the
game; then, with a network that has learnt those turns, all turn cards of many more leaves, valued
by it. Before the flop: leaves of preflop searches, one flop of each, solved to the end of the
street with the network before the turn card; then, with a network that has learnt those flops, many
flops of more leaves, valued by it. All are corrections to exact equity, averaged over the cards
that were drawn (`tacit.learn.holdem.targets`); the noise that is left averages out in the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tacit.games import GameError
from tacit.learn.holdem.examples import Examples, draw_hands, join
from tacit.learn.holdem.knots import SCALARS, Situation, locate, zero_sum
from tacit.learn.holdem.network import KnotEvaluator
from tacit.learn.holdem.random_positions import random_board
from tacit.learn.holdem.streets.positions import (
    FLOP_MENU,
    Reached,
    StreetSettings,
    flop_root,
    preflop_leaves,
    search_leaves,
    shaken,
)
from tacit.learn.holdem.targets import (
    Solved,
    TargetSettings,
    as_shares,
    average_by_network,
    average_over_cards,
    solve_before_card,
)
from tacit.solvers.leaves import PBSEvaluator
from tacit.tree import PLAYERS
from tacit.tree.pbs import PBS


@dataclass(frozen=True, kw_only=True)
class ChunkSettings:
    """What one chunk of examples is made of: one stack, some flops of it, some leaves of each."""

    positions: StreetSettings = field(default_factory=StreetSettings)
    targets: TargetSettings = field(default_factory=lambda: TargetSettings(iterations=40, cards=1))
    flops: int = 6
    leaves: int = 4
    averaged: int = 24
    """Leaves of a search that a network values after the next cards."""
    deals: int = 64
    """Flops over which a leaf before the flop is averaged."""

    def __post_init__(self) -> None:
        if min(self.flops, self.leaves, self.averaged, self.deals) < 1:
            raise GameError(f"{self.flops} flops of {self.leaves} leaves; expected 1 or more each")


@dataclass(frozen=True)
class StreetEvaluators:
    """The evaluators at the ends of the preflop betting and of the flop's."""

    preflop: PBSEvaluator
    flop: PBSEvaluator


def _flop_searches(
    settings: ChunkSettings, evaluators: StreetEvaluators, random: np.random.Generator
) -> Iterator[Reached]:
    """The leaves of flop searches, at a random iteration and the last, behind one preflop search.

    Searches draw from `random` one by one, between what is drawn for each of them.
    """
    positions = settings.positions
    reached = preflop_leaves(positions, evaluators.preflop, random)
    for pbs in reached.draw(settings.flops, random):
        root = flop_root(shaken(pbs, positions.noise, random), random)
        last = positions.flop_iterations
        when = (int(random.integers(2, last)), last)
        _, leaves = search_leaves(root, FLOP_MENU, evaluators.flop, when)
        yield leaves


def turn_examples(
    settings: ChunkSettings, evaluators: StreetEvaluators, random: np.random.Generator
) -> Examples:
    """Examples before the turn card, and at the start of the turns that were solved for them."""
    parts = []
    for leaves in _flop_searches(settings, evaluators, random):
        chosen = leaves.draw(settings.leaves, random)
        if chosen:
            both = solve_before_card(chosen, settings.targets, random)
            parts += [draw_hands(each.positions, each.shares, random, each.known) for each in both]
    return join(parts)


def averaged_examples(
    settings: ChunkSettings, evaluators: StreetEvaluators, random: np.random.Generator
) -> Examples:
    """Examples before the turn card, valued by a network for the start of the turn."""
    network = evaluators.flop
    if not isinstance(network, KnotEvaluator):
        raise GameError("values are averaged over turn cards by a network; train one first")
    parts = []
    for leaves in _flop_searches(settings, evaluators, random):
        chosen = leaves.draw(settings.averaged, random)
        if chosen:
            solved = average_by_network(network, chosen)
            parts.append(draw_hands(solved.positions, solved.shares, random))
    return join(parts)


def flop_examples(
    settings: ChunkSettings, evaluators: StreetEvaluators, random: np.random.Generator
) -> Examples:
    """Examples before the flop, and at the start of the flops that were searched for them."""
    positions = settings.positions
    reached = preflop_leaves(positions, evaluators.preflop, random)
    parts = []
    for drawn in reached.draw(settings.flops * settings.leaves, random):
        pbs = shaken(drawn, positions.noise, random)
        after = searched_flop(pbs, evaluators.flop, positions.flop_iterations, random)
        before = average_over_cards(locate([pbs]), after, [1])
        parts.append(draw_hands(before.positions, before.shares, random, before.known))
        parts.append(draw_hands(after.positions, after.shares, random))
    return join(parts)


def averaged_flop_examples(
    settings: ChunkSettings, evaluators: StreetEvaluators, random: np.random.Generator
) -> Examples:
    """Examples before the flop, valued by a network over many flops, and of searched flops.

    What the one flop that is searched for a PBS says about the PBS before it is left out.
    """
    positions, network = settings.positions, evaluators.preflop
    if not isinstance(network, KnotEvaluator):
        raise GameError("values are averaged over flops by a network; train one first")
    searched = flop_examples(settings, evaluators, random)
    after = searched.rows[:, SCALARS + Situation.FLOP] > 0
    reached = preflop_leaves(positions, network, random)
    chosen = [
        shaken(pbs, positions.noise, random) for pbs in reached.draw(settings.averaged, random)
    ]
    deals = [random_board(3, random) for _ in range(settings.deals)]
    solved = average_by_network(network, chosen, deals=deals)
    averaged = draw_hands(solved.positions, solved.shares, random)
    return join([averaged, searched.at(np.flatnonzero(after))])


def searched_flop(
    pbs: PBS, evaluator: PBSEvaluator, iterations: int, random: np.random.Generator
) -> Solved:
    """The start of a random flop after a PBS before the flop, searched to the turn card."""
    root = flop_root(pbs, random)
    solver, _ = search_leaves(root, FLOP_MENU, evaluator, (iterations,))
    start = PBS(root.root(FLOP_MENU), root.beliefs(solver.tree))
    first, second = (solver.root_values(player)[0] for player in PLAYERS)
    here = locate([start])
    return Solved(here, zero_sum(as_shares([start], here, [(first, second)]), here.weight))
