"""Every reader of the package with valid inputs, how they are mutated, and how they are read."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from click.testing import CliRunner

from fuzz.mutate import Random, mutate_bytes, mutate_text, mutate_value, mutate_words
from tacit.archive import write_archive, write_arrays
from tacit.cli import tacit
from tacit.evaluation.holdem.match import _Record as HoldemRecord
from tacit.evaluation.match import _Record as GameRecord
from tacit.files import CHECKSUM, json_checksum
from tacit.formats import phh
from tacit.formats.acpc.log import read_log
from tacit.formats.acpc.protocol import game_text, read_game, read_match_state
from tacit.formats.slumbot import read_answer
from tacit.formats.solution import load_solution, save_solution
from tacit.formats.spot_file import load_spot_file, parse_target
from tacit.formats.spot_solution import load_spot_solution, save_spot_solution
from tacit.games import GameError, load_game
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import BettingRules
from tacit.games.holdem.cards import parse_cards
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.learn.settings import Settings
from tacit.learn.shipped import shipped
from tacit.learn.trainer import Run, load_network, read_settings
from tacit.reproduce.row_store import RowStore
from tacit.solvers import Limits, solve_tree
from tacit.solvers.spot import SpotLimits, solve_spot
from tacit.tree import build_tree

COMMAND_SECONDS = 2.0
"""After this time a command is interrupted, which must end it with exit code 130."""


class ForeignExitError(Exception):
    """A command that ends in another way than commands may."""


@dataclass(frozen=True)
class Reader:
    """A reader: `make` draws an input, `read` reads it; only GameError may come out.

    weight: inputs of this reader for each round of a long run.
    """

    name: str
    make: Callable[[Random], bytes]
    read: Callable[[bytes], object]
    weight: int

    def input(self, seed: int, number: int) -> bytes:
        """The input with this number."""
        key = zlib.crc32(self.name.encode())
        return self.make(np.random.default_rng([seed, key, number]))

    def fault(self, data: bytes) -> str | None:
        """What is wrong with how the reader takes an input; None if nothing is."""
        try:
            self.read(data)
        except GameError as error:
            lines = str(error).splitlines()
            return None if len(lines) == 1 else f"{len(lines)} lines: {str(error)[:300]!r}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:300]
        return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _texts(*seeds: str) -> Callable[[Random], bytes]:
    def make(random: Random) -> bytes:
        text = mutate_text(str(random.choice(seeds)), random)
        return text.encode("utf-8", "surrogatepass")

    return make


def _files(*seeds: Callable[[], bytes]) -> Callable[[Random], bytes]:
    """Mutated bytes or, half of the time, a mutated text."""

    def make(random: Random) -> bytes:
        data = seeds[int(random.integers(0, len(seeds)))]()
        if random.random() < 0.5:
            return mutate_bytes(data, random)
        text = data.decode("utf-8", "surrogateescape")
        return mutate_text(text, random).encode("utf-8", "surrogatepass")

    return make


def _jsons(seed: Callable[[], Any]) -> Callable[[Random], bytes]:
    def make(random: Random) -> bytes:
        if random.random() < 0.3:
            return mutate_bytes(json.dumps(seed()).encode(), random)
        return json.dumps(mutate_value(seed(), random)).encode()

    return make


@contextlib.contextmanager
def _file(data: bytes, name: str = "input") -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        yield path


def _read_file(read: Callable[[Path], object], name: str = "input") -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        with _file(data, name) as path:
            return read(path)

    return run


def _written(write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "file")
        return (Path(folder) / "file").read_bytes()


def _arrays(seed: Callable[[], bytes]) -> Callable[[Random], bytes]:
    """Archives of arrays with damaged bytes, or sealed with something wrong inside."""

    def make(random: Random) -> bytes:
        if random.random() < 0.2:
            return mutate_bytes(seed(), random)
        with np.load(io.BytesIO(seed())) as file:
            arrays: dict[str, Any] = {name: file[name] for name in file.files}
        name = str(random.choice(sorted(arrays)))
        if arrays[name].dtype.kind == "U":
            name = "about"
        match random.integers(0, 6):
            case 0:
                del arrays[name]
            case 1 if name != "about":
                arrays[name] = arrays[name].astype(random.choice(["U5", "f2", "i1", "c8", "?"]))
            case 2:
                arrays[name] = np.resize(arrays[name], random.integers(0, 5, 2))
            case 3 if arrays[name].dtype.kind == "f" and arrays[name].size:
                arrays[name] = arrays[name].copy()
                arrays[name].flat[0] = random.choice([np.nan, np.inf, -1.0, 1e30])
            case _:
                about = mutate_value(json.loads(str(arrays["about"])), random)
                arrays["about"] = np.array(json.dumps(about))
        return _written(lambda path: write_arrays(path, arrays))

    return make


def _weights(seed: Callable[[], bytes]) -> Callable[[Random], bytes]:
    """Files of weights with damaged bytes, or sealed with something wrong inside."""

    def make(random: Random) -> bytes:
        if random.random() < 0.2:
            return mutate_bytes(seed(), random)
        state: Any = torch.load(io.BytesIO(seed()), weights_only=True)
        match random.integers(0, 3):
            case 0:
                settings = mutate_value(json.loads(state["settings"]), random)
                state["settings"] = json.dumps(settings)
            case 1:
                key = str(random.choice(sorted(state)))
                state[key] = mutate_value(1, random)
            case _:
                weights = state["network"]
                key = str(random.choice(sorted(weights)))
                weights[key] = torch.zeros(*random.integers(0, 4, 2).tolist())
        return _written(lambda path: write_archive(path, lambda file: torch.save(state, file)))

    return make


@cache
def _solution() -> bytes:
    solution = solve_tree(build_tree(load_game("kuhn")), Limits(iterations=8))
    return _written(lambda path: save_solution(solution, path))


@cache
def _spot_solution() -> bytes:
    spot = Spot.of(
        "3s7hTdKs2c",
        ranges=("AA,KK", "QQ,JJ"),
        pot=200,
        behind=(300, 300),
        bets=BetSettings.parse("50%/a"),
    )
    solution = solve_spot(spot, SpotLimits(iterations=4))
    return _written(lambda path: save_spot_solution(solution, path))


@cache
def _network() -> bytes:
    return shipped()["kuhn"].read_bytes()


@cache
def _checkpoint() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(Path(folder) / "run", _SMALL)
        run.save()
        return (run.folder / "checkpoint.pt").read_bytes()


_SMALL = Settings().replace(game="kuhn", hidden=(8,), tables=1, table_size=2, buffer=16)


def _open_run(path: Path) -> object:
    (path.parent / "settings.json").write_text(_SMALL.to_json())
    return Run.open(path.parent)


def _set(data: bytes) -> object:
    name, _, value = _text(data).partition("=")
    return Settings().changed({name: value})


def _rows() -> list[dict[str, Any]]:
    return [
        {"game": "leduc", "seed": 0, "exploitability": 0.5, "seconds": 1.0},
        {"game": "kuhn", "seed": 1, "exploitability": 0.25, "seconds": 2.0},
    ]


def _read_rows(path: Path) -> object:
    return RowStore(path, ("game", "seed"))


_HAND = {
    "holes": ["AhKd", "QsQd"],
    "board": "2c3d4s",
    "actions": [300, 1, 0],
    "won": -300,
    "estimate": 12.5,
}


def _match(results: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    def make() -> dict[str, Any]:
        kept = {"match": ["kuhn", "uniform", 0], **results}
        return {**kept, CHECKSUM: json_checksum(kept)}

    return make


def _sealed(read: Callable[[Path], object]) -> Callable[[Path], object]:
    """Read a record as it is, and again with a right checksum, so that its contents are reached."""

    def both(path: Path) -> object:
        try:
            return read(path)
        except GameError:
            try:
                data = json.loads(path.read_text())
                data.pop(CHECKSUM)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise GameError("no record") from None
            path.write_text(json.dumps({**data, CHECKSUM: json_checksum(data)}))
            return read(path)

    return both


MATCH_STATES = (
    "MATCHSTATE:1:7:r300c/cr600c/r1000f:|AhKd/2c3d4s/5h",
    "MATCHSTATE:0:0:r20000c///:AhKd|2c2d/3d4s5h/6c/9s",
    "MATCHSTATE:0:12::AhKd|",
)
GAME = game_text(BettingRules())
LOG = """# name/game/hands/seed m g 2 7
STATE:0:r300c/cr600f:AhKd|QsQd/2c3d4s:-300|300:Ann|Bob
STATE:1:cc/cc/cc/cc:7h7d|AcKc/2c3d4s/9h/Th:100|-100:Bob|Ann
SCORE:-400|400:Ann|Bob
"""


def _slumbot() -> dict[str, Any]:
    return {
        "action": "b200c/kb300c/kk/kk",
        "client_pos": 1,
        "hole_cards": ["Ah", "Kd"],
        "board": ["2c", "3d", "4s", "5h", "9d"],
        "bot_hole_cards": ["7s", "7d"],
        "winnings": -500,
        "token": "abc",
    }


PHH = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 AcKd', 'd dh p2 ????', 'p2 cbr 300', 'p1 cc', 'd db Jc3d5c', 'p1 f']
"""

SPOT = """board = "3s7hTdKs2c"
pot = 2000
stacks = [18000, 19000]
big_blind = 100
ranges.oop = "random"
ranges.ip = "22+,A2s+,KTo+:0.5"
bets.river = "50%,100%,a/75%,a"
thresholds.add_all_in = 0.5
add."k" = [2500]
lock."k" = {k = 1.0}
solve.target = "0.5%"
solve.threads = 2
"""

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("games",),
    ("solve", "kuhn", "--iterations", "4", "--out", "a.npz", "--seed", "1"),
    ("solve", "leduc", "--algorithm", "dcfr", "--target", "0.5", "--time", "0.5", "--json"),
    ("solve", "liars-dice-1x2", "-n", "4", "--precision", "double", "--memory", "1G"),
    ("exploitability", "k.npz", "--json"),
    ("show", "k.npz", "--at", "pass"),
    ("play", "kuhn", "--seed", "1"),
    ("blueprint", "leduc", "--remove", "0.5", "-n", "5", "-o", "b.npz"),
    ("subgame", "k.npz", "--at", "p", "--method", "resolve", "-n", "10"),
    ("spot", "--board", "3s7hTdKs2c", "--oop", "AA", "--ip", "KK", "--pot", "200", "--stacks"),
    ("spot", "river", "-n", "2", "--no-walk", "--threads", "1", "--at", "k", "-o", "s.npz"),
    ("equity", "AhKh", "QQ+", "--board", "2c3d4s"),
    ("range", "22+,A2s+,KTo+:0.5"),
    ("train", "kuhn", "--set", "epochs=1", "--seed", "1", "--workers", "0", "--out", "runs/k"),
    ("evaluate", "kuhn", "--playthroughs", "2", "--seed", "0", "--iterations", "2", "--json"),
    ("hands", "k.npz", "--out", "h.phhs", "--game", "g", "--json"),
    ("bench", "tabular", "--quick"),
    ("reproduce", "rebel-fig4", "--quick", "--out", "rows.json", "--json"),
)


def _make_command(random: Random) -> bytes:
    words = COMMANDS[int(random.integers(0, len(COMMANDS)))]
    return json.dumps(mutate_words(words, random)).encode()


def _run_command(data: bytes) -> object:
    """Run a command in an empty folder, interrupted if it works for long."""
    words = json.loads(data)
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / "a" / "b" / "c"
        inner.mkdir(parents=True)
        (inner / "k.npz").write_bytes(_solution())
        os.chdir(inner)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, COMMAND_SECONDS, 0.5)
        try:
            done = CliRunner().invoke(tacit, words, input="")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            os.chdir(home)
    error = done.exception
    if error is not None and not isinstance(error, SystemExit):
        raise error
    if done.exit_code not in (0, 1, 2, 130):
        raise ForeignExitError(f"exit code {done.exit_code}: {done.stderr[-300:]}")
    if done.exit_code in (1, 2) and not done.stderr.rpartition("tacit: error: ")[1]:
        raise ForeignExitError(f"exit code {done.exit_code} without a line")
    return done


READERS: tuple[Reader, ...] = (
    Reader(
        "range",
        _texts("22+,A2s+,KTo+:0.5", "AhKh,QQ-99,T9s", "random", "A5s-A2s:0.25,JTo"),
        lambda data: parse_range(_text(data)),
        3000,
    ),
    Reader(
        "cards", _texts("3s7hTdKs2c", "AhKd", "As"), lambda data: parse_cards(_text(data)), 3000
    ),
    Reader(
        "bets",
        _texts("50%,100%,a/75%,a", "60%,e,a/2.5x", "33%,2e/3x|a", "c100,50%/min"),
        lambda data: BetSettings.parse(_text(data)),
        3000,
    ),
    Reader("target", _texts("0.5%", "20mbb", "1e-3"), lambda data: parse_target(_text(data)), 2000),
    Reader(
        "game",
        _texts(
            "leduc",
            "liars-dice-1x4",
            "leduc-raises-1-2-4",
            "preflop43-AsKsQhJdTc9c5h5d2s-10",
            "pursuit-glasses",
            "tic-tac-toe",
            "tacit.games.kuhn:Kuhn()",
            "tacit.games:Leduc",
        ),
        lambda data: load_game(_text(data)),
        1000,
    ),
    Reader(
        "openspiel",
        _texts("openspiel:kuhn_poker", "openspiel:leduc_poker(suit_isomorphism=True)"),
        lambda data: load_game(_text(data)),
        10,
    ),
    Reader(
        "set",
        _texts("epochs=3", "hidden=64,64", "learning_rate=0.001", "mode=cfr-d", "search.depth=2"),
        _set,
        1000,
    ),
    Reader(
        "settings",
        _jsons(lambda: json.loads(_SMALL.to_json())),
        _read_file(lambda path: read_settings(path.parent), "settings.json"),
        500,
    ),
    Reader(
        "phh",
        _files(lambda: PHH.encode()),
        lambda data: phh.loads(data.decode("utf-8", "replace")),
        500,
    ),
    Reader(
        "phhs",
        _files(lambda: f"[1]\n{PHH}\n[2]\n{PHH}".encode()),
        lambda data: phh.loads_all(data.decode("utf-8", "replace")),
        500,
    ),
    Reader(
        "match-state",
        _texts(*MATCH_STATES),
        lambda data: read_match_state(_text(data), BettingRules()),
        3000,
    ),
    Reader("game-definition", _texts(GAME), lambda data: read_game(_text(data)), 1000),
    Reader("dealer-log", _texts(LOG), lambda data: read_log(_text(data), BettingRules()), 2000),
    Reader("slumbot", _jsons(_slumbot), read_answer, 3000),
    Reader(
        "spot-file",
        _files(lambda: SPOT.encode()),
        _read_file(lambda path: load_spot_file(path).spot(), "spot.toml"),
        200,
    ),
    Reader("rows", _jsons(_rows), _read_file(_read_rows), 500),
    Reader(
        "match-record",
        _jsons(_match({"won": [1.0, -1.0], "aivat": [0.5, -0.25]})),
        _read_file(_sealed(lambda path: GameRecord(path, ["kuhn", "uniform", 0]))),
        500,
    ),
    Reader(
        "holdem-record",
        _jsons(_match({"pairs": {"0": [_HAND, _HAND]}})),
        _read_file(_sealed(lambda path: HoldemRecord(path, ["kuhn", "uniform", 0]))),
        500,
    ),
    Reader("solution", _arrays(_solution), _read_file(load_solution), 50),
    Reader("spot-solution", _arrays(_spot_solution), _read_file(load_spot_solution), 50),
    Reader("network", _weights(_network), _read_file(load_network), 50),
    Reader("checkpoint", _weights(_checkpoint), _read_file(_open_run, "checkpoint.pt"), 50),
    Reader("command", _make_command, _run_command, 20),
)
