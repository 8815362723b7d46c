"""Value networks: an MLP with GELU and LayerNorm (ReBeL, section 7 and appendix E)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tacit.games import Game
from tacit.learn.encoding import Encoding
from tacit.learn.settings import NetworkSettings
from tacit.solvers.leaves import Guide
from tacit.tree import Builder, PublicState


@contextmanager
def inference() -> Iterator[None]:
    """No gradients, and one core: batches are small, and more threads would mostly wait."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(threads)


class LogBeliefs(nn.Module):
    """Adds the logarithms of the beliefs to a row: policies turn on how beliefs compare."""

    def __init__(self, first_belief: int) -> None:
        super().__init__()
        self.first_belief = first_belief

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to [n, inputs + beliefs]."""
        logarithms = 1 + 0.5 * torch.log(rows[:, self.first_belief :] + 0.01)
        return torch.cat([rows, logarithms], dim=1)


def mlp(encoding: Encoding, outputs: int, hidden: tuple[int, ...]) -> nn.Sequential:
    """Linear, LayerNorm and GELU for each hidden width, then a linear layer that begins at zero."""
    layers: list[nn.Module] = [LogBeliefs(encoding.first_belief)]
    inputs = 2 * encoding.inputs - encoding.first_belief
    for width in hidden:
        layers += [nn.Linear(inputs, width), nn.LayerNorm(width), nn.GELU()]
        inputs = width
    last = nn.Linear(inputs, outputs)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*layers, last)


class BeliefNetwork(nn.Module):
    """A network that answers at leaves, in the encoding's `units`.

    `guide`: the policy network that is trained beside it, if any; it is kept and sent with it.
    It pickles as its game, its shape and its weights.
    """

    guide: Guide | None

    def __init__(self, encoding: Encoding, shape: NetworkSettings) -> None:
        super().__init__()
        self.encoding = encoding
        self.shape = shape
        self.body = mlp(encoding, encoding.outputs, shape.hidden)
        self.guide = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.encoding.builder.game, self.shape, self.state_dict())

    @property
    def inputs(self) -> int:
        """How many columns a row has."""
        return self.encoding.inputs

    def describe(self, state: PublicState, player: int) -> NDArray[np.float32]:
        """See `Encoding`."""
        return self.encoding.describe(state, player)

    def input_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """See `Encoding`."""
        return self.encoding.input_columns(state, player)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to [n, outputs], in the encoding's units."""
        return cast(torch.Tensor, self.body(rows))

    def _answer(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, inputs] to [n, outputs], in the game's own units."""
        with inference():
            rows = torch.from_numpy(inputs)
            answer = self.body(rows) * self.encoding.units(rows)
            return cast(NDArray[np.float32], answer.numpy())


class ValueNetwork(BeliefNetwork):
    """A network that answers what each infostate is worth."""

    def output_columns(self, state: PublicState, player: int) -> NDArray[np.int32]:
        """See `Encoding`."""
        return self.encoding.output_columns(state, player)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Expected values in the game's own units."""
        return self._answer(inputs)


class PairNetwork(BeliefNetwork):
    """A network that answers how pairs of infostates fare against each other."""

    def pair_columns(self, state: PublicState) -> NDArray[np.int32]:
        """See `Encoding`."""
        return self.encoding.pair_columns(state)

    def pair_sign(self, state: PublicState) -> float:
        """See `Encoding`."""
        return self.encoding.pair_sign(state)

    def pair_values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Payoffs in the game's own units."""
        return self._answer(inputs)


Network = ValueNetwork | PairNetwork


def make_network(encoding: Encoding, shape: NetworkSettings, *, seed: int) -> Network:
    """A fresh value network, and its policy network if there is to be one, from the seed."""
    from tacit.learn.policy_network import PolicyNetwork

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = (PairNetwork if encoding.pairs else ValueNetwork)(encoding, shape)
        if shape.policy:
            network.guide = PolicyNetwork(encoding, shape.hidden)
    return network


def _revive(game: Game, shape: NetworkSettings, weights: dict[str, torch.Tensor]) -> Network:
    """A network as it was pickled, on public states of its own."""
    encoding = Encoding(Builder(game), joint=shape.joint, pairs=shape.pairs)
    network = make_network(encoding, shape, seed=0)
    network.load_state_dict(weights)
    return network
