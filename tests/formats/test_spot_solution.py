"""Solved spots as files: what is wrong inside them is said in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.archive import ArchiveError, write_arrays
from tacit.formats.spot_solution import load_spot_solution, save_spot_solution
from tacit.games.holdem.spot import Spot
from tacit.solvers.spot import SpotLimits, SpotSolution, resume_spot, solve_spot


@pytest.fixture(scope="module")
def solution() -> SpotSolution:
    spot = Spot.of("3s7hTdKs2c", ranges=("AA", "QQ"), pot=200, behind=300, bets="50%/a")
    return solve_spot(spot, SpotLimits(iterations=4), resumable=True)


def test_a_saved_spot_comes_back(solution: SpotSolution, tmp_path: Path) -> None:
    save_spot_solution(solution, tmp_path / "spot.npz")
    again = load_spot_solution(tmp_path / "spot.npz")
    assert again.history == solution.history
    assert np.array_equal(again.policy, solution.policy)
    assert resume_spot(again, SpotLimits(iterations=6)).iterations == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": []}, "is not a solution of tacit"),
        ({"spot": 0}, "is damaged"),
        ({"spot": {"board": [1.5] * 5}}, "1.5 is not of the type int"),
        ({"spot": {"name": 3}}, "3 is not of the type str"),
        ({"locked": 0}, "is damaged"),
        ({"locked": ["0"]}, "'0' is not of the type int"),
        ({"locked": [10**30]}, "no player moves at a locked node"),
        ({"storage": 64}, "its storage is 64 bits"),
        ({"storage": "32"}, "'32' is not of the type int"),
        ({"isomorphism": 1}, "1 is not of the type bool"),
        ({"complete": None}, "None is not of the type bool"),
        ({"algorithm": {}}, "{} is not of the type str"),
        ({"stop": []}, "is damaged"),
    ],
)
def test_wrong_types_are_refused(
    solution: SpotSolution, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = tmp_path / "spot.npz"
    save_spot_solution(solution, path)
    with np.load(path) as file:
        parts = {name: file[name] for name in file.files}
    about = json.loads(str(parts["about"]))
    for name, value in changes.items():
        about[name] = about[name] | value if isinstance(value, dict) and value else value
    write_arrays(path, parts | {"about": np.array(json.dumps(about))})
    with pytest.raises(ArchiveError) as caught:
        load_spot_solution(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["ranges", "policy", "history", "about"])
def test_missing_columns_are_refused(solution: SpotSolution, tmp_path: Path, name: str) -> None:
    path = tmp_path / "spot.npz"
    save_spot_solution(solution, path)
    with np.load(path) as file:
        parts = {each: file[each] for each in file.files if each != name}
    write_arrays(path, parts)
    with pytest.raises(ArchiveError, match=f"KeyError: '{name}'"):
        load_spot_solution(path)
