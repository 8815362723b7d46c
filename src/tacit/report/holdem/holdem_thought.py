"""What the search player thought at a decision, as a report: range, policies, values, subgame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.games.holdem.betting import STREETS, Betting
from tacit.games.holdem.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    NUM_CLASSES,
    format_cards,
    hand_name,
    live_hands,
)
from tacit.games.holdem.spot import action_label
from tacit.games.holdem.wording import describe_action
from tacit.report.holdem import grid
from tacit.report.table import Heading, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.agents.holdem.search_player import Memory
    from tacit.report.output import Block
    from tacit.subgame.street import Decision

SHOWN_CLASSES = 10


def thought_report(memory: Memory, hand: int, number: int) -> list[Block]:
    """A decision of the search player with the cards `hand` [0, 1326)."""
    subgame, line, _ = memory.thought
    plan, seat = subgame.plan, memory.seat
    decision = plan.decision(line)
    assert decision is not None
    ranges = plan.ranges(line)
    own, other = _shares(ranges[seat]), _shares(ranges[1 - seat])
    shown = table(
        "action", hand_name(hand), "its range",
        title=f"Decision {number}: {_where(memory)}",
    )  # fmt: skip
    for place, action in enumerate(decision.actions):
        shown.add_row(
            describe_action(memory.hand.betting, action),
            f"{100 * decision.played[place, hand]:.1f} %",
            f"{100 * float(decision.played[place] @ own):.1f} %",
        )
    worth = _worth(memory, hand)
    start = "at the start of the street" if not plan.root.line else "within the street"
    depth = f", {plan.leaves} leaves" if plan.leaves else ", to the end of the game"
    lines = [
        f"its range: {_range_line(own, memory.hand.board)}",
        f"its belief about you: {_range_line(other, memory.hand.board)}",
        worth,
        f"solved {start}: {plan.nodes:,} public states{depth}; it played iteration "
        f"{plan.iteration} of {plan.iterations}",
    ]
    return [shown, *lines, ""]


def thought_grid(memory: Memory) -> list[Block]:
    """The policy of its whole range by hand class."""
    subgame, line, _ = memory.thought
    decision = subgame.plan.decision(line)
    assert decision is not None
    own = subgame.plan.ranges(line)[memory.seat]
    held = np.where(live_hands(memory.hand.board), own, 0.0)
    cells = grid.policy_cells(decision.played.astype(np.float64), held, held)
    share = _shares(held)
    frequencies = [float(chances @ share) for chances in decision.played]
    drawn = grid.Grid(cells, _actions(memory.hand.betting, decision), frequencies)
    return [Heading(_where(memory)), drawn]


def _actions(betting: Betting, decision: Decision) -> list[grid.Action]:
    labels = [action_label(betting, action) for action in decision.actions]
    signs = grid.letters_and_colours(labels, all_in=f"r{min(betting.rules.stacks)}")
    return [
        grid.Action(label, describe_action(betting, action), *sign)
        for label, action, sign in zip(labels, decision.actions, signs, strict=True)
    ]


def _where(memory: Memory) -> str:
    hand = memory.hand
    board = f" {format_cards(hand.board)}" if hand.board else ""
    return f"{STREETS[hand.betting.street]}{board}, pot {hand.betting.pot:,}"


def _worth(memory: Memory, hand: int) -> str:
    """The values at the subgame's root in one line."""
    plan, seat = memory.thought.subgame.plan, memory.seat
    own = _shares(plan.root.ranges[seat])
    values = plan.values[seat]
    known = ~np.isnan(values)
    mean = float(values[known] @ own[known])
    mine = float(values[hand])
    text = "its cards are impossible there" if np.isnan(mine) else f"{mine:+,.0f} with its cards"
    return f"chips it expected to win over the hand: {text}, {mean:+,.0f} with its range"


def _shares(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """[1326] normalised; even if there is no weight."""
    wide = weights.astype(np.float64)
    wide = wide if wide.sum() > 0 else np.ones_like(wide)
    shares: NDArray[np.float64] = wide / wide.sum()
    return shares


def _range_line(share: NDArray[np.float64], board: tuple[int, ...]) -> str:
    """How wide a range [1326] is, and its most likely classes of hands."""
    live = live_hands(board)
    # The number of equally likely hands with the same entropy.
    held = share[share > 0]
    wide = float(np.exp(-(held * np.log(held)).sum()))
    classes = np.bincount(HAND_CLASS, weights=share, minlength=NUM_CLASSES)
    best = np.argsort(-classes, kind="stable")[:SHOWN_CLASSES]
    names = ", ".join(f"{CLASS_NAMES[n]} {100 * classes[n]:.1f}" for n in best if classes[n] > 0)
    if wide > 0.999 * live.sum():
        return f"all {live.sum():,} hands alike"
    return f"as wide as {wide:,.0f} of {live.sum():,} hands; most likely (%): {names}"
