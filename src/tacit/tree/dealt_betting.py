"""Betting over hands that are dealt once: public states whose showdown is one matrix.

All that happens in public is betting, so a public state is its chips. Deriving such states from the
rules would visit every deal at every node; here they share the matrices of the deal.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import CALL, FOLD, Betting
from tacit.games.holdem.spot import action_label
from tacit.tree.cards.deals import numbers
from tacit.tree.cards.states import labelled_actions
from tacit.tree.public_state import NO_MOVES, Expansion, Transition


@dataclass(frozen=True, eq=False)
class HiddenDeal:
    """The hands of both players, by name, and matrices [K0, K1] over them.

    compatibility: the chance of each pair, sums to one; showdown: compatibility times 1 where
    player 0 wins, -1 where player 1 does.
    """

    names: tuple[str, ...]
    compatibility: NDArray[np.float64]
    showdown: NDArray[np.float64]


class DealtBetting:
    """A public state: the betting so far over a hidden deal; payoffs are in big blinds.

    mark: tells states apart that have the same chips but other actions, as roots of a forest.
    """

    def __init__(self, deal: HiddenDeal, betting: Betting, mark: Hashable = None) -> None:
        self.deal = deal
        self.betting = betting
        self.mark = mark

    @property
    def mover(self) -> int:
        """0, 1 or TERMINAL."""
        return TERMINAL if self.betting.player == CHANCE else self.betting.player

    @property
    def key(self) -> Hashable:
        """The chips; the betting that led to them does not matter."""
        now = self.betting
        chips = now.committed, now.last_raise, now.acted
        return id(self.deal), self.mark, now.player, now.folded, chips

    @property
    def counts(self) -> tuple[int, int]:
        """The number of hands of each player."""
        first, second = self.deal.compatibility.shape
        return first, second

    @property
    def privates(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the hands."""
        return self.deal.names, self.deal.names

    def names(self, player: int) -> list[str]:
        """[K] the names of the hands."""
        return list(self.deal.names)

    @property
    def compatibility(self) -> NDArray[np.float64]:
        """[K0, K1] the chance of each pair of hands."""
        return self.deal.compatibility

    @property
    def margins(self) -> None:
        """Hands block each other."""
        return None

    def compatible_reach(self, player: int, opponent_reach: NDArray[Any]) -> NDArray[Any]:
        """[.., K] for each hand of `player`, the opponent's reach weighted by chance."""
        chance = self.deal.compatibility
        return opponent_reach @ (chance.T if player == 0 else chance)

    @property
    def stake(self) -> float:
        """What the winner gains, in big blinds."""
        return min(self.betting.committed) / self.betting.rules.big_blind

    @property
    def unit_payoffs(self) -> tuple[NDArray[np.float64], float, Hashable]:
        """Payoffs for a stake of one, the stake with player 0's sign, and what identifies these."""
        folded = self.betting.folded
        if folded is None:
            return self.deal.showdown, self.stake, (id(self.deal), "showdown")
        sign = 1 if folded == 1 else -1
        return self.deal.compatibility, sign * self.stake, (id(self.deal), "fold")

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """[K0, K1] chance weight times player 0's payoff."""
        unit, scale, _ = self.unit_payoffs
        return unit * scale

    def payoff_bounds(self) -> tuple[float, float]:
        """At the end of the hand: player 0's smallest and largest payoff."""
        return -self.stake, self.stake

    def action_size(self, action: int) -> float | None:
        """The size of a raise as a fraction of the pot after calling; None for others."""
        if action in (FOLD, CALL):
            return None
        called = self.betting.pot + self.betting.to_call
        return (action - max(self.betting.committed)) / called

    def expand(self, actions: frozenset[str] | None = None) -> Expansion:
        """The moves with these labels, by default fold, call and all-in."""
        if self.mover == TERMINAL:
            return NO_MOVES
        betting, bounds = self.betting, self.betting.raise_bounds()
        if actions is None:
            chosen = (*((FOLD,) if betting.can_fold else ()), CALL, *(bounds[1:] if bounds else ()))
        else:
            chosen = labelled_actions(actions)
        labels = tuple(action_label(betting, action) for action in chosen)
        targets = numbers(self.counts[0]), numbers(self.counts[1])
        transitions = []
        for number, (action, label) in enumerate(zip(chosen, labels, strict=True)):
            own = numbers(self.counts[self.mover], number)
            sources = (own, targets[1]) if self.mover == 0 else (targets[0], own)
            child = DealtBetting(self.deal, betting.act(action))
            transitions.append(Transition(child, label, 1.0, sources, targets))
        legal = np.broadcast_to(np.True_, (len(chosen), self.counts[self.mover]))
        return Expansion(self, chosen, labels, legal, transitions)

    @property
    def expansion(self) -> Expansion:
        """All moves and children."""
        return self.expand()
