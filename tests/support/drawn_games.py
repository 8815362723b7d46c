"""Games written out as their whole tree of histories, for tests that need a particular one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tacit.games import CHANCE, TERMINAL, Game, State


@dataclass(frozen=True)
class Drawn(State):
    """A world state that holds everything below it."""

    mover: int
    seen: Hashable
    """What is public."""
    known: tuple[Hashable, Hashable] = (None, None)
    """What each player alone knows."""
    after: tuple[Drawn, ...] = ()
    """The children of actions 0, 1, …"""
    odds: tuple[float, ...] = ()
    result: float = 0.0
    numbers: tuple[int, ...] | None = None
    """The actions' numbers where they are not 0, 1, …"""
    key: Hashable = None

    @property
    def player(self) -> int:
        return self.mover

    def actions(self) -> Sequence[int]:
        return range(len(self.after)) if self.numbers is None else self.numbers

    def chance(self) -> Sequence[float]:
        return self.odds or [1 / len(self.after)] * len(self.after)

    def child(self, action: int) -> Drawn:
        return self.after[list(self.actions()).index(action)]

    def payoff(self) -> float:
        return self.result

    def public(self) -> Hashable:
        return self.seen

    def private(self, player: int) -> Hashable:
        return self.known[player]

    def subgame_key(self) -> Hashable:
        return self.seen if self.key is None else self.key

    def label(self, action: int) -> str:
        return f"a{action}"

    def render(self, player: int | None = None) -> str:
        return repr((self.seen, self.known if player is None else self.known[player]))


class DrawnGame(Game):
    """The game that begins with this state."""

    name = "drawn"
    title = "A drawn game"

    def __init__(self, first: Drawn) -> None:
        self.first = first

    def initial(self) -> Drawn:
        return self.first


def chance(seen: Hashable, *after: Drawn, odds: tuple[float, ...] = ()) -> Drawn:
    """Chance moves."""
    return Drawn(CHANCE, seen, (None, None), after, odds)


def move(
    player: int,
    seen: Hashable,
    *after: Drawn,
    known: tuple[Hashable, Hashable] = (None, None),
    numbers: tuple[int, ...] | None = None,
    key: Hashable = None,
) -> Drawn:
    """A player moves."""
    return Drawn(player, seen, known, after, numbers=numbers, key=key)


def end(
    result: float, seen: Hashable = "end", known: tuple[Hashable, Hashable] = (None, None)
) -> Drawn:
    """The game is over."""
    return Drawn(TERMINAL, seen, known, result=result)
