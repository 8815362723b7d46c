"""Sizes for PREFLOP43: its decisions, rewards and episodes.

The tree goes to the end of the game; every node but the root has the base's sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games.holdem.betting import Betting
from tacit.games.holdem.cards import NUM_CARDS, format_cards
from tacit.games.holdem.preflop43 import (
    STACKS,
    UNKNOWN,
    Preflop43,
    betting_rules,
    deal_matrices,
    hand_names,
)
from tacit.games.holdem.spot import action_label
from tacit.learn.rl_cfr.decisions import Features, Side, features_of
from tacit.learn.rl_cfr.learners import Learner, Point
from tacit.learn.rl_cfr.rewards import (
    DEFAULT,
    SolvedSets,
    Solves,
    actions_with,
    root_values,
    solved,
)
from tacit.learn.rl_cfr.sizes import PREFLOP43, Sizes, all_in_pots
from tacit.learn.rl_cfr.states import BASE_NEXT, EXPLORE
from tacit.tree import Builder, PublicState, PublicTree, build_forest
from tacit.tree.dealt_betting import DealtBetting, HiddenDeal

Array = NDArray[np.float64]
Beliefs = tuple[Array, Array]
Pots = Callable[[DealtBetting], Sequence[float]]
"""The raises in pots at a public state."""


@dataclass(frozen=True, eq=False)
class Table43:
    """The nine hidden cards and the stacks, which define the game."""

    cards: tuple[int, ...]
    stack: int

    @classmethod
    def random(cls, random: np.random.Generator) -> Table43:
        """Any cards, and one of the paper's stacks."""
        cards = tuple(sorted(int(c) for c in random.choice(NUM_CARDS, UNKNOWN, replace=False)))
        return cls(cards, int(random.choice(STACKS)))

    @cached_property
    def deal(self) -> HiddenDeal:
        """The hands and their matrices."""
        return HiddenDeal(hand_names(self.cards), *deal_matrices(self.cards))

    @cached_property
    def builder(self) -> Builder:
        """What lays out its trees."""
        return Builder(Preflop43(format_cards(self.cards), self.stack))

    def start(self) -> Decision43:
        """Before the first action: every hand is possible."""
        ones = np.ones(len(self.deal.names))
        return Decision43(self, betting_rules(self.stack).start(), (ones, ones))


@dataclass(frozen=True, eq=False)
class Decision43:
    """A player about to act, with the beliefs [36] of both."""

    table: Table43
    betting: Betting
    beliefs: Beliefs

    @property
    def has_choice(self) -> bool:
        """Whether the mover has raises to choose from besides all-in."""
        return bool(PREFLOP43.usable(self.betting).any())

    @cached_property
    def features(self) -> Features:
        """[FEATURES] as of hold'em, without a board."""
        deal, mover = self.table.deal, self.betting.player
        sides = []
        for player in (mover, 1 - mover):
            own, other = self.beliefs[player], self.beliefs[1 - player]
            chance = deal.compatibility if player == 0 else deal.compatibility.T
            result = deal.showdown if player == 0 else -deal.showdown.T
            meets = chance @ other
            shares = (1 + (result @ other) / np.maximum(meets, 1e-30)) / 2
            weights = own * meets / (own @ meets)
            sides.append(Side(weights, shares, float(weights @ shares)))
        return features_of(self.betting, (0.0, 0.0, 0.0, 0.0), sides)

    @property
    def point(self) -> Point:
        """What a learner sees."""
        return Point(self.features, PREFLOP43.usable(self.betting), all_in_pots(self.betting))


def forest43(table: Table43, roots: Sequence[DealtBetting], pots: Pots) -> PublicTree:
    """The games at `roots`, with these raises, fold, call and all-in."""

    def actions(state: PublicState) -> frozenset[str]:
        assert isinstance(state, DealtBetting)
        taken = actions_with(state.betting, pots(state))
        return frozenset(action_label(state.betting, action) for action in taken)

    return build_forest(table.builder, roots, actions=actions)


def solve_sets43(
    decision: Decision43, sets: Sequence[Sizes], *, solves: Solves = DEFAULT
) -> SolvedSets:
    """Solve a decision with each of several sets at its root; values are in big blinds."""
    table, betting = decision.table, decision.betting
    roots = [DealtBetting(table.deal, betting, mark=("set", n)) for n in range(len(sets))]

    def pots(state: DealtBetting) -> Sequence[float]:
        match state.mark:
            case ("set", int(number)):
                return PREFLOP43.in_pots(sets[number])
        return PREFLOP43.base_pots

    tree = forest43(table, roots, pots)
    beliefs = [decision.beliefs] * len(sets)
    policy = solved(tree, solves, beliefs=beliefs)
    return SolvedSets(
        root_values(tree, policy, betting.player, beliefs),
        tuple(actions_with(betting, PREFLOP43.in_pots(chosen)) for chosen in sets),
        tuple(tree.block(policy, root.node)[:, root.copy] for root in tree.roots),
    )


def next_decision43(
    decision: Decision43, outcome: SolvedSets, number: int, random: np.random.Generator
) -> Decision43 | None:
    """Where a walk goes on by the policy of one of the sets; None if it ends."""
    actions, policy = outcome.actions[number], outcome.policies[number]
    mover = decision.betting.player
    shares = policy @ decision.beliefs[mover]
    chances = shares / shares.sum()
    if random.random() < EXPLORE:
        chances = np.full(len(actions), 1 / len(actions))
    taken = int(random.choice(len(actions), p=chances))
    after = decision.betting.act(actions[taken])
    own = decision.beliefs[mover] * policy[taken]
    if after.player not in (0, 1) or own.sum() < 1e-6:
        return None
    beliefs = (own, decision.beliefs[1]) if mover == 0 else (decision.beliefs[0], own)
    meets = beliefs[0] @ decision.table.deal.compatibility @ beliefs[1]
    following = Decision43(decision.table, after, beliefs)
    return following if meets > 1e-9 and following.has_choice else None


def walk43(
    learner: Learner, random: np.random.Generator, proposals: int, solves: Solves
) -> list[tuple[Decision43, list[Any], NDArray[np.float64]]]:
    """A walk from the start of a random table: decisions, proposals and rewards in pots."""
    found = []
    decision: Decision43 | None = Table43.random(random).start()
    while decision is not None:
        proposed = learner.propose(decision.point, random, proposals)
        sets = [PREFLOP43.base, *(each.chosen for each in proposed)]
        outcome = solve_sets43(decision, sets, solves=solves)
        pot = decision.betting.pot / decision.betting.rules.big_blind
        found.append((decision, proposed, (outcome.values[1:] - outcome.values[0]) / pot))
        followed = 0 if random.random() < BASE_NEXT else 1
        decision = next_decision43(decision, outcome, followed, random)
    return found


def reward43(decision: Decision43, chosen: Sizes, solves: Solves) -> float:
    """What a set is worth less the base, in pots."""
    values = solve_sets43(decision, [PREFLOP43.base, chosen], solves=solves).values
    pot = decision.betting.pot / decision.betting.rules.big_blind
    return float(values[1] - values[0]) / pot


def random_decisions43(count: int, random: np.random.Generator) -> list[Decision43]:
    """Decisions of walks by the base's policy."""
    found: list[Decision43] = []
    while len(found) < count:
        decision: Decision43 | None = Table43.random(random).start()
        while decision is not None:
            found.append(decision)
            outcome = solve_sets43(decision, [PREFLOP43.base], solves=Solves(100))
            decision = next_decision43(decision, outcome, 0, random)
    return found[:count]
