"""A server of Slumbot's protocol on this machine; the rules are those of `betting`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from tacit.games import CHANCE, TERMINAL
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FOLD, Betting, BettingRules
from tacit.games.holdem.cards import card_name
from tacit.games.holdem.hand_rank import rank_cards

Damage = Callable[[int, dict[str, Any]], Any]
"""Changes the answer with a number: bytes are sent as they are, None hangs up, an int: a status."""


class Table:
    """One session: deals hands in turn, plays the bot at random, refuses what is not legal.

    An action is written as it is made, from the chips on its street: not by the client's code.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.hands = 0
        self.total = 0
        self.state: Betting | None = None

    def new_hand(self) -> dict[str, Any]:
        self.position = self.hands % 2
        self.deck = [int(card) for card in self.random.permutation(52)]
        self.state, self.action = BettingRules().start(), ""
        self.hands += 1
        return self._go_on()

    def act(self, incr: str) -> dict[str, Any]:
        if self.state is None or self.state.player != self.position:
            return {"error_msg": "No hand in progress"}
        action = self._read(incr)
        if action is None or not self.state.legal(action):
            return {"error_msg": f"Illegal action {incr}"}
        self._apply(action, incr)
        return self._go_on()

    def _read(self, incr: str) -> int | None:
        assert self.state is not None
        if incr == "f":
            return FOLD
        if incr in ("k", "c"):
            return CALL if (incr == "k") == (self.state.to_call == 0) else None
        if incr[:1] != "b":
            return None
        total = self.state.before[self.position] + int(incr[1:])
        return None if total in (FOLD, CALL) else total

    def _apply(self, action: int, word: str) -> None:
        assert self.state is not None
        self.state = self.state.act(action)
        self.action += word
        while self.state.player == CHANCE:
            self.state = self.state.deal()
            self.action += "/"

    def _go_on(self) -> dict[str, Any]:
        """The bot's actions, then what the client sees."""
        assert self.state is not None
        while self.state.player == 1 - self.position:
            bounds = self.state.raise_bounds()
            roll = self.random.random()
            if bounds and roll < 0.3:
                total = int(self.random.integers(bounds[0], min(bounds[1], 3 * bounds[0]) + 1))
                self._apply(total, f"b{total - self.state.before[self.state.player]}")
            elif self.state.can_fold and roll < 0.45:
                self._apply(FOLD, "f")
            else:
                self._apply(CALL, "c" if self.state.to_call else "k")
        board = self.deck[4 : 4 + BOARD_SIZES[self.state.street]]
        holes = self.deck[:2], self.deck[2:4]
        answer: dict[str, Any] = {
            "action": self.action,
            "client_pos": self.position,
            "hole_cards": [card_name(card) for card in holes[self.position]],
            "board": [card_name(card) for card in board],
        }
        if self.state.player == TERMINAL:
            ranks = (
                [int(rank_cards(np.array([[*hole, *board]]))[0]) for hole in holes]
                if (len(board) == 5)
                else [0, 0]
            )
            winner = None if ranks[0] == ranks[1] else int(ranks[1] > ranks[0])
            won = self.state.payoffs(winner)[self.position]
            self.total += won
            self.state = None
            bot = holes[1 - self.position]
            answer |= {"winnings": won, "bot_hole_cards": [card_name(card) for card in bot]}
        return answer


@contextmanager
def server(damage: Damage = lambda _, answer: answer, *, seed: int = 1) -> Iterator[Any]:
    """Run the server; yields an object with its `url`, its `tables` by token and `refused`."""
    tables: dict[str, Table] = {}
    refused: list[str] = []
    count = 0

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal count
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            token = content.get("token") or f"token-{len(tables)}"
            new = token not in tables
            table = tables.setdefault(token, Table(seed))
            if self.path == "/api/new_hand":
                answer = table.new_hand()
            else:
                answer = table.act(content["incr"])
            if "error_msg" in answer:
                refused.append(content["incr"])
            if new:
                answer["token"] = token
            sent = damage(count, answer)
            count += 1
            if sent is None:  # hang up
                return
            self.send_response(sent if isinstance(sent, int) else 200)
            self.end_headers()
            self.wfile.write(sent if isinstance(sent, bytes) else json.dumps(sent).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as found:
        found.url = f"http://localhost:{found.server_address[1]}/api"  # type: ignore[attr-defined]
        found.tables, found.refused = tables, refused  # type: ignore[attr-defined]
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield found
        finally:
            found.shutdown()
            thread.join()
