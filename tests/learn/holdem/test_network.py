"""The network's file, and the evaluator in a search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tacit.archive import ArchiveError
from tacit.games import GameError
from tacit.games.holdem.spot import Spot
from tacit.learn.holdem.knots import Situation
from tacit.learn.holdem.network import (
    KnotEvaluator,
    KnotNetwork,
    Origin,
    find_network,
    load_evaluator,
)
from tacit.learn.holdem.random_positions import TableSettings, random_positions
from tacit.solvers import Solver, find_algorithm
from tacit.tree.builder import before_chance
from tacit.tree.cards.builder import build_spot
from tacit.tree.cards.equity import range_equity
from tacit.tree.pbs import PBS


def made(*situations: Situation) -> KnotEvaluator:
    """An evaluator whose network answers something."""
    network = KnotNetwork((32,), seed=3)
    with torch.no_grad():
        network.body[-1].weight.normal_(0, 0.05)
    origin = Origin(command="tacit train x", seed=3, examples=10, seconds=1.5)
    return KnotEvaluator(network, situations, origin)


def some(*, before_card: bool, count: int = 3) -> list[PBS]:
    random = np.random.default_rng(0)
    return [
        random_positions(TableSettings(), 1, random, before_card=before_card)[0]
        for _ in range(count)
    ]


@pytest.mark.parametrize("before_card", [True, False])
def test_values_are_zero_sum_chips_in_the_order_of_hands(before_card: bool) -> None:
    pbss = some(before_card=before_card)
    evaluator = made(Situation.BEFORE_RIVER, Situation.RIVER)
    answers = evaluator.values(pbss)
    for pbs, pair in zip(pbss, answers, strict=True):
        mean = 0.0
        for player in (0, 1):
            assert pair[player].shape == pbs.beliefs[player].shape
            reach = pbs.state.compatible_reach(player, pbs.beliefs[1 - player])
            mean += pbs.beliefs[player] @ (reach * pair[player])
        assert abs(mean) < 1e-4 * pbs.state.betting.pot
    alone = evaluator.values(pbss[1:2])[0]
    assert np.abs(alone[0] - answers[1][0]).max() < 1e-4 * pbss[1].state.betting.pot


def test_an_untrained_network_answers_equity() -> None:
    pbs = some(before_card=True, count=1)[0]
    origin = Origin(command="", seed=0)
    evaluator = KnotEvaluator(KnotNetwork((8,)), [Situation.BEFORE_RIVER], origin)
    ranges = np.zeros((2, 1326))
    for player in (0, 1):
        ranges[player, pbs.state.deal.hands[player]] = pbs.beliefs[player]
    known = range_equity(pbs.state.board, (ranges[0], ranges[1])).hands[0]
    expected = (known - 0.5) * pbs.state.betting.pot
    found = evaluator.values([pbs])[0][0]
    own = pbs.state.deal.hands[0]
    assert np.abs(found - expected[own]).max() < 1e-3 * pbs.state.betting.pot


def test_a_saved_network_answers_the_same_to_16_bits(tmp_path: Path) -> None:
    evaluator, path = made(Situation.BEFORE_RIVER), tmp_path / "network.npz"
    evaluator.save(path)
    loaded = load_evaluator(tmp_path)
    assert loaded.origin == evaluator.origin
    assert loaded.situations == {Situation.BEFORE_RIVER}
    pbss = some(before_card=True)
    for pbs, one, two in zip(pbss, evaluator.values(pbss), loaded.values(pbss), strict=True):
        assert np.abs(one[0] - two[0]).max() < 0.01 * pbs.state.betting.pot
    path.write_bytes(path.read_bytes()[:-100] + b"0" * 100)
    with pytest.raises(ArchiveError):
        load_evaluator(path)


def test_situations_that_were_not_trained_are_refused() -> None:
    evaluator = made(Situation.BEFORE_RIVER)
    with pytest.raises(GameError, match="trained for: before the river; not for: river"):
        evaluator.values(some(before_card=False))


def test_unknown_networks_are_refused() -> None:
    with pytest.raises(GameError, match="unknown network of hold'em 'nothing'"):
        find_network("nothing")


def test_a_search_with_the_evaluator_runs_to_the_end_of_the_street() -> None:
    spot = Spot.of("3s7hTdKs", pot=200, behind=300, bets="100%,a/a")
    tree = build_spot(spot, stop=before_chance, isomorphism=False)
    solver = Solver(tree, find_algorithm("dcfr"), leaves=made(Situation.BEFORE_RIVER))
    solver.run(3)
    assert solver.limit is not None
    assert solver.limit.leaves.asked > 0
    policy = solver.average_policy()
    assert np.isfinite(policy).all()
    root = tree.block(policy, 0)
    assert np.abs(root.sum(axis=0) - 1).max() < 1e-5
    assert not np.allclose(root, 1 / len(root), atol=1e-3)
