"""Cards, two-card hands and boards of hold'em: their numbers, their names, and card removal.

A card is `4 * rank + suit`: ranks count from 0 (deuce) to 12 (ace), suits are c, d, h, s. A hand is
two cards, `low < high`, and has the index `high * (high - 1) / 2 + low`: hands are ordered by their
higher card, then by their lower one, so hand 0 is 2d2c and hand 1,325 is AsAh.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.games.game import GameError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NUM_CARDS = 52
NUM_HANDS = 1326
NUM_CLASSES = 169


def _hand_tables() -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int16]]:
    high, low = np.tril_indices(NUM_CARDS, k=-1)
    cards = np.stack([low, high], axis=1).astype(np.int8)
    index = np.full((NUM_CARDS, NUM_CARDS), -1, np.int16)
    index[low, high] = index[high, low] = np.arange(NUM_HANDS)
    high_row, low_row = 12 - high // 4, 12 - low // 4
    suited = high % 4 == low % 4
    row, column = np.where(suited, high_row, low_row), np.where(suited, low_row, high_row)
    classes = (13 * row + column).astype(np.int16)
    for table in (cards, index, classes):
        table.setflags(write=False)
    return cards, index, classes


HAND_CARDS, HAND_INDEX, HAND_CLASS = _hand_tables()
"""`HAND_CARDS` int8[1326, 2]: the cards of each hand, lower card first. `HAND_INDEX` int16[52, 52]:
the hand of two cards in either order, -1 on the diagonal. `HAND_CLASS` int16[1326]: the hand's cell
`13 * row + column` in the usual grid of 169 classes (rows and columns from ace to
deuce, pairs on the diagonal, suited hands above it, offsuit hands below)."""


def _class_name(cell: int) -> str:
    row, column = divmod(cell, 13)
    high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


CLASS_NAMES = tuple(_class_name(cell) for cell in range(NUM_CLASSES))
"""The names of the 169 classes in the order of `HAND_CLASS`: AA, AKs, ..., AKo, KK, ..., 22."""


def parse_cards(text: str) -> tuple[int, ...]:
    """Cards as in ``AhKd``, ``Ah Kd`` or ``ah,kd``, all different; GameError names the bad one."""
    packed = "".join(text.replace(",", " ").split())
    cards: list[int] = []
    for start in range(0, len(packed), 2):
        name = packed[start : start + 2]
        rank = RANKS.find(name[0].upper())
        suit = SUITS.find(name[1].lower()) if len(name) == 2 else -1
        if rank < 0 or suit < 0:
            raise GameError(
                f"cards {text!r}: {name!r} is not a card; "
                f"a card is a rank of {RANKS} and a suit of {SUITS}, such as Ah"
            )
        cards.append(4 * rank + suit)
    check_cards(cards, what=f"cards {text!r}")
    return tuple(cards)


def parse_board(text: str) -> tuple[int, ...]:
    """A board: no card, or a flop, turn or river (3, 4 or 5 cards)."""
    cards = parse_cards(text)
    if len(cards) not in (0, 3, 4, 5):
        raise GameError(f"board {text!r} has {len(cards)} cards; a board has 0, 3, 4 or 5")
    return cards


def parse_hand(text: str) -> int:
    """The index of the two-card hand that `text` names, such as ``AhKd``."""
    cards = parse_cards(text)
    if len(cards) != 2:
        raise GameError(f"hand {text!r} has {len(cards)} cards; a hand has 2, such as AhKd")
    return int(HAND_INDEX[cards[0], cards[1]])


def check_cards(cards: Iterable[int], *, what: str = "cards") -> None:
    """Refuse cards that are no card numbers or not all different; `what` begins the message."""
    seen: set[int] = set()
    for card in cards:
        if not 0 <= card < NUM_CARDS:
            raise GameError(
                f"{what}: {card} is not a card; cards are numbered 0 to {NUM_CARDS - 1}"
            )
        if card in seen:
            raise GameError(f"{what}: {card_name(card)} is there twice; each card exists once")
        seen.add(card)


def card_name(card: int) -> str:
    """The name of one card, such as ``Ah``."""
    return RANKS[card // 4] + SUITS[card % 4]


def format_cards(cards: Iterable[int]) -> str:
    """The names of `cards` in their order, without spaces: ``AhKd``."""
    return "".join(card_name(card) for card in cards)


def hand_name(hand: int) -> str:
    """The name of the hand with index `hand`, higher card first: ``AhKd``."""
    low, high = HAND_CARDS[hand]
    return card_name(int(high)) + card_name(int(low))


def live_hands(cards: Sequence[int]) -> NDArray[np.bool_]:
    """Which hands share no card with `cards` (a board, dead cards): bool[1326]."""
    check_cards(cards)
    dead = np.zeros(NUM_CARDS, np.bool_)
    dead[list(cards)] = True
    return ~(dead[HAND_CARDS[:, 0]] | dead[HAND_CARDS[:, 1]])
