"""GTP engines as agents: a small engine of our own, faulty ones, and GnuGo."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tacit.agents.gtp import GAME_FOLDERS, EngineError, GTPAgent, GTPEngine, gnugo
from tacit.evaluation.match import play_match
from tacit.games import GameError, load_game
from tacit.tree import Builder
from tacit.tree.open import OpenState

ENGINE = """
import sys, time
for line in sys.stdin:
    words = line.split()
    {extra}
    if words[0] == "genmove":
        print("= {move}\\n", flush=True)
    elif words[0] == "list_commands":
        print("=\\nplay\\ngenmove\\n", flush=True)
    elif words[0] == "nothing":
        print("?7 unknown command\\n", flush=True)
    else:
        print("=", words[0], "\\n", flush=True)
"""
GO = Builder(load_game("go-5x5"))
needs_gnugo = pytest.mark.skipif(
    not (shutil.which("gnugo") or shutil.which("gnugo", path=GAME_FOLDERS)),
    reason="GnuGo is not installed",
)


def engine_of(folder: Path, *, move: str = "pass", extra: str = "pass") -> list[str]:
    """The command of a small engine that always plays `move`."""
    file = folder / "engine.py"
    file.write_text(ENGINE.format(move=move, extra=extra))
    return [sys.executable, str(file)]


def test_answers_are_read_without_their_marks(tmp_path: Path) -> None:
    with GTPEngine(engine_of(tmp_path)) as engine:
        assert engine.send("version") == "version"
        assert engine.send("list_commands") == "play\ngenmove"
        with pytest.raises(EngineError, match="refuses 'nothing': unknown command"):
            engine.send("nothing")
        assert engine.send("name") == "name"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("sys.exit(3)", r"has ended at 'list_commands' \(exit code 3\)"),
        ("print('Hello!', flush=True); continue", "with nonsense: 'Hello!'"),
        ("time.sleep(60)", "gave no answer to 'list_commands' within 0.5 s"),
        ("print('? cannot', '\\n', flush=True); continue", "refuses 'list_commands': cannot"),
    ],
)
def test_a_faulty_engine_is_one_line(tmp_path: Path, extra: str, message: str) -> None:
    seconds = 0.5 if "sleep" in extra else 30
    agent = GTPAgent(GO, engine_of(tmp_path, extra=extra), seconds=seconds)
    memories = agent.begin([0], np.random.default_rng(0))
    with pytest.raises(EngineError, match=message) as refused:
        agent.policies(memories)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, GameError)


@pytest.mark.parametrize("move", ["Z9", "hello", "", "A1 B2"])
def test_an_impossible_move_is_refused(tmp_path: Path, move: str) -> None:
    agent = GTPAgent(GO, engine_of(tmp_path, move=move))
    with pytest.raises(EngineError, match="which is not possible here"):
        agent.policies(agent.begin([0], np.random.default_rng(0)))


@pytest.mark.parametrize(("move", "played"), [("c3", "C3"), ("PASS", "pass"), ("resign", "pass")])
def test_the_engines_move_is_played(tmp_path: Path, move: str, played: str) -> None:
    agent = GTPAgent(GO, engine_of(tmp_path, move=move))
    [memory] = agent.begin([0], np.random.default_rng(0))
    [policy] = agent.policies([memory])
    assert memory.state.expansion.labels[int(policy[:, 0].argmax())] == played
    assert policy.sum() == 1
    agent.close()


def test_an_engine_that_is_missing_is_named() -> None:
    with pytest.raises(EngineError, match="'no-such-engine' is not installed"):
        GTPEngine("no-such-engine --mode gtp")
    with pytest.raises(EngineError, match="empty"):
        GTPEngine("")
    with pytest.raises(GameError, match="GTP engines play Go, not kuhn"):
        GTPAgent(Builder(load_game("kuhn")), "gnugo")


def test_a_file_that_cannot_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.write_text("nothing that runs")
    file.chmod(0o755)
    with (
        pytest.raises(EngineError, match=r"cannot run|has ended"),
        GTPEngine([str(file)]) as engine,
    ):
        engine.send("name")


def test_a_match_with_an_engine_that_dies_is_kept_and_resumed(tmp_path: Path) -> None:
    """The engine dies after some moves once; the match then goes on where it was."""
    count = tmp_path / "count"
    count.write_text("0")
    extra = f"""
    if words[0] == "genmove":
        n = int(open({str(count)!r}).read()) + 1
        with open({str(count)!r}, "w") as file:
            file.write(str(n))
        if n == 120:
            sys.exit(1)
    """
    record = tmp_path / "match.json"
    agent = GTPAgent(GO, engine_of(tmp_path, extra=extra))
    with pytest.raises(EngineError, match=r"has ended.*; \d+ of 12 games are kept in") as refused:
        play_match(GO, agent, "uniform", games=12, record=record)
    kept = int(str(refused.value).split("; ")[1].split()[0])
    assert 0 < kept < 12
    told: list[int] = []
    resumed = play_match(GO, agent, "uniform", games=12, record=record, each=told.append)
    assert min(told) >= kept
    whole = play_match(GO, agent, "uniform", games=12, at_once=2)
    assert resumed == whole
    agent.close()


@needs_gnugo
@pytest.mark.parametrize("size", [5, 7])
def test_gnugo_beats_random_play(size: int) -> None:
    builder = Builder(load_game(f"go-{size}x{size}"))
    agent = gnugo(builder, 1)
    found = play_match(builder, agent, "uniform", games=4)
    agent.close()
    assert found.mean == 1


@needs_gnugo
def test_gnugo_plays_games_in_turn_and_the_same_again() -> None:
    def moves() -> list[list[int]]:
        agent = gnugo(GO, 1)
        memories = agent.begin([0, 0], np.random.default_rng(1))
        played: list[list[int]] = [[], []]
        for step in range(6):
            policies = agent.policies(memories)
            chosen = [int(policy[:, 0].argmax()) for policy in policies]
            if step == 0:
                chosen[1] = 0
            for game, number in zip(played, chosen, strict=True):
                game.append(number)
            memories = agent.after(memories, chosen)
        agent.close()
        for memory in memories:
            assert isinstance(memory.state, OpenState)
        return played

    once = moves()
    assert once == moves()
    assert once[0] != once[1]
