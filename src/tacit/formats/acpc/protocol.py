"""What the dealer and its clients send each other: game definitions, match states, actions.

A match state is ``MATCHSTATE:1:7:r300c/cr600:|AhKd/2c3d4s``: the position of the player who reads
it, the hand's number, the betting, the hole cards in order of position, and the board by streets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tacit.archive import read_text, reading
from tacit.formats.phh import HandHistory
from tacit.games.game import TERMINAL, GameError
from tacit.games.holdem.betting import BOARD_SIZES, CALL, FOLD, BettingRules, read_history
from tacit.games.holdem.cards import format_cards, parse_cards

VERSION = "VERSION:2.0.0"
MAX_ACTIONS = 64
"""Number of actions on one street that the dealer has room for; before that it forbids raises."""
MAX_CHIPS = 2**31 - 1

HOLDEM = {
    "numplayers": (2,),
    "numrounds": (4,),
    "firstplayer": (2, 1, 1, 1),
    "numsuits": (4,),
    "numranks": (13,),
    "numholecards": (2,),
    "numboardcards": (0, 3, 1, 1),
}
"""What a definition of heads-up hold'em says beside blinds and stacks; reverse blinds."""
NAMES = {
    name.lower(): name
    for name in (
        "numPlayers", "numRounds", "firstPlayer", "numSuits", "numRanks", "numHoleCards",
        "numBoardCards", "stack", "blind", "raiseSize", "maxRaises",
    )
}  # fmt: skip


def read_game(text: str) -> BettingRules:
    """The rules of a game definition; GameError if it is not heads-up no-limit hold'em."""
    fields: dict[str, tuple[int, ...]] = {}
    limits = set()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.replace("=", " ").lower().split()
        if not words or line.startswith("#") or words == ["gamedef"]:
            continue
        if words == ["end", "gamedef"]:
            break
        name, *values = words
        if name in ("limit", "nolimit") and not values:
            limits.add(name)
        elif name not in NAMES:
            raise GameError(
                f"line {number} of the game definition, {line[:60]!r}, is not known; "
                f"expected nolimit, {', '.join(NAMES.values())}"
            )
        elif not all(re.fullmatch(r"\d{1,10}", value, re.ASCII) for value in values):
            raise GameError(
                f"line {number} of the game definition, {line[:60]!r}: expected whole numbers"
            )
        else:
            fields[name] = tuple(map(int, values))
    if limits != {"nolimit"}:
        raise GameError("the game definition is not of a no-limit game; expected a line `nolimit`")
    for name, expected in HOLDEM.items():
        found = fields.get(name)
        if found != expected:
            stated = "is missing" if found is None else f"is {_numbers(found)}"
            raise GameError(
                f"{NAMES[name]} {stated} in the game definition; heads-up hold'em has "
                f"{_numbers(expected)}"
            )
    if "maxraises" in fields:
        raise GameError("the game definition limits raises by maxRaises, which is not played here")
    stacks, blinds = (_pair(fields, name) for name in ("stack", "blind"))
    big, small = blinds
    if not small <= big < min(stacks):
        raise GameError(
            f"blinds {_numbers(blinds)} and stacks {_numbers(stacks)} do not fit; expected the big "
            "blind first (reverse blinds), and both stacks larger than it"
        )
    return BettingRules(stacks=stacks, big_blind=big, small_blind=small)


def load_game_definition(path: Path | None) -> BettingRules:
    """The rules in a file; without one blinds of 50 and 100 and stacks of 20,000."""
    if path is None:
        return BettingRules()
    with reading(path, "a game definition"):
        return read_game(read_text(path, "a game definition"))


def game_text(rules: BettingRules) -> str:
    """The game definition of these rules, as the dealer reads it."""
    lines = ["GAMEDEF", "nolimit"]
    fields = HOLDEM | {"stack": rules.stacks, "blind": (rules.big_blind, rules.small_blind)}
    lines += [f"{NAMES[name]} = {_numbers(values)}" for name, values in fields.items()]
    return "\n".join([*lines, "END GAMEDEF", ""])


def _pair(fields: dict[str, tuple[int, ...]], name: str) -> tuple[int, int]:
    values = fields.get(name, ())
    if len(values) != 2 or max(values) > MAX_CHIPS:
        raise GameError(f"{name} is {_numbers(values)!r} in the game definition; expected two")
    return values[0], values[1]


def _numbers(values: tuple[int, ...]) -> str:
    return " ".join(map(str, values))


@dataclass(frozen=True)
class MatchState:
    """A message of the dealer: the reader's position, the hand's number and the hand so far."""

    position: int
    number: int
    hand: HandHistory

    @property
    def finished(self) -> bool:
        """Whether the hand is over."""
        return self.hand.betting.player == TERMINAL

    @property
    def may_raise(self) -> bool:
        """Whether the dealer has room for another raise on this street."""
        return on_street(self.hand) + 2 <= MAX_ACTIONS


_MATCH_STATE = re.compile(r"MATCHSTATE:([01]):(\d{1,9}):([^:]*):([^:]*)", re.ASCII)


def read_match_state(line: str, rules: BettingRules) -> MatchState:
    """A message of the dealer; GameError says what does not fit the rules."""
    match = _MATCH_STATE.fullmatch(line)
    if match is None:
        raise GameError(
            f"the dealer's line {line[:100]!r} is not understood; expected "
            "MATCHSTATE:position:hand:betting:cards"
        )
    position = int(match[1])
    hand = read_hand(match[3], match[4], rules)
    if not hand.holes[position]:
        raise GameError(f"the dealer's line {line[:100]!r} lacks the cards of position {position}")
    return MatchState(position, int(match[2]), hand)


def read_hand(betting: str, cards: str, rules: BettingRules) -> HandHistory:
    """A hand from its betting and cards, as in match states and in the dealer's log."""
    actions = tuple(action for action, _ in read_history(rules, betting) if action is not None)
    holes, *streets = cards.split("/")
    if holes.count("|") != 1 or len(streets) != betting.count("/"):
        raise GameError(
            f"the cards {cards[:60]!r} do not fit the betting {betting[:60]!r}; expected the hands "
            "of both positions with a | between, then a / before each street's cards"
        )
    for street, dealt in enumerate(streets, start=1):
        expected = BOARD_SIZES[street] - BOARD_SIZES[street - 1]
        if len(parse_cards(dealt)) != expected:
            raise GameError(
                f"the board has {dealt!r} on street {street}; expected {expected} cards"
            )
    first, second = (parse_cards(hole) for hole in holes.split("|"))
    return HandHistory(
        rules=rules, holes=(first, second), board=parse_cards("".join(streets)), actions=actions
    )


def betting_text(hand: HandHistory) -> str:
    """The betting as the dealer writes it: checks are calls, a ``/`` before each later street."""
    return "".join("/" if action is None else action_text(action) for _, action, _ in hand.steps())


def cards_text(hand: HandHistory) -> str:
    """Both hands, as far as they are known, and the board, as the dealer writes them."""
    sizes = [size for size in BOARD_SIZES if size <= len(hand.board)]
    streets = [hand.board[first:last] for first, last in pairwise(sizes)]
    return "/".join(["|".join(map(format_cards, hand.holes)), *map(format_cards, streets)])


def action_text(action: int) -> str:
    """``f``, ``c``, or ``r`` and the total over the hand."""
    return {FOLD: "f", CALL: "c"}.get(action, f"r{action}")


def on_street(hand: HandHistory) -> int:
    """Number of actions on the present street."""
    count = 0
    for _, action, _ in hand.steps():
        count = 0 if action is None else count + 1
    return count
