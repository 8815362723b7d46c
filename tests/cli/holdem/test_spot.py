"""`tacit spot` as people and programs call it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from support.commands import call, fails
from tacit.formats.spot_file import example_names
from tacit.formats.spot_solution import load_spot_solution
from tacit.games import GameError
from tacit.solvers import Solver

TINY = ("--board", "2c7dJhQsKs", "--oop", "AA,KQs,T9s,65s", "--ip", "QQ,AJs,T8s")
TINY += ("--pot", "100", "--stacks", "200", "--big-blind", "2")
WITHOUT_BETS, TINY = TINY, (*TINY, "--bets", "a/a")
TURN = ("--board", "2c7dJhQs", "--oop", "AA,KK,AQs,T9s,65s", "--ip", "QQ,AJs,T8s,98s")
TURN += ("--pot", "100", "--stacks", "150", "--bets", "turn=a/", "--bets", "river=75%/a")


def answer(*words, given=None):
    code, out, errors = call("spot", *words, "--json", given=given)
    assert (code, errors) == (0, "")
    return json.loads(out)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spots")
    options = (*TURN, "--iterations", "60", "--no-walk")
    for name, small in (("whole.npz", ()), ("small.npz", ("--small",))):
        assert call("spot", *options, "--out", folder / name, *small)[0] == 0
    return folder


def test_bluffs_and_calls_follow_the_odds():
    found = answer("river-bluff")
    assert found["solution"]["exploitability_percent_of_pot"] <= 0.05
    assert found["solution"]["stop"] == "target"
    # Two hands win; betting the pot, one bluff goes with two of them, and half is called.
    shares = {entry["label"]: entry["frequency"] for entry in found["actions"]}
    assert shares["r150"] == pytest.approx(0.5, abs=0.01)
    assert found["classes"]["ATs"]["policy"]["r150"] == pytest.approx(1, abs=0.01)
    assert found["classes"]["43s"]["policy"]["r150"] == pytest.approx(0.25, abs=0.02)
    assert found["classes"]["43s"]["ev"] == pytest.approx(0, abs=0.2)
    assert found["ev"]["oop"] + found["ev"]["ip"] == pytest.approx(100)
    called = answer("river-bluff", "--at", "r150", "--hands")
    assert called["player"] == "ip"
    assert called["pot"] == 200
    assert called["behind"] == [0, 100]
    frequencies = {entry["label"]: entry["frequency"] for entry in called["actions"]}
    assert frequencies["c"] == pytest.approx(0.5, abs=0.02)
    assert set(called["hands"]) == {"AsAc", "AcQc"}
    assert called["ev"]["oop"] + called["ev"]["ip"] == pytest.approx(200)


def test_what_is_won_from_here_on_is_the_pot():
    for path in ("", "k", "k r250", "r250", "k k", "r250 f"):
        found = answer(*TINY, "--iterations", "20", "--at", path)
        assert found["ev"]["oop"] + found["ev"]["ip"] == pytest.approx(found["pot"], rel=1e-4)
    folded = answer(*TINY, "--iterations", "20", "--at", "r250 f")
    assert folded["ev"] == pytest.approx({"oop": 300, "ip": 0}, abs=1e-3)
    assert folded["equity"] == {"oop": None, "ip": None}


def test_every_example_is_listed_and_read():
    code, out, _ = call("spot", "--list")
    assert code == 0
    assert {"river", "turn", "river-bluff"} <= set(example_names())
    assert all(name in out for name in example_names())


def test_walking_by_a_pipe():
    lines = "k\nback\nk all-in\nAJs\nQhQd\nnonsense\ntop\nAA\n\nb200\nquit\nk\n"
    code, out, errors = call("spot", *TINY, "--iterations", "30", given=lines)
    assert code == 0
    assert "public states" in errors
    assert "river 2c7dJhQsKs, pot 300, behind 200 and 0: k r250" in out
    assert "OOP (player 1) does not hold AJs here." in out
    assert "'nonsense' is not possible here; possible: f, c" in out
    assert "AsAh" in out
    assert out.count(": the start") == 4
    assert ": r250\n" in out
    assert out.rstrip().endswith("quit):")


def test_walking_through_cards():
    code, out, _ = call("spot", *TURN, "--iterations", "10", given="k k\n2h\n9h\nQsKs\nback\n")
    assert code == 0
    assert "Cards are dealt: 2d, 2h," in out
    assert "river 2c7dJhQs2h, pot 100" in out
    assert "'9h' is not possible here" in out
    assert "a hand has 2" not in out
    assert call("spot", *TURN, "-n", "3", given="k k\n2c\n")[1].count("cannot be dealt") == 1


def test_the_grid_is_in_colour_on_a_terminal_and_in_letters_elsewhere():
    _, out, _ = call("spot", "river-bluff", "--no-walk")
    assert "ATsaaaa" in out
    assert "43skkka" in out
    main, child = pty.openpty()
    command = [sys.executable, "-m", "tacit", "spot", "river-bluff", "--no-walk"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    done = subprocess.Popen(command, stdout=child, stderr=child, stdin=child, env=environment)
    os.close(child)
    seen = b""
    with suppress(OSError):
        while part := os.read(main, 1 << 16):
            seen += part
    assert done.wait(timeout=60) == 0
    assert b"\x1b[38;2;16;16;16;48;2;92;172;104m" in seen
    assert b"exploitability" in seen


def test_a_file_and_flags_over_it(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'board = "2c7dJhQsKs"\npot = 100\nstacks = [200, 150]\nbig_blind = 2\nbets.river = "a/"\n'
        'ranges.oop = "AA,KQs,T9s"\nranges.ip = "QQ,AJs"\nadd."k" = [100]\n'
        'lock."r200" = {c = "rest", f = "QQ:0.25"}\nsolve.iterations = 40\n'
    )
    found = answer(path, "--at", "r200")
    assert found["solution"]["iterations"] == 40
    assert found["spot"]["stacks"] == [200, 150]
    assert found["classes"]["QQ"]["policy"] == pytest.approx({"f": 0.25, "c": 0.75})
    assert found["classes"]["AJs"]["policy"] == pytest.approx({"f": 0, "c": 1})
    added = answer(path, "--at", "k", "--iterations", "5", "--big-blind", "4", "--add", "k:130")
    assert [entry["label"] for entry in added["actions"]] == ["k", "r100", "r130", "r200"]
    locked = answer(path, "--lock", "k: k=0.5 r100=0.5", "--at", "k", "--iterations", "5")
    assert locked["actions"][0]["frequency"] == pytest.approx(0.5)


def test_targets_in_both_units():
    percent = answer(*TINY, "--target", "2%")["solution"]
    mbb = answer(*TINY, "--target", "1000mbb")["solution"]
    assert percent["stop"] == mbb["stop"] == "target"
    assert percent["exploitability"] <= 2
    assert mbb["exploitability_mbb"] <= 1000
    assert mbb["exploitability"] == percent["exploitability"]
    missed = ("spot", *TINY, "--target", "0.0001", "--iterations", "3")
    assert "is not met" in fails(*missed)


def test_suits_apart_change_nothing():
    pair = [answer(*TURN, "-n", "30", *more)["ev"] for more in ((), ("--no-isomorphism",))]
    assert pair[0] == pytest.approx(pair[1], rel=1e-3)


def test_saved_solutions_are_shown_again(files):
    whole, small = (
        [answer("--load", files / name, "--at", path) for path in ("", "k", "k k 2h", "k k 2h k")]
        for name in ("whole.npz", "small.npz")
    )
    assert (files / "small.npz").stat().st_size < 0.3 * (files / "whole.npz").stat().st_size
    for first, second in zip(whole[:2], small[:2], strict=True):
        assert first["actions"] == second["actions"]
        assert first["ev"] == pytest.approx(second["ev"], rel=1e-5)
    for first, second in zip(whole[2:], small[2:], strict=True):
        assert first["ev"]["oop"] == pytest.approx(second["ev"]["oop"], abs=2)
        assert second["ev"]["oop"] + second["ev"]["ip"] == pytest.approx(second["pot"], rel=1e-4)


@pytest.mark.parametrize("storage", ["32", "16"])
def test_a_saved_solve_goes_on(files, tmp_path, storage):
    path = tmp_path / "spot.npz"
    options = (*TURN, "--storage", storage)
    whole = answer(*options, "--iterations", "24")
    answer(*options, "--iterations", "10", "--out", path, "--resumable")
    joined = answer("--resume", path, "--iterations", "24", "--out", path)
    assert joined["solution"]["iterations"] == 24
    assert joined["solution"]["storage"] == int(storage)
    assert joined["actions"] == whole["actions"]
    again = answer("--resume", path, "--iterations", "30")
    assert again["solution"]["iterations"] == 30
    for name, reason in (("whole", "--resumable keeps them"), ("small", "without rivers")):
        message = fails("spot", "--resume", files / f"{name}.npz", "--iterations", "80")
        assert reason in message
        assert f"{name}.npz" in message


def test_a_small_file_stays_small_when_saved_again(files, tmp_path):
    code, _, _ = call("spot", "--load", files / "small.npz", "--out", tmp_path / "again.npz")
    assert code == 0
    assert (tmp_path / "again.npz").read_bytes()[:2] == b"PK"
    assert not load_spot_solution(tmp_path / "again.npz").complete


def test_solutions_of_games_and_of_spots_are_told_apart(files, tmp_path):
    game = tmp_path / "kuhn.npz"
    assert call("solve", "kuhn", "--iterations", "10", "--out", game)[0] == 0
    assert f"`tacit show {game}` shows it" in fails("spot", "--load", game)
    whole = files / "whole.npz"
    assert f"`tacit spot --load {whole}` shows it" in fails("show", whole)


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.999])
def test_a_file_cut_short_is_one_line(files, tmp_path, keep):
    data = (files / "whole.npz").read_bytes()
    cut = tmp_path / "cut.npz"
    cut.write_bytes(data[: int(keep * len(data))])
    assert "is not a solution of tacit, or is damaged" in fails("spot", "--load", cut)


def test_pictures(tmp_path):
    path = tmp_path / "grid.png"
    answer(*TINY, "--iterations", "5", "--plot", path)
    assert path.read_bytes().startswith(b"\x89PNG")
    over = ("spot", *TINY, "--iterations", "5", "--at", "k k", "--plot", path)
    assert "no player moves here" in fails(*over)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the spot has no board"),
        (("--board", "AhAhKsKd2c"), "the spot has no pot"),
        ((*TINY, "--board", "AhAhKsKd2c"), "Ah is there twice"),
        ((*TINY, "--board", "2c7d"), "a board has 0, 3, 4 or 5"),
        ((*TINY, "--oop", "KsKs"), "'KsKs' at column 1"),
        ((*TINY, "--oop", "KsQs"), "no hand that is possible on the board 2c7dJhQsKs"),
        ((*TINY, "--oop", "AhAs", "--ip", "AhAc"), "cannot meet"),
        ((*TINY, "--stacks", "0"), "the stack of oop is 0"),
        ((*TINY, "--stacks", "10,-5"), "the stack of ip is -5"),
        ((*TINY, "--pot", "-3"), "the pot is -3"),
        ((*WITHOUT_BETS, "--bets", "50%,7/a"), "'7' at column 5"),
        ((*WITHOUT_BETS, "--bets", "3x"), "a bet has no previous bet"),
        ((*WITHOUT_BETS, "--bets", "rivr=50%"), "unknown key 'rivr'; did you mean 'river'?"),
        ((*TINY, "--big-blind", "0"), "the big blind is 0"),
        ((*TINY, "--target", "lots"), "'lots' is not a target"),
        ((*TINY, "--target", "-1"), "is not a target"),
        ((*TINY, "--algorithm", "dcf"), "did you mean 'dcfr'"),
        ((*TINY, "--add", "kk:150"), "no player acts after 'kk'"),
        ((*TINY, "--add", "k:9999"), "cannot be added after 'k'"),
        ((*TINY, "--lock", "k: r99=1"), "'r99' is not possible after 'k'; possible: k, r250"),
        ((*TINY, "--lock", "k: k=0.7"), "must sum to 1"),
        ((*TINY, "--lock", "k k: k=1"), "nothing can be locked there"),
        ((*TINY, "--at", "k c"), "'c' is not possible here; possible: k, r250"),
        (("rivr",), "did you mean 'river'?"),
        (("--load", "/nowhere.npz"), "there is no file /nowhere.npz"),
        ((*TINY, "--out", "/nowhere/x.npz"), "there is no folder /nowhere"),
        ((*TINY, "--iterations", "0"), "1 or more"),
        ((*TINY, "--storage", "16", "--algorithm", "pcfr+"), "needs more than 16 bits"),
    ],
)
def test_bad_input_is_one_line(words, message):
    assert message in fails("spot", *words, "--no-walk")


@pytest.mark.parametrize(
    "words",
    [
        (*TINY, "--stacks", "many"),
        (*TINY, "--lock", "k"),
        (*TINY, "--add", "k"),
        (*TINY, "--threads", "0"),
        (*TINY, "--threads", "1" + "0" * 20),
        (*TINY, "--stacks", "--5"),
        (*TINY, "--stacks", "9" * 5000),
        (*TINY, "--add", "k:" + "9" * 5000),
        (*TINY, "--time", "inf"),
        ("--load", "x.npz", "--board", "2c7dJhQsKs"),
        ("--resume", "x.npz", "--board", "2c7dJhQsKs"),
        ("--resume", "x.npz", "--algorithm", "cfr"),
        (*TINY, "--storage", "8"),
        (*TINY, "--resumable"),
        (*TINY, "--resumable", "--small", "--out", "x.npz"),
    ],
)
def test_wrong_usage_is_one_line(words):
    assert "see `tacit spot --help`" in fails("spot", *words, code=2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bord = 'AhKs2c'", "unknown key 'bord'; did you mean 'board'?"),
        ("ranges.opp = 'AA'", "ranges: unknown key 'opp'; did you mean 'oop'?"),
        ("pot = 'much'", "pot is 'much'; expected a whole number of chips"),
        ("pot = 2.5", "expected a whole number of chips"),
        ("stacks = [1, 2, 3]", "expected the chips behind"),
        ("solve.tme = 3", "unknown key 'tme'; did you mean 'time'?"),
        ("solve.target = 'x'", "'x' is not a target"),
        ("solve.threads = -3", "solve.threads is -3; expected 1 to 1024 threads"),
        ("solve.iterations = 0", "expected 1 or more iterations"),
        ("pot = " + "9" * 5000, "is not TOML"),
        ("solve.storage = 8", "solve.storage is 8; expected 16 or 32"),
        ("bets = 3", "expected a table"),
        ("pot = ", "is not TOML"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, line, message):
    path = tmp_path / "bad.toml"
    path.write_text(line + "\n")
    assert message in fails("spot", path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*TINY, "--at", "zzz"), "'zzz' is not possible here"),
        ((*TINY, "--at", "k k", "--plot", "x.png"), "no player moves here"),
    ],
)
def test_a_node_is_looked_for_before_solving(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Solver, "run", lambda *_: pytest.fail("the spot was solved"))
    assert message in fails("spot", *words, "--no-walk", "-o", "out.npz")
    assert not list(tmp_path.iterdir())


def test_what_was_solved_is_saved_before_it_is_shown(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise GameError("it cannot be shown")

    monkeypatch.setattr("tacit.report.holdem.spot.node_report", broken)
    out = tmp_path / "out[bold].npz"
    assert "it cannot be shown" in fails("spot", *TINY, "--no-walk", "-o", out)
    assert load_spot_solution(out).iterations > 0


def test_devices_and_pipes_are_not_spots(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        assert "is a device or a pipe, not a spot" in fails("spot", path)


def test_an_interrupt_keeps_what_was_reached(tmp_path):
    out = tmp_path / "part.npz"
    words = ("spot", "turn", "--target", "0.0001%", "--out", str(out), "--no-walk")
    command = [sys.executable, "-m", "tacit", *words]
    pipe = subprocess.PIPE
    for seconds in (1.5, 10, 40):  # a busy machine may still be building the tree
        running = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
        assert running.stderr is not None
        assert "public states" in running.stderr.readline()
        time.sleep(seconds)
        running.send_signal(signal.SIGINT)
        shown, errors = running.communicate(timeout=300)
        assert running.returncode == 130
        assert "Traceback" not in errors
        if out.exists():
            break
    assert f"saved to {out}" in errors
    assert "EV % of pot" in shown
    assert load_spot_solution(out).iterations > 0


AUTO = (*WITHOUT_BETS, "--bets", "auto")


def test_sizes_are_chosen_for_the_spot_and_said():
    found = answer(*AUTO, "--iterations", "30")
    assert found["sizes"]["bets"]["river"].count("|") == 1
    assert found["sizes"]["exploitability"] <= found["sizes"]["exploitability_base"]
    code, out, _ = call("spot", *AUTO, "--iterations", "30", "--no-walk", "--sizes", "1")
    assert code == 0
    assert "chosen sizes, bets/raises" in out
    assert "against every size" in out


def test_a_file_may_ask_for_chosen_sizes(tmp_path):
    file = tmp_path / "spot.toml"
    file.write_text(
        'board = "2c7dJhQsKs"\npot = 100\nstacks = 200\nbig_blind = 2\nbets = "auto"\nsizes = 2\n'
        'ranges.oop = "AA,KQs,T9s,65s"\nranges.ip = "QQ,AJs,T8s"\n'
    )
    found = answer(file, "--iterations", "30")
    assert all(part.count(",") <= 4 for part in found["sizes"]["bets"]["river"].split("|"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*AUTO, "--sizes", "0"), "0 sizes cannot be chosen; give 1 to 6"),
        ((*AUTO, "--stacks", "1"), "there is no bet size to choose"),
        ((*TINY, "--sizes", "2"), 'sizes = 2 needs bets = "auto"'),
        ((*AUTO, "--actor", "nowhere"), "there is no file nowhere"),
    ],
)
def test_sizes_that_cannot_be_chosen_are_refused_in_one_line(words, message):
    assert message in fails("spot", *words)
