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


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    for words, message in {
        ("match", "kuhn", "unifrom", "uniform"): "did you mean 'uniform'?",
        ("match", "kuhn", "gnugo:10", "uniform"): "GTP engines play Go, not kuhn",
        ("match", "go-5x5", "gtp:no-such-engine", "uniform"): "is not installed",
        ("match", "kuhn", "uniform", "uniform", "--games", "3"): "even number of games",
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
