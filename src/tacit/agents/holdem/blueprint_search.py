"""A player by a blueprint at first and by nested search later.

When the turn is dealt (or the flop), the ranges of both players by the blueprint make a PBS. From
it on the player searches as `tacit.agents.holdem.search_player` does, with the opponent's bets in
the subgame: turn and river are solved to the end of the game, the flop to the turn card.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.agents.holdem.blueprint_player import BlueprintMemory, BlueprintPlayer
from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy
from tacit.agents.holdem.search_player import Leaves, Memory, Point, SearchPlayer
from tacit.agents.holdem.searching import evaluators
from tacit.agents.holdem.settings import PlayerSettings, read_settings
from tacit.games.holdem.betting import BOARD_SIZES, FLOP, TURN, BettingRules
from tacit.subgame.holdem.blueprint import HoldemBlueprint, shipped_blueprint
from tacit.subgame.street import StreetPBS, blocked

AnyMemory = BlueprintMemory | Memory


@dataclass(frozen=True, eq=False)
class SearchMemory(Memory):
    """A point of the search; root: the PBS at which it began."""

    root: StreetPBS | None = None

    @cached_property
    def point(self) -> Point:
        """The subgame that holds this point."""
        if self.before is None and self.root is not None:
            return Point(self._subgame(self.root, ()), ())
        return super().point


class BlueprintSearchPlayer(HoldemPlayer):
    """Plays a blueprint, and searches from the turn on; with `leaves`, from the flop on."""

    def __init__(
        self, blueprint: HoldemBlueprint, settings: PlayerSettings, leaves: Leaves | None = None
    ) -> None:
        self.early = BlueprintPlayer(blueprint)
        self.late = SearchPlayer(replace(settings, exact_turn=True), leaves or {})
        self.first = FLOP if leaves else TURN

    def begin(self, rules: BettingRules, seat: int, random: np.random.Generator) -> AnyMemory:
        """At the blueprint's root."""
        return self.early.begin(rules, seat, random)

    def policy(self, memory: AnyMemory) -> HoldemPolicy:
        """By the blueprint or by search."""
        if isinstance(memory, BlueprintMemory):
            return self.early.policy(memory)
        return self.late.policy(memory)

    def act(self, memory: AnyMemory, action: int) -> AnyMemory:
        """The memory after an action of either player."""
        if isinstance(memory, BlueprintMemory):
            return self.early.act(memory, action)
        return self.late.act(memory, action)

    def answer(self, memory: AnyMemory, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """By the blueprint or by search."""
        if isinstance(memory, BlueprintMemory):
            return self.early.answer(memory, actions)
        return self.late.answer(memory, actions)

    def expected_answer(self, memory: AnyMemory, actions: tuple[int, ...]) -> HoldemPolicy | None:
        """By search."""
        if isinstance(memory, BlueprintMemory):
            return self.early.expected_answer(memory, actions)
        return self.late.expected_answer(memory, actions)

    def deal(self, memory: AnyMemory, cards: tuple[int, ...]) -> AnyMemory:
        """The memory after board cards; on the first street of the search it begins."""
        if not isinstance(memory, BlueprintMemory):
            return self.late.deal(memory, cards)
        after = self.early.deal(memory, cards)
        hand = after.hand
        if len(hand.board) < BOARD_SIZES[self.first]:
            return after
        rules = hand.betting.rules
        stack = min(rules.stacks)
        equal = replace(rules, stacks=(stack, stack))
        root = StreetPBS(
            rules=equal,
            board=hand.board,
            committed=min(hand.betting.before),
            line=(),
            ranges=blocked(after.ranges, hand.board),
        )
        return SearchMemory(self.late, hand, after.seat, after.seed, equal, root=root)

    def model(self) -> BlueprintSearchPlayer:
        """The player that plays the average of each search."""
        settings = replace(self.late.settings, sampled=False, clock=False)
        return BlueprintSearchPlayer(self.early.blueprint, settings, self.late.leaves)


def blueprint_search_player(text: str) -> BlueprintSearchPlayer:
    """The player with the blueprint of the package and these settings of search.

    The word ``flop`` among them: it searches on the flop, too.
    """
    words = [word.strip() for word in text.split(",")]
    settings = read_settings(",".join(word for word in words if word != "flop"))
    leaves = evaluators(network=settings.network) if "flop" in words else None
    return BlueprintSearchPlayer(shipped_blueprint(), settings, leaves)
