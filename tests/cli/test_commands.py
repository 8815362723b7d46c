"""The commands as people and programs call them: results, one-line errors, pipes and signals."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module

import numpy as np
import pytest

from support.commands import call, fails
from tacit.archive import write_arrays
from tacit.cli import COMMANDS, LazyGroup, tacit
from tacit.formats.solution import load_solution
from tacit.solvers import Solver


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory):
    path = tmp_path_factory.mktemp("solutions") / "kuhn.npz"
    assert call("solve", "kuhn", "--target", "1e-5", "--out", path)[0] == 0
    return path


# --- help, games ---------------------------------------------------------------------------------


def test_help_is_what_a_bare_call_prints():
    code, out, _ = call()
    assert code == 0
    assert call("--help")[1] == out
    listed = ("games", "solve", "exploitability", "show", "play", "bench")
    for command in (*listed, "spot", "equity", "range", "reproduce"):
        assert command in out
        assert call(command, "--help")[0] == 0


def test_the_list_of_commands_says_what_their_help_says():
    code, out, _ = call("--help")
    assert code == 0
    for name, (_, line) in COMMANDS.items():
        assert re.search(rf"^  {name}  ", out, flags=re.MULTILINE)
        assert line.endswith(".")
        assert call(name, "--help")[1].startswith(f"Usage: tacit {name}")
    for group in ("bench", "reproduce"):
        command = tacit.get_command(None, group)
        for name in command.members:
            code, text, _ = call(group, name, "--help")
            assert code == 0
            assert "--json" in text
            assert ("--out" in text and "--quick" in text) == (group == "reproduce")


def test_help_and_games_load_no_heavy_library():
    code = (
        "import sys; from tacit.cli import tacit; from click.testing import CliRunner;"
        "[CliRunner().invoke(tacit, [*c]) for c in (['solve', '--help'], ['spot', '--help'],"
        "['reproduce', '--help'], ['bench', '--help'], ['games'], ['--version'])];"
        "print(sorted({'numba', 'scipy', 'matplotlib', 'pyspiel', 'torch'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_games_are_listed_with_their_sizes():
    code, out, _ = call("games", "--json")
    listed = {entry["game"]: entry for entry in json.loads(out)}
    assert code == 0
    assert listed["kuhn"]["public_states"] == 9
    assert listed["kuhn"]["infostates"] == 12
    assert listed["liars-dice-1x6"]["infostates"] == 24_576
    _, table, _ = call("games")
    assert all(name in table for name in listed)
    assert "liars-dice-<dice>x<faces>" in table


# --- solve ---------------------------------------------------------------------------------------


def test_solve_prints_one_json_object():
    code, out, errors = call("solve", "leduc", "--target", "1e-2", "--seed", "7", "--json")
    found = json.loads(out)
    assert (code, errors, out.count("\n")) == (0, "", 1)
    assert found["game"] == "leduc"
    assert found["algorithm"] == "pcfr+"
    assert found["exploitability"] <= 1e-2
    assert found["value"] == pytest.approx(-0.0856, abs=1e-2)
    assert found["iterations"] > 0
    assert found["seconds"] > 0
    assert found["seed"] == 7
    assert found["stop"] == "target"
    for shares in found["first_policy"].values():
        assert sum(shares.values()) == pytest.approx(1)


def test_solve_shows_the_result_and_the_first_policy(tmp_path):
    out, plot = tmp_path / "coin.npz", tmp_path / "coin.png"
    code, shown, errors = call("solve", "coin-toss", "-n", 500, "--out", out, "--plot", plot)
    assert code == 0
    assert re.search(r"value to player 1\s+[+-]0\.000", shown)
    assert re.search(r"iterations\s+500", shown)
    assert re.search(r"infostate\s+sell\s+play", shown)
    assert "heads" in shown
    assert "500 iterations" in errors
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert load_solution(out).iterations == 500


@pytest.mark.parametrize("algorithm", ["cfr", "linear-cfr", "flop", "lp"])
def test_every_kind_of_algorithm_is_offered(algorithm):
    code, out, _ = call("solve", "kuhn", "--algorithm", algorithm, "-n", 2000, "--json")
    found = json.loads(out)
    assert (code, found["algorithm"]) == (0, algorithm)
    assert found["value"] == pytest.approx(-1 / 18, abs=5e-3)
    assert found["exploitability"] < 2e-2


def test_simultaneous_updates_and_precision_are_recorded():
    _, out, _ = call("solve", "kuhn", "-n", 9, "--simultaneous", "--precision", "double", "--json")
    found = json.loads(out)
    assert found["alternating"] is False
    assert found["precision"] == "double"


def test_resumed_solves_are_those_that_never_stopped(tmp_path):
    part, joined, whole = (tmp_path / name for name in ("part", "joined", "whole"))
    call("solve", "leduc", "-a", "dcfr", "-n", 40, "--out", part)
    call("solve", "leduc", "-n", 100, "--resume", part, "--out", joined)
    call("solve", "leduc", "-a", "dcfr", "-n", 100, "--out", whole)
    assert load_solution(joined).algorithm == "dcfr"
    assert np.array_equal(load_solution(joined).policy, load_solution(whole).policy)


def test_openspiel_games_are_solved_by_their_string(tmp_path):
    pytest.importorskip("pyspiel")
    out = tmp_path / "kuhn.npz"
    code, shown, _ = call(
        "solve", "openspiel:kuhn_poker", "--target", "1e-4", "--json", "--out", out
    )
    assert code == 0
    assert json.loads(shown)["value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert call("exploitability", out)[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kun"], "unknown game 'kun'; did you mean 'kuhn'?"),
        (["kuhn", "-a", "dcf"], "unknown algorithm 'dcf'; did you mean 'dcfr'?"),
        (["liars-dice-0x6"], "liars-dice-0x6 is not possible"),
        (["liars-dice-1x6", "--memory", "1M"], "needs about 3.5 MB"),
        (["kuhn", "--target", "0"], "the target must be a positive number, not 0"),
        (["kuhn", "--target", "-1"], "the target must be a positive number, not -1"),
        (["kuhn", "--time", "-3"], "the time must be a positive number, not -3"),
        (["kuhn", "--iterations", "-5"], "the number of iterations must be 1 or more, not -5"),
        (["kuhn", "--target", "1e-13"], "the target 1e-13 is not met: exploitability"),
        (["kuhn", "-t", "1e-9", "-n", "5"], "after 5 iterations; allow more iterations"),
        (["kuhn", "--out", "/no/such/folder/x.npz"], "there is no folder /no/such/folder"),
        (["kuhn", "--plot", "/no/such/folder/x.png"], "there is no folder /no/such/folder"),
        (["kuhn", "--out", "/"], "it is a folder"),
        (["kuhn", "--resume", "none.npz"], "there is no file none.npz"),
        (["openspiel:nonsense"], "OpenSpiel"),
    ],
)
def test_what_cannot_be_solved_is_refused_in_one_line(words, message):
    assert message in fails("solve", *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["solve"], "Missing argument 'GAME'"),
        (["solve", "kuhn", "-n", "many"], "'many' is not a valid integer"),
        (["solve", "kuhn", "--memory", "lots"], "'lots' is not an amount of memory"),
        (["solve", "kuhn", "--frob"], "No such option"),
        (["play", "kuhn", "--seat", "3"], "3 is not in the range"),
        (["bench", "algorithms", "--plot", "x.png"], "--plot takes one game"),
        (["reproduce", "rebel-table3"], "No such command 'rebel-table3'"),
        (["solve", "--5"], "No such option '--5'"),
        (["solve", "kuhn", "-n", "1" + "0" * 20], "is not a number of at most 18 digits"),
        (["solve", "kuhn", "-n", "9" * 5000], "is not a valid integer"),
        (["solve", "kuhn", "--seed", "9" * 30], "is not a number of at most 18 digits"),
        (["solve", "kuhn", "--target", "nan"], "nan is not a number of at most 18 digits"),
        (["solve", "kuhn", "--time", "inf"], "inf is not a number of at most 18 digits"),
        (["solve", "kuhn", "--memory", "9" * 5000 + "G"], "is not an amount of memory"),
        (["blueprint", "kuhn", "-o", "x", "--remove", "nan"], "nan is not a number"),
        (["equity", "AA", "KK", "--samples", "1" + "0" * 20], "is not a number of at most"),
        (["evaluate", "kuhn", "--playthroughs", "1" + "0" * 20], "is not a number of at most"),
        (["train", "kuhn", "--workers", "1" + "0" * 20], "is not in the range"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(words, message):
    line = fails(*words, code=2)
    assert message in line
    assert len(line) < 1100


@pytest.mark.parametrize("size", ["9999x9999", "9" * 5000 + "x6"])
def test_sizes_without_end_are_refused_at_once(size):
    assert "liars-dice-" in fails("solve", f"liars-dice-{size}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["blueprint", "leduc", "-o", "x.npz", "-a", "dcf"], "unknown algorithm 'dcf'"),
        (["blueprint", "leduc", "-o", "/nowhere/x.npz"], "there is no folder"),
        (["subgame", "coin-toss", "--method", "saef"], "unknown method 'saef'"),
        (["subgame", "coin-toss", "--at", "zzz"], "'zzz' is not possible here"),
        (["subgame", "coin-toss", "--depth", "1", "--leaves", "zzz"], "zzz is neither"),
        (["subgame", "coin-toss", "-o", "/nowhere/x.npz"], "there is no folder"),
        (["train", "kuhn", "--out", "run", "--plot", "/nowhere/x.png"], "there is no folder"),
        (["train", "kuhn", "--out", "run", "--plot", "x.png", "--set", "evaluate_every=0"],
         "set evaluate_every above 0"),
        (["evaluate", "kuhn", "--algorithm", "dcf"], "unknown algorithm 'dcf'"),
        (["reproduce", "safe-tables", "--out", "/nowhere/rows.json"], "there is no folder"),
        (["reproduce", "rebel-ablations", "--perfect-games", "kuhn,kun"], "unknown game 'kun'"),
        (["reproduce", "rebel-fig4", "--plot", "/nowhere/x.png"], "there is no folder"),
        (["bench", "algorithms", "--games", "kuhn,kun"], "unknown game 'kun'"),
        (["bench", "algorithms", "--games", "kuhn", "--algorithms", "cfr,dcf"], "algorithm 'dcf'"),
    ],
)  # fmt: skip
def test_arguments_are_checked_before_work_begins(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Solver, "run", lambda *_: pytest.fail("something was solved"))
    assert message in fails(*words)
    assert not list(tmp_path.iterdir())


def test_an_unwritable_path_is_found_before_solving(monkeypatch):
    monkeypatch.setattr(Solver, "run", lambda *_: pytest.fail("something was solved"))
    fails("solve", "liars-dice-1x6", "-n", 10**6, "--out", "/no/such/folder/x.npz")


def test_resume_wants_the_same_game_and_settings(kuhn):
    assert "is a solution of kuhn, not of leduc" in fails("solve", "leduc", "--resume", kuhn)
    assert "leave out" in fails("solve", "kuhn", "--resume", kuhn, "-a", "cfr", code=2)


def test_a_missed_target_is_saved_all_the_same(tmp_path):
    out = tmp_path / "part.npz"
    fails("solve", "kuhn", "-t", "1e-9", "-n", "50", "--out", out)
    assert load_solution(out).iterations == 50


def test_a_path_in_the_way_of_the_solution_is_left_alone(tmp_path):
    assert "damaged" in fails("solve", "kuhn", "--resume", write(tmp_path / "x", "no solution"))


def write(path, text):
    path.write_text(text)
    return path


# --- signals and pipes ---------------------------------------------------------------------------


def start(*words, **streams):
    command = [sys.executable, "-m", "tacit", *map(str, words)]
    return subprocess.Popen(command, text=True, **streams)


def test_an_interrupt_saves_what_was_reached(tmp_path):
    out = tmp_path / "leduc.npz"
    screen, terminal = pty.openpty()
    words = ["solve", "leduc", "-a", "dcfr", "--time", "60", "--out", out]
    process = start(*words, stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    errors = b""
    while b"exploitability" not in errors:  # the live bar shows the first checkpoint
        errors += os.read(screen, 4096)
    process.send_signal(signal.SIGINT)
    with suppress(OSError):  # a terminal that nobody holds any more
        while more := os.read(screen, 4096):
            errors += more
    shown, _ = process.communicate(timeout=30)
    os.close(screen)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    reached = load_solution(out)
    line = f"tacit: interrupted after {reached.iterations:,} iterations; saved to {out}"
    assert line in errors.decode()
    assert "value to player 1" in shown
    again = tmp_path / "again.npz"
    call("solve", "leduc", "-a", "dcfr", "-n", reached.iterations, "--out", again)
    assert np.array_equal(load_solution(again).policy, reached.policy)


def test_a_reader_that_stops_reading_is_no_error():
    read, write_end = os.pipe()
    os.close(read)
    process = start("games", "--json", stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    _, errors = process.communicate(timeout=30)
    assert errors == ""


def run(command, **environment):
    """The exit code and the output of a shell command, in which `tacit` is this one."""
    shell = f"tacit() {{ '{sys.executable}' -m tacit \"$@\"; }}; {command}"
    return subprocess.run(
        ["sh", "-c", shell],
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )


def test_closed_standard_streams_are_one_line_or_nothing(kuhn):
    done = run("tacit games >&-")
    assert done.returncode == 1
    assert done.stderr.startswith("tacit: error: standard output is closed")
    assert done.stderr.count("\n") == 1
    done = run("tacit range AA 2>&-")
    assert done.returncode == 0
    assert "AA" in done.stdout
    assert run("tacit frobnicate 2>&-").returncode == 2
    done = run(f"tacit show {kuhn} <&-")
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"TERM": "dumb"}],
)
def test_plain_characters_where_a_terminal_knows_no_others(environment):
    done = run("tacit equity AhKh QQ --samples 100", **environment)
    assert done.returncode == 0
    assert done.stderr == ""
    if "TERM" not in environment:
        assert done.stdout.isascii()
        assert "equity +- " in done.stdout
        assert "\\" not in done.stdout
    done = run("tacit solve leducé", **environment)
    assert done.returncode == 1
    assert "did you mean 'leduc'?" in done.stderr
    done = run("tacit solve kuhn -n 1 --plot é.png --json; rm é.png", **environment)
    name = json.loads(done.stdout)["plot"]
    assert os.fsencode(name) == "é.png".encode()


def test_names_with_brackets_are_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d[").mkdir()
    for name in ("d[/b].npz", "x[bold].npz", ":smile:.npz"):
        code, shown, errors = call("solve", "kuhn", "-n", 2, "--out", name, "--plot", "$x_{.png")
        assert code == 0, errors
        assert f"The solution is saved in {name}\n" in shown
        assert "The convergence plot is saved in $x_{.png\n" in shown
        assert load_solution(name).iterations == 2
    assert "there is no file x[/b].npz" in fails("show", "x[/b].npz")
    assert r"unknown game 'x\x1b[31m'" in fails("solve", "x\x1b[31m")


BRACKETS = """
from tacit.games.kuhn import Kuhn

class Mine(Kuhn):
    title = "[/b] $\\\\frac{ :smile:"
"""


def test_titles_of_games_are_not_markup(tmp_path, monkeypatch):
    (tmp_path / "bracketed.py").write_text(BRACKETS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    words = ("solve", "bracketed:Mine", "-n", 2, "--out", "m.npz", "--plot", "m.png")
    code, shown, errors = call(*words)
    assert code == 0, errors
    assert "[/b] $\\frac{ :smile:, solved by pcfr+" in shown
    assert "[/b] $\\frac{ :smile:: the start" in call("show", "m.npz", given="")[1]


# --- exploitability, show, play ------------------------------------------------------------------


def test_exploitability_is_computed_anew(kuhn):
    code, out, _ = call("exploitability", kuhn, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["game"] == "kuhn"
    assert found["exploitability"] == pytest.approx(load_solution(kuhn).exploitability, abs=1e-12)
    assert sum(found["best_response_values"]) / 2 == pytest.approx(found["exploitability"])
    assert "best response of player 2" in call("exploitability", kuhn)[1]


def test_false_statements_in_a_file_are_found(kuhn, tmp_path):
    with np.load(kuhn) as file:
        parts = {name: file[name] for name in file.files}
    parts["history"][-1, 2] = 0.0
    write_arrays(tmp_path / "false.npz", parts)
    assert "states other numbers than those of its policy" in fails(
        "exploitability", tmp_path / "false.npz"
    )


@pytest.mark.parametrize("command", ["exploitability", "show"])
def test_foreign_files_are_refused(command, tmp_path):
    foreign = write(tmp_path / "notes.txt", "hello")
    assert "is not a solution of tacit" in fails(command, foreign)
    assert "there is no file" in fails(command, tmp_path / "none")


def test_show_walks_the_tree(kuhn):
    code, out, _ = call("show", kuhn, given="bet\nfold\npass\nback\ntop\npass\nback\nback\nquit\n")
    assert code == 0
    headings = re.findall(r"^Kuhn poker: (.*)$", out, flags=re.MULTILINE)
    assert headings == [
        "the start", "bet", "bet pass", "bet", "the start", "pass", "the start", "the start",
    ]  # fmt: skip
    assert "'fold' is not possible here; possible: pass, bet" in out
    bluffs = load_solution(kuhn).policy_at("", "J")["bet"]
    assert re.search(rf"J\s+{bluffs:.3f}\s", out)  # the reach after a bet
    assert "The game is over." in out


def test_show_ends_with_its_input(kuhn):
    assert call("show", kuhn, given="")[0] == 0


def test_show_names_what_chance_may_do(tmp_path):
    out = tmp_path / "leduc.npz"
    call("solve", "leduc", "-n", 10, "--out", out)
    shown = call("show", out, given="check\ncheck\nK\n")[1]
    assert re.search(r"K\s+0\.333", shown)
    assert "Leduc poker: check check K" in shown


def test_play_hides_the_opponents_cards_and_keeps_score(kuhn):
    given = "raise\nbet\nyes\npass\npass\nno\n"
    code, out, _ = call("play", "kuhn", "--solution", kuhn, "--seed", 4, given=given)
    assert code == 0
    first = out.split("Game 2")[0]
    asked = [line for line in first.splitlines() if "Moves so far: none" in line]
    assert re.fullmatch(r"Player 1 holds [JQK], player 2 holds \?\. Moves so far: none\.", asked[0])
    assert "'raise' is not possible here; possible: pass, bet" in out
    assert re.search(r"Player 1 holds [JQK], player 2 holds [JQK]\. Moves so far: bet", first)
    assert re.search(r"You get [+-][12] chips\. Score after 1 game: [+-][12] chips\.", first)
    assert call("play", "kuhn", "--solution", kuhn, "--seed", 4, given=given)[1] == out


def test_play_solves_the_game_first_and_ends_with_its_input():
    code, out, errors = call("play", "coin-toss", "--seat", 2, "--seed", 1, given="")
    assert code == 0
    assert "solving coin-toss" in errors
    assert "The coin is hidden" in out or "You get" in out
    assert "Final score" in out


@pytest.mark.parametrize(
    "game", ["rock-paper-scissors", "leduc", "liars-dice-1x3", "pursuit-glasses"]
)
@pytest.mark.parametrize("seat", [1, 2])
def test_whole_games_can_be_played(game, seat, played):
    process_output = played(game, seat)
    assert process_output.count("You get") == 3
    assert "Final score after 3 games" in process_output


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Plays three games with the first move that is offered, whatever it is."""

    def play(game, seat):
        out = tmp_path / "solution.npz"
        call("solve", game, "-n", 20, "--out", out)
        left = [3]

        def answer(prompt):
            if prompt.startswith("Another"):
                left[0] -= 1
                return "yes" if left[0] else "no"
            return re.search(r"\(([^,)]+)", prompt)[1]

        monkeypatch.setattr(import_module("tacit.cli.play"), "read_line", answer)
        return call("play", game, "--solution", out, "--seat", seat, "--seed", 0)[1]

    return play


def test_secret_moves_stay_secret(played):
    shown = played("rock-paper-scissors", 2)
    before_each_answer = re.findall(r"Game \d\n(.*)\n(.*)\n", shown)
    assert (
        before_each_answer
        == [
            (
                "The opponent moves in secret.",
                "Player 1 has chosen a hidden sign, player 2 nothing yet.",
            )
        ]
        * 3
    )


def test_play_refuses_the_solution_of_another_game(kuhn):
    assert "is a solution of kuhn, not of leduc" in fails("play", "leduc", "--solution", kuhn)


def test_a_defect_is_reported_with_its_context_and_exits_with_70(monkeypatch):
    def broken(*_):
        raise KeyError("inside")

    monkeypatch.setattr(LazyGroup, "get_command", broken)
    code, _, errors = call("games")
    assert code == 70
    assert "KeyError: 'inside'" in errors
    assert "command: tacit" in errors
    assert errors.splitlines()[-1].startswith("tacit: error: this is a defect of tacit (KeyError)")
