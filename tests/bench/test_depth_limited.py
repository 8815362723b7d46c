"""A depth-limited turn with exact rivers is as good as the whole tree."""

from __future__ import annotations

from tacit.bench.depth_limited import depth_limited_turn
from tacit.games.holdem.spot import Spot

TURN = Spot.of("2c7dJhQs", ranges=("AA,KQs,65s", "KK,AJs,T8s"), pot=100, behind=200, bets="75%/a")


def test_exact_rivers_make_a_turn_as_good_as_the_whole_tree() -> None:
    row = depth_limited_turn(TURN, iterations=24, river_iterations=40)
    assert row["depth_limited"] < 2 * row["whole"]
    assert row["depth_limited"] < 3  # chips, of a pot of 100
