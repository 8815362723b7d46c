"""A depth-limited turn with exact rivers is as good as the whole tree."""

from __future__ import annotations

from tacit.bench.depth_limited import DepthLimitedTurn


def test_exact_rivers_make_a_turn_as_good_as_the_whole_tree() -> None:
    (row,) = DepthLimitedTurn(iterations=24, river_iterations=40).rows()
    assert row["ratio"] == row["depth_limited"] / row["whole"]
    assert row["depth_limited"] < 2 * row["whole"]
    assert row["depth_limited"] < 3  # chips, of a pot of 100
