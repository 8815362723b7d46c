"""A player of the whole of heads-up no-limit hold'em by search (ReBeL, sections 5 and 6).

Before the flop it plays a solved PBS that is stored, or solved once for the stacks. Later it solves
a subgame at its first decision of a street, from the PBS at the start of the street, and follows
that solution. If the opponent makes a bet that the subgame lacks, it is solved again, from the PBS
at the opponent's decision with the bet in it. The solution is also followed after actions that it
hardly ever takes: a subgame that began behind such an action would be solved for a range that the
opponent need not have. The flop ends in leaves before the turn card; the turn and the river are
solved to the end of the game.

Ranges are updated with policies for all hands, never with cards. A memory is a point of a hand and
the point before it; subgames are solved when a policy is asked for, and the solution depends on the
public actions and the hand's seed alone, so it does not matter when, or how often, that is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import NamedTuple
from zlib import crc32

import numpy as np

from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy
from tacit.agents.holdem.seat import legalised
from tacit.agents.holdem.settings import CLOCK, PREFLOP_ITERATIONS, PlayerSettings
from tacit.games import GameError
from tacit.games.holdem.betting import (
    CALL,
    FOLD,
    PREFLOP,
    RIVER,
    TURN,
    BettingRules,
)
from tacit.games.holdem.hand import PublicHand
from tacit.solvers.leaves import PBSEvaluator
from tacit.subgame.street import Decision, Ranges, StreetPBS, StreetPlan, blocked
from tacit.subgame.street_search import SearchBudget, StreetSearch

PREFLOP_PLANS = 64
"""How many solutions before the flop are kept."""
LATER_PLANS = 64
"""How many solutions of later streets that depend on no random number or clock are kept."""
BLINDS = (50, 100, 0)
"""Small blind, big blind and ante of the stored solutions."""

Leaves = Mapping[int, PBSEvaluator]
"""The evaluator of the leaves at the end of each street, before the next cards."""


@dataclass(frozen=True, eq=False)
class Subgame:
    """A subgame that is solved when it is needed; it holds the street's actions `line`."""

    player: SearchPlayer
    root: StreetPBS
    line: tuple[int, ...]
    seed: int

    @cached_property
    def plan(self) -> StreetPlan:
        """The solution."""
        return self.player.solve(self.root, self.line, self.seed)


class Point(NamedTuple):
    """Where a hand is: a subgame, the street's actions, whether a decision was made by it."""

    subgame: Subgame
    line: tuple[int, ...]
    decided: bool = False


@dataclass(frozen=True, eq=False)
class Memory:
    """A point of a hand in play; `before` is that before its last move, None at the start."""

    player: SearchPlayer
    hand: PublicHand
    seat: int
    seed: int
    rules: BettingRules
    """With the effective stack for both players."""
    before: Memory | None = None

    @cached_property
    def point(self) -> Point:
        """The subgame that holds this point."""
        if self.before is None:
            return Point(self._subgame(StreetPBS.first(self.rules), ()), ())
        if len(self.hand.board) > len(self.before.hand.board):
            return self._dealt(self.before)
        return self._acted(self.before, self.effective(self.hand.actions[-1]))

    @property
    def thought(self) -> Point:
        """At the player's own decision: the subgame whose solution is played."""
        subgame, line, _ = self.point
        return Point(subgame, line, True)

    def effective(self, action: int) -> int:
        """An action with the effective stack: more than it is all in."""
        return action if action in (FOLD, CALL) else min(action, self.rules.stacks[0])

    def _subgame(self, root: StreetPBS, line: tuple[int, ...]) -> Subgame:
        return Subgame(self.player, root, line, self.seed)

    @property
    def _floors(self) -> tuple[float, float]:
        """What is added to each player's chances when beliefs are carried on."""
        floor = self.player.settings.floor
        return (0.0, floor) if self.seat == 0 else (floor, 0.0)

    def _acted(self, before: Memory, action: int) -> Point:
        own = before.hand.mover == self.seat
        subgame, line, decided = before.thought if own else before.point
        after = (*line, action)
        if not decided:  # the subgame is solved at the player's next decision
            return Point(self._subgame(subgame.root, after), after)
        plan = subgame.plan
        if plan.has(after):
            return Point(subgame, after, True)
        root = replace(plan.root, line=line, ranges=_possible(plan, line, self._floors))
        return Point(self._subgame(root, after), after, own)

    def _dealt(self, before: Memory) -> Point:
        (subgame, line, _), board = before.point, self.hand.board
        ranges = blocked(_possible(subgame.plan, line, self._floors), board)
        committed = min(self.hand.betting.before)
        root = StreetPBS(rules=self.rules, board=board, committed=committed, line=(), ranges=ranges)
        return Point(self._subgame(root, ()), ())


class SearchPlayer(HoldemPlayer):
    """Searches at every street; memories share solutions before the flop."""

    def __init__(
        self,
        settings: PlayerSettings,
        leaves: Leaves,
        *,
        stored: Mapping[int, StreetPlan] | None = None,
    ) -> None:
        self.settings = settings
        self.leaves = leaves
        self.stored = stored or {}
        """Solutions before the flop by the stack of both players."""
        self._preflop: OrderedDict[object, StreetPlan] = OrderedDict()
        self._later: OrderedDict[object, StreetPlan] = OrderedDict()

    def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> Memory:
        """The memory of a new hand; random numbers are drawn from its seed."""
        if rules.first_street != PREFLOP or rules.last_street != RIVER:
            raise GameError("the search player plays whole hands, from the blinds to the river")
        stack = min(rules.stacks)
        equal = replace(rules, stacks=(stack, stack))
        seed = int(random.integers(2**63))
        return Memory(self, PublicHand.start(rules), seat, seed, equal)

    def policy(self, memory: Memory) -> HoldemPolicy:
        """Of the sampled iteration, or of the average."""
        if memory.hand.mover != memory.seat:
            raise GameError("the player is not to move here; expected a decision of its own")
        subgame, line, _ = memory.thought
        decision = subgame.plan.decision(line)
        assert decision is not None
        return _legal_policy(memory.hand, decision)

    def answer(self, memory: Memory, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """By the solution that is followed now, where it holds the actions."""
        followed = self._followed(memory)
        if followed is None:
            return None
        plan, line = followed
        decision = plan.decision((*line, *map(memory.effective, actions)))
        after = reduce(PublicHand.act, actions, memory.hand)
        return None if decision is None else _legal_policy(after, decision)

    def expected_answer(self, memory: Memory, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """By the solution that is followed now; the nearest bet stands for one that it lacks."""
        followed = self._followed(memory)
        if followed is None:
            return None
        plan, line = followed
        for action in actions:
            decision = plan.decision(line)
            near = None if decision is None else _nearest(decision, memory.effective(action))
            if near is None:
                return None
            line = (*line, near)
        decision = plan.decision(line)
        after = reduce(PublicHand.act, actions, memory.hand)
        return None if decision is None else _legal_policy(after, decision)

    def _followed(self, memory: Memory) -> tuple[StreetPlan, tuple[int, ...]] | None:
        """The solution that is followed and the street's actions; None if that is not yet known."""
        own = memory.hand.mover == memory.seat
        subgame, line, decided = memory.thought if own else memory.point
        return (subgame.plan, line) if decided or self._repeats else None

    def act(self, memory: Memory, action: int) -> Memory:
        """The memory after an action of either player."""
        return replace(memory, hand=memory.hand.act(action), before=memory)

    def deal(self, memory: Memory, cards: tuple[int, ...]) -> Memory:
        """The memory after board cards."""
        return replace(memory, hand=memory.hand.deal(cards), before=memory)

    def model(self) -> SearchPlayer:
        """The player that plays the average of each search instead of a sampled iteration.

        A player that does so by itself, without a clock, is its own model.
        """
        if self._repeats:
            return self
        settings = replace(self.settings, sampled=False, clock=False)
        model = SearchPlayer(settings, self.leaves, stored=self.stored)
        model._preflop = self._preflop
        return model

    def solve(self, root: StreetPBS, line: tuple[int, ...], seed: int) -> StreetPlan:
        """Solve the subgame at `root` with the actions `line` in it, or find its solution."""
        if root.street == PREFLOP and not root.line:
            plan = self._from_the_blinds(root, ())
            return plan if plan.has(line) else self._from_the_blinds(root, line)
        random = np.random.default_rng([seed, _number(root, line)])
        if not self._repeats:
            return self._search(root).solve(root, random, line=line)
        key = root.rules, root.board, root.committed, root.line, *map(bytes, root.ranges)
        without = self._later.get((key, root.line))
        if without is not None and without.has(line):  # the actions are in the menu anyway
            return without
        return _kept(
            self._later,
            (key, line),
            LATER_PLANS,
            lambda: self._search(root).solve(root, random, line=line),
        )

    @property
    def _repeats(self) -> bool:
        """Whether a solution depends on the public belief state alone."""
        return not (self.settings.sampled or self.settings.clock)

    def _from_the_blinds(self, root: StreetPBS, line: tuple[int, ...]) -> StreetPlan:
        """The solution of the first street with `line` in it; it depends on no random number."""
        rules = root.rules
        blinds, stack = (rules.small_blind, rules.big_blind, rules.ante), rules.stacks[0]
        if not line and blinds == BLINDS and stack in self.stored:
            return self.stored[stack]
        search = replace(self._search(root), sampled=False)
        return _kept(
            self._preflop,
            (blinds, stack, line),
            PREFLOP_PLANS,
            lambda: search.solve(root, np.random.default_rng(0), line=line),
        )

    def _search(self, root: StreetPBS) -> StreetSearch:
        settings, street = self.settings, root.street
        leaves = self.leaves.get(street)
        if street == TURN and settings.exact_turn:
            leaves = None
        budget = SearchBudget(
            seconds=settings.seconds,
            least=settings.turn_least if street == TURN else settings.least,
            most=PREFLOP_ITERATIONS if street == PREFLOP else settings.most,
            clock=CLOCK * settings.seconds if settings.clock else None,
        )
        menu = settings.menus.of(street)
        if settings.sizes != "fixed":
            from tacit.agents.holdem.chosen_menu import CHOOSERS, chosen_menu  # imports torch

            menu = chosen_menu(root, menu, CHOOSERS[settings.sizes])
        return StreetSearch(
            menu=menu,
            budget=budget,
            leaves=leaves,
            mode=settings.mode,
            sampled=settings.sampled,
            threads=settings.threads,
        )


def _kept(
    plans: OrderedDict[object, StreetPlan], key: object, most: int, solve: Callable[[], StreetPlan]
) -> StreetPlan:
    """The plan of that key, solved now if it is not among the latest ones."""
    if key not in plans:
        plans[key] = solve()
        if len(plans) > most:
            plans.popitem(last=False)
    plans.move_to_end(key)
    return plans[key]


def _legal_policy(hand: PublicHand, decision: Decision) -> HoldemPolicy:
    """What is played at a decision, with the nearest legal actions of the hand."""
    actions = np.array([legalised(hand.betting, action) for action in decision.actions])
    chances = decision.played / decision.played.sum(axis=0, dtype=np.float64)
    kept = sorted(set(actions.tolist()))
    merged = [chances[actions == action].sum(axis=0) for action in kept]
    return HoldemPolicy(tuple(kept), np.stack(merged))


def _nearest(decision: Decision, action: int) -> int | None:
    """The same action of the decision, or for a bet the one of the nearest size; None if none."""
    if action in decision.actions:
        return action
    bets = [each for each in decision.actions if each not in (FOLD, CALL)]
    if action in (FOLD, CALL) or not bets:
        return None
    return min(bets, key=lambda each: abs(np.log(each / action)))


def _possible(plan: StreetPlan, line: tuple[int, ...], floors: tuple[float, float]) -> Ranges:
    """The ranges after a line, normalised; as at the root where a range would be empty."""
    first, second = (
        after / after.sum() if after.sum() > 0 else before / before.sum()
        for after, before in zip(plan.ranges(line, floors), plan.root.ranges, strict=True)
    )
    return first, second


def _number(root: StreetPBS, line: tuple[int, ...]) -> int:
    """A number of the public state and the subgame's actions, the same in every process."""
    return crc32(repr((root.board, root.committed, root.line, line)).encode())
