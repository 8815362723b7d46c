"""Action choosers: what decides which bets a tree of hold'em has.

A chooser is asked once for a spot, whose ranges are the beliefs there, and answers with the bet
sizes of every street for both players. The sizes may be fixed, those of a paper's default
abstraction (the *base*), or chosen by learning (`tacit.learn.rl_cfr.chooser`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tacit.games.holdem.bet_sizes import BetSettings, BetSize, StreetSizes, Unit
from tacit.games.holdem.betting import CALL, FOLD
from tacit.games.holdem.spot import Spot, action_label
from tacit.subgame.abstraction import Keep
from tacit.tree import PublicState
from tacit.tree.cards.states import CardState

BASE_SIZES = (0.5, 1.0, 2.0)
"""The default abstraction of RL-CFR and DeepStack, in pots; all-in is always there."""


class ActionChooser(Protocol):
    """Chooses the bet sizes of a spot."""

    def choose(self, spot: Spot) -> BetSettings:
        """The bet sizes of all streets for both players; the spot's own are ignored."""


@dataclass(frozen=True)
class FixedChooser:
    """The same sizes in every spot."""

    bets: BetSettings

    def choose(self, spot: Spot) -> BetSettings:
        """The fixed sizes."""
        return self.bets


@dataclass(frozen=True)
class BaseChooser:
    """`BASE_SIZES` and all-in as bets and raises on every street."""

    def choose(self, spot: Spot) -> BetSettings:
        """The base's sizes."""
        return settings_of(BASE_SIZES)


def sizes_in_pots(sizes: Sequence[float]) -> tuple[BetSize, ...]:
    """Fractions of the pot, and all-in, as bet sizes."""
    return (*(BetSize(Unit.POT, size) for size in sorted(sizes)), BetSize(Unit.ALL_IN))


def settings_of(sizes: Sequence[float]) -> BetSettings:
    """These fractions of the pot and all-in as bets and raises of both players on every street."""
    listed = sizes_in_pots(sizes)
    both = StreetSizes(listed, listed), StreetSizes(listed, listed)
    return BetSettings(sizes=(both, both, both, both))


def with_chosen_bets(spot: Spot, chooser: ActionChooser) -> Spot:
    """The spot with the sizes that the chooser gives it."""
    return replace(spot, bets=chooser.choose(spot))


def chosen_actions(chooser: ActionChooser, spot: Spot) -> Keep:
    """What nested solving asks: whether the chosen abstraction of `spot` has an action.

    It serves as `Nesting.known` and as `known` of a translation in a tree with more bets.
    """
    bets = chooser.choose(spot)

    def keep(state: PublicState, label: str) -> bool:
        assert isinstance(state, CardState)
        betting = state.betting
        kept = (FOLD, CALL, *bets.raises(betting))
        return label in {action_label(betting, action) for action in kept}

    return keep
