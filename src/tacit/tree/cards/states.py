"""Hold'em on the public tree: public states made of betting and board, infostates of live hands.

The infostates of a player are the hands of the range that the board leaves alive; on the last
street they stand in the order of their strength, as the showdown kernel wants them. A pair of hands
has the chance weight one if they share no card, so the deal of a card weighs one over the number of
cards that neither player holds.

Boards that differ in the names of suits only are drawn once where the ranges cannot tell the suits
apart: the edge to such a board stands for all of them, and its map says which of the parent's hands
is which of the child's under each renaming.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FOLD, Betting
from tacit.games.holdem.cards import (
    HAND_CARDS,
    NUM_CARDS,
    NUM_HANDS,
    format_cards,
    hand_name,
    live_hands,
)
from tacit.games.holdem.hand_rank import rank_hands
from tacit.games.holdem.spot import IDENTITY, Spot, Suits, action_label, permute_card, permute_hands
from tacit.tree.public_state import Expansion, PublicState, Transition

Hands = NDArray[np.int16]
Maps = NDArray[np.int32]


@dataclass(frozen=True)
class SuitOrbit:
    """Cards to deal, and the renamings of suits that lead from them to all they stand for."""

    cards: tuple[int, ...]
    renamings: tuple[Suits, ...]


class Deal:
    """The hands that are possible on a board, and the boards that may follow.

    hands[p]: [K_p] hand numbers in the order of infostates; symmetries: the renamings of suits that
    change neither the cards dealt so far, street by street, nor the ranges.
    """

    def __init__(
        self,
        number: int,
        board: tuple[int, ...],
        ranges: tuple[NDArray[Any], NDArray[Any]],
        symmetries: tuple[Suits, ...],
        *,
        showdown: bool,
    ) -> None:
        self.number = number
        self.board = board
        self.symmetries = symmetries
        alive = live_hands(board)
        strengths = rank_hands(board) if showdown else None
        self.hands: tuple[Hands, Hands] = (
            _ordered(ranges[0], alive, strengths),
            _ordered(ranges[1], alive, strengths),
        )
        self.counts = len(self.hands[0]), len(self.hands[1])
        self.strengths = (
            None if strengths is None else (strengths[self.hands[0]], strengths[self.hands[1]])
        )
        self.children: dict[tuple[int, ...], tuple[Deal, float, tuple[Maps, Maps, Maps, Maps]]] = {}

    def orbits(self, count: int) -> list[SuitOrbit]:
        """What may be dealt, `count` cards at a time, one for all that differ in suits only."""
        left = [card for card in range(NUM_CARDS) if card not in self.board]
        found = []
        seen: set[tuple[int, ...]] = set()
        for cards in combinations(left, count):
            if cards in seen:
                continue
            images: dict[tuple[int, ...], Suits] = {}
            for suits in self.symmetries:
                image = tuple(sorted(permute_card(suits, card) for card in cards))
                images.setdefault(image, suits)
            seen.update(images)
            found.append(SuitOrbit(cards, tuple(images.values())))
        return found

    @cached_property
    def cards(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """[K_p, 2] the cards of each player's hands."""
        return HAND_CARDS[self.hands[0]], HAND_CARDS[self.hands[1]]

    @cached_property
    def compatibility(self) -> NDArray[np.float64]:
        """[K0, K1] one where two hands share no card; for tests and small ranges only."""
        first, second = self.cards
        apart: NDArray[np.bool_] = (first[:, None, :, None] != second[None, :, None, :]).all((2, 3))
        return apart.astype(np.float64)


def _ordered(
    weights: NDArray[Any], alive: NDArray[np.bool_], strengths: NDArray[np.int32] | None
) -> Hands:
    hands = np.flatnonzero(alive & (weights > 0))
    if strengths is not None:
        # Among equals, neighbours that share no card: the kernel adds to the sums of cards, and
        # need not wait for one addition to finish before the next.
        suits = HAND_CARDS[hands] % 4
        apart = (suits[:, 0] - suits[:, 1]) % 4
        hands = hands[np.lexsort((hands, suits[:, 0], apart, strengths[hands]))]
    return hands.astype(np.int16)


class HoldemState(PublicState):
    """A public state: the betting so far (`history`) and the board (`deal`).

    It knows no world states: there are too many pairs of hands to write down.
    """

    __slots__ = ("_expansion", "betting", "deal", "history", "holdem")

    def __init__(self, space: HoldemSpace, betting: Betting, deal: Deal, history: str) -> None:
        self.holdem = space
        self.betting = betting
        self.deal = deal
        self.history = history
        self.mover = betting.player
        self.sample = cast(Any, self)  # what a `StopRule` is asked about: the state itself
        self.key = (history, deal.board)
        self._expansion: Expansion | None = None

    @property
    def counts(self) -> tuple[int, int]:
        """The number of hands of each player."""
        return self.deal.counts

    @property
    def board(self) -> tuple[int, ...]:
        """The board's cards."""
        return self.deal.board

    @property
    def expansion(self) -> Expansion:
        """The moves and children."""
        if self._expansion is None:
            self._expansion = self.holdem.expand(self)
        return self._expansion

    def names(self, player: int) -> list[str]:
        """[K] the hands of `player`, such as ``AhKd``."""
        return [hand_name(int(hand)) for hand in self.deal.hands[player]]

    def action_size(self, action: int) -> float | None:
        """How large a bet or raise is, in pots as they are after calling; None if it is none."""
        if action in (FOLD, CALL):
            return None
        called = self.betting.pot + self.betting.to_call
        return (action - max(self.betting.committed)) / called

    def compatible_reach(self, player: int, opponent_reach: NDArray[Any]) -> NDArray[Any]:
        """[.., K] for each hand of `player`, the opponent's reach [.., K'] with other cards."""
        own, other = self.deal.cards[player], self.deal.cards[1 - player]
        spread = np.zeros((*opponent_reach.shape[:-1], NUM_HANDS))
        spread[..., self.deal.hands[1 - player]] = opponent_reach
        holds = np.zeros((len(other), NUM_CARDS))
        np.put_along_axis(holds, other.astype(np.int64), 1.0, axis=1)
        sums = opponent_reach @ holds
        total = opponent_reach.sum(axis=-1, keepdims=True, dtype=np.float64)
        answer = total - sums[..., own[:, 0]] - sums[..., own[:, 1]]
        answer += spread[..., self.deal.hands[player]]
        # What is left of sums that cancel is no reach at all.
        return np.where(answer > 1e-9 * total, answer, 0.0)

    @property
    def amount(self) -> float:
        """At the end of the hand: what the winner wins and the loser loses."""
        return min(self.betting.committed) + self.betting.rules.dead / 2

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """[K0, K1] player 0's payoffs, zero where hands share a card; small ranges only."""
        if self.betting.folded is not None:
            sign = np.array(1.0 if self.betting.folded == 1 else -1.0)
        else:
            assert self.deal.strengths is not None
            first, second = self.deal.strengths
            sign = np.sign(first[:, None] - second[None, :])
        return sign * self.amount * self.deal.compatibility


class HoldemSpace:
    """The public states below a spot; boards are made once for all of them."""

    def __init__(self, spot: Spot, *, isomorphism: bool = True) -> None:
        self.spot = spot
        self.last = BOARD_SIZES[spot.rules.last_street]
        symmetries = spot.symmetries() if isomorphism else (IDENTITY,)
        self.deals: list[Deal] = []
        self.first = self._deal(spot.board, symmetries)
        self.root = HoldemState(self, spot.rules.start(), self.first, "")

    def _deal(self, board: tuple[int, ...], symmetries: tuple[Suits, ...]) -> Deal:
        deal = Deal(
            len(self.deals),
            board,
            self.spot.ranges,
            symmetries,
            showdown=len(board) == self.last,
        )
        self.deals.append(deal)
        return deal

    def beliefs(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The ranges as reaches at the root."""
        ranges, hands = self.spot.ranges, self.first.hands
        return [(ranges[0][hands[0]], ranges[1][hands[1]])]

    def next_deals(self, deal: Deal, street: int) -> list[tuple[int, ...]]:
        """The cards of each deal that may follow on `street`; see `Deal.children`."""
        if not deal.children:
            count = BOARD_SIZES[street + 1] - BOARD_SIZES[street]
            chance = 1 / comb(NUM_CARDS - len(deal.board) - 4, count)
            for orbit in deal.orbits(count):
                below = tuple(
                    suits
                    for suits in deal.symmetries
                    if {permute_card(suits, card) for card in orbit.cards} == set(orbit.cards)
                )
                child = self._deal((*deal.board, *orbit.cards), below)
                maps = _maps(deal, child, orbit)
                if min(child.counts) > 0:
                    deal.children[orbit.cards] = child, chance, maps
        return list(deal.children)

    def expand(self, state: HoldemState) -> Expansion:
        """The moves of a public state."""
        if state.mover == TERMINAL:
            return Expansion((), (), np.ones((0, 0), dtype=bool), ())
        if state.mover == CHANCE:
            return self._expand_chance(state)
        betting = state.betting
        actions = self.spot.actions(betting, state.history)
        labels = tuple(action_label(betting, action) for action in actions)
        counts = state.counts
        transitions = []
        for number, (action, label) in enumerate(zip(actions, labels, strict=True)):
            child = HoldemState(self, betting.act(action), state.deal, state.history + label)
            sources = [_numbers(count) for count in counts]
            sources[state.mover] = _numbers(counts[state.mover], number)
            transitions.append(
                Transition(
                    child,
                    label,
                    1.0,
                    (sources[0], sources[1]),
                    (_numbers(counts[0]), _numbers(counts[1])),
                )
            )
        legal = np.broadcast_to(np.True_, (len(actions), counts[state.mover]))
        return Expansion(actions, labels, legal, tuple(transitions))

    def _expand_chance(self, state: HoldemState) -> Expansion:
        betting = state.betting.deal()
        transitions = []
        for cards in self.next_deals(state.deal, state.betting.street):
            deal, chance, maps = state.deal.children[cards]
            child = HoldemState(self, betting, deal, state.history + "/")
            repeats = len(maps[0]) / max(1, deal.counts[0])
            transitions.append(
                Transition(child, format_cards(cards), chance, maps[:2], maps[2:], 1 / repeats)
            )
        labels = tuple(t.label for t in transitions)
        return Expansion((), labels, np.ones((0, 0), dtype=bool), tuple(transitions))


@cache
def _numbers(count: int, block: int = 0) -> Maps:
    """`count` consecutive numbers from `block * count` on; one array for all who ask."""
    numbers = np.arange(block * count, (block + 1) * count, dtype=np.int32)
    numbers.flags.writeable = False
    return numbers


def _maps(parent: Deal, child: Deal, orbit: SuitOrbit) -> tuple[Maps, Maps, Maps, Maps]:
    """Sources and targets of both players: hand h of the child is each renamed h of the parent."""
    sources, targets = [], []
    for player in (0, 1):
        place = np.full(NUM_HANDS, -1, np.int32)
        place[parent.hands[player]] = np.arange(parent.counts[player], dtype=np.int32)
        hands = child.hands[player]
        sources.append(np.concatenate([place[permute_hands(s)[hands]] for s in orbit.renamings]))
        targets.append(np.tile(_numbers(len(hands)), len(orbit.renamings)))
    return sources[0], sources[1], targets[0], targets[1]
