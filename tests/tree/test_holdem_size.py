"""The estimate of a spot's size against the tree itself."""

from __future__ import annotations

import pytest

from tacit.games.spot import Spot
from tacit.tree import GameTooLargeError
from tacit.tree.holdem_builder import build_spot
from tacit.tree.holdem_size import spot_size

SPOTS = [
    Spot.of("2c7dJhQsKs", pot=100, behind=200, bets="50%,a/a"),
    Spot.of("2c7dJhQs", ranges=("22+,A2s+", "KTo+,76s"), pot=100, behind=200, bets="75%/a"),
    Spot.of("7s8s9s", ranges=("AKs,QQ", "AA,JTs"), pot=100, behind=100, bets="a"),
]


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("isomorphism", [True, False])
def test_the_estimate_is_about_right(spot: Spot, isomorphism: bool) -> None:
    if not isomorphism and len(spot.board) == 3:
        pytest.skip("thousands of boards")
    tree, size = build_spot(spot, isomorphism=isomorphism), spot_size(spot, isomorphism=isomorphism)
    assert size.public_states == pytest.approx(tree.nodes, rel=0.02)
    assert size.slots == pytest.approx(tree.sizes.slots, rel=0.05)


def test_a_river_is_counted_exactly() -> None:
    tree, size = build_spot(SPOTS[0]), spot_size(SPOTS[0])
    assert (size.public_states, size.slots) == (tree.nodes, tree.sizes.slots)


def test_what_does_not_fit_is_refused_with_the_estimate() -> None:
    flop = Spot.of("2c7dJh", pot=100, behind=10_000, bets="33%,75%,150%,a/60%,a")
    with pytest.raises(GameTooLargeError, match=r"needs about \d.* more than the 8.59 GB allowed"):
        build_spot(flop)
