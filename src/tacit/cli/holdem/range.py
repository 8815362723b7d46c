"""`tacit range`: read a range, count it, draw it, and write it compactly."""

from __future__ import annotations

from tacit.cli.options import command
from tacit.report.experiment import option


@command
def range_command(
    text: str = option(..., metavar="RANGE"),
    *,
    board: str = option("", "Remove hands that it blocks.", "-b", metavar="CARDS"),
    as_json: bool,
) -> None:
    """Show a RANGE such as 22+,A2s+,KTo+,AhKh:0.5,76s-54s.

    A weight from 0 to 1 after a colon weights a hand; a later item overrides an earlier one:
    random,AA:0 is every hand but the aces.
    """
    import numpy as np

    from tacit.games.holdem import cards as names
    from tacit.games.holdem.ranges import check_range, format_range, parse_range
    from tacit.report.holdem.grid import by_class, range_grid
    from tacit.report.output import show
    from tacit.report.table import Heading

    cards = names.parse_cards(board)
    read = parse_range(text)
    compact, weights = format_range(read), check_range(read, cards)
    live = names.live_hands(cards)
    combos, total = float(weights.sum()), int(live.sum())
    sums = by_class(weights)
    value = {
        "range": compact,
        "board": names.format_cards(cards),
        "combos": combos,
        "share": combos / total,
        "classes": {names.CLASS_NAMES[n]: float(sums[n]) for n in np.flatnonzero(sums)},
        "hands": {
            names.hand_name(int(hand)): round(float(weights[hand]), 7)
            for hand in np.flatnonzero(weights)
        },
    }
    without = f" without {names.format_cards(cards)}" if cards else ""
    counts = f"{combos:g} of {total:,} hands{without}, {100 * combos / total:.1f} %"
    show(as_json, value, [Heading(compact), counts, range_grid(weights, live)])
