"""Slumbot's protocol as a client: heads-up no-limit hold'em over HTTP, JSON in and out.

A POST to ``new_hand`` deals, one to ``act`` sends our action; each answer has all actions so far,
our position (0 is the big blind), the cards that we may see, and ``winnings`` when the hand is
over. Actions are ``f``, ``k`` (check), ``c`` (call), and ``b`` with the chips that a player has put
in on this street after a bet or raise. A ``/`` ends a street and may be missing at the end.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.agents.holdem.player import HoldemPlayer
from tacit.agents.holdem.seat import Decisions, Seat
from tacit.formats.match_log import MatchRecord
from tacit.formats.phh import HandHistory
from tacit.games.game import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import CALL, FOLD, Betting, BettingRules
from tacit.games.holdem.cards import parse_cards

URL = "https://slumbot.com/api"
RULES = BettingRules()
"""Blinds of 50 and 100, stacks of 20,000 in every hand."""
OPPONENT = "Slumbot"
MAX_BYTES = 1 << 20
"""Of an answer."""
_TOKEN = re.compile(r"[fkc/]|b\d{1,9}|.", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """What the server says: the hand so far, our position, and our winnings if it is over."""

    position: int
    hand: HandHistory
    winnings: int | None = None
    token: str | None = None


def read_answer(data: bytes, before: Answer | None = None) -> Answer:
    """The server's answer; GameError says what is wrong with it.

    before: the last answer in this hand, from which the position, our cards and the token are taken
    where they are not repeated.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise GameError(f"Slumbot's answer is not JSON: {data[:80]!r}") from None
    if not isinstance(found, dict):
        raise GameError(f"Slumbot's answer is {str(found)[:80]!r}; expected a JSON object")
    if (refused := found.get("error_msg")) is not None:
        raise GameError(f"Slumbot refuses: {' '.join(str(refused)[:200].split())}")
    position = _field(found, "client_pos", int, before and before.position)
    if position not in (0, 1):
        raise GameError(f"client_pos is {position} in Slumbot's answer; expected 0 or 1")
    old = before.hand.holes[position] if before is not None else ()
    ours = _cards(found, "hole_cards") or old
    theirs = _cards(found, "bot_hole_cards")
    actions = read_actions(_field(found, "action", str, None))
    hand = HandHistory(
        rules=RULES,
        holes=(ours, theirs) if position == 0 else (theirs, ours),
        board=_cards(found, "board"),
        actions=actions,
    )
    if len(ours) != 2 or (before is not None and (position, ours) != (before.position, old)):
        raise GameError("Slumbot's answer lacks our two cards, or changes them or our position")
    token = found.get("token", before and before.token)
    if token is not None and not isinstance(token, str):
        raise GameError(f"the token in Slumbot's answer is {str(token)[:40]!r}; expected a text")
    won = found.get("winnings")
    if won is not None:
        _check_end(hand, position, _field(found, "winnings", int, None))
    elif hand.betting.player != position:
        raise GameError(f"Slumbot waits for us after {found['action'][:80]!r}, but we do not move")
    return Answer(position, hand, won, token)


def _check_end(hand: HandHistory, position: int, won: int) -> None:
    """Refuse winnings of a hand that is not over, or is worth something else."""
    payoffs = hand.payoffs()
    if payoffs is None:
        raise GameError("Slumbot ends a hand that is not over, or does not show its cards")
    if payoffs[position] != won:
        raise GameError(
            f"Slumbot says that we won {won}, but the cards and the betting give "
            f"{payoffs[position]}"
        )


def _field(found: Mapping[str, Any], name: str, kind: type, otherwise: Any) -> Any:
    value = found.get(name, otherwise)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise GameError(
            f"{name} is {str(value)[:40]!r} in Slumbot's answer; expected {kind.__name__}"
        )
    return value


def _cards(found: Mapping[str, Any], name: str) -> tuple[int, ...]:
    values = found.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise GameError(f"{name} is {str(values)[:40]!r} in Slumbot's answer; expected a list")
    return parse_cards("".join(values))


def read_actions(text: str) -> tuple[int, ...]:
    """Slumbot's actions as those of `betting`, whose amounts are totals over the hand."""
    state, actions = RULES.start(), list[int]()
    for match in _TOKEN.finditer(text):
        token = match[0]
        try:
            if token == "/":
                state = state.deal()
                continue
            actions.append(_read_action(state, token))
            state = state.act(actions[-1])
        except GameError as error:
            raise GameError(f"Slumbot's action {text[:80]!r}: {token!r}: {error}") from None
    return tuple(actions)


def _read_action(state: Betting, token: str) -> int:
    if state.player in (CHANCE, TERMINAL):
        raise GameError(f"possible: {state.options()}")
    if token == "f":
        return FOLD
    if token in ("k", "c"):
        if (token == "c") != (state.to_call > 0):
            raise GameError(f"possible: {state.options()}")
        return CALL
    if token[1:] == "" or state.to_total(int(token[1:])) in (FOLD, CALL):
        raise GameError("expected f, k, c, b and the chips on this street such as b300, or /")
    return state.to_total(int(token[1:]))


def action_text(state: Betting, action: int) -> str:
    """Our action as Slumbot reads it."""
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c" if state.to_call else "k"
    return f"b{state.to_street(action)}"


class SlumbotClient:
    """Plays hands one after the other at a server, and keeps them in a record.

    seconds: the longest wait for an answer. A server that fails is a GameError of one line.
    """

    def __init__(
        self,
        player: HoldemPlayer,
        name: str,
        record: MatchRecord,
        *,
        url: str = URL,
        seconds: float = 60.0,
        seed: int = 0,
    ) -> None:
        if not re.match(r"https?://[^/\s]", url):
            raise GameError(f"{url!r} is not an address; write it as {URL}")
        self.player = player
        self.name = name
        self.record = record
        self.url = url.rstrip("/")
        self.seconds = seconds
        self.seed = seed
        self.token: str | None = None
        self.decisions = Decisions()

    def play(self, hands: int, each: Callable[[int], None] | None = None) -> None:
        """Play until the record has this many hands."""
        while len(self.record.hands) < hands:
            self._play_hand(len(self.record.hands))
            if each is not None:
                each(len(self.record.hands))
        self.record.finish()

    def _play_hand(self, number: int) -> None:
        answer = read_answer(self._post("new_hand", {}))
        position = answer.position
        random = np.random.default_rng([self.seed, number])
        cards = answer.hand.holes[position]
        seat = Seat(self.player, RULES, position, cards, random)
        while answer.winnings is None:
            self.token = answer.token or self.token
            began, adjusted = time.perf_counter(), seat.adjusted
            action = seat.choose(answer.hand.actions, answer.hand.board)
            self.decisions.add(time.perf_counter() - began, seat.adjusted - adjusted)
            sent = (*answer.hand.actions, action)
            incr = action_text(answer.hand.betting, action)
            answer = read_answer(self._post("act", {"incr": incr}), answer)
            if answer.hand.actions[: len(sent)] != sent:
                raise GameError(f"Slumbot's answer does not contain our action {incr!r}")
        self.token = answer.token or self.token
        players = [self.name, OPPONENT] if position == 0 else [OPPONENT, self.name]
        self.record.add(replace(answer.hand, fields={"players": players, "hand": number}))

    def _post(self, name: str, content: dict[str, str]) -> bytes:
        """The bytes that the server answers to a request."""
        if self.token is not None:
            content["token"] = self.token
        request = urllib.request.Request(
            f"{self.url}/{name}",
            data=json.dumps(content).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=self.seconds) as answer:
                data: bytes = answer.read(MAX_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(200).decode("utf-8", "replace")
            raise GameError(f"{self.url} answers {name} with status {error.code}: {said}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise GameError(
                f"{self.url} gives no answer to {name} ({str(reason) or type(error).__name__})"
            ) from None
        if len(data) > MAX_BYTES:
            raise GameError(f"{self.url} answers {name} with more than {MAX_BYTES:,} bytes")
        return data
