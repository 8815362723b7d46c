"""The University of Alberta's dealer, compiled where its source and a C++ compiler are at hand."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

from tacit.agents.holdem.player import HoldemPlayer, HoldemPolicy, RulePlayer
from tacit.formats.acpc.client import TablePlayer, play_at
from tacit.formats.acpc.protocol import game_text
from tacit.formats.match_log import MatchRecord
from tacit.games.holdem.betting import CALL, FOLD, BettingRules
from tacit.games.holdem.cards import NUM_HANDS
from tacit.games.holdem.hand import PublicHand

EXAMPLE = "example_player"
"""The dealer's own random player."""


def source() -> Path:
    """The folder of the dealer's source, beside the project; else the test is skipped."""
    found = next(
        (
            folder / "shared" / "peers" / "acpc-dealer"
            for folder in Path(__file__).parents
            if (folder / "shared" / "peers" / "acpc-dealer").is_dir()
        ),
        None,
    )
    if found is None:
        pytest.skip("the source of the ACPC dealer is not there (../shared/peers/acpc-dealer)")
    return found


@cache
def programs() -> Path:
    """The folder with the compiled dealer and example player; else the test is skipped."""
    build = source() / "build"
    if shutil.which("g++") is None:
        pytest.skip("there is no C++ compiler (g++) to build the ACPC dealer")
    folder = Path(mkdtemp(prefix="acpc-dealer-"))
    subprocess.run(["bash", build, folder], check=True, capture_output=True)
    return folder


@dataclass(frozen=True)
class Played:
    """What is left of a match: the dealer's log and messages, and each client's record."""

    log: str
    messages: str
    tables: list[TablePlayer]


def play(
    folder: Path,
    players: Sequence[HoldemPlayer | str],
    *,
    hands: int,
    rules: BettingRules | None = None,
    seed: int = 1,
) -> Played:
    """Play a match through the dealer; a player is ours, or `EXAMPLE`."""
    rules = rules or BettingRules()
    game = folder / "game"
    game.write_text(game_text(rules))
    names = ["ours" if not isinstance(player, str) else player for player in players]
    if names == ["ours", "ours"]:
        names = ["first", "second"]
    words = [programs() / "dealer", folder / "match", game, hands, seed, *names]
    dealer = subprocess.Popen(
        [*map(str, words), "--start_timeout", "60000", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    tables = []
    errors: list[BaseException] = []
    others: list[subprocess.Popen[bytes]] = []

    def client(table: TablePlayer, port: int) -> None:
        try:
            play_at("localhost", port, table, hands=hands, patience=60)
        except BaseException as error:
            errors.append(error)

    threads = []
    try:
        assert dealer.stdout is not None
        ports = list(map(int, dealer.stdout.readline().split()))
        for player, name, port in zip(players, names, ports, strict=True):
            if isinstance(player, str):
                words = [programs() / player, game, "localhost", port]
                others.append(subprocess.Popen([*map(str, words)], stdout=subprocess.DEVNULL))
                continue
            record = MatchRecord(folder / name, rules, name)
            tables.append(TablePlayer(player, name, rules, record))
            threads.append(threading.Thread(target=client, args=(tables[-1], port)))
            threads[-1].start()
        for thread in threads:
            thread.join()
        _, messages = dealer.communicate(timeout=60)
    finally:
        for process in (dealer, *others):
            process.kill()
            process.wait()
        for table in tables:
            table.record.__exit__()
    if errors:
        raise errors[0]
    return Played((folder / "match.log").read_text(), messages, tables)


@contextmanager
def scripted_dealer(*lines: str, stay: bool = False) -> Iterator[int]:
    """A server that says these lines and hangs up; the port."""
    over = threading.Event()
    with socket.create_server(("localhost", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                for line in lines:
                    connection.sendall(line.encode("utf-8", "surrogateescape"))
                if stay:
                    over.wait(30)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1000):
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        over.set()
        thread.join()


def random_player(seed: int, *, wild: bool = False) -> HoldemPlayer:
    """Any action, at random; if `wild`, often one that is not legal."""
    random = np.random.default_rng(seed)

    def rule(hand: PublicHand) -> HoldemPolicy:
        betting = hand.betting
        actions = [CALL]
        if betting.can_fold or wild:
            actions.append(FOLD)
        if bounds := betting.raise_bounds():
            most = min(bounds[1], bounds[0] + betting.pot)
            actions += [int(random.integers(bounds[0], most + 1)), bounds[0], bounds[1]]
        if wild:
            actions += [3, betting.rules.stacks[0] * 3]
        weights = np.array(
            [1.0 if action != betting.rules.stacks[0] else 0.1 for action in actions]
        )
        return HoldemPolicy(tuple(actions), _same(weights))

    return RulePlayer(rule)


def rule_player(rule: Callable[[PublicHand], int]) -> HoldemPlayer:
    """Plays the action that `rule` names with every hand."""
    return RulePlayer(lambda hand: HoldemPolicy((rule(hand),), np.ones((1, NUM_HANDS))))


def _same(weights: np.ndarray) -> np.ndarray:
    """The same chances for every hand: [A, 1326]."""
    return np.tile(weights[:, None] / weights.sum(), (1, NUM_HANDS))
