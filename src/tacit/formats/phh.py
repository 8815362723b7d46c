"""Poker hand histories (PHH, Kim 2024): heads-up no-limit hold'em hands as TOML, read and written.

One hand is a TOML document (``.phh``); of many hands (``.phhs``) each is a table, ``[1]``, ``[2]``
and so on. Heads-up, p1 is the big blind and p2 the button and small
blind, but the blinds are listed from the small one. The amount of a bet or raise (``cbr``) is the
player's total on the street after it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

import numpy as np

from tacit.games.game import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import (
    BOARD_SIZES,
    CALL,
    FOLD,
    PREFLOP,
    RIVER,
    Betting,
    BettingRules,
)
from tacit.games.holdem.cards import check_cards, format_cards, parse_cards
from tacit.games.holdem.hand_rank import rank_cards

UNKNOWN = "????"

_OWN_FIELDS = (
    "variant", "antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class HandHistory:
    """One hand, finished or not: its rules, cards and actions, checked on construction."""

    rules: BettingRules
    holes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The two cards of players 0 and 1 (p1 and p2); empty where they are not known."""
    board: tuple[int, ...] = ()
    actions: tuple[int, ...] = ()
    """As in `betting`: fold, call, or the total over the hand after a bet or raise."""
    mucked: int | None = None
    """The player who conceded the pot at the showdown without showing."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """The other fields of the document, such as `players`, `event` or `_yours`."""

    def __post_init__(self) -> None:
        if self.rules.first_street != PREFLOP or self.rules.last_street != RIVER or self.rules.dead:
            raise GameError("PHH holds whole hands; these rules start late, end early or add chips")
        if any(len(hole) not in (0, 2) for hole in self.holes):
            raise GameError("a player holds two cards, or none where they are not known")
        check_cards((*self.holes[0], *self.holes[1], *self.board), what="hand history")
        if len(self.board) not in BOARD_SIZES:
            raise GameError(f"the board has {len(self.board)} cards; expected 0, 3, 4 or 5")
        last = self.betting
        if last.player in (0, 1) and len(self.board) != BOARD_SIZES[last.street]:
            raise GameError(
                f"the board has {len(self.board)} cards; "
                f"after these actions expected {BOARD_SIZES[last.street]}"
            )
        if self.mucked is not None and (last.player != TERMINAL or last.folded is not None):
            raise GameError("a hand is mucked at a showdown, and this history has none")

    def steps(self) -> Iterator[tuple[Betting, int | None, Betting]]:
        """Each action (None: cards are dealt) with the betting before and after it."""
        state = self.rules.start()
        left = list(reversed(self.actions))
        while True:
            action = None
            if state.player == CHANCE and BOARD_SIZES[state.street + 1] <= len(self.board):
                after = state.deal()
            elif left:
                action = left.pop()
                try:
                    after = state.act(action)
                except GameError as error:
                    number = len(self.actions) - len(left)
                    raise GameError(f"action {number} of the hand history: {error}") from None
            else:
                return
            yield state, action, after
            state = after

    @property
    def betting(self) -> Betting:
        """The betting after the last action and the last card."""
        states = [after for _, _, after in self.steps()]
        return states[-1] if states else self.rules.start()

    def payoffs(self) -> tuple[int, int] | None:
        """Each player's winnings; None if the hand is not over or cards are missing."""
        last = self.betting
        if last.player != TERMINAL:
            return None
        if last.folded is not None:
            return last.payoffs()
        if self.mucked is not None:
            return last.payoffs(1 - self.mucked)
        if not (self.holes[0] and self.holes[1]):
            return None
        big, small = rank_cards(np.array([(*hole, *self.board) for hole in self.holes]))
        return last.payoffs(None if big == small else int(small > big))


def loads(text: str) -> HandHistory:
    """The hand of a PHH document; GameError says what is wrong with it."""
    return _from_document(_document(text))


def loads_all(text: str) -> list[HandHistory]:
    """The hands of a PHHS document, in their order; GameError names the hand that is wrong."""
    hands = []
    for name, document in _document(text).items():
        if not isinstance(document, dict):
            raise GameError(f"{name!r} is not a hand; a PHHS document has a table [1], [2], ...")
        try:
            hands.append(_from_document(document))
        except GameError as error:
            raise GameError(f"hand [{name}]: {error}") from None
    return hands


def _document(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise GameError(f"not a PHH document, which is TOML: {reason}") from None


def _from_document(document: dict[str, object]) -> HandHistory:
    for name in _OWN_FIELDS:
        if name not in document:
            raise GameError(f"PHH field {name!r} is missing; a hand needs {', '.join(_OWN_FIELDS)}")
    if document["variant"] != "NT":
        raise GameError(
            f"PHH variant {document['variant']!r} is not played here; "
            "expected 'NT', no-limit hold'em"
        )
    fields = ("starting_stacks", "antes", "blinds_or_straddles")
    stacks, antes, (small, big) = (_chip_pair(document, name) for name in fields)
    if antes[0] != antes[1]:
        raise GameError(f"PHH antes {list(antes)} differ; expected the same ante of both players")
    if _chips(document["min_bet"], "min_bet") != big:
        raise GameError(
            f"PHH min_bet is {document['min_bet']}; expected the big blind, {big} "
            "(blinds_or_straddles lists the small blind first)"
        )
    rules = BettingRules(stacks=stacks, big_blind=big, small_blind=small, ante=antes[0])
    words = document["actions"]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise GameError("PHH actions must be a list of texts such as 'p1 cbr 300'")
    state = rules.start()
    hand: dict[str, Any] = {"holes": ((), ()), "board": (), "actions": (), "mucked": None}
    for number, word in enumerate(words, start=1):
        try:
            state = _read_action(word.partition("#")[0].split(), state, hand)
        except GameError as error:
            raise GameError(f"PHH action {number}, {word!r}: {error}") from None
    others = {name: value for name, value in document.items() if name not in _OWN_FIELDS}
    return HandHistory(rules=rules, fields=others, **hand)


def dumps(hand: HandHistory) -> str:
    """`hand` as a PHH document; `loads` reads back an equal hand."""
    rules = hand.rules
    values: dict[str, object] = {
        "variant": "NT",
        "antes": [rules.ante, rules.ante],
        "blinds_or_straddles": [rules.small_blind, rules.big_blind],
        "min_bet": rules.big_blind,
        "starting_stacks": list(rules.stacks),
        "actions": _action_words(hand),
    } | {name: value for name, value in hand.fields.items() if name not in _OWN_FIELDS}
    return "".join(f"{_toml_key(name)} = {_toml_value(value)}\n" for name, value in values.items())


def dumps_all(hands: Iterable[HandHistory], *, first: int = 1) -> str:
    """`hands` as a PHHS document, or a part of one that begins with the number `first`."""
    return "".join(f"[{number}]\n{dumps(hand)}\n" for number, hand in enumerate(hands, first))


def _read_action(words: list[str], state: Betting, hand: dict[str, Any]) -> Betting:
    """The betting after an action of a document, which is added to the fields of `hand`."""
    match words:
        case [] | [_, "sm", "-"]:
            return state
        case ["d", "dh", player, cards] | [player, "sm", cards]:
            holes, whose = list(hand["holes"]), _player(player)
            if cards == UNKNOWN:
                return state
            hole = parse_cards(cards)
            if len(hole) != 2:
                raise GameError(f"{len(hole)} hole cards; expected 2, or {UNKNOWN} if not known")
            known = holes[whose] = holes[whose] or hole
            if set(known) != set(hole):
                raise GameError(f"{player} was dealt {format_cards(known)}; expected those cards")
            hand["holes"] = tuple(holes)
            return state
        case [player, "sm"]:
            hand["mucked"] = _player(player)
            return state
        case ["d", "db", cards]:
            state = state.deal()
            dealt = parse_cards(cards)
            expected = BOARD_SIZES[state.street] - BOARD_SIZES[state.street - 1]
            if len(dealt) != expected:
                raise GameError(f"{len(dealt)} board cards; expected {expected} on this street")
            hand["board"] += dealt
            return state
        case [player, "f"]:
            action = FOLD
        case [player, "cc"]:
            action = CALL
        case [player, "cbr", amount]:
            action = state.before[_player(player)] + _chips(amount, "the amount")
            if action in (FOLD, CALL):
                raise GameError(f"too small; possible: {state.options()}")
        case _:
            raise GameError(
                "expected d dh pN cards, d db cards, pN f, pN cc, pN cbr amount or pN sm cards"
            )
    if state.player != _player(player):
        due = {CHANCE: "board cards are due", TERMINAL: "the hand is over"}
        now = due.get(state.player, f"it is p{state.player + 1}'s turn")
        raise GameError(f"{player} cannot act now: {now}")
    hand["actions"] += (action,)
    return state.act(action)


def _player(word: str) -> int:
    if word not in ("p1", "p2"):
        raise GameError(f"{word!r} is not a player; expected p1 (big blind) or p2 (button)")
    return int(word[1]) - 1


def _chips(value: object, what: str) -> int:
    """Whole chips from a TOML number or a word of an action."""
    try:
        number = float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        number = float("nan")
    if not (number.is_integer() and 0 <= number < 1e15):
        raise GameError(f"{what} is {value!r}; expected whole chips (count in a smaller unit)")
    return int(number)


def _chip_pair(document: Mapping[str, object], name: str) -> tuple[int, int]:
    values = document[name]
    if not isinstance(values, list) or len(values) != 2:
        raise GameError(
            f"PHH field {name!r} is {values!r}; expected one amount for each of 2 players"
        )
    return _chips(values[0], name), _chips(values[1], name)


def _action_words(hand: HandHistory) -> list[str]:
    words = [f"d dh p{p + 1} {format_cards(hand.holes[p]) or UNKNOWN}" for p in (0, 1)]
    last_raiser = 0
    for state, action, _ in hand.steps():
        if action is None:
            cards = hand.board[BOARD_SIZES[state.street] : BOARD_SIZES[state.street + 1]]
            words.append(f"d db {format_cards(cards)}")
            last_raiser = 0
        elif action in (FOLD, CALL):
            words.append(f"p{state.player + 1} {'f' if action == FOLD else 'cc'}")
        else:
            words.append(f"p{state.player + 1} cbr {state.to_street(action)}")
            last_raiser = state.player
    last = hand.betting
    if last.player == TERMINAL and last.folded is None:
        for player in (last_raiser, 1 - last_raiser):
            if player == hand.mucked:
                words.append(f"p{player + 1} sm")
            elif hand.holes[player]:
                words.append(f"p{player + 1} sm {format_cards(hand.holes[player])}")
    return words


def _toml_key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else _toml_value(name)


def _toml_value(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return str(value).lower()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(str(key))} = {_toml_value(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    raise GameError(f"{value!r} cannot be written as TOML; expected text, numbers, times or lists")
