"""`tacit hands` reads and converts matches; `tacit acpc` says what is wrong in one line."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import call, fails
from support.dealer import scripted_dealer
from tacit.formats.acpc.protocol import game_text
from tacit.games.holdem.betting import BettingRules

LOG = """# name/game/hands/seed m g 2 7
STATE:0:r300c/cr600f:AhKd|QsQd/2c3d4s:-300|300:Ann|Bob
STATE:1:cc/cc/cc/cc:7h7d|AcKc/2c3d4s/9h/Th:100|-100:Bob|Ann
SCORE:-400|400:Ann|Bob
"""


def test_a_log_is_read_summed_up_and_converted(tmp_path: Path) -> None:
    log, phhs = tmp_path / "m.log", tmp_path / "m.phhs"
    log.write_text(LOG)
    code, output, _ = call("hands", log, "--json", "--out", phhs)
    assert code == 0
    ann, bob = json.loads(output)
    assert (ann["player"], ann["hands"], ann["chips"], ann["mbb"]) == ("Ann", 2, -400, -2000)
    assert (bob["player"], bob["chips"], bob["error"]) == ("Bob", 400, ann["error"])
    assert json.loads(call("hands", phhs, "--json")[1]) == [ann, bob]
    assert "2 hands" in call("hands", phhs, "-o", tmp_path / "again.log")[1]
    assert (tmp_path / "again.log").read_text() == LOG.partition("\n")[2]


def test_a_log_of_other_stacks_needs_its_game(tmp_path: Path) -> None:
    log, game = tmp_path / "m.log", tmp_path / "game"
    log.write_text("STATE:0:r500c///:AhKd|QsQd/2c3d4s/9h/Th:-500|500:Ann|Bob\n")
    assert "no cards are due on the flop" in fails("hands", log)
    game.write_text(game_text(BettingRules(stacks=(500, 500))))
    assert call("hands", log, "--game", game)[0] == 0


def test_a_match_at_a_dealer_is_kept_and_resumed(tmp_path: Path) -> None:
    first = ("MATCHSTATE:0:0:c:AhKd|\r\n", "MATCHSTATE:0:0:cc/:AhKd|/2c3d4s\r\n")
    ended = "MATCHSTATE:0:0:cc/cr200f:AhKd|/2c3d4s\r\n"
    second = "MATCHSTATE:1:1:f:|QsQd\r\n"
    words = "--log", tmp_path / "m", "--agent", "always-fold", "--json"
    with scripted_dealer(*first, ended, "garbage\r\n") as port:
        line = fails("acpc", "localhost", port, *words)
    assert "'garbage' is not understood" in line
    assert f"1 hands are kept in {tmp_path / 'm'}.log" in line
    with scripted_dealer(second) as port:
        code, output, _ = call("acpc", "localhost", port, *words, "--resume", "--hands", 2)
    assert code == 0
    found = json.loads(output)
    assert (found["hands"], found["chips"]) == (2, -150)
    assert [row["chips"] for row in json.loads(call("hands", tmp_path / "m.log", "--json")[1])] == [
        -150,
        150,
    ]


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text(LOG.replace("-400|400", "400|-400"))
    assert "m.log: line 4 of the log: the score is 400|-400" in fails("hands", log)
    assert "there is no file" in fails("hands", tmp_path / "none.log")
    for words, message in {
        ("acpc", "localhost", "1", "--wait", "0"): "no dealer at localhost:1",
        ("acpc", "localhost", "1", "--agent", "always-cal"): "did you mean 'always-call'?",
        ("acpc", "localhost", "1", "--game", str(log)): "is not known",
        ("acpc", "localhost", "1", "--log", str(tmp_path / "m")): "is there already; resume",
        ("acpc", "localhost", "1", "--resume"): "name the log",
    }.items():
        assert message in fails(*words)
