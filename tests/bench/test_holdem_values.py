"""The error of a hold'em network: equity alone is that of an untrained one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import call
from tacit.learn.holdem.knots import Situation
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork, Origin


def test_an_untrained_network_has_the_error_of_equity(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    trained = [Situation.BEFORE_RIVER, Situation.RIVER]
    KnotEvaluator(KnotNetwork((8,)), trained, Origin(command="", seed=0)).save(path)
    words = ("bench", "holdem-values", "--network", path, "--boards=1", "--positions=1")
    code, out, _ = call(*words, "--iterations=3", "--json")
    rows = json.loads(out)
    assert code == 0
    assert [(row["beliefs"], row["situation"]) for row in rows] == [
        ("self-play", "before the river"), ("self-play", "river"),
        ("random", "before the river"), ("random", "river"),
    ]  # fmt: skip
    assert [row["positions"] for row in rows] == [1, 48, 1, 48]
    for row in rows:
        # Making values zero-sum is all that a network that answers zero adds to equity.
        assert row["error"] == pytest.approx(row["equity"], abs=1e-3)
        assert row["worst"] >= row["error"] > 0


@pytest.mark.parametrize(
    ("situations", "labels"),
    [
        ((Situation.BEFORE_TURN, Situation.TURN), ["before the turn", "turn"]),
        ((Situation.BEFORE_FLOP, Situation.FLOP), ["before the flop", "flop"]),
    ],
)
def test_networks_of_earlier_streets_are_measured_on_some_cards(
    tmp_path: Path, situations: tuple[Situation, ...], labels: list[str]
) -> None:
    path = tmp_path / "network.npz"
    KnotEvaluator(KnotNetwork((8,)), situations, Origin(command="", seed=0)).save(path)
    sizes = ("--boards=1", "--positions=2", "--cards=2", "--flops=3", "--iterations=3")
    code, out, _ = call("bench", "holdem-values", "--network", path, *sizes, "--json")
    rows = json.loads(out)
    assert code == 0
    assert [(row["situation"], row["positions"]) for row in rows] == [
        (labels[0], 2),
        (labels[1], 4),
    ]
    for row in rows:
        assert row["error"] == pytest.approx(row["equity"], abs=1e-2)
        assert row["worst"] >= row["error"] > 0
