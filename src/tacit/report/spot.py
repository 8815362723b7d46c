"""A node of a solved spot as a report (a grid and tables), as JSON, and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.games import CHANCE, TERMINAL, GameError
from tacit.games.holdem.betting import STREETS
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    format_cards,
    hand_name,
    parse_hand,
)
from tacit.games.holdem.ranges import format_range
from tacit.report import grid
from tacit.report.table import Heading, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.games.holdem.spot import Spot
    from tacit.report.output import Block
    from tacit.solvers.spot import SpotNode, SpotSolution

NAMES = ("oop", "ip")
PLAYERS = ("OOP (player 1)", "IP (player 2)")


def actions(view: SpotNode) -> list[grid.Action]:
    """The mover's actions with a description, a letter and a colour each."""
    betting = view.betting
    largest = f"r{min(betting.rules.stacks)}"
    labels = view.actions
    shown = zip(
        labels,
        grid.letters(labels, all_in=largest),
        grid.colours(labels, all_in=largest),
        strict=True,
    )
    return [
        grid.Action(label, _description(view, label, all_in=label == largest), letter, colour)
        for label, letter, colour in shown
    ]


def _description(view: SpotNode, label: str, *, all_in: bool) -> str:
    betting = view.betting
    if label == "f":
        return "fold"
    if label == "k":
        return "check"
    if label == "c":
        return f"call {betting.to_call:,}"
    total = int(label[1:])
    level = max(betting.committed)
    on_street = betting.to_street(total)
    share = 100 * (total - level) / (betting.pot + betting.to_call)
    what = "bet" if level == max(betting.before) else "raise to"
    return f"{what} {on_street:,} ({share:.0f} % of the pot{', all in' if all_in else ''})"


def chips_won(view: SpotNode) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[1326] each: the chips that each hand wins from here on, the present pot included."""
    start = view.solution.spot.rules.start()
    both = []
    for player in (0, 1):
        paid = view.betting.committed[player] - start.committed[player]
        both.append(view.values[player] + start.pot / 2 + paid)
    return both[0], both[1]


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
    weights = view.weights(0), view.weights(1)
    if not weights[0].any():
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
    won = chips_won(view)
    for player in (0, 1):
        ev, equity = mean(won[player], weights[player]), _equity(view, player)
        mover = " moves" if view.mover == player else ""
        worth.add_row(
            f"{PLAYERS[player]}{mover}",
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


def _equity(view: SpotNode, player: int) -> float | None:
    if view.mover == TERMINAL and view.betting.folded is not None:
        return None
    return view.equity.total[player]


def hands_report(view: SpotNode, asked: str) -> list[Block]:
    """One hand or one class in detail: the mover's policy with it, its EV, equity and reach.

    Where nobody moves, both players' hands are shown.
    """
    hands = named_hands(asked)
    won = chips_won(view)
    players = [view.mover] if view.mover < CHANCE else [0, 1]
    blocks: list[Block] = []
    for player in players:
        weights = view.weights(player)
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
                f"{won[player][hand]:,.2f}",
                _percent(view, player, hand),
                *(f"{view.policy[a, hand]:.3f}" for a in range(len(labels))),
            )
        blocks.append(shown)
    return blocks


def _percent(view: SpotNode, player: int, hand: int) -> str:
    if view.mover == TERMINAL and view.betting.folded is not None:
        return "-"
    return f"{100 * view.equity.hands[player][hand]:.1f} %"


def named_hands(text: str) -> list[int]:
    """The hands of ``AhKd``, or of a class such as ``AKs``."""
    for number, name in enumerate(CLASS_NAMES):
        if text.lower() == name.lower():
            return [int(hand) for hand in np.flatnonzero(number == HAND_CLASS)]
    return [parse_hand(text)]


def is_hand(text: str) -> bool:
    """Whether `text` names a hand or a class of hands."""
    try:
        named_hands(text)
    except GameError:
        return False
    return True


def node_json(view: SpotNode, *, hands: bool = False) -> dict[str, Any]:
    """A node of the tree for programs: frequencies, EV, equity, and the policy of each class."""
    betting = view.betting
    weights = view.weights(0), view.weights(1)
    reached = bool(weights[0].any())
    found: dict[str, Any] = {
        "path": list(view.target.moves),
        "street": STREETS[betting.street],
        "board": format_cards(view.board),
        "pot": betting.pot,
        "behind": list(betting.behind),
        "player": NAMES[view.mover] if view.mover < CHANCE else None,
    }
    if view.mover == CHANCE:
        found["cards"] = list(view.cards)
    if not reached:
        return {**found, "reached": False}
    won = chips_won(view)
    found["ev"] = {NAMES[p]: mean(won[p], weights[p]) for p in (0, 1)}
    found["equity"] = {NAMES[p]: _equity(view, p) for p in (0, 1)}
    if view.mover >= CHANCE:
        return found
    shown = actions(view)
    mover = view.mover
    frequencies = view.frequencies()
    found["actions"] = [
        {"label": a.label, "description": a.description, "frequency": frequencies[a.label]}
        for a in shown
    ]
    rows = view.classes()
    start = view.solution.spot.rules.start()
    shift = start.pot / 2 + betting.committed[mover] - start.committed[mover]
    found["classes"] = {
        row.name: {
            "reach": row.reach,
            "policy": dict(zip(view.actions, row.policy, strict=True)),
            "ev": row.value + shift,
            "equity": row.equity,
        }
        for row in rows
    }
    if hands:
        found["hands"] = {
            hand_name(int(hand)): {
                "reach": float(view.reach[mover][hand]),
                "policy": dict(zip(view.actions, view.policy[:, hand].tolist(), strict=True)),
                "ev": float(won[mover][hand]),
                "equity": float(view.equity.hands[mover][hand]),
            }
            for hand in np.flatnonzero(weights[mover] > 0)
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
        "algorithm": solution.algorithm,
        "storage": solution.storage,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "stop": solution.stop,
        "exploitability": solution.exploitability,
        "exploitability_percent_of_pot": solution.percent_of_pot,
        "exploitability_mbb": solution.mbb,
    }


def plot_node(view: SpotNode, path: Path, *, title: str) -> None:
    """A picture (PNG) of the mover's grid, with the legend and frequencies."""
    if view.mover >= CHANCE:
        raise GameError("no player moves here, so there is no grid to draw")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch, Rectangle

    drawn = policy_grid(view)
    figure, axes = pyplot.subplots(figsize=(7.2, 8.4), layout="constrained")
    white = (236, 236, 236)
    for number, cell in enumerate(drawn.cells):
        row, column = divmod(number, 13)
        axes.add_patch(Rectangle((column, row), 1, 1, color=_unit(white), linewidth=0))
        left = float(column)
        if cell is not None:
            for action, share in zip(drawn.actions, cell.shares, strict=True):
                colour = _unit(grid.mix(action.colour, cell.strength, white))
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
        Patch(color=_unit(action.colour), label=f"{action.description}: {100 * share:.1f} %")
        for action, share in zip(drawn.actions, drawn.frequencies, strict=True)
    ]
    figure.legend(handles=legend, loc="outside lower center", frameon=False, ncols=2)
    figure.savefig(path, dpi=110, format="png")
    pyplot.close(figure)


def _unit(colour: grid.Colour) -> tuple[float, float, float]:
    return colour[0] / 255, colour[1] / 255, colour[2] / 255
