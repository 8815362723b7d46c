"""The learned action chooser: sizes for a spot, by trained networks and refined by a few solves.

First bets of both players are chosen by the network of their street, the first raise too. Before a
later street is reached its board, pot and beliefs are not known; the sizes there are best on
average over sampled boards and two pots. These sizes are then *refined*: the engine solves the game
with each of several plans, the base's among them, and takes the one that is worth most. Behind a
flop the sizes of turn and river are refined on two sampled turns. A turn with very deep stacks
keeps the base, because such solves do not tell the plans apart.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings, BetSize, StreetSizes, Unit
from tacit.games.holdem.betting import CALL, FLOP, RIVER, STREETS, TURN, BettingRules
from tacit.games.holdem.cards import NUM_CARDS, live_hands
from tacit.games.holdem.spot import Spot, action_label
from tacit.learn.rl_cfr.decisions import Decision, decision_of
from tacit.learn.rl_cfr.episodes import point_of
from tacit.learn.rl_cfr.learners import Bandit, Point
from tacit.learn.rl_cfr.refinement import (
    BASE_PLAN,
    FLOP_BASE,
    MOST_BEHIND,
    TURN_BASE,
    Refined,
    Tried,
    flop_plan,
    is_deep,
    refine_flop,
    refine_river,
    refine_turns,
    turn_plan,
)
from tacit.learn.rl_cfr.sizes import BELOW, HOLDEM, Sizes, check_count, totals
from tacit.learn.rl_cfr.street_game import Plan, Plans
from tacit.learn.rl_cfr.training import ACTORS, TrainedActor, load_actor
from tacit.steps import OnShare, ignore_share

FACED = 0.7
"""The bet, in pots, to which raises are chosen."""
BOARDS = 4
"""The number of boards that stand for a later street."""
CANDIDATES = 3
"""The number of sets that are tried for each player when a river is refined."""
LATER_TURNS = 2
"""The number of turns on which sizes behind a flop are refined."""
RANKED = 1000
"""The number of predictions among which the best sets of each length are looked for."""
ALONE = "by the actor alone"
TOO_SMALL = "by the actor alone: the ranges are too small to be sampled"
TOO_DEEP = f"the base: on a turn with more than {MOST_BEHIND} pots behind no gain is shown"


@cache
def shipped_actors() -> dict[str, TrainedActor]:
    """The trained choosers in the package, by problem."""
    paths = sorted(ACTORS.glob("*.pt"))
    return {path.stem.removeprefix("rl-cfr-"): load_actor(path) for path in paths}


@dataclass(frozen=True)
class SizeChoice:
    """Sizes chosen for a spot.

    plans: by street, those of both players; gains: where they were refined, what each player wins
    more than with the base, in chips, on a river against an opponent with every size of the grid,
    on a turn against one with six sizes, on a flop against one with three and by the flop's sizes
    alone; exploitability: by these sizes of the opponent, with the base's and with the chosen
    sizes, in chips; unrefined: why the plans were not refined, if they were not.
    """

    plans: Mapping[int, Plans]
    seconds: float
    gains: tuple[float, float] | None = None
    exploitability: tuple[float, float] | None = None
    unrefined: str = ALONE

    @property
    def bets(self) -> BetSettings:
        """The sizes as settings of a tree."""
        return settings_of_plans(self.plans)


@dataclass(frozen=True, kw_only=True)
class LearnedChooser:
    """Chooses sizes by trained networks, by the name of the street.

    The turn's serves the flop too; without one the river's serves both. sizes: the most first bets
    of a player on a street, all-in not counted; refine: try several by solving.
    """

    actors: Mapping[str, TrainedActor] = field(default_factory=shipped_actors)
    sizes: int = 3
    refine: bool = True

    def __post_init__(self) -> None:
        check_count(self.sizes)

    def choose(self, spot: Spot) -> BetSettings:
        """The chosen sizes."""
        return self.decide(spot).bets

    def at(self, decision: Decision) -> Sizes:
        """The sizes of the player about to act at one decision, by the actor alone.

        Where stacks are deep before the river these are the base's.
        """
        if decision.betting.street < RIVER and is_deep(decision):
            return HOLDEM.base
        return self.bandit(decision.betting.street).choose(point_of(decision), self.sizes)

    def decide(self, spot: Spot, *, on_share: OnShare = ignore_share) -> SizeChoice:
        """The chosen sizes, and what they gain where that was measured.

        on_share: is told the share of the solves that are done.
        """
        begun = time.perf_counter()
        start = decision_of(spot)
        street = spot.rules.first_street
        refine = {RIVER: self._refined_river, TURN: self._refined_turn, FLOP: self._refined_flop}
        if self.refine:
            choice = refine[street](start, on_share)
        else:
            choice = SizeChoice(self._predicted(start), 0.0)
        return replace(choice, seconds=time.perf_counter() - begun)

    @property
    def _keep_base(self) -> bool:
        """Whether the base has no more sizes than may be chosen."""
        return len(HOLDEM.base) <= self.sizes

    def _refined_river(self, start: Decision, on_share: OnShare) -> SizeChoice:
        tried = self._river_plans(start)
        best = refine_river(start, tried, keep_base=self._keep_base, on_share=on_share)
        return SizeChoice({RIVER: best.plans}, 0.0, best.gains, best.losses)

    def _refined_turn(self, start: Decision, on_share: OnShare) -> SizeChoice:
        if is_deep(start, MOST_BEHIND):
            if not self._keep_base:
                return SizeChoice(self._predicted(start), 0.0)
            return SizeChoice(_turn_and_river((TURN_BASE, TURN_BASE)), 0.0, unrefined=TOO_DEEP)
        best = self._refined_turns([start], on_share)
        return SizeChoice(_turn_and_river(best.plans), 0.0, best.gains, best.losses)

    def _refined_turns(self, starts: Sequence[Decision], on_share: OnShare) -> Refined:
        """The best plans for turns of one spot."""
        tried = self.turn_plans(starts)
        return refine_turns(starts, tried, keep_base=self._keep_base, on_share=on_share)

    def _refined_flop(self, start: Decision, on_share: OnShare) -> SizeChoice:
        plans, tried = self._predicted(start), self.flop_plans(start)
        best = refine_flop(
            start, tried, keep_base=self._keep_base, on_share=lambda share: on_share(0.8 * share)
        )
        if best is None:
            return SizeChoice(plans, 0.0, unrefined=TOO_SMALL)
        plans[FLOP] = best.plans
        turns = [turn for turn in _later(start.spot, TURN)[:LATER_TURNS] if not is_deep(turn)]
        if turns:
            refined = self._refined_turns(turns, lambda share: on_share(0.8 + 0.2 * share))
            plans |= _turn_and_river(refined.plans)
        elif self._keep_base:
            plans |= _turn_and_river((TURN_BASE, TURN_BASE))
        return SizeChoice(plans, 0.0, best.gains, best.losses)

    def _predicted(self, start: Decision) -> dict[int, Plans]:
        """By street, the plans that are predicted to be best."""
        street = start.spot.rules.first_street
        plans = {street: (self._plan([start], 0), self._plan([start], 1))}
        for later in range(street + 1, RIVER + 1):
            starts = _later(start.spot, later)
            plans[later] = self._plan(starts, 0), self._plan(starts, 1)
        return plans

    def bandit(self, street: int) -> Bandit:
        """The network of a street."""
        name = "turn" if street < RIVER and "turn" in self.actors else STREETS[RIVER]
        if name not in self.actors:
            raise GameError(
                f"there is no trained chooser for the {name}; train one: tacit train rl-cfr-{name}"
            )
        learner = self.actors[name].learner
        if not isinstance(learner, Bandit) or learner.grid != HOLDEM:
            raise GameError(
                f"the chooser of the {name} is not one of hold'em's sizes learnt by the bandit; "
                f"train one: tacit train rl-cfr-{name}"
            )
        return learner

    def _plan(self, starts: Sequence[Decision], player: int) -> Plan:
        """The plan that is predicted to be best on average."""
        if not starts:
            return Plan(())
        bandit = self.bandit(starts[0].betting.street)
        [bets] = bandit.best_on_average([_bet(start, player) for start in starts], self.sizes)
        return Plan(bets, self._raises(starts, player))

    def _raises(self, starts: Sequence[Decision], player: int) -> tuple[float, ...]:
        """The first raise that is predicted to be best on average, in pots."""
        points = [point for start in starts if (point := _raise(start, player)) is not None]
        if not points:
            return (BELOW,)
        [raised] = self.bandit(starts[0].betting.street).best_on_average(points, 1)
        return HOLDEM.in_pots(raised) or (BELOW,)

    def _river_plans(self, start: Decision) -> Tried:
        """The plans that are tried on a river: the best sets, and the best one with a raise."""
        tried = []
        for player in (0, 1):
            point = _bet(start, player)
            ranked = self.bandit(RIVER).best_on_average([point], self.sizes, CANDIDATES)
            raising = Plan(ranked[0], self._raises([start], player))
            tried.append([BASE_PLAN, *dict.fromkeys([raising, *map(Plan, ranked)])])
        return tried[0], tried[1]

    def turn_plans(self, starts: Sequence[Decision]) -> Tried:
        """The plans that are tried on turns of one spot, each with sizes for the river.

        These are the base's, the best sets of one, two and more bets with the best set of the
        river, and, if the base may be chosen, the best set of all with the base's on the river.
        """
        tried = []
        later = [river for start in starts for river in _later(start.spot, RIVER)]
        for player in (0, 1):
            ranked = self._best_by_length(starts, player)
            river = self._plan(later, player).bets
            plans = [turn_plan(bets, river) for bets in ranked]
            if self._keep_base:
                plans.append(turn_plan(ranked[0], HOLDEM.base))
            tried.append(list(dict.fromkeys([TURN_BASE, *plans])))
        return tried[0], tried[1]

    def flop_plans(self, start: Decision) -> Tried:
        """The plans that are tried on a flop: the base's, the best sets of one, two and more."""
        first, second = (
            list(dict.fromkeys([FLOP_BASE, *map(flop_plan, self._best_by_length([start], player))]))
            for player in (0, 1)
        )
        return first, second

    def _best_by_length(self, starts: Sequence[Decision], player: int) -> list[Sizes]:
        """The best sets of each length for the player's first bet, the best of all first."""
        points = [_bet(start, player) for start in starts]
        bandit = self.bandit(starts[0].betting.street)
        ranked = bandit.best_on_average(points, self.sizes, RANKED)
        by_length = {len(bets): bets for bets in reversed(ranked)}
        return sorted(by_length.values(), key=ranked.index)


def chooser_of(path: Path | None = None, *, sizes: int = 3) -> LearnedChooser:
    """The shipped chooser, in which the actor of a file or run replaces that of its problem."""
    actors = dict(shipped_actors())
    if path is not None:
        actor = load_actor(path)
        if actor.problem.grid != HOLDEM:
            raise GameError(
                f"{path} chooses sizes of {actor.settings.problem}, not of hold'em; give one of "
                "tacit train rl-cfr-river or rl-cfr-turn"
            )
        actors[actor.settings.problem] = actor
    return LearnedChooser(actors=actors, sizes=sizes)


def settings_of_plans(plans: Mapping[int, Plans]) -> BetSettings:
    """Plans by street as settings of a tree; raises hold for later ones too."""
    streets = []
    for street in range(len(STREETS)):
        both = plans.get(street)
        first, second = (
            StreetSizes() if both is None else StreetSizes(_sizes(p.pots), _sizes(p.raises))
            for p in (both or (BASE_PLAN, BASE_PLAN))
        )
        streets.append((first, second))
    return BetSettings(sizes=(streets[0], streets[1], streets[2], streets[3]))


def _turn_and_river(plans: Plans) -> dict[int, Plans]:
    """Plans of turns by street."""
    rivers = Plan(plans[0].later_bets), Plan(plans[1].later_bets)
    return {TURN: plans, RIVER: rivers}


def _sizes(pots: Sequence[float]) -> tuple[BetSize, ...]:
    return (*(BetSize(Unit.POT, size) for size in pots), BetSize(Unit.ALL_IN))


def _bet(start: Decision, player: int) -> Point:
    """The player's first bet: at the start, or after a check."""
    if player == start.betting.player:
        return point_of(start)
    check = Decision(start.spot, start.history + action_label(start.betting, CALL))
    return point_of(check)


def _raise(start: Decision, player: int) -> Point | None:
    """The player's raise of a bet of `FACED` pots; None if there is nothing to raise."""
    history, betting = start.history, start.betting
    if betting.player == player:
        history += action_label(betting, CALL)
        betting = betting.act(CALL)
    bet = totals(betting, (FACED,))[0]
    facing = Decision(start.spot, history + action_label(betting, bet))
    return point_of(facing) if facing.has_choice else None


def _later(spot: Spot, street: int) -> list[Decision]:
    """Starts of a later street on sampled boards, in pots without and with bets called before."""
    random = np.random.default_rng(list(spot.board))
    left = [card for card in range(NUM_CARDS) if card not in spot.board]
    more = street - spot.rules.first_street
    found = []
    for number in range(BOARDS):
        dealt = tuple(int(card) for card in random.choice(left, more, replace=False))
        board = (*spot.board, *dealt)
        live = live_hands(board)
        pot, behind = spot.pot, min(spot.rules.start().behind)
        if number % 2:
            bet = min(round(FACED * pot), behind)
            pot, behind = pot + 2 * bet, behind - bet
        rules = BettingRules.from_pot(
            street, pot=pot, behind=(behind, behind), big_blind=spot.rules.big_blind
        )
        ranges = (spot.ranges[0] * live, spot.ranges[1] * live)
        try:
            start = Decision(Spot(board=board, rules=rules, ranges=ranges, bets=spot.bets))
        except GameError:  # the board blocks a range
            continue
        found += [start] if start.betting.player == 0 and start.has_choice else []
    return found
