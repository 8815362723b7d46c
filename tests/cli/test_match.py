"""`tacit match` and agents by name in `tacit play`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from tacit.cli import tacit


def run(*words: str, text: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(tacit, list(words), input=text)
    return done.exit_code, done.output


def test_a_match_is_played_recorded_and_resumed(tmp_path: Path) -> None:
    record = str(tmp_path / "match.json")
    words = "match", "tic-tac-toe", "puct:20", "uniform", "--games", "6", "--record", record
    code, output = run(*words, "--json")
    assert code == 0
    found = json.loads(output)
    assert (found["game"], found["first"], found["games"]) == ("tic-tac-toe", "puct:20", 6)
    assert -1 <= found["mean"] <= 1
    assert len(json.loads(Path(record).read_text())["won"]) == 6
    code, again = run(*words, "--json")
    assert (code, again) == (0, output)
    code, table = run(*words)
    assert code == 0
    assert "as player 2" in table


def test_a_match_is_estimated_by_aivat(tmp_path: Path) -> None:
    solution = str(tmp_path / "kuhn.npz")
    assert run("solve", "kuhn", "--out", solution, "--iterations", "50")[0] == 0
    found = {}
    for name, words in {"plain": [], "solved": ["--aivat"], "file": ["--values", solution]}.items():
        flags = ["--aivat", *words] if name == "file" else words
        code, output = run("match", "kuhn", "uniform", "uniform", "--json", *flags)
        assert code == 0
        found[name] = json.loads(output)
    assert found["plain"]["aivat"] is None
    assert found["solved"]["mean"] == found["file"]["mean"] == found["plain"]["mean"]
    for name in ("solved", "file"):
        assert found[name]["aivat"]["error"] < found[name]["error"]
    code, output = run("match", "kuhn", "uniform", "uniform", "--aivat")
    assert code == 0
    assert "by AIVAT" in output


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    for words, message in {
        ("match", "kuhn", "unifrom", "uniform"): "did you mean 'uniform'?",
        ("match", "kuhn", "gnugo:10", "uniform"): "GTP engines play Go, not kuhn",
        ("match", "go-5x5", "gtp:no-such-engine", "uniform"): "is not installed",
        ("match", "kuhn", "uniform", "uniform", "--games", "3"): "even number of games",
        ("match", "kuhn", "uniform", "uniform", "--values", "leduc"): "give --aivat",
        ("match", "kuhn", "uniform", "uniform", "--aivat", "--values", "leduc"): "leduc",
        ("play", "kuhn", "--agent", "gnogo"): "did you mean 'gnugo'?",
        ("gtp", "--size", "4"): "4 is not in the range",
    }.items():
        code, output = run(*words)
        assert code in (1, 2)
        assert message in output.splitlines()[-1]


def test_a_person_plays_a_named_agent() -> None:
    code, output = run(
        "play", "tic-tac-toe", "--agent", "uniform", "--seed", "0", text="a1\nquit\n"
    )
    assert code == 0
    assert "The opponent: " in output


def test_go_is_played_without_a_network() -> None:
    code, output = run("play", "go-5x5", "--agent", "puct:5", text="C3\nquit\n")
    assert code == 0
    assert "3  . . X . ." in output


def test_a_match_of_holdem(tmp_path: Path) -> None:
    record = str(tmp_path / "match.json")
    words = "match", "holdem", "lbr:fcpa", "always-fold", "--hands", "4", "--record", record
    code, output = run(*words, "--aivat", "--json")
    assert code == 0
    found = json.loads(output)
    assert found["hands"] == 4
    assert found["plain"]["seats"] == [500, 1000]
    out = str(tmp_path / "hands.phhs")
    code, output = run(*words[:6], "--out", out)
    assert code == 0
    assert "750" in output
    code, output = run("hands", out, "--json")
    assert code == 0
    by_name = {row["player"]: row for row in json.loads(output)}
    assert by_name["lbr:fcpa"]["mbb"] == 750
    assert by_name["always-fold"]["hands"] == 4
    code, output = run("match", "holdem", "always-call", "always-fold", "--at-once", "4")
    assert code == 2
