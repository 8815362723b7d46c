"""`tacit subgame` and `tacit blueprint`: what they print, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import call, fails
from tacit.formats.solution import save_solution
from tacit.games import load_game
from tacit.solvers.solution import written_policy
from tacit.subgame.abstraction import given_solution
from tacit.tree import build_tree


@pytest.fixture(scope="module")
def weak_kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blueprints") / "kuhn.npz"
    code, out, _ = call(
        "blueprint",
        "kuhn",
        "--labels",
        2,
        "--iterations",
        20,
        "--seed",
        2,
        "-o",
        path,
        "--json",
    )
    assert code == 0
    assert json.loads(out)["exploitability"] > 0.01
    return path


@pytest.mark.parametrize("algorithm", ["pcfr+", "lp"])
@pytest.mark.parametrize(
    ("method", "heads", "worth"), [("maxmargin", 0.625, 0.375), ("reach-maxmargin", 0.5, 0.25)]
)
def test_coin_toss_has_its_own_blueprint(
    method: str, heads: float, worth: float, algorithm: str
) -> None:
    code, out, _ = call("subgame", "coin-toss", "--method", method, "-a", algorithm, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["policy"]["play"][""]["heads"] == pytest.approx(heads, abs=1e-3)
    assert found["best_response_value"] == pytest.approx(worth, abs=1e-3)
    assert found["best_response_value_before"] == 0.5
    assert found["exploitability_after"] < found["exploitability_before"]
    if method == "maxmargin":
        assert found["margins"]["play"] == pytest.approx({"heads": 0.25, "tails": 0.25}, abs=1e-3)


def test_the_tables_name_margins_and_exploitability() -> None:
    code, out, _ = call("subgame", "coin-toss", "--method", "maxmargin")
    assert code == 0
    for words in (
        "Player 1's best-response value after play",
        "margin",
        "exploitability",
        "forfeit",
    ):
        assert words in out


def test_a_blueprint_is_improved_and_saved(weak_kuhn: Path, tmp_path: Path) -> None:
    better = tmp_path / "better.npz"
    code, out, _ = call(
        "subgame", "kuhn", "--blueprint", weak_kuhn, "-m", "maxmargin", "-o", better, "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["exploitability_after"] <= found["exploitability_before"] + 1e-3
    code, out, _ = call("exploitability", better, "--json")
    assert code == 0
    assert json.loads(out)["exploitability"] == pytest.approx(found["exploitability_after"])


def test_either_player_at_any_public_state(weak_kuhn: Path) -> None:
    for player in (1, 2):
        code, out, _ = call(
            "subgame", "kuhn", "--blueprint", weak_kuhn, "--at", "pass", "--player", player,
            "-m", "resolve", "--json",
        )  # fmt: skip
        assert code == 0
        assert list(json.loads(out)["margins"]) == ["pass"]


def test_what_cannot_be_is_refused(weak_kuhn: Path, tmp_path: Path) -> None:
    assert "did you mean 'maxmargin'" in fails("subgame", "coin-toss", "--method", "maxmargins")
    assert "is a blueprint of kuhn, not of leduc" in fails(
        "subgame", "leduc", "--blueprint", weak_kuhn
    )
    assert "has no blueprint of its own" in fails("subgame", "leduc")
    assert "'jump' is not possible here; possible: pass, bet" in fails(
        "subgame", "kuhn", "--blueprint", weak_kuhn, "--at", "jump"
    )
    assert "the game is over" in fails("subgame", "coin-toss", "--at", "sell")
    assert "there is no file" in fails("subgame", "kuhn", "--blueprint", tmp_path / "none.npz")
    assert "is no linear program" in fails("subgame", "coin-toss", "-m", "continual", "-a", "lp")


def test_a_public_state_that_the_blueprint_never_reaches(tmp_path: Path) -> None:
    tree = build_tree(load_game("kuhn"))
    never = {"": {card: {"pass": 1.0} for card in "JQK"}}
    path = tmp_path / "passive.npz"
    save_solution(given_solution(tree, written_policy(tree, never), algorithm="given"), path)
    message = fails("subgame", "kuhn", "--blueprint", path, "--at", "bet", "--player", 1)
    assert "the blueprint never reaches this public state: player 1 does not come here" in message


def test_a_depth_limited_subgame_is_solved_to_the_end(weak_kuhn: Path) -> None:
    arguments = ("subgame", "kuhn", "--blueprint", weak_kuhn, "-m", "maxmargin", "-n", 60, "--json")
    whole = json.loads(call(*arguments)[1])
    for leaves in ("oracle", "kuhn"):
        code, out, _ = call(*arguments, "--depth", 1, "--leaves", leaves)
        found = json.loads(out)
        assert code == 0
        assert found["policy"].keys() == whole["policy"].keys()
        assert found["policy"] != whole["policy"]
        assert found["margins"].keys() == whole["margins"].keys()
        assert found["exploitability_after"] < found["exploitability_before"] + 0.01


def test_depths_that_cannot_be_are_refused(weak_kuhn: Path) -> None:
    arguments = ("subgame", "kuhn", "--blueprint", weak_kuhn, "--depth", 1)
    assert "leave --depth out" in fails(*arguments, "-a", "lp")
    assert "was trained on leduc, not on kuhn" in fails(*arguments, "--leaves", "leduc")
    assert "is neither a run, nor a file" in fails(*arguments, "--leaves", "nothing")
    assert "algorithm by regret matching" in fails(*arguments, "-a", "flop")


@pytest.mark.slow
def test_a_gadget_adds_little_to_a_river() -> None:
    code, out, _ = call("bench", "subgame", "--methods", "resolve,maxmargin", "--json")
    assert code == 0
    for row in json.loads(out):
        assert row["ratio"] <= 1.3
