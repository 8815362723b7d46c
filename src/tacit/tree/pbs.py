"""The public belief state: a public state and what both players may be believed to hold there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from tacit.tree.public_state import PublicState


@dataclass(frozen=True, eq=False)
class PBS:
    """A public state with the beliefs [K_0] and [K_1] of both players.

    Two of them are equal if their public states have the same key: a search at one is a search at
    the other, with other beliefs.
    """

    state: PublicState
    beliefs: tuple[NDArray[Any], NDArray[Any]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PBS) and self.state.key == other.state.key

    def __hash__(self) -> int:
        return hash(self.state.key)
