"""Builds the public trees of hold'em spots."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.games import GameError
from tacit.games.holdem.spot import Spot
from tacit.tree.builder import Limit, before_chance
from tacit.tree.cards.betting_template import Stop
from tacit.tree.cards.layout import CardLayout, Progress, lay_out_cards
from tacit.tree.cards.size import spot_size
from tacit.tree.cards.states import CardState
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
        if limit.stop not in (None, before_chance):
            raise GameError("a card tree can stop only at a depth or before the next deal")
        stop: Stop | None = None if limit.stop is None else "street"
        whole = limit == Limit()
        return lay_out_cards(states, depth=limit.depth, stop=stop, share=whole, actions=actions)


def build_spot(
    spot: Spot,
    *,
    isomorphism: bool = True,
    stop: Stop | None = None,
    depth: int | None = None,
    storage: int = 32,
    max_bytes: int = 8 << 30,
    progress: Progress | None = None,
) -> PublicTree:
    """The public tree of a spot, to the end of the game, or as `lay_out_cards` to a limit.

    GameTooLargeError states the estimate if solving it, with `storage` bits per number, would need
    more than `max_bytes`.
    """
    whole = stop is None and depth is None
    if whole:
        size = spot_size(spot, isomorphism=isomorphism, storage=storage, max_bytes=max_bytes)
        size.check(max_bytes, spot.name)
    root = CardState.of(spot, isomorphism=isomorphism)
    layout = lay_out_cards([root], stop=stop, depth=depth, share=whole, progress=progress)
    return PublicTree(CardBuilder(), layout)
