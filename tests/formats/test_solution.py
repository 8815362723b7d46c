"""Solutions as files: what is saved comes back, and what is wrong is said in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tacit import archive
from tacit.archive import write_arrays
from tacit.formats.solution import (
    ArchiveError,
    file_format,
    fingerprint,
    load_solution,
    save_solution,
)
from tacit.games import GameError, load_game
from tacit.games.kuhn import Kuhn
from tacit.solvers import ALGORITHMS, Limits, resume, solve_tree
from tacit.tree import GameTooLargeError, build_tree

KUHN = build_tree(load_game("kuhn"))


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "kuhn.npz"
    save_solution(solve_tree(KUHN, Limits(iterations=50)), path)
    return path


def rewritten(path, *, without=(), about=None, **arrays):
    """The file with some of its parts changed, under its own name."""
    with np.load(path) as file:
        parts = {name: file[name] for name in file.files if name not in without}
    if about is not None:
        parts["about"] = np.array(json.dumps(json.loads(str(parts["about"])) | about))
    write_arrays(path, parts | arrays)
    return path


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "lp"])
def test_what_is_saved_comes_back(algorithm, tmp_path):
    path = tmp_path / "solution"
    solution = solve_tree(KUHN, Limits(target=0.01, iterations=70), algorithm=algorithm, seed=5)
    save_solution(solution, path)
    loaded = load_solution(path)
    for name in ("algorithm", "minimiser", "precision", "seed", "stop", "target", "history"):
        assert getattr(loaded, name) == getattr(solution, name), name
    assert np.array_equal(loaded.policy, solution.policy)
    assert loaded.memory.keys() == solution.memory.keys()
    assert [p.name for p in tmp_path.iterdir()] == ["solution"]
    assert file_format(path) == "tacit-solution"


@pytest.mark.parametrize("algorithm", ["dcfr", "flop"])
def test_a_loaded_solution_goes_on_as_if_never_stopped(algorithm, tmp_path):
    path = tmp_path / "part.npz"
    save_solution(solve_tree(KUHN, Limits(iterations=33), algorithm=algorithm), path)
    joined = resume(load_solution(path), Limits(iterations=200))
    whole = solve_tree(KUHN, Limits(iterations=200), algorithm=algorithm)
    assert np.array_equal(joined.policy, whole.policy)
    for name, kept in whole.memory.items():
        assert np.array_equal(joined.memory[name], kept)


def test_a_failed_save_leaves_the_older_file_alone(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(file, arrays, **options):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(archive, "_write_npz", fail)
    with pytest.raises(GameError, match="no space left"):
        save_solution(solve_tree(KUHN, Limits(iterations=9)), saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(ArchiveError, match="there is no file"):
        load_solution(tmp_path / "none.npz")
    with pytest.raises(ArchiveError, match="is a folder"):
        load_solution(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"a text\n", b"PK\x03\x04 not really", bytes(range(256)) * 9, b"\x93NUMPY\x01\x00junk"],
    ids=["empty", "text", "zip-like", "bytes", "npy-like"],
)
def test_foreign_files_are_refused(content, tmp_path):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    assert file_format(path) is None
    with pytest.raises(ArchiveError, match="is not a solution of tacit, or is damaged"):
        load_solution(path)


def test_arrays_of_others_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", policy=np.ones(3))
    np.save(tmp_path / "bare.npy", np.ones(3))
    write_arrays(tmp_path / "ours.npz", {"policy": np.ones(3)})
    for name in ("other.npz", "bare.npy", "ours.npz"):
        with pytest.raises(ArchiveError, match="is not a solution"):
            load_solution(tmp_path / name)


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 50)):
        saved.write_bytes(whole[:length])
        with pytest.raises(ArchiveError):
            load_solution(saved)


def test_every_flipped_byte_is_noticed(saved):
    whole = saved.read_bytes()
    random = np.random.default_rng(1)
    for place in random.choice(len(whole), size=150, replace=False):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        saved.write_bytes(bytes(damaged))
        with pytest.raises(ArchiveError):
            load_solution(saved)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"about": {"format": "other"}}, "is not a solution of tacit"),
        ({"about": {"version": 99}}, "has version 99 of the format, this tacit reads version 1"),
        ({"about": {"game": "leduc"}}, "with another tree than it has here"),
        ({"about": {"game": "kun"}}, "did you mean 'kuhn'"),
        ({"about": {"fingerprint": "0"}}, "with another tree than it has here; solve it again"),
        ({"about": {"stop": "never"}}, "is damaged"),
        ({"about": {"settings": {"kind": "Unknown"}}}, "is damaged"),
        ({"without": ["policy"]}, "is damaged .KeyError: 'policy'"),
        ({"policy": np.ones(3)}, "its policy does not fit"),
        ({"policy": np.full(24, 0.7)}, "its policy does not fit"),
        ({"policy": np.full(24, np.nan)}, "its policy does not fit"),
        ({"history": np.zeros((0, 4))}, "its history is not one of checkpoints"),
        ({"memory.sums": np.zeros(5)}, "its policy does not fit"),
        ({"memory.sums": np.full(24, np.inf)}, "its policy does not fit"),
        ({"history": np.full((1, 4), np.inf)}, "its history is not one of checkpoints"),
        ({"history": np.zeros((3, 3))}, "its history is not one of checkpoints"),
        ({"about": {"format": []}}, "is not a solution of tacit"),
        ({"about": {"settings": 0}}, "is damaged"),
        ({"about": {"settings": {"kind": []}}}, "is damaged"),
        ({"about": {"precision": "half"}}, "'half' is none of single, double"),
        ({"about": {"precision": []}}, "is damaged"),
        ({"about": {"seed": 1.5}}, "1.5 is not of the type int"),
        ({"about": {"seed": True}}, "True is not of the type int"),
        ({"about": {"target": "x"}}, "'x' is not of the type float"),
        ({"about": {"target": float("nan")}}, "nan is not of the type float"),
        ({"about": {"game": 7}}, "7 is not of the type str"),
        ({"about": {"algorithm": None}}, "None is not of the type str"),
        ({"without": ["history"]}, "is damaged .KeyError: 'history'"),
        ({"without": ["about"]}, "is damaged .KeyError: 'about'"),
    ],
)
def test_wrong_contents_are_refused(saved, changes, message):
    with pytest.raises(GameError, match=message) as caught:
        load_solution(rewritten(saved, **changes))
    assert "\n" not in str(caught.value)


def test_fingerprints_tell_games_apart():
    names = ("kuhn", "leduc", "coin-toss", "liars-dice-1x3", "liars-dice-2x2")
    assert len({fingerprint(build_tree(load_game(name))) for name in names}) == len(names)
    assert fingerprint(build_tree(load_game("kuhn"))) == fingerprint(KUHN)


def test_payoffs_are_part_of_the_fingerprint(monkeypatch):
    from tacit.games.kuhn import KuhnState

    payoff = KuhnState.payoff
    monkeypatch.setattr(KuhnState, "payoff", lambda state: payoff(state) + (state.moves == "bp"))
    assert fingerprint(build_tree(load_game("kuhn"))) != fingerprint(KUHN)


def test_games_are_found_by_name_wherever_they_come_from():
    assert load_game("kuhn").name == "kuhn"
    pytest.importorskip("pyspiel")
    assert load_game("openspiel:kuhn_poker").name == "openspiel:kuhn_poker"
    with pytest.raises(GameError, match="OpenSpiel has no game"):
        load_game("openspiel:kuhn_pokker")


def test_a_game_of_ones_own_is_given_when_its_solution_is_loaded(tmp_path):
    class Renamed(Kuhn):
        name = "my-kuhn"

    tree = build_tree(Renamed())
    kept = solve_tree(tree, Limits(iterations=20))
    save_solution(kept, tmp_path / "mine.npz")
    with pytest.raises(GameError, match="unknown game 'my-kuhn'"):
        load_solution(tmp_path / "mine.npz")
    with pytest.raises(GameError, match="is a solution of my-kuhn, not of kuhn"):
        load_solution(tmp_path / "mine.npz", game=Kuhn())
    again = load_solution(tmp_path / "mine.npz", game=Renamed())
    assert np.array_equal(again.policy, kept.policy)


def test_links_are_followed(tmp_path):
    tree = build_tree(Kuhn())
    kept = solve_tree(tree, Limits(iterations=5))
    (tmp_path / "link.npz").symlink_to(tmp_path / "real.npz")
    save_solution(kept, tmp_path / "link.npz")
    assert (tmp_path / "link.npz").is_symlink()
    assert load_solution(tmp_path / "real.npz").iterations == 5


def test_arrays_of_another_algorithm_are_not_resumed(saved):
    with pytest.raises(GameError, match="the saved arrays do not fit"):
        resume(load_solution(rewritten(saved, without=["memory.sums"])), Limits(iterations=60))


def test_the_arrays_of_a_file_count_as_memory(tmp_path: Path) -> None:
    path = tmp_path / "leduc.npz"
    solution = solve_tree(build_tree(load_game("leduc")), Limits(iterations=5))
    save_solution(solution, path)
    held = solution.policy.nbytes + sum(array.nbytes for array in solution.memory.values())
    needed = solution.tree.memory().peak + held
    load_solution(path, max_bytes=needed + 1_000)  # the history has a few bytes, too
    with pytest.raises(GameTooLargeError):
        load_solution(path, max_bytes=needed - 1_000)
