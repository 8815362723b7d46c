"""`tacit equity`: the equity of hands and ranges against each other."""

from __future__ import annotations

from typing import Any

from tacit.cli.options import command
from tacit.report.experiment import option


@command
def equity(
    first: str = option(..., metavar="RANGE"),
    second: str = option("random", metavar="RANGE"),
    *,
    board: str = option("", "0, 3, 4 or 5 cards: 3s7hTd.", "-b", metavar="CARDS"),
    samples: int | None = option(
        None,
        "Deal this many random boards.  [default: all, if that takes less than about 15 s]",
        least=20,
    ),
    seed: int = option(0, "Of samples.", least=0),
    hands: bool = option(False, "Every hand of both ranges (with --json), or classes."),
    as_json: bool,
) -> None:
    """The share of the pot that two hands or ranges win if all cards are dealt.

    A RANGE is a hand (AhKd) or a list such as 22+,A2s+,KTo+; the second one is every hand if left
    out. All boards are dealt where that is quick; otherwise random ones, with the error stated.
    """
    from tacit.games.holdem.cards import format_cards, parse_board
    from tacit.games.holdem.ranges import check_range, parse_range
    from tacit.report.holdem.equity import class_tables, hand_equities
    from tacit.report.output import show
    from tacit.report.table import table
    from tacit.tree.cards.equity import board_equity

    cards = parse_board(board)
    texts = first, second
    ranges = [
        check_range(parse_range(text), cards, name=f"the {place} range")
        for text, place in zip(texts, ("first", "second"), strict=True)
    ]
    found = board_equity(cards, (ranges[0], ranges[1]), samples=samples, seed=seed)
    total, ties = found.total, found.ties
    rows: list[dict[str, Any]] = [
        {
            "range": text,
            "combos": float(weights.sum()),
            "equity": total[player],
            "win": total[player] - ties / 2,
            "tie": ties,
            "lose": 1 - total[player] - ties / 2,
        }
        for player, (text, weights) in enumerate(zip(texts, ranges, strict=True))
    ]
    if found.exact:
        note = f"Exact: {found.boards:,} boards."
    else:
        note = (
            f"{found.boards:,} random boards (seed {seed}); "
            f"equity ± {196 * found.error:.2f} % (95 %)."
        )
    where = f" on {format_cards(cards)}" if cards else " before the flop"
    shown = table(
        "range", "combos", "equity", "win", "tie", "lose", title=f"Equity{where}", note=note
    )
    for text, row in zip(texts, rows, strict=True):
        shares = (f"{100 * row[key]:.2f} %" for key in ("equity", "win", "tie", "lose"))
        shown.add_row(text if len(text) < 60 else f"{text[:57]}...", f"{row['combos']:g}", *shares)
    if hands:
        for player, row in enumerate(rows):
            row["hands"] = hand_equities(found.hands[player], ranges[player])
    value = {
        "board": format_cards(cards),
        "players": rows,
        "boards": found.boards,
        "exact": found.exact,
        "standard_error": found.error,
        "seed": None if found.exact else seed,
    }
    show(as_json, value, [shown, *(class_tables(found.hands, ranges) if hands else ())])
