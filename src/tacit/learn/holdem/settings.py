"""The settings of a training run of hold'em."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacit.games import GameError
from tacit.learn.checked_settings import Checked, Grouped, number
from tacit.learn.holdem.fitting import FitSettings
from tacit.learn.holdem.random_positions import TableSettings
from tacit.learn.holdem.targets import TargetSettings
from tacit.learn.settings import SearchSettings

SEARCH = SearchSettings(algorithm="dcfr", mode="cfr-avg", iterations=64, stop="round")
"""To the end of the street."""


@dataclass(frozen=True, kw_only=True)
class PlaySettings(Checked):
    """How PBSs are found."""

    games: int = number(60, least=1)
    """Number of boards of an epoch, each a task."""
    positions: int = number(24, least=1)
    """Number of PBSs before the next card that are taken from a board."""
    solved: int = number(14, least=1)
    """Number of these where next cards are dealt and solved."""
    random_epochs: int = number(1, least=1)
    """Number of first epochs in which they are random, not from self-play."""
    explore: float = number(0.25, most=1)
    """Probability of a random move of the player who explores."""
    window: int = number(3, least=1)
    """Number of epochs after which PBSs before a card, whose targets the network of then made, are
    dropped; solved ones are kept."""
    searches: int = number(240, least=1)
    """Number of boards of the last epoch but two, where every leaf of a search is solved."""
    variants: int = number(2)
    """Number of variants of each of these leaves that are valued anew besides it."""
    late_searches: int = number(64, least=1)
    """Number of boards of the last epoch, where every leaf of a longer search is solved and
    valued."""


@dataclass(frozen=True, kw_only=True)
class HoldemSettings(Grouped):
    """A training run. An epoch is one task for every board, then gradient steps."""

    name: str = "holdem-turn"
    """The name of the preset."""
    seed: int = number(0)
    """The seed of all random numbers."""
    epochs: int = number(11, least=4)
    """Number of epochs of the run. The last three play no games: see `training`."""
    hidden: tuple[int, ...] = number((384, 384, 384), least=1, most=65536)
    """The widths of the network's hidden layers."""
    table: TableSettings = field(default_factory=TableSettings)
    """The hands that are trained on."""
    search: SearchSettings = SEARCH
    """The search in self-play."""
    play: PlaySettings = PlaySettings()
    """How PBSs are found."""
    target: TargetSettings = field(default_factory=TargetSettings)
    """How they are solved."""
    fit: FitSettings = field(default_factory=FitSettings)
    """How the network learns from them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.search.stop != "round" or self.search.warm_start:
            raise GameError("hold'em is searched to the end of the street; set stop=round")
        if self.table.street + 1 not in (2, 3):
            raise GameError(f"no card follows street {self.table.street}; set street to 1 or 2")
