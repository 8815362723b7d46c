"""ReBeL's Figure 2 in hold'em, on a small turn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from support.commands import call, fails
from tacit.learn.holdem.knots import Situation
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork, Origin
from tacit.reproduce.rebel.turn_endgame import TurnEndgame
from tacit.solvers import Solver, find_algorithm

SPOT = """
board = "2c7dJhQs"
pot = 100
stacks = 200
ranges = { oop = "AA,KQs,65s,T9o", ip = "KK,AJs,T8s,55" }
bets = "75%,a/a"
"""


@pytest.fixture
def spot(tmp_path: Path) -> Path:
    path = tmp_path / "turn.toml"
    path.write_text(SPOT)
    return path


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """An untrained one, which answers equity."""
    path = tmp_path / "equity.npz"
    origin = Origin(command="tacit train nothing", seed=0, seconds=2.0)
    trained = [Situation.BEFORE_RIVER, Situation.RIVER]
    KnotEvaluator(KnotNetwork((8,)), trained, origin).save(path)
    return path


def test_the_rows_have_the_columns_of_the_figure_and_are_kept(
    spot: Path, network: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second.npz"
    second.write_bytes(network.read_bytes())
    words = (
        "reproduce", "rebel-teh", "--spot", spot, "--networks", f"{network},{second}",
        "--random-network", network, "--iterations", 70, "--river-iterations", 40,
        "--perfect", 16, "--perfect-iterations", 20, "--threads", 1, "--averaged", 16,
        "--out", tmp_path / "rows.json",
    )  # fmt: skip
    plot = tmp_path / "figure.png"
    code, out, _ = call(*map(str, words), "--json", "--plot", str(plot))
    rows = json.loads(out)
    assert code == 0
    assert [row["iterations"] for row in rows] == [16, 64]
    assert rows[0]["perfect"] > 0
    assert rows[1]["perfect"] is rows[1]["averaged"] is None
    # Equity averaged over the rivers is equity.
    assert rows[0]["averaged"] == pytest.approx(rows[0]["rebel"], rel=0.05)
    # Equity before the card needs no correction.
    assert rows[1]["corrected"] == pytest.approx(rows[1]["rebel"], rel=0.05)
    for row in rows:
        assert row["corrected_least"] == row["corrected"] == row["corrected_most"]
        assert row["random_corrected"] == row["corrected"]
        assert row["rebel"] == row["rebel_least"] == row["rebel_most"] == row["random_beliefs"]
        assert row["trainings"][0] == {"command": "tacit train nothing", "seconds": 2.0}
    assert rows[1]["tabular"] < rows[0]["tabular"]
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert json.loads(call(*map(str, words), "--json")[1]) == rows
    cells = json.loads((tmp_path / "rows.json").read_text())
    assert [cell["search"] for cell in cells][:8] == [
        "tabular", "rebel", "corrected", "rebel", "corrected", "averaged", "perfect",
        "random_beliefs",
    ]  # fmt: skip
    code, out, errors = call(*map(str, words))
    assert (code, "random beliefs" in out, "64 iterations, tabular: " in errors) == (0, True, True)


def test_exact_values_are_less_exploitable_than_equity(spot: Path, network: Path) -> None:
    turn = TurnEndgame(str(spot), 150, 1)
    exact = turn.search(turn.oracle(60), 60, lambda share: None)
    equity = turn.search(KnotEvaluator.load(network), 60, lambda share: None)
    big_blinds = 1000 * turn.spot.pot / turn.spot.rules.big_blind
    assert exact < 0.02 * big_blinds
    assert exact < 0.5 * equity


def test_rivers_are_solved_at_the_beliefs_of_the_turn(spot: Path) -> None:
    """With the turn of a solution, the whole is nearly as good as that solution."""
    turn = TurnEndgame(str(spot), 200, 1)
    solver = Solver(turn.whole, find_algorithm("dcfr"))
    solver.run(300)
    solution = solver.average_policy()
    policy = turn.top.uniform_policy()
    for node in np.flatnonzero(turn.top.arrays.action_count > 0).tolist():
        turn.top.block(policy, node)[:] = turn.whole.block(solution, node)
    played = turn.with_rivers(policy)
    for node in np.flatnonzero(turn.top.arrays.action_count > 0).tolist():
        assert np.array_equal(turn.whole.block(played, node), turn.top.block(policy, node))
    uniform = turn.measure(turn.whole.uniform_policy())
    assert turn.measure(played) < 0.05 * uniform


def test_unknown_networks_are_refused(spot: Path) -> None:
    words = ("reproduce", "rebel-teh", "--spot", str(spot), "--networks", "nothing")
    assert "unknown network of hold'em 'nothing'" in fails(*words)
