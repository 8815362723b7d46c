"""The GTP engine: every command, errors as `? message`, and GnuGo as its opponent."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.agents.agent import Agent
from tacit.agents.gtp import GAME_FOLDERS, GTPAgent
from tacit.agents.named import find_agent
from tacit.evaluation.match import play_match
from tacit.formats.gtp import GTPServer
from tacit.games import load_game
from tacit.games.boards.go import Go
from tacit.tree import Builder


def server(size: int = 5, agent: str = "uniform") -> GTPServer:
    def make(builder: Builder) -> Agent:
        return find_agent(agent, builder)

    return GTPServer(Go(size), make, seed=0)


def say(server: GTPServer, *lines: str) -> list[str]:
    return [answer.strip() for answer in server.answers(lines)]


def test_what_it_is_and_what_it_knows() -> None:
    engine = server()
    assert say(engine, "protocol_version", "name", "version") == [
        "= 2",
        "= tacit",
        f"= {tacit.__version__}",
    ]
    [listed] = say(engine, "list_commands")
    commands = listed.removeprefix("= ").split()
    assert {"play", "genmove", "undo", "final_score", "showboard", "time_settings"} <= set(commands)
    for command in commands:
        assert say(engine, f"known_command {command}") == ["= true"]
    assert say(engine, "known_command dance") == ["= false"]


def test_answers_carry_numbers_and_end_with_an_empty_line() -> None:
    engine = server()
    assert engine.answer("17 name") == "=17 tacit\n\n"
    assert engine.answer("18 dance # a comment") == "?18 unknown command\n\n"
    assert engine.answer("clear_board\r") == "=\n\n"
    assert engine.answer("# only a comment") is None
    assert engine.answer("  \t ") is None


def test_moves_are_played_shown_undone_and_scored() -> None:
    engine = server()
    assert say(engine, "play b c3", "play W PASS", "play black C4") == ["="] * 3
    [board] = say(engine, "showboard")
    assert "4  . . X . ." in board
    assert say(engine, "final_score") == ["= B+17.5"]
    assert say(engine, "komi 25", "final_score", "komi 26") == ["=", "= 0", "? unacceptable komi"]
    assert say(engine, "undo", "undo", "undo", "undo") == ["="] * 3 + ["? cannot undo"]
    assert say(engine, "final_score") == ["= W+25"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("play b Z9", "illegal move"),
        ("play b i3", "illegal move"),
        ("play green A1", "invalid color"),
        ("play b", "syntax error"),
        ("play b a1 a2", "syntax error"),
        ("boardsize 19", "unacceptable size"),
        ("boardsize", "syntax error"),
        ("boardsize five", "unacceptable size"),
        ("komi much", "syntax error"),
        ("komi nan", "unacceptable komi"),
        ("genmove", "syntax error"),
        ("dance", "unknown command"),
    ],
)
def test_wrong_commands_are_one_line_and_change_nothing(command: str, message: str) -> None:
    engine = server()
    say(engine, "play b A1")
    assert say(engine, command) == [f"? {message}"]
    assert engine.world.history() == (20,)
    assert say(engine, "name") == ["= tacit"]


def test_a_move_out_of_turn_is_preceded_by_a_pass() -> None:
    engine = server()
    assert say(engine, "play b A1", "play b B1", "play w E5") == ["="] * 3
    assert [engine.world.label(a) for a in engine.world.history()] == ["A1", "pass", "B1", "E5"]
    assert say(engine, "play b pass", "play b C3") == [
        "=",
        "? illegal move: it is the turn of the other color",
    ]
    assert say(engine, "play w pass", "play b C3") == ["=", "? illegal move: the game is over"]
    assert say(engine, "genmove b") == ["= pass"]


@pytest.mark.parametrize("agent", ["uniform", "puct:10"])
def test_it_plays_both_colours_and_after_an_undo(agent: str) -> None:
    engine = server(agent=agent)
    say(engine, "boardsize 6", "komi 3.5")
    for number in range(6):
        [answer] = say(engine, f"genmove {'bw'[number % 2]}")
        assert re.fullmatch(r"= ([A-F][1-6]|pass)", answer)
    say(engine, "undo", "undo", "play b pass")
    [answer] = say(engine, "genmove w")
    assert answer.startswith("= ")
    assert len(engine.world.history()) == 6
    assert say(engine, "clear_board") == ["="]
    assert engine.game.rules.komi == 3.5


def test_quit_ends_the_answers() -> None:
    assert say(server(), "name", "quit", "name") == ["= tacit", "="]


@pytest.mark.parametrize("seed", range(5))
def test_no_line_breaks_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    engine = server()
    words = [
        *engine.commands,
        "b",
        "w",
        "A1",
        "C3",
        "pass",
        "5",
        "99",
        "-1",
        "1e9",
        "\x00",
        "é",
        "=",
    ]
    words.remove("quit")
    for _ in range(300):
        line = " ".join(random.choice(words, size=int(random.integers(1, 5))).tolist())
        answer: Any = engine.answer(line)
        if answer is not None:
            assert re.match(r"[=?]", answer)
            assert answer.endswith("\n\n")


def test_the_command_is_an_engine_for_the_client() -> None:
    builder = Builder(load_game("go-5x5"))
    agent = GTPAgent(builder, [sys.executable, "-m", "tacit", "gtp", "--agent", "uniform"])
    found = play_match(builder, agent, "uniform", games=2)
    assert found.games == 2
    agent.close()


def test_the_command_refuses_an_unknown_agent_at_once() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tacit", "gtp", "--agent", "gnogo"],
        input="name\n", capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 1
    assert "did you mean 'gnugo'?" in run.stderr


def test_gnugo_takes_our_moves() -> None:
    if not (shutil.which("gnugo") or shutil.which("gnugo", path=GAME_FOLDERS)):
        pytest.skip("GnuGo is not installed")
    found = play_match("go-5x5", "gnugo:1", "puct:5", games=2)
    assert found.mean > 0
