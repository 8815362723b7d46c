"""A public belief state on one street of hold'em, and the subgame that is solved from it.

The subgame starts at any point of a street's betting. It ends with the street, where leaves before
the next card stand, or with the game. Both players have the same stack: the effective one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import CALL, FOLD, RIVER, Betting, BettingRules
from tacit.games.holdem.cards import NUM_HANDS, live_hands
from tacit.games.holdem.spot import IDENTITY, Spot, action_label
from tacit.tree import PublicState, PublicTree, build_forest
from tacit.tree.builder import before_chance
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.deals import Deal
from tacit.tree.cards.states import CardState

Range = NDArray[np.float64]
Ranges = tuple[Range, Range]
FORCE_ALL_IN = 0.2
"""Bets after which, once called, this share of the pot or less is behind are all in."""
_LAST = 5
_ALL_HANDS = np.ones(NUM_HANDS, np.float32)


@dataclass(frozen=True, kw_only=True)
class BetMenu:
    """The bets of a subgame, in the notation of `tacit.games.holdem.bet_sizes`.

    now: on the street where it starts, lists of sizes by the number of bets and raises on the
    street so far, the last one for all that follow; later: the same for the streets behind it, if
    the subgame does not end with the street.
    """

    now: tuple[str, ...]
    later: tuple[str, ...] = ("100%,a", "a")

    def __post_init__(self) -> None:
        if not (self.now and self.later):
            raise GameError("a menu of bets has a list of sizes at least for the first bet")
        _ = self._settings

    @cached_property
    def _settings(self) -> tuple[tuple[BetSettings, ...], tuple[BetSettings, ...]]:
        now, later = (
            tuple(BetSettings.parse(sizes, force_all_in=FORCE_ALL_IN) for sizes in lists)
            for lists in (self.now, self.later)
        )
        return now, later

    @cached_property
    def spot_bets(self) -> BetSettings:
        """The bets of later streets, for public states below the subgame's leaves."""
        return BetSettings.parse("/".join(self.later[:2]), force_all_in=FORCE_ALL_IN)

    def raises(self, betting: Betting, history: str) -> tuple[int, ...]:
        """The bets or raises at a point of the betting; `history` starts with the first street."""
        *before, street = history.split("/")
        lists = self._settings[bool(before)]
        return lists[min(street.count("r"), len(lists) - 1)].raises(betting)


@dataclass(frozen=True, kw_only=True, eq=False)
class StreetPBS:
    """A public belief state at a decision of a street.

    rules: of the whole hand, with equal stacks; committed: the chips of each player before this
    street; line: the actions on it so far; ranges: [1326] each, of any scale, 0 for blocked hands.
    """

    rules: BettingRules
    board: tuple[int, ...]
    committed: int
    line: tuple[int, ...]
    ranges: Ranges

    def __post_init__(self) -> None:
        if self.rules.stacks[0] != self.rules.stacks[1]:
            raise GameError(f"stacks of {self.rules.stacks} differ; take the smaller one for both")
        live = live_hands(self.board)
        for player, weights in enumerate(self.ranges):
            if weights.shape != (NUM_HANDS,) or not (weights[live] > 0).any():
                raise GameError(f"player {player} has no hand that the board leaves possible")

    @classmethod
    def first(cls, rules: BettingRules) -> StreetPBS:
        """Before the first action of a hand, all hands equally likely."""
        every = np.full(NUM_HANDS, 1 / NUM_HANDS)
        return cls(rules=rules, board=(), committed=0, line=(), ranges=(every, every))

    @property
    def street(self) -> int:
        """0 preflop to 3 river."""
        return self.start.street

    @cached_property
    def start(self) -> Betting:
        """The betting at the start of the street."""
        if not self.board:
            return self.rules.start()
        street = len(self.board) - 2
        here = replace(self.rules, first_street=street, committed=self.committed, ante=0)
        return here.start()

    @cached_property
    def point(self) -> tuple[Betting, str]:
        """The betting here, and the street's history."""
        betting, history = self.start, ""
        for action in self.line:
            history += action_label(betting, action)
            betting = betting.act(action)
        return betting, history

    def root(self, menu: BetMenu) -> CardState:
        """The public state here, with every live hand of both players."""
        every = np.where(live_hands(self.board), _ALL_HANDS, np.float32(0))
        rules, ranges = self.start.rules, (every, every)
        spot = Spot(board=self.board, rules=rules, ranges=ranges, bets=menu.spot_bets)
        deal = Deal.first(self.board, spot.ranges, _LAST, (IDENTITY,))
        betting, history = self.point
        return CardState(spot, betting, deal, history)

    def tree(
        self, menu: BetMenu, *, line: tuple[int, ...] | None = None, whole: bool
    ) -> PublicTree:
        """The subgame from here to the end of the street, or of the `whole` game.

        line: actions of the street, from its start on, that are added to the menu's.
        """
        betting, history = self.point
        added: dict[str, int] = {}
        for action in (line or ())[len(self.line) :]:
            added[history] = action
            history += action_label(betting, action)
            betting = betting.act(action)

        def actions(state: PublicState) -> frozenset[str]:
            assert isinstance(state, CardState)
            chosen = {CALL, *menu.raises(state.betting, state.history)}
            chosen |= {FOLD} if state.betting.can_fold else set()
            chosen |= {added[state.history]} if state.history in added else set()
            return frozenset(action_label(state.betting, action) for action in chosen)

        stop = None if whole or self.street == RIVER else before_chance
        return build_forest(CardBuilder(), [self.root(menu)], stop=stop, actions=actions)

    def beliefs(self, tree: PublicTree) -> Ranges:
        """[K] each: the normalised ranges, in the order of the infostates at the tree's root."""
        hands = tree.cards.state(tree.roots[0].node).deal.hands
        first, second = (
            weights[own] / weights[own].sum()
            for weights, own in zip(self.ranges, hands, strict=True)
        )
        return first, second


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """The policies of a search at one decision of its street.

    played: [A, 1326] what is played; believed: [A, 1326] what ranges are updated with.
    """

    player: int
    actions: tuple[int, ...]
    played: NDArray[np.float32]
    believed: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class StreetPlan:
    """A solved subgame, as far as its street goes.

    decisions: by the street's betting history; values: [1326] each, the chips that each hand wins
    over the whole hand from the root on, by the average policies; iteration: the one that is
    played, of `iterations`.
    """

    root: StreetPBS
    decisions: Mapping[str, Decision] = field(repr=False)
    values: Ranges = field(repr=False)
    iteration: int
    iterations: int
    nodes: int
    leaves: int

    def decision(self, line: tuple[int, ...]) -> Decision | None:
        """The decision after a line of actions of the street; None if the subgame lacks it."""
        walked = self._walk(line)
        return None if walked is None else self.decisions.get(walked[0])

    def has(self, line: tuple[int, ...]) -> bool:
        """Whether the subgame holds a line of actions of its street, from the root's on."""
        return self._walk(line) is not None

    def ranges(self, line: tuple[int, ...], floors: tuple[float, float] = (0.0, 0.0)) -> Ranges:
        """[1326] each: the ranges after a line of the subgame; a range may be all zero.

        floors: for each player, what is added to the chance of each action.
        """
        walked = self._walk(line)
        if walked is None:
            raise GameError(f"the subgame does not hold the actions {line}")
        ranges = list(self.root.ranges)
        for decision, action in walked[1]:
            chances = decision.believed[decision.actions.index(action)]
            ranges[decision.player] = ranges[decision.player] * (chances + floors[decision.player])
        return ranges[0], ranges[1]

    def _walk(self, line: tuple[int, ...]) -> tuple[str, list[tuple[Decision, int]]] | None:
        """The history after a line, and its decisions with the actions taken."""
        begun = len(self.root.line)
        if line[:begun] != self.root.line:
            return None
        betting, history = self.root.point
        steps = []
        for action in line[begun:]:
            decision = self.decisions.get(history)
            if decision is None or action not in decision.actions:
                return None
            steps.append((decision, action))
            history += action_label(betting, action)
            betting = betting.act(action)
        return history, steps


def blocked(ranges: Ranges, board: tuple[int, ...]) -> Ranges:
    """The ranges [1326] without hands that the board blocks, normalised; all hands if none left."""
    live = live_hands(board)
    kept = []
    for weights in ranges:
        alive = np.where(live, weights, 0.0)
        alive = alive if alive.sum() > 0 else live.astype(np.float64)
        kept.append(alive / alive.sum())
    return kept[0], kept[1]
