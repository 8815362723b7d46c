"""A spot: a point in a hand of heads-up no-limit hold'em, with both players' ranges.

It is a public belief state: the board, the chips, and the weight of each player's hands. Player 0
acts first after the flop (the big blind, "out of position"), player 1 last. Chips that belong to
nobody (`BettingRules.dead`) are shared equally before the game, so that it is zero-sum; a tied pot
is split evenly, its odd chip too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from tacit.games.game import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import (
    BOARD_SIZES,
    CALL,
    FOLD,
    RIVER,
    STREETS,
    Betting,
    BettingRules,
)
from tacit.games.holdem.cards import (
    HAND_CARDS,
    HAND_INDEX,
    check_cards,
    format_cards,
    live_hands,
    parse_board,
)
from tacit.games.holdem.ranges import check_range, parse_range

Range = NDArray[np.float32]
Ranges = tuple[Range, Range]
Suits = tuple[int, int, int, int]
"""A permutation of suits: suit s becomes suits[s]."""

IDENTITY: Suits = (0, 1, 2, 3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Spot:
    """Board, chips, ranges and bet sizes, which define the tree.

    ranges: float32[1326] each, 0 for hands that the board blocks.
    additions: further raises, as totals over the hand, by the betting history from the spot on (the
    notation of `betting.replay`).
    """

    board: tuple[int, ...]
    rules: BettingRules
    ranges: Ranges
    bets: BetSettings
    additions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    name: str = "hold'em"

    def __post_init__(self) -> None:
        check_cards(self.board, what="board")
        street = self.rules.first_street
        if len(self.board) != BOARD_SIZES[street]:
            raise GameError(
                f"the board {format_cards(self.board)} has {len(self.board)} cards; the "
                f"{STREETS[street]}, where this starts, has {BOARD_SIZES[street]}"
            )
        checked = tuple(
            check_range(weights, self.board, name=f"the range of player {player}")
            for player, weights in enumerate(self.ranges)
        )
        object.__setattr__(self, "ranges", checked)
        first, second = (np.flatnonzero(weights > 0) for weights in self.ranges)
        cards = HAND_CARDS[first].tolist()
        if not any(live_hands(both)[second].any() for both in cards):
            raise GameError("the two ranges cannot meet: every pair of hands shares a card")
        known = set(_histories(self))
        for history in self.additions:
            if history not in known:
                raise GameError(
                    f"no player acts after {history!r} in this tree, so no bet can be added there"
                )

    @classmethod
    def of(
        cls,
        board: str | tuple[int, ...],
        *,
        ranges: tuple[str | Range, str | Range] = ("random", "random"),
        pot: int,
        behind: int | tuple[int, int],
        bets: str | Mapping[str, str] | BetSettings,
        big_blind: int = 100,
        additions: Mapping[str, tuple[int, ...]] | None = None,
        name: str = "hold'em",
    ) -> Spot:
        """A spot on the flop or later; ranges and bet sizes may be given in notation."""
        cards = parse_board(board) if isinstance(board, str) else tuple(board)
        if len(cards) not in BOARD_SIZES[1:]:
            raise GameError(f"the board has {len(cards)} cards; a spot starts with 3, 4 or 5")
        first, second = (parse_range(r) if isinstance(r, str) else r for r in ranges)
        chips = (behind, behind) if isinstance(behind, int) else behind
        if pot <= 0:
            raise GameError(f"the pot is {pot}; a spot starts with chips in it")
        return cls(
            board=cards,
            rules=BettingRules.from_pot(
                BOARD_SIZES.index(len(cards)), pot=pot, behind=chips, big_blind=big_blind
            ),
            ranges=(first, second),
            bets=bets if isinstance(bets, BetSettings) else BetSettings.parse(bets),
            additions=additions or {},
            name=name,
        )

    @classmethod
    def from_the_blinds(
        cls, bets: str | Mapping[str, str] | BetSettings, *, stack: int, last_street: int = RIVER
    ) -> Spot:
        """A whole hand with all hands and blinds of 50 and 100: heads-up no-limit hold'em (HUNL).

        It is no-limit flop or turn hold'em (Brown and Sandholm 2017, appendix G) if the flop or the
        turn is the last street.
        """
        end = "" if last_street == RIVER else f" to the {STREETS[last_street]}"
        return cls(
            board=(),
            rules=BettingRules(stacks=(stack, stack), last_street=last_street),
            ranges=(parse_range("random"), parse_range("random")),
            bets=bets if isinstance(bets, BetSettings) else BetSettings.parse(bets),
            name=f"no-limit hold'em{end}",
        )

    @property
    def pot(self) -> int:
        """The chips in the pot at the start."""
        return self.rules.start().pot

    def actions(self, betting: Betting, history: str) -> tuple[int, ...]:
        """The mover's actions in the tree: fold, check or call, then raises, smallest first."""
        more = self.additions.get(history, ())
        for total in more:
            if total in (FOLD, CALL) or not betting.legal(total):
                raise GameError(
                    f"a raise to {total} cannot be added after {history!r}; "
                    f"possible: {betting.options()}"
                )
        raises = sorted({*self.bets.raises(betting), *more})
        return (*((FOLD,) if betting.can_fold else ()), CALL, *raises)

    def symmetries(self) -> tuple[Suits, ...]:
        """The permutations of suits that change neither the board nor the ranges."""
        kept = []
        for order in permutations(range(4)):
            suits: Suits = (order[0], order[1], order[2], order[3])
            moved = permute_hands(suits)
            same_board = {permute_card(suits, card) for card in self.board} == set(self.board)
            if same_board and all(np.array_equal(r[moved], r) for r in self.ranges):
                kept.append(suits)
        return tuple(kept)


def action_label(betting: Betting, action: int) -> str:
    """The notation of an action: ``f``, ``k``, ``c``, or ``r`` and the total over the hand."""
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c" if betting.to_call else "k"
    return f"r{action}"


def read_label(label: str) -> int:
    """The action that `action_label` names."""
    known = {"f": FOLD, "c": CALL, "k": CALL}
    return known[label] if label in known else int(label.removeprefix("r"))


def permute_card(suits: Suits, card: int) -> int:
    """The image of a card."""
    return card - card % 4 + suits[card % 4]


def permute_hands(suits: Suits) -> NDArray[np.int16]:
    """[1326] the image of each hand."""
    cards = HAND_CARDS - HAND_CARDS % 4 + np.array(suits, np.int8)[HAND_CARDS % 4]
    moved: NDArray[np.int16] = HAND_INDEX[cards[:, 0], cards[:, 1]]
    return moved


def _histories(spot: Spot) -> list[str]:
    """Every history after which a player acts."""
    histories: list[str] = []
    stack = [(spot.rules.start(), "")] if spot.additions else []
    while stack:
        betting, history = stack.pop()
        if betting.player in (0, 1):
            histories.append(history)
            for action in spot.actions(betting, history):
                stack.append((betting.act(action), history + action_label(betting, action)))
        elif betting.player == 2:
            stack.append((betting.deal(), history + "/"))
    return histories
