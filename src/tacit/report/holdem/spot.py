"""A node of a solved spot as a report (a grid and tables), as JSON, and as a picture."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import STREETS
from tacit.games.holdem.cards import CLASS_NAMES, HAND_CLASS, format_cards, hand_name, parse_hand
from tacit.games.holdem.ranges import format_range
from tacit.games.holdem.spot import read_label
from tacit.games.holdem.wording import describe_action
from tacit.report.holdem import grid
from tacit.report.plot import picture, save
from tacit.report.table import Heading, pick, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.games.holdem.spot import Spot
    from tacit.report.output import Block
    from tacit.solvers.spot import SpotNode, SpotSolution

NAMES = ("oop", "ip")
PLAYERS = ("OOP (player 1)", "IP (player 2)")


def actions(view: SpotNode) -> list[grid.Action]:
    """The mover's actions with a description, a letter and a colour each."""
    largest = f"r{min(view.betting.rules.stacks)}"
    signs = grid.letters_and_colours(view.actions, all_in=largest)
    return [
        grid.Action(label, describe_action(view.betting, read_label(label)), *sign)
        for label, sign in zip(view.actions, signs, strict=True)
    ]


def _paid(view: SpotNode, player: int) -> float:
    """What a player's values lack of the chips won from here on, the present pot included."""
    start = view.solution.spot.rules.start()
    return start.pot / 2 + view.betting.committed[player] - start.committed[player]


def chips_won(view: SpotNode, player: int) -> NDArray[np.float64]:
    """[1326] the chips that each hand wins from here on, the present pot included."""
    return view.values[player] + _paid(view, player)


def mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float | None:
    """The weighted mean of values [1326], NaN at weight 0 allowed; None if all weights are 0."""
    used = weights > 0
    if not used.any():
        return None
    return float(values[used] @ weights[used] / weights[used].sum())


def node_report(view: SpotNode) -> list[Block]:
    """A node of the tree: where it is, the mover's grid, both players' EV and equity."""
    betting = view.betting
    path = " ".join(view.target.moves) or "the start"
    first, second = betting.behind
    blocks: list[Block] = [
        "",
        Heading(
            f"{STREETS[betting.street]} {format_cards(view.board)}",
            f", pot {betting.pot:,}, behind {first:,} and {second:,}: {path}",
        ),
    ]
    if not view.weights(0).any():
        return [*blocks, "No hands reach this point."]
    if view.mover == TERMINAL:
        folded = betting.folded
        blocks.append(
            "The hand ends in a showdown." if folded is None else f"{PLAYERS[folded]} has folded."
        )
    elif view.mover == CHANCE:
        blocks.append(f"Cards are dealt: {', '.join(view.cards)}")
    else:
        blocks.append(policy_grid(view))
    worth = table("", "hands", "EV", "EV % of pot", "equity")
    for player in (0, 1):
        ev = mean(chips_won(view, player), view.weights(player))
        equity = None if _folded(view) else view.equity.total[player]
        worth.add_row(
            f"{PLAYERS[player]}{' moves' if view.mover == player else ''}",
            f"{view.reach[player].sum():,.1f}",
            "-" if ev is None else f"{ev:,.2f}",
            "-" if ev is None else f"{100 * ev / betting.pot:.1f} %",
            "-" if equity is None else f"{100 * equity:.1f} %",
        )
    return [*blocks, worth]


def policy_grid(view: SpotNode) -> grid.Grid:
    """The mover's policy by hand class."""
    weights = view.weights(view.mover)
    cells = grid.policy_cells(view.policy, weights, view.reach[view.mover] * (weights > 0))
    shown, frequencies = actions(view), view.frequencies()
    return grid.Grid(cells, shown, [frequencies[action.label] for action in shown])


def _folded(view: SpotNode) -> bool:
    """Whether a fold has ended the hand, which then has no equity."""
    return view.mover == TERMINAL and view.betting.folded is not None


def hands_report(view: SpotNode, asked: str) -> list[Block]:
    """One hand or one class in detail: the mover's policy with it, its EV, equity and reach.

    Where nobody moves, both players' hands are shown.
    """
    hands = named_hands(asked)
    blocks: list[Block] = []
    for player in [view.mover] if view.mover < CHANCE else [0, 1]:
        weights, won = view.weights(player), chips_won(view, player)
        labels = view.actions if view.mover == player else ()
        rows = [hand for hand in hands if weights[hand] > 0]
        if not rows:
            blocks.append(f"{PLAYERS[player]} does not hold {asked} here.")
            continue
        shown = table("hand", "reach", "EV", "equity", *labels, title=f"{asked}, {PLAYERS[player]}")
        for hand in rows:
            shown.add_row(
                hand_name(hand),
                f"{view.reach[player][hand]:.3f}",
                f"{won[hand]:,.2f}",
                "-" if _folded(view) else f"{100 * view.equity.hands[player][hand]:.1f} %",
                *(f"{view.policy[a, hand]:.3f}" for a in range(len(labels))),
            )
        blocks.append(shown)
    return blocks


def named_hands(text: str) -> list[int]:
    """The hands of ``AhKd``, or of a class such as ``AKs``."""
    classes = {name.lower(): number for number, name in enumerate(CLASS_NAMES)}
    if text.lower() in classes:
        hands: list[int] = np.flatnonzero(classes[text.lower()] == HAND_CLASS).tolist()
        return hands
    return [parse_hand(text)]


def is_hand(text: str) -> bool:
    """Whether `text` names a hand or a class of hands."""
    with suppress(GameError):
        return bool(named_hands(text))
    return False


def node_json(view: SpotNode, *, hands: bool = False) -> dict[str, Any]:
    """A node of the tree for programs: frequencies, EV, equity, and the policy of each class."""
    betting, mover = view.betting, view.mover
    found: dict[str, Any] = {
        "path": list(view.target.moves),
        "street": STREETS[betting.street],
        "board": format_cards(view.board),
        "pot": betting.pot,
        "behind": list(betting.behind),
        "player": NAMES[mover] if mover < CHANCE else None,
    }
    if mover == CHANCE:
        found["cards"] = list(view.cards)
    if not view.weights(0).any():
        return {**found, "reached": False}
    found["ev"] = {name: mean(chips_won(view, p), view.weights(p)) for p, name in enumerate(NAMES)}
    equity = (None, None) if _folded(view) else view.equity.total
    found["equity"] = dict(zip(NAMES, equity, strict=True))
    if mover >= CHANCE:
        return found
    frequencies = view.frequencies()
    found["actions"] = [
        {"label": a.label, "description": a.description, "frequency": frequencies[a.label]}
        for a in actions(view)
    ]

    def entry(reach: Any, policy: Any, ev: Any, equity: Any) -> dict[str, Any]:
        shares = dict(zip(view.actions, map(float, policy), strict=True))
        return {"reach": float(reach), "policy": shares, "ev": float(ev), "equity": float(equity)}

    found["classes"] = {
        row.name: entry(row.reach, row.policy, row.value + _paid(view, mover), row.equity)
        for row in view.classes()
    }
    if hands:
        won, equities = chips_won(view, mover), view.equity.hands[mover]
        found["hands"] = {
            hand_name(int(h)): entry(view.reach[mover][h], view.policy[:, h], won[h], equities[h])
            for h in np.flatnonzero(view.weights(mover) > 0)
        }
    return found


def spot_json(spot: Spot) -> dict[str, Any]:
    """A spot for programs."""
    return {
        "title": spot.name,
        "board": format_cards(spot.board),
        "pot": spot.pot,
        "stacks": list(spot.rules.start().behind),
        "big_blind": spot.rules.big_blind,
        "ranges": {
            name: format_range(weights) for name, weights in zip(NAMES, spot.ranges, strict=True)
        },
    }


def solution_line(solution: SpotSolution) -> str:
    """How well a spot is solved, in one line."""
    return (
        f"{solution.spot.name}: {solution.algorithm}, {solution.iterations:,} iterations, "
        f"{solution.seconds:.2f} s, exploitability {solution.percent_of_pot:.3g} % of the pot "
        f"({solution.mbb:.3g} mbb/h)"
    )


def solution_json(solution: SpotSolution) -> dict[str, Any]:
    """How well a spot is solved, for programs."""
    return {
        **pick(solution, "algorithm storage iterations seconds stop exploitability"),
        "exploitability_percent_of_pot": solution.percent_of_pot,
        "exploitability_mbb": solution.mbb,
    }


def plot_node(view: SpotNode, path: Path, *, title: str) -> None:
    """A picture (PNG) of the mover's grid, with the legend and frequencies."""
    if view.mover >= CHANCE:
        raise GameError("no player moves here, so there is no grid to draw")
    from matplotlib.patches import Patch, Rectangle

    drawn = policy_grid(view)
    figure, axes = picture(7.2, 8.4)
    axes.grid(visible=False)
    white = (236, 236, 236)
    for number, cell in enumerate(drawn.cells):
        row, column = divmod(number, 13)
        axes.add_patch(Rectangle((column, row), 1, 1, color=grid.hex_colour(white), linewidth=0))
        left = float(column)
        if cell is not None:
            for action, share in zip(drawn.actions, cell.shares, strict=True):
                colour = grid.hex_colour(grid.mix(action.colour, cell.strength, white))
                axes.add_patch(Rectangle((left, row), share, 1, color=colour, linewidth=0))
                left += share
        ink = "0.1" if cell is not None else "0.7"
        axes.text(column + 0.07, row + 0.3, CLASS_NAMES[number], fontsize=8, color=ink)
    for line in range(14):
        axes.axhline(line, color="white", linewidth=1)
        axes.axvline(line, color="white", linewidth=1)
    axes.set(xlim=(0, 13), ylim=(13, 0), xticks=[], yticks=[], aspect="equal")
    figure.suptitle(title)
    axes.spines[:].set_visible(False)
    legend = [
        Patch(color=grid.hex_colour(a.colour), label=f"{a.description}: {100 * share:.1f} %")
        for a, share in zip(drawn.actions, drawn.frequencies, strict=True)
    ]
    figure.legend(handles=legend, loc="outside lower center", frameon=False, ncols=2)
    save(figure, path, dpi=110)
