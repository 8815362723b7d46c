"""Self-play tasks: one table in one epoch, plain data in and plain data out.

A result depends only on the task: the network's weights, the table's positions and a seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from tacit.games import Game
from tacit.learn.encoding import Encoding
from tacit.learn.examples import Examples, join
from tacit.learn.network import make_network
from tacit.learn.self_play import Round, play_round, random_positions, solve_positions
from tacit.learn.settings import Settings
from tacit.tree import Builder
from tacit.tree.pbs import PortablePBS

Weights = dict[str, torch.Tensor]


@dataclass(frozen=True)
class TableTask:
    """One table in one epoch."""

    epoch: int
    table: int
    positions: tuple[PortablePBS, ...]
    weights: Weights


@dataclass(frozen=True)
class TableResult:
    """A task's examples, its games' next positions, and examples for the policy network, if any."""

    examples: Examples
    positions: tuple[PortablePBS, ...]
    policies: Examples | None = None


@dataclass(frozen=True)
class PlayerSetup:
    """Makes a `Player` in the process where it is called."""

    game: Game
    settings: Settings

    def __call__(self) -> Player:
        """The player."""
        return Player(self.game, self.settings)


class Player:
    """Plays tables; its encoding and network are made once in each process."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self.settings = settings
        shape = settings.network
        self.encoding = Encoding(Builder(game), joint=shape.joint, pairs=shape.pairs)
        self.network = make_network(self.encoding, shape, seed=settings.seed)

    def __call__(self, task: TableTask) -> TableResult:
        """Play the rounds of a table."""
        search, self_play = self.settings.search, self.settings.self_play
        self.network.load_state_dict(task.weights)
        random = np.random.default_rng([self.settings.seed, task.epoch, task.table])
        root = self.encoding.builder.root
        positions = [position.at(root) for position in task.positions]
        parts: list[Round] = []
        for _ in range(self_play.rounds):
            if self_play.random_beliefs:
                places = random_positions(self.encoding, len(positions), random)
                part = solve_positions(self.encoding, self.network, places, search, random)
            else:
                explore = self_play.explore
                part = play_round(
                    self.encoding, self.network, positions, search, random, explore=explore
                )
                positions = part.positions
            parts.append(part)
        policies = [part.policies for part in parts if part.policies is not None]
        return TableResult(
            join([part.examples for part in parts]),
            tuple(position.portable() for position in positions),
            join(policies) if policies else None,
        )


def copy_weights(network: torch.nn.Module) -> Weights:
    """A copy of a network's weights."""
    return {name: weight.detach().clone() for name, weight in network.state_dict().items()}
