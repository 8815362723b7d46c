"""Cards in the terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from tacit.games.holdem.cards import parse_cards
from tacit.report.holdem.playing_cards import card_text, cards_text


class Ascii(StringIO):
    """A stream that knows no symbols."""

    encoding = "ascii"


def test_cards_are_drawn_as_the_terminal_can() -> None:
    cards = parse_cards("AsTd")
    colour = Console(file=StringIO(), color_system="truecolor", force_terminal=True)
    assert cards_text(cards, colour).plain == " A♠  10♦ "
    assert len({str(card_text(card, plain=False).style) for card in parse_cards("AsAhAdAc")}) == 4
    mono = Console(file=StringIO(), color_system=None)
    assert cards_text(cards, mono).plain == "[A♠] [T♦]"
    plain = Console(file=Ascii(), color_system=None)
    assert cards_text(cards, plain).plain == "[As] [Td]"
    assert cards_text((), plain).plain == ""
