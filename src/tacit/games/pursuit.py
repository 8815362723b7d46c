"""Pursuit on a graph, in the manner of Scotland Yard (Student of Games, Figs. S2 and S3).

Mr X moves in secret over a map of stations; detectives, whose stations are public, search for him.
A `Map` holds the settings of a game. Any map can be played: `Pursuit(Map(...))`. `MAPS` are those
with a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from tacit.games.game import TERMINAL, Game, GameError, State

CAUGHT, STUCK, ESCAPED = "caught", "stuck", "escaped"
STAY = 0
"""The only move of a detective who has no other; stations count from 1."""


@dataclass(frozen=True)
class Transport:
    """One kind of connection: its undirected `edges` and the tickets of each piece."""

    name: str
    edges: tuple[tuple[int, int], ...]
    tickets_mr_x: int
    tickets_detective: int


@dataclass(frozen=True)
class Map:
    """The settings of a pursuit; Mr X is shown after his move in the rounds of `reveals`."""

    name: str
    title: str
    transports: tuple[Transport, ...]
    mr_x: int
    detectives: tuple[int, ...]
    rounds: int
    reveals: frozenset[int]

    def __post_init__(self) -> None:
        starts = (self.mr_x, *self.detectives)
        if not self.detectives or self.rounds < 1:
            raise GameError(f"map {self.name!r}: there must be a detective and a round at least")
        if min(self.stations) < 1:
            raise GameError(f"map {self.name!r}: stations count from 1")
        if len(set(starts)) < len(starts) or not self.stations.issuperset(starts):
            raise GameError(f"map {self.name!r}: the starts {starts} are not different stations")
        if not self.reveals.issubset(range(1, self.rounds + 1)):
            raise GameError(f"map {self.name!r}: reveals go from round 1 to round {self.rounds}")
        if not self.moves(self.mr_x, self.first_tickets[0], self.detectives):
            raise GameError(f"map {self.name!r}: Mr X cannot move from his start")

    @cached_property
    def stations(self) -> frozenset[int]:
        """Every station of the map."""
        return frozenset(s for kind in self.transports for edge in kind.edges for s in edge)

    @cached_property
    def first_tickets(self) -> tuple[tuple[int, ...], ...]:
        """The tickets at the start, for Mr X and for each detective: one number a transport."""
        mr_x = tuple(kind.tickets_mr_x for kind in self.transports)
        detective = tuple(kind.tickets_detective for kind in self.transports)
        return (mr_x, *(detective for _ in self.detectives))

    @cached_property
    def span(self) -> int:
        """A move by `transport` to `station` is the action `transport * span + station`."""
        return max(self.stations) + 1

    @cached_property
    def neighbours(self) -> tuple[dict[int, tuple[int, ...]], ...]:
        """By transport and station: the stations next to it, in order."""
        return tuple(
            {
                here: tuple(sorted({a + b - here for a, b in kind.edges if here in (a, b)}))
                for here in self.stations
            }
            for kind in self.transports
        )

    def moves(self, station: int, tickets: tuple[int, ...], taken: Iterable[int]) -> list[int]:
        """The actions of a piece at `station` that holds `tickets`, to stations not `taken`."""
        return [
            transport * self.span + to
            for transport, left in enumerate(tickets)
            if left > 0
            for to in self.neighbours[transport][station]
            if to not in taken
        ]


@dataclass(frozen=True, slots=True)
class PursuitState(State):
    """A world state; all of it but Mr X's `station` is public.

    `seen` is the public history: for each move of Mr X its transport, and his station if revealed,
    for each move of a detective its action and whether the game ended with it. The other fields
    follow from it: the `detectives`' stations, the `tickets` left (Mr X's first), the number of
    the `turn`, the stations where Mr X is `possible` as far as the public knows, and the `outcome`.
    """

    map: Map = field(hash=False, repr=False)
    station: int
    detectives: tuple[int, ...]
    tickets: tuple[tuple[int, ...], ...]
    possible: frozenset[int]
    turn: int = 0
    outcome: str | None = None
    seen: tuple[tuple[int | str | None, ...], ...] = ()

    @property
    def piece(self) -> int:
        """Which piece moves: 0 for Mr X, then the detectives in order."""
        return self.turn % (1 + len(self.detectives))

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return self.turn // (1 + len(self.detectives)) + 1

    @property
    def player(self) -> int:
        if self.outcome is not None:
            return TERMINAL
        return min(self.piece, 1)

    def actions(self) -> list[int]:
        if self.outcome is not None:
            return []
        piece = self.piece
        here = self.detectives[piece - 1] if piece else self.station
        moves = self.map.moves(here, self.tickets[piece], self.detectives)
        return moves or ([STAY] if piece else [])

    def child(self, action: int) -> PursuitState:
        transport, to = divmod(action, self.map.span)
        if self.piece == 0:
            shown = self.round in self.map.reveals
            reachable = (self.map.neighbours[transport][here] for here in self.possible)
            return replace(
                self,
                station=to,
                tickets=self._spend(transport),
                possible=frozenset({to} if shown else chain(*reachable)) - {*self.detectives},
                turn=self.turn + 1,
                seen=(*self.seen, (transport, to if shown else None)),
            )
        piece, detectives = self.piece, self.detectives
        if action != STAY:
            detectives = (*detectives[: piece - 1], to, *detectives[piece:])
        # The outcome is public, so it rules out the stations with another outcome.
        outcomes = {station: self._outcome(station, detectives) for station in self.possible}
        outcome = outcomes[self.station]
        return replace(
            self,
            detectives=detectives,
            tickets=self.tickets if action == STAY else self._spend(transport),
            possible=frozenset(station for station in outcomes if outcomes[station] == outcome),
            turn=self.turn + 1,
            outcome=outcome,
            seen=(*self.seen, (action, outcome)),
        )

    def _spend(self, transport: int) -> tuple[tuple[int, ...], ...]:
        """The tickets after the mover has used one."""
        tickets = [list(counts) for counts in self.tickets]
        tickets[self.piece][transport] -= 1
        return tuple(map(tuple, tickets))

    def _outcome(self, station: int, detectives: tuple[int, ...]) -> str | None:
        """The outcome, if any, for Mr X at `station` after this turn's detective has moved."""
        if station in detectives:
            return CAUGHT
        if self.piece < len(detectives):
            return None
        if self.round == self.map.rounds:
            return ESCAPED
        return None if self.map.moves(station, self.tickets[0], detectives) else STUCK

    def payoff(self) -> float:
        return 1.0 if self.outcome == ESCAPED else -1.0

    def public(self) -> tuple[tuple[int | str | None, ...], ...]:
        return self.seen

    def private(self, player: int) -> int | None:
        """Mr X knows his station; his path to it no longer matters."""
        return self.station if player == 0 else None

    def subgame_key(self) -> tuple[object, ...]:
        """All that the game still depends on: stations, tickets and turn."""
        return (self.turn, self.outcome, self.detectives, self.tickets, self.possible)

    def label(self, action: int) -> str:
        if action == STAY:
            return "stay"
        transport, station = divmod(action, self.map.span)
        if len(self.map.transports) == 1:
            return str(station)
        return f"{self.map.transports[transport].name}-{station}"

    def render(self, player: int | None = None) -> str:
        possible = ", ".join(map(str, sorted(self.possible)))
        if player == 1 and len(self.possible) > 1:
            mr_x = f"Mr X is at one of {possible}"
        elif len(self.possible) > 1:
            mr_x = f"Mr X is at {self.station} (the detectives know: one of {possible})"
        else:
            mr_x = f"Mr X is at {possible}"
        detectives = ", ".join(map(str, self.detectives))
        if self.outcome is not None:
            return f"Mr X {_ENDINGS[self.outcome]}. {mr_x}; the detectives are at {detectives}."
        pieces = ["Mr X", *(f"detective {number + 1}" for number in range(len(self.detectives)))]
        kinds = [kind.name for kind in self.map.transports]
        left = (
            ", ".join(f"{count} {kind}" for count, kind in zip(counts, kinds, strict=True))
            for counts in self.tickets
        )
        tickets = "; ".join(map(" ".join, zip(pieces, left, strict=True)))
        return (
            f"Round {self.round} of {self.map.rounds}, {pieces[self.piece]} to move. {mr_x}; "
            f"the detectives are at {detectives}. Tickets: {tickets}."
        )


_ENDINGS = {CAUGHT: "is caught", STUCK: "cannot move and is caught", ESCAPED: "has escaped"}


GLASSES = Map(
    name="glasses",
    title="the glasses map",
    transports=(
        Transport(
            "taxi",
            (
                (1, 2), (2, 3), (2, 4), (3, 5), (4, 5), (5, 6),
                (6, 7), (7, 8), (7, 9), (8, 10), (9, 10), (10, 11),
            ),
            tickets_mr_x=5,
            tickets_detective=5,
        ),
    ),
    mr_x=6,
    detectives=(1, 11),
    rounds=5,
    reveals=frozenset(),
)  # fmt: skip
"""Two rings on either side of a bridge (Student of Games, Fig. S3).

There is no reveal: with one in any round, the detectives have a policy that always catches Mr X.
"""

MAPS = {settings.name: settings for settings in (GLASSES,)}


class Pursuit(Game):
    """Player 1 is Mr X, player 2 moves all the detectives.

    In each round Mr X moves first, then each detective in order, along an edge to a free station,
    and spends a ticket of its transport. The detectives see which transport Mr X took but not
    where he is, except after his move in the rounds of a reveal. His start is known. Mr X may not
    enter a detective's station, nor may another detective; a detective who has no move stays, and
    spent tickets are gone.

    Mr X loses 1 as soon as a detective stands on his station, or if a round begins in which he
    cannot move; either is announced at once. He wins 1 if he is free after the last round.
    """

    def __init__(self, settings: Map | str) -> None:
        if isinstance(settings, str):
            if settings not in MAPS:
                raise GameError(f"no pursuit map is called {settings!r}; maps: {', '.join(MAPS)}")
            settings = MAPS[settings]
        self.map = settings
        self.name = f"pursuit-{settings.name}"
        self.title = f"Pursuit on {settings.title}"

    def initial(self) -> PursuitState:
        start = self.map
        return PursuitState(
            start, start.mr_x, start.detectives, start.first_tickets, frozenset({start.mr_x})
        )
