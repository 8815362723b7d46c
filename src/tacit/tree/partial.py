"""Moves of a public state that a growing tree adds one after the other, best first.

Where nothing is hidden, one good move is enough at a time (Student of Games, `k = 1`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.array_record import Int32
from tacit.tree.public_state import Expansion, PublicState, Transition

_ZERO = np.zeros(1, dtype=np.int32)


class PartialExpansion(Expansion):
    """The moves that a node with one infostate for each player has so far.

    whole: all moves; order: [A] their numbers in the order in which they are added; children: [B]
    the public states after the first B of them. `actions`, `labels`, `legal` and `transitions` are
    those of these B moves, in this order.
    """

    def __init__(self, state: PublicState, whole: Expansion, order: Sequence[int]) -> None:
        self.mover = state.mover
        self.whole = whole
        self.order = list(order)
        self.children: list[PublicState] = []
        self.all_legal, self.simple = True, True

    def add(self) -> PublicState:
        """Add the next move; returns the public state after it."""
        self.children.append(self.whole.child(self.order[len(self.children)]))
        return self.children[-1]

    @property
    def actions(self) -> tuple[int, ...]:  # type: ignore[override]
        """[B] the actions."""
        return tuple(self.whole.actions[number] for number in self.order[: len(self.children)])

    @property
    def labels(self) -> tuple[str, ...]:  # type: ignore[override]
        """[B] their labels."""
        return tuple(self.whole.labels[number] for number in self.order[: len(self.children)])

    @property
    def legal(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:  # type: ignore[override]
        """[B, 1] all of them."""
        return np.ones((len(self.children), 1), dtype=bool)

    @property
    def transitions(self) -> tuple[Transition, ...]:  # type: ignore[override]
        """[B] one for each move."""
        moves = zip(self.children, self.labels, strict=True)
        return tuple(self._transition(n, child, label) for n, (child, label) in enumerate(moves))

    def _transition(self, number: int, child: PublicState, label: str) -> Transition:
        sources: list[Int32] = [_ZERO, _ZERO]
        sources[self.mover] = np.array([number], dtype=np.int32)
        return Transition(child, label, 1.0, (sources[0], sources[1]), (_ZERO, _ZERO))
