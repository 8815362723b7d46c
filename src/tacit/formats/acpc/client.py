"""A player at the dealer's table: answers match states over a connection, and keeps the hands."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from tacit.agents.holdem.player import HoldemPlayer
from tacit.agents.holdem.seat import Decisions, Seat
from tacit.formats.acpc.protocol import VERSION, MatchState, action_text, read_match_state
from tacit.formats.match_log import MatchRecord
from tacit.games.game import GameError
from tacit.games.holdem.betting import BettingRules

OPPONENT = "opponent"
MAX_LINE = 4096
"""Bytes of a line; the dealer's are shorter."""
RETRY = 0.2
"""Seconds between attempts to connect."""


class TablePlayer:
    """What a player says to the dealer, line by line; hands that end go to the record.

    Each hand has random numbers of its own, from the seed and the hand's number.
    """

    def __init__(
        self,
        player: HoldemPlayer,
        name: str,
        rules: BettingRules,
        record: MatchRecord,
        *,
        seed: int = 0,
    ) -> None:
        self.player = player
        self.name = name
        self.rules = rules
        self.record = record
        self.seed = seed
        self.decisions = Decisions()
        self.number = max((_number(hand.fields) for hand in record.hands), default=-1)
        """Of the hand in play or, if there is none, of the last one."""
        self.seat: Seat | None = None
        self._last = "", ""

    def answer(self, line: str) -> str | None:
        """The answer to a line, if one is due; GameError if the line cannot be right."""
        if line.startswith(("#", ";")) or not line.strip():
            return None
        if self.seat is not None and line == self._last[0]:  # asked again
            return self._last[1]
        state = read_match_state(line, self.rules)
        seat = self._seat(state)
        betting = state.hand.betting
        if state.finished:
            players = [self.name, OPPONENT] if state.position == 0 else [OPPONENT, self.name]
            fields = {"players": players, "hand": state.number}
            self.record.add(replace(state.hand, fields=fields))
            self.seat = None
        elif betting.player == state.position:
            began, adjusted = time.perf_counter(), seat.adjusted
            action = seat.choose(state.hand.actions, state.hand.board, may_raise=state.may_raise)
            self.decisions.add(time.perf_counter() - began, seat.adjusted - adjusted)
            answer = f"{line}:{action_text(action)}"
            self._last = line, answer
            return answer
        elif betting.player not in (0, 1):
            raise GameError(f"the dealer's line {line[:100]!r} lacks the cards of the next street")
        return None

    def _seat(self, state: MatchState) -> Seat:
        """The seat in the hand of a match state."""
        seat, cards = self.seat, state.hand.holes[state.position]
        if seat is None:
            if state.number <= self.number:
                raise GameError(
                    f"the dealer deals hand {state.number} after hand {self.number}; "
                    "a new match needs a new log"
                )
            random = np.random.default_rng([self.seed, state.number])
            seat = self.seat = Seat(self.player, self.rules, state.position, cards, random)
            self.number = state.number
        elif state.number != self.number:
            raise GameError(
                f"the dealer deals hand {state.number} before hand {self.number} has ended"
            )
        elif (seat.seat, seat.cards) != (state.position, cards):
            raise GameError(f"the dealer changes our cards or position within hand {self.number}")
        return seat


def _number(fields: object) -> int:
    number = fields.get("hand") if isinstance(fields, dict) else None
    return number if isinstance(number, int) else -1


def play_at(
    host: str,
    port: int,
    table: TablePlayer,
    *,
    hands: int | None = None,
    patience: float = 1200.0,
    wait: float = 10.0,
    each: Callable[[int], None] | None = None,
) -> None:
    """Play until the dealer ends the match.

    hands: how many are expected; GameError if the dealer hangs up before, or within a hand.
    patience: seconds to wait for the dealer's next line, in which the opponent thinks; wait:
    seconds to wait for a dealer who does not listen yet. each: told the number of hands played.
    """
    with _connect(host, port, wait) as connection, connection.makefile("rb") as lines:
        connection.settimeout(patience)
        _send(connection, VERSION)
        while True:
            line = _receive(lines.readline, patience, table.number)
            if line is None:
                break
            answer = table.answer(line)
            if answer is not None:
                _send(connection, answer)
            if table.seat is None and each is not None:
                each(len(table.record.hands))
    played = len(table.record.hands)
    if table.seat is not None:
        raise GameError(
            f"the dealer hung up within hand {table.number}, after {played} whole ones; its own "
            "messages say why"
        )
    if played < (hands or 1):
        raise GameError(f"the dealer hung up after {played} hands; expected {hands or 'some'}")
    table.record.finish()


def _connect(host: str, port: int, wait: float) -> socket.socket:
    began = time.monotonic()
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=max(wait, RETRY))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except (OSError, UnicodeError, OverflowError) as error:
            if isinstance(error, ConnectionRefusedError) and time.monotonic() - began < wait:
                time.sleep(RETRY)
                continue
            reason = getattr(error, "strerror", None) or error
            raise GameError(
                f"there is no dealer at {host}:{port} ({reason}); start it, then connect"
            ) from None


def _send(connection: socket.socket, line: str) -> None:
    # If the dealer has hung up, reading says so.
    with suppress(OSError):
        connection.sendall(f"{line}\r\n".encode())


def _receive(readline: Callable[[int], bytes], patience: float, number: int) -> str | None:
    """A line without its end; None if the dealer has hung up."""
    try:
        data = readline(MAX_LINE)
    except TimeoutError:
        raise GameError(
            f"the dealer was silent for {patience:g} s in hand {number}; is the opponent there?"
        ) from None
    except OSError:
        return None
    if data and not data.endswith(b"\n"):
        if len(data) < MAX_LINE:
            raise GameError(f"the dealer hung up within a line, after hand {number} had begun")
        raise GameError(f"the dealer sends a line of more than {MAX_LINE} bytes: {data[:40]!r}...")
    return data.decode("utf-8", "replace").rstrip("\r\n") if data else None
