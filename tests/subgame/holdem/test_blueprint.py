"""Blueprints of hold'em: made, kept, resumed, read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.blueprints import buckets_by_equity
from tacit.games import GameError
from tacit.games.holdem.cards import NUM_HANDS, parse_board
from tacit.solvers.sharing.centre_buckets import CentreBuckets
from tacit.subgame.holdem import blueprint as module
from tacit.subgame.holdem.blueprint import (
    BlueprintSettings,
    HoldemBlueprint,
    load_blueprint,
    make_blueprint,
)

SMALL = BlueprintSettings(
    stack=1_000, bets=("100%", "100%", "100%", "100%"), buckets=(5, 5, 5), boards=2, iterations=4
)


@pytest.fixture(autouse=True)
def _quick_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters of whole streets take a minute."""
    made = buckets_by_equity()
    monkeypatch.setattr(CentreBuckets, "compute", lambda *_, **__: made)


def test_it_is_kept_in_a_file(tmp_path: Path) -> None:
    made = make_blueprint(SMALL)
    made.save(tmp_path / "b.npz")
    read = load_blueprint(tmp_path / "b.npz")
    assert read.settings == SMALL
    assert np.array_equal(read.policy, made.policy)
    for node, board in (
        (0, ()),
        (int(np.flatnonzero(made.tree.street == 2)[0]), parse_board("3s7hTdKs")),
    ):
        chances = read.chances(node, board)
        assert np.array_equal(chances, made.chances(node, board))
        assert chances.shape == (made.tree.counts[node], NUM_HANDS)
        assert chances.sum(axis=0) == pytest.approx(np.ones(NUM_HANDS))


def test_an_interrupted_solve_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEEP_EVERY", 2)
    checkpoint = tmp_path / "checkpoint"

    def stop(stage: str, share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_blueprint(SMALL, checkpoint=checkpoint, on_stage=stop)
    assert checkpoint.exists()
    other = BlueprintSettings(stack=2_000, bets=SMALL.bets, buckets=(5, 5, 5))
    with pytest.raises(GameError, match="other settings"):
        make_blueprint(other, checkpoint=checkpoint)
    resumed = make_blueprint(SMALL, checkpoint=checkpoint)
    assert np.array_equal(resumed.policy, make_blueprint(SMALL).policy)
    assert not checkpoint.exists()


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    made = make_blueprint(SMALL)
    cut = HoldemBlueprint(made.settings, made.tree, made.buckets, made.policy[:-1])
    cut.save(tmp_path / "b.npz")
    with pytest.raises(GameError, match="has a policy of"):
        load_blueprint(tmp_path / "b.npz")
