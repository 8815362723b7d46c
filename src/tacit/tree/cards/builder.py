"""Builds the public trees of hold'em spots."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.games.holdem.spot import Spot
from tacit.tree.builder import Limit, StopRule
from tacit.tree.cards.layout import CardLayout, Progress
from tacit.tree.cards.size import spot_size
from tacit.tree.cards.states import CardState
from tacit.tree.memory import give_back
from tacit.tree.public_state import ActionSet
from tacit.tree.public_tree import PublicTree


class CardBuilder:
    """Lays out the trees below card public states."""

    name = "hold'em"

    def lay_out(
        self,
        states: Sequence[CardState],
        limit: Limit,
        *,
        fold: bool = True,
        actions: ActionSet | None = None,
    ) -> CardLayout:
        """The subgames at `states`, each public state a node of its own."""
        return CardLayout(states, limit, actions=actions)


def build_spot(
    spot: Spot,
    *,
    isomorphism: bool = True,
    stop: StopRule | None = None,
    depth: int | None = None,
    storage: int = 32,
    threads: int = 1,
    max_bytes: int = 8 << 30,
    progress: Progress | None = None,
) -> PublicTree:
    """The public tree of a spot, to the end of the game or to a limit.

    GameTooLargeError states the estimate if solving the whole tree, with `storage` bits per number
    and by so many `threads`, would need more than `max_bytes`.
    """
    limit = Limit(depth, stop)
    if limit == Limit():
        size = spot_size(
            spot, isomorphism=isomorphism, storage=storage, threads=threads, max_bytes=max_bytes
        )
        size.check(max_bytes, spot.name)
    root = CardState.of(spot, isomorphism=isomorphism)
    layout = CardLayout([root], limit, progress=progress)
    give_back()  # what making the boards took
    return PublicTree(CardBuilder(), layout)
