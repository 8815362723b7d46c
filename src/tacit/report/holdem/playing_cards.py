"""Cards in the terminal: suits as coloured symbols, or as letters where it knows no others."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from tacit.games.holdem.cards import RANKS, SUITS, card_name

SYMBOLS = dict(zip(SUITS, "♣♦♥♠", strict=True))
INKS = {"c": "#1e7a34", "d": "#1f5fbf", "h": "#c4262e", "s": "#1c1c1c"}
"""The four-colour deck."""
PAPER = "#f4f1e8"


def card_text(card: int, *, plain: bool) -> Text:
    """One card: as ``A♠`` on white, or as ``[As]`` without colours or symbols."""
    if plain:
        return Text(f"[{card_name(card)}]")
    suit = SUITS[card % 4]
    rank = RANKS[card // 4].replace("T", "10")
    return Text(f"{rank:>2}{SYMBOLS[suit]} ", style=f"bold {INKS[suit]} on {PAPER}")


def cards_text(cards: Iterable[int], screen: Console) -> Text:
    """Cards beside each other, as the terminal can show them."""
    plain = screen.options.ascii_only or screen.color_system is None
    if plain and not screen.options.ascii_only:
        drawn = [Text(f"[{RANKS[card // 4]}{SYMBOLS[SUITS[card % 4]]}]") for card in cards]
    else:
        drawn = [card_text(card, plain=plain) for card in cards]
    return Text(" ").join(drawn)
