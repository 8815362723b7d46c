"""The public tree of a hold'em spot."""

from __future__ import annotations

from tacit.games.holdem.spot import Spot
from tacit.tree.cards.betting_template import Stop
from tacit.tree.cards.layout import Progress, lay_out_cards
from tacit.tree.cards.size import spot_size
from tacit.tree.cards.states import CardState
from tacit.tree.public_tree import PublicTree


def build_spot(
    spot: Spot,
    *,
    isomorphism: bool = True,
    stop: Stop | None = None,
    depth: int | None = None,
    share: bool = True,
    storage: int = 32,
    max_bytes: int = 8 << 30,
    progress: Progress | None = None,
) -> PublicTree:
    """The public tree of a spot, to the end of the game or to where `lay_out_cards` is told.

    GameTooLargeError states the estimate if solving it, with `storage` bits a number, would take
    more than `max_bytes`.
    """
    if stop is None and depth is None:
        size = spot_size(spot, isomorphism=isomorphism, storage=storage, max_bytes=max_bytes)
        size.check(max_bytes, spot.name)
    root = CardState.of(spot, isomorphism=isomorphism)
    return PublicTree(
        lay_out_cards([root], stop=stop, depth=depth, share=share, progress=progress)
    )
