"""`tacit train`, `tacit evaluate` and `tacit play --agent`, from a fresh run to a game."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import tacit
from support.commands import call, fails
from tacit.games.kuhn import Kuhn

SMALL = [
    "--set=tables=1",
    "--set=table_size=8",
    "--set=rounds=1",
    "--set=iterations=8",
    "--set=hidden=8",
    "--set=steps=2",
    "--set=play_iterations=8",
    "--set=evaluate_every=1",
    "--set=evaluate_playthroughs=2",
    "--workers=1",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "kuhn"
    plot = folder.with_name("kuhn.png")
    code, text, errors = call(
        "train", "kuhn", f"--out={folder}", f"--plot={plot}", "--set=epochs=2", *SMALL
    )
    assert code == 0, errors
    assert "examples in 2 epochs" in text
    assert "exploitability" in text
    assert f"tacit play kuhn --agent {folder}" in text
    assert plot.read_bytes().startswith(b"\x89PNG")
    return folder


def test_evaluate_measures_what_the_search_plays(run: Path) -> None:
    code, text, errors = call("evaluate", run, "--playthroughs=2", "--json")
    assert code == 0, errors
    found = json.loads(text)
    assert found["game"] == "kuhn"
    assert found["iterations"] == 8
    assert 0 < found["exploitability"] < 2
    assert found["at_least"] is None
    several = json.loads(call("evaluate", run, "--playthroughs=2", "--seeds=2", "--json")[1])
    assert several["seeds"] == 2
    assert several["exploitability"] == pytest.approx((several["min"] + several["max"]) / 2)
    assert found["exploitability"] in (several["min"], several["max"])
    assert several["at_least"] <= several["pooled"]
    _, table, _ = call("evaluate", run, "--playthroughs=1", "--form=unsafe")
    assert "exploitability" in table
    figures = set()
    for blur in (0, 0.5):
        arguments = ("--playthroughs=1", "--algorithm=flop", f"--blur={blur}", "--json")
        found = json.loads(call("evaluate", run, *arguments)[1])
        assert found["blur"] == blur
        figures.add(found["exploitability"])
    assert len(figures) == 2


def test_an_executor_takes_the_place_of_workers(run: Path, tmp_path: Path) -> None:
    words = "evaluate", run, "--playthroughs=2", "--json"
    first, second = (
        json.loads(call(*words, *more)[1]) for more in ((), ("--executor=processes:1",))
    )
    assert first["exploitability"] == second["exploitability"]
    again = tmp_path / "again"
    options = [*SMALL[:-1], "--set=epochs=2", "--executor=processes:1"]
    assert call("train", "kuhn", f"--out={again}", *options)[0] == 0
    figures = [json.loads(call("evaluate", each, *words[2:])[1]) for each in (run, again)]
    assert figures[0]["exploitability"] == figures[1]["exploitability"]
    assert "leave one of them out" in fails(
        "train", "kuhn", "--executor=ray", "--workers=1", code=2
    )
    assert "no effect on --matches" in fails(
        "evaluate", run, "--matches=2", "--executor=ray", code=2
    )
    assert "did you mean 'ray'?" in fails("train", "kuhn", "--executor=rya")
    assert "no Ray cluster at localhost:1" in fails("evaluate", run, "--executor=ray:localhost:1")


def test_matches_tell_where_a_game_is_too_large(run: Path) -> None:
    code, text, errors = call("evaluate", run, "--matches=20", "--json")
    assert code == 0, errors
    rows = json.loads(text)
    assert [row["opponent"] for row in rows] == ["uniform", "local best response"]
    assert all(abs(row["mean"]) <= 2 and row["error"] > 0 for row in rows)
    assert "tacit evaluate --matches" in fails("evaluate", "liars-dice-2x5")


def test_a_game_is_played_against_the_network_that_comes_with_it() -> None:
    code, text, errors = call("play", "kuhn", "--seed=1", given="pass\nbet\npass\nno\n")
    assert code == 0, errors
    assert "Final score" in text
    assert "solving" not in errors


def test_a_person_plays_against_the_search(run: Path) -> None:
    code, text, errors = call(
        "play", "kuhn", f"--agent={run}", "--seed=1", given="pass\nbet\npass\nno\n"
    )
    assert code == 0, errors
    assert "Final score" in text


def test_mistakes_are_told_in_one_line(run: Path, tmp_path: Path) -> None:
    usage = ["play", "kuhn", f"--agent={run}", "--solution=x.npz"]
    assert "name one opponent" in fails(*usage, code=2)
    for arguments, message in (
        (["train", "kuhm"], "did you mean 'kuhn'?"),
        (["train", "kuhn", f"--out={run}"], "holds a run already"),
        (["train", "leduc", f"--out={run}", "--resume"], "the run is one of kuhn, not of leduc"),
        (["train", "kuhn", f"--out={run}", "--resume", "--seed=7"], "begun with seed=0, not 7"),
        (["train", "kuhn", f"--out={run}", "--resume", "--set=steps=9"], "steps=2, not 9"),
        (["train", "kuhn", f"--out={tmp_path / 'x'}", "--set=tables=0"], "tables must be at least"),
        (["train", "kuhn", f"--out={tmp_path / 'x'}", "--set=seed=" + "9" * 26], "seed must be"),
        (["train", "kuhn", f"--out={tmp_path / 'x'}", "--set=itrations=3"], "'iterations'"),
        (["evaluate", str(tmp_path / "none")], "neither a run, nor a file, nor a game"),
        (["evaluate", str(run), "--algorithm=cfx"], "unknown algorithm"),
        (["evaluate", str(run), "--blur=-1"], "setting blur must be at least 0"),
        (["play", "leduc", f"--agent={run}"], "was trained on kuhn, not on leduc"),
    ):
        assert message in fails(*arguments)
    assert not (tmp_path / "x").exists()


def test_a_game_without_a_preset_is_trained(tmp_path: Path) -> None:
    folder = tmp_path / "coin"
    code, text, errors = call("train", "coin-toss", f"--out={folder}", "--set=epochs=1", *SMALL)
    assert code == 0, errors
    assert "examples in 1 epochs" in text
    code, text, errors = call("train", "coin-toss", f"--out={folder}", "--resume", "--workers=0")
    assert code == 0, errors
    code, text, errors = call("evaluate", folder, "--playthroughs=2", "--json")
    assert code == 0, errors
    assert json.loads(text)["game"] == "coin-toss"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a game of its own in `mypennies.py`."""
    example = Path(__file__).parents[2] / "docs" / "examples" / "pennies.py"
    (tmp_path / "mypennies.py").write_text(example.read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "mypennies", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("game", "kept", "typed"),
    [
        ("mypennies:Pennies", "runs/mypennies-Pennies", "heads\nno\n"),
        ("openspiel:kuhn_poker", "runs/openspiel-kuhn_poker", "Pass\nPass\nPass\nno\n"),
    ],
)
def test_games_from_elsewhere_are_trained_evaluated_and_played(
    folder: Path, game: str, kept: str, typed: str
) -> None:
    if game.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    code, text, errors = call("train", game, "--set=epochs=1", *SMALL)
    assert code == 0, errors
    assert f"tacit play {game} --agent {kept}" in text
    code, text, errors = call("train", game, "--resume", "--workers=0")
    assert code == 0, errors
    code, text, errors = call("evaluate", kept, "--playthroughs=2", "--json")
    assert code == 0, errors
    found = json.loads(text)
    assert found["game"] == game
    assert 0 < found["exploitability"] < 2
    assert [row["games"] for row in json.loads(call("evaluate", kept, "--matches=4", "--json")[1])]
    for words in (["--agent", kept], ["--solve"], []):
        code, text, errors = call("play", game, *words, "--seed=1", given=typed)
        assert code == 0, errors
        assert "Final score after 1 game" in text


def test_a_game_that_is_only_in_python_has_to_be_named(folder: Path) -> None:
    class Unnamed(Kuhn):
        name = "unnamed"

    settings = {"table_size": 8, "iterations": 8, "steps": 2, "hidden": (8,), "evaluate_every": 0}
    tacit.train(Unnamed(), epochs=1, out="run", workers=0, settings=settings)
    assert "the run is one of 'unnamed'; give its game" in fails("evaluate", "run")
    assert "unknown game 'unnamed'" in fails("play", "unnamed", "--agent=run")
    (folder / "mypennies.py").unlink()
    assert "cannot import 'mypennies'" in fails("train", "mypennies:Pennies")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("kuhn", "--simulations=5"), "simulations"),
        (("kuhn-sog", "--iterations=5"), "iterations"),
        (("kuhn-sog", "--playthroughs=5"), "playthroughs"),
        (("kuhn-sog", "--depth=5"), "depth"),
    ],
)
def test_options_of_the_other_method_are_refused(words, option):
    assert f"--{option} has no effect on a network" in fails("evaluate", *words, code=2)
    together = fails("evaluate", "kuhn", "--seeds=2", "--matches=2", code=2)
    assert "--seeds has no effect on --matches" in together


def test_a_deeper_search_is_evaluated():
    few = ("evaluate", "liars-dice-1x4", "--iterations=32", "--playthroughs=4", "--json")
    usual, deep = (json.loads(call(*few, *words)[1]) for words in ((), ("--depth=6",)))
    assert (usual["depth"], deep["depth"]) == (2, 6)
    assert deep["exploitability"] < usual["exploitability"] / 2
