"""Student of Games on boards: the best response, matches, and refused input."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from support.commands import fails
from tacit.agents.agent import RuleAgent
from tacit.games import load_game
from tacit.learn.presets import PRESETS
from tacit.learn.shipped import find_network
from tacit.learn.trainer import Run
from tacit.report.experiment import SILENT, Progress
from tacit.reproduce.row_store import RowStore
from tacit.reproduce.sog.boards import SogBoards, best_response
from tacit.solvers import evaluate
from tacit.tree import PublicState, build_tree


def first_move(state: PublicState) -> NDArray[np.float64]:
    """[A, 1] the first legal action."""
    return np.eye(len(state.expansion.actions))[:, :1]


def test_the_best_response_is_that_of_the_whole_tree() -> None:
    tree = build_tree(load_game("tic-tac-toe"))
    policy = np.zeros(tree.sizes.slots)
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        tree.block(policy, node)[0] = 1
    exact = evaluate(tree, policy).best_response
    builder = tree.game_builder
    found = [best_response(builder, RuleAgent(builder, first_move), seat, 0) for seat in (0, 1)]
    assert found == [pytest.approx(-exact[1]), pytest.approx(-exact[0])]


def test_rows_of_tic_tac_toe(tmp_path: Path) -> None:
    small = {"table_size": 2, "simulations": 3, "hidden": (8,), "channels": 4, "epochs": 1}
    settings = PRESETS["tic-tac-toe-sog"].replace(**small, steps=1)
    Run.create(tmp_path / "tic-tac-toe-sog", settings).train(workers=0)
    pytest.importorskip("pyspiel")
    table = SogBoards(games=("tic-tac-toe",), matches=2, simulations=4, runs=tmp_path)
    rows = table.rows()
    assert [row["opponent"] for row in rows] == ["best response", "mcts:1000"]
    assert all(0 <= row["score"] <= 1 for row in rows)
    assert rows[0]["score"] <= 0.5
    assert rows[0]["training"].startswith("tacit train tic-tac-toe-sog --seed 0 --set ")
    [shown] = table.tables(rows)
    assert shown.headers[:3] == ("game", "search", "opponent")


def test_the_ladder_of_go_rates_both_searches(tmp_path: Path) -> None:
    small = {"table_size": 1, "tables": 1, "simulations": 2, "hidden": (8,), "channels": 4}
    settings = PRESETS["go-5x5-sog"].replace(**small, blocks=1, epochs=1, steps=1, longest_game=6)
    Run.create(tmp_path / "go-5x5-sog", settings).train(workers=0)
    table = SogBoards(ladder=("2", "4"), ladder_games=2, runs=tmp_path)
    assert table.games == ()
    assert table._trained(SILENT) == ["go-5x5"]
    store = RowStore(tmp_path / "rows.json", SogBoards.key)
    table._climb("go-5x5", store, SILENT)
    played = [row for row in store.rows if row["opponent"] != "ladder"]
    assert [(row["search"], row["simulations"], row["opponent"]) for row in played] == [
        ("sog", 4, "sog:2"), ("puct", 4, "puct:2"), ("sog", 2, "puct:2"), ("sog", 4, "puct:4"),
    ]  # fmt: skip
    rated = {(row["search"], row["simulations"]): row["elo"] for row in store.rows[4:]}
    assert set(rated) == {("sog", 2), ("sog", 4), ("puct", 2), ("puct", 4)}
    assert rated["sog", 2] == 0
    picture = tmp_path / "elo.png"
    table.plot(store.rows, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


class Warnings(Progress):
    """Keeps what is warned of."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def warn(self, text: str) -> None:
        self.texts.append(text)


def test_games_without_a_network_are_left_out_and_reported(tmp_path: Path) -> None:
    run = tmp_path / "tic-tac-toe-sog"
    run.mkdir()
    shutil.copy(find_network("tic-tac-toe-sog"), run / "network.pt")
    pytest.importorskip("pyspiel")
    told = Warnings()
    rows = SogBoards(matches=2, simulations=2, runs=tmp_path).rows(told)
    assert {row["game"] for row in rows} == {"tic-tac-toe"}
    assert "go-7x7 has no network and is left out: tacit train go-7x7-sog" in told.texts
    assert len(told.texts) == 3


def test_runs_without_a_board_game_are_refused(tmp_path: Path) -> None:
    error = fails("reproduce", "sog-boards", f"--runs={tmp_path}")
    assert "holds no run of a board game" in error


def test_a_ladder_that_is_no_numbers_is_refused() -> None:
    assert "positive whole numbers, not '0'" in fails("reproduce", "sog-boards", "--ladder=0")


def test_a_game_without_opponents_is_refused() -> None:
    assert "no opponents for 'kuhn'" in fails("reproduce", "sog-boards", "--games=kuhn")


def test_rows_of_a_network_with_other_training_are_not_taken(tmp_path: Path) -> None:
    small = {"table_size": 2, "simulations": 3, "hidden": (8,), "channels": 4}
    preset = PRESETS["tic-tac-toe-sog"].replace(**small, steps=1)
    keys = []
    for epochs in (1, 2):
        runs = tmp_path / "runs"
        shutil.rmtree(runs, ignore_errors=True)
        Run.create(runs / "tic-tac-toe-sog", preset.replace(epochs=epochs)).train(workers=0)
        head = SogBoards(runs=runs)._head("tic-tac-toe", "sog", "mcts:1000", 4, 2)
        keys.append([head[name] for name in SogBoards.key])
    assert keys[0] != keys[1]
