"""`tacit range`: read a range, count it, draw it, and write it compactly."""

from __future__ import annotations

import click

from tacit.cli.options import as_json


@click.command("range")
@click.argument("text", metavar="RANGE")
@click.option("--board", "-b", default="", metavar="CARDS", help="Remove hands that it blocks.")
@as_json
def range_command(text: str, *, board: str, as_json: bool) -> None:
    """Show a RANGE such as 22+,A2s+,KTo+,AhKh:0.5,76s-54s.

    A weight from 0 to 1 after a colon weights a hand; a later item overrides an earlier one:
    random,AA:0 is every hand but the aces.
    """
    import numpy as np

    from tacit.games.holdem.cards import (
        CLASS_NAMES,
        HAND_CLASS,
        NUM_HANDS,
        format_cards,
        hand_name,
        live_hands,
        parse_cards,
    )
    from tacit.games.holdem.ranges import check_range, format_range, parse_range
    from tacit.report.grid import range_grid
    from tacit.report.output import console, print_json, print_report
    from tacit.report.table import Heading

    cards = parse_cards(board)
    read = parse_range(text)
    compact, weights = format_range(read), check_range(read, cards)
    combos, live = float(weights.sum()), live_hands(cards)
    if as_json:
        by_class = np.bincount(HAND_CLASS, weights=weights, minlength=169)
        print_json(
            {
                "range": compact,
                "board": format_cards(cards),
                "combos": combos,
                "share": combos / int(live.sum()),
                "classes": {CLASS_NAMES[n]: float(by_class[n]) for n in np.flatnonzero(by_class)},
                "hands": {
                    hand_name(int(hand)): round(float(weights[hand]), 7)
                    for hand in np.flatnonzero(weights)
                },
            }
        )
        return
    without = f" without {format_cards(cards)}" if cards else ""
    total = int(live.sum()) if cards else NUM_HANDS
    counts = f"{combos:g} of {total:,} hands{without}, {100 * combos / total:.1f} %"
    print_report(console(), [Heading(compact), counts, range_grid(weights, live)])
