"""Policies at a public state as tables: one row for each infostate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tacit.report.table import Table, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tacit.tree import PublicState

LEAST_SHOWN = 0.005
"""Actions with smaller probabilities are left out."""
MOST_ROWS = 60


def infostate_table(
    state: PublicState, player: int, columns: Mapping[str, Sequence[str]], *, title: str
) -> Table:
    """Columns of text by infostate of a player, ordered by private keys where these are ordered."""
    names = state.names(player)
    privates: Any = state.privates[player]
    order = list(range(len(privates)))
    with suppress(TypeError):
        order.sort(key=lambda row: privates[row])
    made = table("infostate", *columns, title=title)
    for row in order[:MOST_ROWS]:
        made.add_row(names[row] or "any", *(texts[row] for texts in columns.values()))
    if len(names) > MOST_ROWS:
        made.note = f"{len(names) - MOST_ROWS} more infostates are not shown."
    return made


def policy_table(
    state: PublicState,
    policy: NDArray[np.float64],
    *,
    title: str,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """The mover's policy [A, K]; `columns` come before the actions.

    Actions that nobody takes are named in the note instead of having a column.
    """
    labels = state.expansion.labels
    shown = [a for a in range(len(labels)) if policy[a].max() >= LEAST_SHOWN]
    actions = {
        labels[a]: [f"{share:.2f}" if share >= LEAST_SHOWN else "·" for share in policy[a]]
        for a in shown
    }
    made = infostate_table(state, state.mover, {**(columns or {}), **actions}, title=title)
    never = [label for a, label in enumerate(labels) if a not in shown]
    if never:
        made.note = f"Never: {', '.join(never)}. {made.note}".strip()
    return made
