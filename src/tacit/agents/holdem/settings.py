"""The settings of the searching player of hold'em, and their names on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from tacit.games import GameError
from tacit.solvers.depth_limited import Mode
from tacit.subgame.street import BetMenu
from tacit.suggest import unknown

LEAST_STACK, MOST_STACK = 2_000, 50_000
"""The stacks, with blinds of 50 and 100, for which play is tested."""
Sizes = Literal["fixed", "base", "learned"]
CLOCK = 1.2
"""With a clock, a search ends at the latest after this many times its budget."""
PREFLOP_ITERATIONS = 200
"""Most iterations of a search before the flop while playing."""


@dataclass(frozen=True, kw_only=True)
class Menus:
    """The bets in the subgames of each street; sizes of the opponent's are added as they come."""

    preflop: BetMenu = field(
        default_factory=lambda: BetMenu(now=("50%,100%,a", "60%,100%,a", "75%,a", "a"))
    )
    flop: BetMenu = field(default_factory=lambda: BetMenu(now=("33%,75%,150%,a", "75%,a", "a")))
    turn: BetMenu = field(
        default_factory=lambda: BetMenu(now=("50%,100%,a", "a"), later=("100%", "a"))
    )
    river: BetMenu = field(
        default_factory=lambda: BetMenu(now=("33%,75%,150%,a", "75%,150%,a", "75%,a", "a"))
    )

    def of(self, street: int) -> BetMenu:
        """The menu of a street."""
        return (self.preflop, self.flop, self.turn, self.river)[street]


SMALL_MENUS = Menus(
    flop=BetMenu(now=("75%,a", "a")),
    turn=BetMenu(now=("100%,a", "a"), later=("100%", "a")),
    river=BetMenu(now=("50%,100%,a", "100%,a", "a")),
)


@dataclass(frozen=True, kw_only=True)
class PlayerSettings:
    """How a player searches.

    seconds: estimated work of a search on one core; least: the fewest iterations; turn_least: the
    same on the turn, where few iterations leave much of the pot to an opponent; clock: whether a
    search that takes `CLOCK` times as long is ended by the clock, so that play depends on the
    machine.
    sampled: play a sampled iteration of each search, otherwise the average. mode: whose beliefs are
    carried on, the average's (cfr-avg) or the sampled iteration's (cfr-d). network: whether leaves
    are evaluated by trained networks, otherwise by equity.
    exact_turn: whether turns are solved to the end of the game, otherwise to the river card.
    sizes: who chooses the bets at the root of a subgame after the flop's cards: the menus (fixed),
    the base of RL-CFR, or its trained networks.
    floor: added to the chance of each of the opponent's actions when beliefs are carried on.
    threads: on the turn, whose rivers are solved side by side.
    """

    seconds: float = 2.0
    least: int = 12
    turn_least: int = 12
    most: int = 800
    clock: bool = True
    sampled: bool = False
    mode: Mode = "cfr-avg"
    network: bool = True
    exact_turn: bool = True
    sizes: Sizes = "fixed"
    floor: float = 1e-3
    threads: int = 1
    menus: Menus = field(default_factory=Menus)

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:
            raise GameError(f"seconds is {self.seconds}; expected more than 0 and at most 3,600")
        for least in (self.least, self.turn_least):
            if not 1 <= least <= self.most:
                raise GameError(f"iterations from {least} to {self.most}; expected 1 <= least")
        if not 0 <= self.floor <= 1:
            raise GameError(f"floor {self.floor} is a chance from 0 to 1")
        if self.mode not in ("cfr-d", "cfr-avg"):
            raise GameError(f"mode {self.mode!r} is not for hands of cards; take cfr-d or cfr-avg")


PRESETS: dict[str, PlayerSettings] = {
    "default": PlayerSettings(threads=2),
    "fast": PlayerSettings(
        seconds=0.5, least=48, turn_least=96, most=250, menus=SMALL_MENUS, clock=False
    ),
    "tiny": PlayerSettings(
        seconds=1e-3,
        least=2,
        turn_least=2,
        most=4,
        menus=SMALL_MENUS,
        clock=False,
        sampled=True,
        exact_turn=False,
    ),
}
"""By name; `fast` is for matches of thousands of hands, `tiny` for tests."""

_SWITCHES = {
    "average": {"sampled": False},
    "sampled": {"sampled": True},
    "cfr-d": {"mode": "cfr-d"},
    "equity": {"network": False},
    "exact": {"exact_turn": True},
    "clock": {"clock": True},
    "no-clock": {"clock": False},
    "base-sizes": {"sizes": "base"},
    "auto-sizes": {"sizes": "learned"},
}


def read_settings(text: str) -> PlayerSettings:
    """Settings from words split by commas: a preset, switches, ``seconds=0.5``."""
    settings = PRESETS["default"]
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = word.partition("=")
        if word in PRESETS:
            settings = PRESETS[word]
        elif word in _SWITCHES:
            settings = replace(settings, **_SWITCHES[word])  # type: ignore[arg-type]
        elif equals and name == "seconds":
            settings = replace(settings, seconds=_number(value))
        else:
            known = [*PRESETS, *_SWITCHES, "seconds=0.5"]
            raise GameError(unknown("option of the search player", word, known))
    return settings


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise GameError(f"{text!r} is no number of seconds; write seconds=0.5") from None
