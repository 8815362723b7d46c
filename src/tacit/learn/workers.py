"""Workers that play tables in processes of their own.

A task is a pure function of what is sent: the network's weights, a table's positions and a seed.
So it does not matter which worker does it, and when a worker dies its tasks are given out again.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import numpy as np
import torch

from tacit.games import load_game
from tacit.learn.encoding import Encoding
from tacit.learn.examples import Examples, join
from tacit.learn.network import Network, PairNetwork, ValueNetwork
from tacit.learn.policy_network import PolicyNetwork
from tacit.learn.self_play import (
    Position,
    Round,
    play_round,
    random_positions,
    solve_positions,
)
from tacit.learn.settings import Settings
from tacit.tree import Builder

MAX_DEATHS = 5
"""How many times in one epoch the workers may die before the run gives up."""


@dataclass(frozen=True)
class Task:
    """One table's part in one epoch."""

    epoch: int
    table: int
    positions: tuple[Position, ...]


@dataclass(frozen=True)
class Outcome:
    """A task's examples, where its games go on, and examples for the policy network, if any."""

    examples: Examples
    positions: tuple[Position, ...]
    policies: Examples | None = None


class Player:
    """What plays tables: an encoding and a network, made once in each process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.encoding = settings.encoding(Builder(load_game(settings.game)))
        self.network = make_network(settings, self.encoding)

    def play(self, task: Task, weights: bytes) -> Outcome:
        """Play a table for its rounds."""
        settings = self.settings
        load_weights(self.network, weights)
        random = np.random.default_rng([settings.seed, task.epoch, task.table])
        positions = list(task.positions)
        parts: list[Round] = []
        for _ in range(settings.rounds):
            if settings.random_beliefs:
                places = random_positions(self.encoding, len(positions), random)
                part = solve_positions(self.encoding, self.network, places, settings.search, random)
            else:
                part = play_round(
                    self.encoding,
                    self.network,
                    positions,
                    settings.search,
                    random,
                    explore=settings.explore,
                )
                positions = part.positions
            parts.append(part)
        examples = join([part.examples for part in parts])
        policies = [part.policies for part in parts if part.policies is not None]
        return Outcome(examples, tuple(positions), join(policies) if policies else None)


def make_network(settings: Settings, encoding: Encoding) -> Network:
    """A fresh value network, and its policy network if there is to be one, from the seed."""
    torch.manual_seed(settings.seed)
    kind = PairNetwork if encoding.pairs else ValueNetwork
    network = kind(encoding, settings.hidden)
    if settings.policy:
        network.guide = PolicyNetwork(encoding, settings.hidden)
    return network


def dump_weights(network: Network) -> bytes:
    """A network's weights as bytes."""
    buffer = io.BytesIO()
    torch.save(network.state_dict(), buffer)
    return buffer.getvalue()


def load_weights(network: Network, weights: bytes) -> None:
    """Give a network the weights of `dump_weights`."""
    network.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True))


_player: Player | None = None


def _set_up(settings: Settings) -> None:
    global _player
    become_worker()
    _player = Player(settings)


def become_worker() -> None:
    """Use one core, and end this process when the one that made it is gone."""
    torch.set_num_threads(1)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _play(task: Task, weights: bytes) -> Outcome:
    assert _player is not None
    return _player.play(task, weights)


class Workers:
    """A pool of processes; `play` returns outcomes in the order of the tasks."""

    def __init__(self, settings: Settings, count: int) -> None:
        self.settings = settings
        self.count = count
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.count,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_set_up,
            initargs=(self.settings,),
        )

    def play(self, tasks: Sequence[Task], weights: bytes) -> list[Outcome]:
        """Play all tables once."""
        done: dict[int, Outcome] = {}
        deaths = 0
        while len(done) < len(tasks):
            waiting = {
                number: self._pool.submit(_play, task, weights)
                for number, task in enumerate(tasks)
                if number not in done
            }
            try:
                for number, future in waiting.items():
                    done[number] = future.result()
            except BrokenProcessPool:
                deaths += 1
                self.close()
                if deaths > MAX_DEATHS:
                    raise
                self._pool = self._start()
        return [done[number] for number in range(len(tasks))]

    def processes(self) -> list[int]:
        """The processes' numbers, as the system knows them."""
        return list(self._pool._processes or {})

    def close(self) -> None:
        """Stop the processes."""
        self._pool.shutdown(wait=True, cancel_futures=True)
