"""Builds the public trees of hold'em spots."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.games.holdem.spot import Spot
from tacit.tree.builder import (
    Limit,
    Size,
    StopRule,
    add_roots,
    leaf_states,
    readable_bytes,
    unfold,
)
from tacit.tree.cards.layout import CardLayout, Progress
from tacit.tree.cards.size import spot_size
from tacit.tree.cards.states import CardState
from tacit.tree.layout import GrowingLayout
from tacit.tree.memory import give_back
from tacit.tree.public_state import ActionSet, GameTooLargeError
from tacit.tree.public_tree import Layout, PublicTree


class CardBuilder:
    """Lays out the trees below card public states, of at most `max_bytes` if they grow."""

    name = "hold'em"

    def __init__(self, *, max_bytes: int = 8 << 30) -> None:
        self.max_bytes = max_bytes

    def lay_out(
        self,
        states: Sequence[CardState],
        limit: Limit,
        *,
        fold: bool = True,
        actions: ActionSet | None = None,
    ) -> Layout:
        """The subgames at `states`, each public state a node of its own.

        With `fold` the betting of a street is laid out once for all boards, which is faster;
        without it the tree can grow.
        """
        if fold:
            return CardLayout(states, limit, actions=actions)
        limit.check()
        layout = GrowingLayout(fold=False)
        layout.beliefs = [state.beliefs() for state in states]
        batch = layout.batch()
        unfold(batch, add_roots(layout, batch, states), limit, actions, self._check)
        layout.append(batch)
        return layout

    def grow(
        self,
        layout: GrowingLayout,
        leaves: Sequence[int],
        limit: Limit,
        actions: ActionSet | None = None,
    ) -> None:
        """Give leaves their moves, and add the public states that follow, to the limit."""
        limit.check()
        batch = layout.batch()
        unfold(batch, leaf_states(layout, leaves), limit, actions, self._check)
        layout.append(batch)

    def _check(self, size: Size) -> None:
        if size.least_bytes() > self.max_bytes:
            raise GameTooLargeError(
                f"the tree needs at least {readable_bytes(size.least_bytes())}, more than the "
                f"{readable_bytes(self.max_bytes)} allowed; set a limit, or allow more memory"
            )


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
