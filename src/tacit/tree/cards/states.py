"""Hold'em on the public tree: public states made of betting and board, infostates of live hands.

A pair of hands has the chance weight one if they share no card, so the chance of a dealt card is
one over the number of cards that neither player holds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FOLD, Betting
from tacit.games.holdem.cards import NUM_CARDS, NUM_HANDS
from tacit.games.holdem.spot import IDENTITY, Spot, action_label, read_label
from tacit.tree.cards.deals import Deal, numbers
from tacit.tree.public_state import NO_MOVES, NOTHING_LEGAL, Expansion, Transition


class CardState:
    """A public state: the betting so far (`history`) and the board (`deal`) of a spot."""

    __slots__ = ("__weakref__", "betting", "deal", "history", "spot")

    def __init__(self, spot: Spot, betting: Betting, deal: Deal, history: str) -> None:
        self.spot = spot
        self.betting = betting
        self.deal = deal
        self.history = history

    @classmethod
    def of(cls, spot: Spot, *, isomorphism: bool = True) -> CardState:
        """The public state with which a spot begins."""
        symmetries = spot.symmetries() if isomorphism else (IDENTITY,)
        last = BOARD_SIZES[spot.rules.last_street]
        deal = Deal.first(spot.board, spot.ranges, last, symmetries)
        return cls(spot, spot.rules.start(), deal, "")

    @property
    def mover(self) -> int:
        """0, 1, CHANCE or TERMINAL."""
        return self.betting.player

    @property
    def key(self) -> Hashable:
        """The betting and the board."""
        return self.history, self.deal.board

    @property
    def counts(self) -> tuple[int, int]:
        """The number of hands of each player."""
        return self.deal.counts

    @property
    def board(self) -> tuple[int, ...]:
        """The board's cards."""
        return self.deal.board

    @property
    def privates(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of each player's hands, such as ``AhKd``."""
        return self.deal.privates

    def names(self, player: int) -> list[str]:
        """[K] the hands of `player`, such as ``AhKd``."""
        return list(self.privates[player])

    def beliefs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[K_p] the weights of the hands in the spot's ranges."""
        first, second = (self.spot.ranges[p][self.deal.hands[p]] for p in (0, 1))
        return first.astype(np.float64), second.astype(np.float64)

    def action_size(self, action: int) -> float | None:
        """The size of a bet or raise as a fraction of the pot after calling; None for others."""
        if action in (FOLD, CALL):
            return None
        called = self.betting.pot + self.betting.to_call
        return (action - max(self.betting.committed)) / called

    def compatible_reach(self, player: int, opponent_reach: NDArray[Any]) -> NDArray[Any]:
        """[.., K] for each hand of `player`, the opponent's reach [.., K'] it does not block."""
        own, other = self.deal.cards[player], self.deal.cards[1 - player]
        spread = np.zeros((*opponent_reach.shape[:-1], NUM_HANDS))
        spread[..., self.deal.hands[1 - player]] = opponent_reach
        holds = np.zeros((len(other), NUM_CARDS))
        np.put_along_axis(holds, other.astype(np.int64), 1.0, axis=1)
        sums = opponent_reach @ holds
        total = opponent_reach.sum(axis=-1, keepdims=True, dtype=np.float64)
        answer = total - sums[..., own[:, 0]] - sums[..., own[:, 1]]
        answer += spread[..., self.deal.hands[player]]
        # Rounding errors of sums that cancel are no reach.
        return np.where(answer > 1e-9 * total, answer, 0.0)

    @property
    def compatibility(self) -> NDArray[np.float64]:
        """[K0, K1] one where two hands share no card; small ranges only."""
        return self.deal.compatibility

    @property
    def margins(self) -> None:
        """Hands block each other."""
        return None

    @property
    def amount(self) -> float:
        """At the end of the hand: the winner's gain, which is the loser's loss."""
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

    def payoff_bounds(self) -> tuple[float, float]:
        """At the end of the hand: player 0's smallest and largest payoff."""
        return -self.amount, self.amount

    def expand(self, actions: frozenset[str] | None = None) -> Expansion:
        """The moves with these labels, or by default those of the spot's bet sizes."""
        if self.mover == TERMINAL:
            return NO_MOVES
        if self.mover == CHANCE:
            return self._expand_chance()
        if actions is None:
            chosen = self.spot.actions(self.betting, self.history)
        else:
            chosen = labelled_actions(actions)
        labels = tuple(action_label(self.betting, action) for action in chosen)
        targets = numbers(self.counts[0]), numbers(self.counts[1])
        transitions = []
        for number, (action, label) in enumerate(zip(chosen, labels, strict=True)):
            own = numbers(self.counts[self.mover], number)
            sources = (own, targets[1]) if self.mover == 0 else (targets[0], own)
            child = CardState(self.spot, self.betting.act(action), self.deal, self.history + label)
            transitions.append(Transition(child, label, 1.0, sources, targets))
        legal = np.broadcast_to(np.True_, (len(chosen), self.counts[self.mover]))
        return Expansion(self, chosen, labels, legal, transitions)

    @property
    def expansion(self) -> Expansion:
        """All moves of the spot's bet sizes, and the children."""
        return self.expand()

    def _expand_chance(self) -> Expansion:
        betting, transitions = self.betting.deal(), []
        for dealt in self.deal.following:
            child = CardState(self.spot, betting, dealt.deal, self.history + "/")
            maps = dealt.sources, dealt.targets
            transitions.append(Transition(child, dealt.label, dealt.chance, *maps, dealt.share))
        return Expansion(self, (), [t.label for t in transitions], NOTHING_LEGAL, transitions)


def labelled_actions(labels: Iterable[str]) -> tuple[int, ...]:
    """The actions with these labels: fold, check or call, then raises, smallest first."""
    return tuple(sorted(map(read_label, labels)))
