"""Slumbot's protocol against a server of that format on this machine; not against the real one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support.commands import call, fails
from support.dealer import random_player
from support.slumbot import Table, server
from tacit.agents.holdem.named import find_player
from tacit.formats.acpc.log import totals
from tacit.formats.match_log import MatchRecord, load_hands
from tacit.formats.slumbot import RULES, SlumbotClient, action_text, read_actions, read_answer
from tacit.games import GameError
from tacit.games.holdem.betting import CALL, FOLD

ANSWER = {
    "old_action": "",
    "action": "b200c/kb300c/b400",
    "client_pos": 1,
    "hole_cards": ["Ah", "Kd"],
    "board": ["2c", "3d", "4s", "5h"],
    "token": "abc",
}


def test_amounts_are_of_the_street() -> None:
    answer = read_answer(json.dumps(ANSWER).encode())
    assert answer.hand.actions == (200, CALL, CALL, 500, CALL, 900)
    assert (answer.position, answer.winnings, answer.token) == (1, None, "abc")
    state = answer.hand.betting
    assert [action_text(state, action) for action in (FOLD, CALL, 1500)] == ["f", "c", "b1000"]
    assert action_text(RULES.start().act(CALL), CALL) == "k"
    assert read_actions("b20000c///") == read_actions("b20000c") == (20000, CALL)
    assert read_actions("ck/") == read_actions("ck") == (CALL, CALL)


@pytest.mark.parametrize("player", [find_player("always-call"), random_player(3, wild=True)])
def test_hands_are_played_and_none_is_refused(tmp_path: Path, player: Any) -> None:
    with server() as slumbot, MatchRecord(tmp_path / "m", RULES, "x") as record:
        client = SlumbotClient(player, "us", record, url=slumbot.url)
        client.play(200)
        [table] = slumbot.tables.values()
        assert table.hands == len(record.hands) == 200
        assert slumbot.refused == []
        assert totals(record.hands, ("us", "Slumbot")) == (table.total, -table.total)
    hands = load_hands(tmp_path / "m.log", RULES)
    assert hands == load_hands(tmp_path / "m.phhs", RULES) == tuple(record.hands)
    assert all(all(hand.holes) for hand in hands)


def test_the_server_refuses_what_is_not_legal() -> None:
    table = Table(0)
    table.new_hand()
    for incr in ("b1", "b30000", "x", "k" if table.state.to_call else "c"):
        assert "error_msg" in table.act(incr)


def damage_at(number: int, sent: Any) -> Any:
    return lambda count, answer: sent(answer) if count == number else answer


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (lambda answer: None, "gives no answer to"),
        (lambda answer: 500, "with status 500"),
        (lambda answer: b"<html>", "is not JSON"),
        (lambda answer: b"[" * 100000, "is not JSON"),
        (lambda answer: b" " * (2 << 20), "more than 1,048,576 bytes"),
        (lambda answer: [1], "expected a JSON object"),
        (lambda answer: {"error_msg": "Too\nmany"}, "refuses: Too many"),
        (lambda answer: answer | {"action": 3}, "action is '3'"),
        (lambda answer: answer | {"action": "zz"}, "expected f, k, c"),
        (lambda answer: answer | {"client_pos": 7}, "client_pos is 7"),
        (lambda answer: answer | {"hole_cards": ["Xx", "2c"]}, "is not a card"),
        (lambda answer: answer | {"board": "2c"}, "expected a list"),
        (lambda answer: answer | {"winnings": 77}, "won 77|not over"),
        (lambda answer: answer | {"token": 3}, "the token"),
    ],
)
def test_a_server_that_fails_is_one_line_and_the_match_resumes(
    tmp_path: Path, sent: Any, message: str
) -> None:
    log = tmp_path / "m"
    words = "slumbot", "--log", log, "--hands", 12
    with server(damage_at(20, sent)) as slumbot:
        line = fails(*words, "--url", slumbot.url)
        assert re.search(message, line)
        kept = load_hands(tmp_path / "m.log", RULES)
        assert f"{len(kept)} hands are kept in {log}.log" in line
        assert 0 < len(kept) < 12
        code, output, _ = call(*words, "--url", slumbot.url, "--resume", "--json")
    assert code == 0
    assert json.loads(output)["hands"] == 12
    assert load_hands(tmp_path / "m.log", RULES)[: len(kept)] == kept


def test_a_killed_match_keeps_its_hands_and_resumes(tmp_path: Path) -> None:
    words = ["slumbot", "--log", str(tmp_path / "m"), "--agent", "always-call", "--url"]
    log = tmp_path / "m.log"
    with server() as slumbot:
        command = [sys.executable, "-m", "tacit", *words, slumbot.url, "--hands", "100000"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
            while running.poll() is None and not (log.exists() and len(log.read_bytes()) > 2000):
                time.sleep(0.01)
            running.kill()
        kept = load_hands(log, RULES)
        assert len(kept) > 5
        assert call(*words, slumbot.url, "--hands", len(kept) + 3, "--resume")[0] == 0
    hands = load_hands(log, RULES)
    assert hands[: len(kept)] == kept
    assert hands == load_hands(tmp_path / "m.phhs", RULES)
    assert [hand.fields["hand"] for hand in hands] == list(range(len(kept) + 3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hole_cards": ["Ah", "Qd"]}, "changes them"),
        ({"client_pos": 0}, "changes them|two cards|we do not move"),
        ({"action": "b200c/kb300c/b400c/"}, "we do not move|expected"),
        ({"action": "b200k"}, "possible: fold, call"),
        ({"action": "b200cb300"}, "only the cards of the next street"),
        ({"action": "b200f", "winnings": 200}, "expected 0|won 200"),
        ({"winnings": 100}, "not over"),
        ({"winnings": True}, "expected int"),
    ],
)
def test_answers_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    before = read_answer(json.dumps(ANSWER).encode())
    with pytest.raises(GameError, match=message) as caught:
        read_answer(json.dumps(ANSWER | change).encode(), before)
    assert "\n" not in str(caught.value)


def test_no_server(tmp_path: Path) -> None:
    with server() as slumbot:
        url = slumbot.url
    assert "gives no answer to new_hand" in fails("slumbot", "--url", url)
    assert "is not an address" in fails("slumbot", "--url", "ftp://x")
    assert "did you mean" in fails("slumbot", "--agent", "always-cal")
