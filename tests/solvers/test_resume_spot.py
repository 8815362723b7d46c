"""A resumed spot gives the same result as one that never stopped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tacit.formats.solution import ArchiveError
from tacit.formats.spot_solution import load_spot_solution, save_spot_solution
from tacit.games import GameError
from tacit.games.holdem.spot import Spot
from tacit.solvers.spot import SpotLimits, resume_spot, solve_spot

TURN = Spot.of("2c7dJhQs", ranges=("QQ,A2s+", "KTo+,76s"), pot=100, behind=200, bets="75%/a")
LOCKS = {"k": {"k": 0.25, "r150": 0.75}}


@pytest.mark.parametrize(("storage", "algorithm"), [(32, "dcfr"), (16, "dcfr"), (32, "flop")])
def test_the_result_is_bit_for_bit_that_of_one_run(tmp_path, storage, algorithm):
    settings = {"algorithm": algorithm, "storage": storage, "locks": LOCKS}
    whole = solve_spot(TURN, SpotLimits(iterations=30), **settings)
    part = solve_spot(TURN, SpotLimits(iterations=13), resumable=True, **settings)
    save_spot_solution(part, tmp_path / "part.npz")
    loaded = load_spot_solution(tmp_path / "part.npz")
    joined = resume_spot(loaded, SpotLimits(iterations=30), threads=2)
    assert joined.iterations == 30
    assert joined.storage == storage
    assert joined.history[: len(part.history)] == part.history
    assert joined.exploitability == pytest.approx(whole.exploitability, rel=1e-9)
    assert_array_equal(joined.policy, whole.policy)
    assert joined.memory
    assert not whole.memory


def test_what_cannot_be_resumed_is_refused(tmp_path):
    done = solve_spot(TURN, SpotLimits(iterations=3), resumable=True)
    with pytest.raises(GameError, match="saved without the arrays that resuming needs"):
        resume_spot(replace(done, memory={}))
    save_spot_solution(done, tmp_path / "small.npz", small=True)
    with pytest.raises(GameError, match="without rivers cannot be resumed"):
        resume_spot(load_spot_solution(tmp_path / "small.npz"))
    cut = {name: array[:-1] for name, array in done.memory.items()}
    save_spot_solution(replace(done, memory=cut), tmp_path / "cut.npz")
    with pytest.raises(ArchiveError, match="damaged"):
        load_spot_solution(tmp_path / "cut.npz")


def test_a_small_file_keeps_what_is_locked_on_its_rivers(tmp_path):
    path = "k k 2h k"
    locks = {path: {"k": 0.5, "r150": 0.5}}
    done = solve_spot(TURN, SpotLimits(iterations=40), locks=locks, isomorphism=False)
    save_spot_solution(done, tmp_path / "small.npz", small=True)
    loaded = load_spot_solution(tmp_path / "small.npz")
    shown = loaded.view(path)
    assert shown.frequencies() == pytest.approx(done.view(path).frequencies(), abs=1e-4)
    possible = ~np.isnan(shown.policy[0])
    assert np.allclose(shown.policy[:, possible], 0.5, atol=1e-4)
    assert loaded.view("k k 3h k").frequencies()["k"] != pytest.approx(0.5, abs=1e-3)
