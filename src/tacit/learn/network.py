"""Value networks: an MLP with GELU and LayerNorm (ReBeL, section 7 and appendix E).

Where the game's encoder gives planes, residual blocks come before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import relu

from tacit.games import Game
from tacit.learn.encoding import Encoding
from tacit.learn.settings import NetworkSettings
from tacit.solvers.leaves import Guide
from tacit.tree import Builder

HEAD_PLANES = 4
"""The planes that the residual blocks pass on."""


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
    """Adds the logarithms of the beliefs to a row: policies depend on ratios of beliefs."""

    def __init__(self, first_belief: int) -> None:
        super().__init__()
        self.first_belief = first_belief

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to [n, inputs + beliefs]."""
        logarithms = 1 + 0.5 * torch.log(rows[:, self.first_belief :] + 0.01)
        return torch.cat([rows, logarithms], dim=1)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside an identity; the second starts at zero, so no norm is needed."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        for parameter in self.second.parameters():
            nn.init.zeros_(parameter)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, channels, height, width] to the same shape."""
        return relu(planes + self.second(relu(self.first(planes))))


class ResidualPlanes(nn.Module):
    """Residual blocks over the planes of a row; the row's other columns join behind them."""

    def __init__(self, encoding: Encoding, shape: NetworkSettings) -> None:
        super().__init__()
        self.shape = encoding.feature_shape
        planes, height, width = self.shape
        self.last = encoding.first_belief
        self.first = self.last - encoding.public_features
        self.blocks = nn.Sequential(
            nn.Conv2d(planes, shape.channels, 3, padding=1),
            nn.ReLU(),
            *(ResidualBlock(shape.channels) for _ in range(shape.blocks)),
            nn.Conv2d(shape.channels, HEAD_PLANES, 1),
            nn.ReLU(),
        )
        self.outputs = HEAD_PLANES * height * width + encoding.inputs - encoding.public_features

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to [n, outputs]."""
        planes = rows[:, self.first : self.last].reshape(-1, *self.shape)
        rest = rows[:, : self.first], rows[:, self.last :]
        return torch.cat([self.blocks(planes).flatten(1), *rest], dim=1)


def layers(encoding: Encoding, outputs: int, shape: NetworkSettings) -> nn.Sequential:
    """Residual blocks if the features are planes; an MLP; a linear layer initialised to zero.

    The MLP has Linear, LayerNorm and GELU for each hidden width.
    """
    inputs = 2 * encoding.inputs - encoding.first_belief
    stack: list[nn.Module] = [LogBeliefs(encoding.first_belief)]
    if len(encoding.feature_shape) == 3:
        residual = ResidualPlanes(encoding, shape)
        stack, inputs = [residual], residual.outputs
    for width in shape.hidden:
        stack += [nn.Linear(inputs, width), nn.LayerNorm(width), nn.GELU()]
        inputs = width
    last = nn.Linear(inputs, outputs)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*stack, last)


class EncodedNetwork(nn.Module):
    """A network on the rows of an encoding, with `outputs` numbers in its answer."""

    def __init__(self, encoding: Encoding, outputs: int, shape: NetworkSettings) -> None:
        super().__init__()
        self.encoding = encoding
        self.inputs = encoding.inputs
        self.outputs = outputs
        self.describe = encoding.describe
        self.input_columns = encoding.input_columns
        self.body = layers(encoding, outputs, shape)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to [n, outputs]."""
        return cast(torch.Tensor, self.body(rows))


class BeliefNetwork(EncodedNetwork):
    """A network that answers at leaves, in the encoding's `units`.

    `guide`: the policy network that is trained beside it, if any; it is kept and sent with it.
    It pickles as its game, its shape and its weights.
    """

    guide: Guide | None

    def __init__(
        self, encoding: Encoding, shape: NetworkSettings, outputs: int | None = None
    ) -> None:
        super().__init__(encoding, outputs or encoding.outputs, shape)
        self.shape = shape
        self.guide = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.encoding.builder.game, self.shape, self.state_dict())

    def _answer(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, inputs] to [n, outputs], in the game's own units."""
        with inference():
            rows = torch.from_numpy(inputs)
            answer = self.body(rows) * self.encoding.units(rows)
            return cast(NDArray[np.float32], answer.numpy())


class ValueNetwork(BeliefNetwork):
    """A network that answers the value of each infostate."""

    def __init__(
        self, encoding: Encoding, shape: NetworkSettings, outputs: int | None = None
    ) -> None:
        super().__init__(encoding, shape, outputs)
        self.output_columns = encoding.output_columns

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Expected values in the game's own units."""
        return self._answer(inputs)


class PairNetwork(BeliefNetwork):
    """A network that answers the payoff of each pair of infostates."""

    def __init__(self, encoding: Encoding, shape: NetworkSettings) -> None:
        super().__init__(encoding, shape)
        self.pair_columns = encoding.pair_columns
        self.pair_sign = encoding.pair_sign

    def pair_values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Payoffs in the game's own units."""
        return self._answer(inputs)


Network = ValueNetwork | PairNetwork


def make_network(encoding: Encoding, shape: NetworkSettings, *, seed: int) -> Network:
    """A new value network, with a policy network if `shape` has one, initialised by the seed."""
    from tacit.learn.cvpn import CVPN
    from tacit.learn.policy_network import PolicyNetwork

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if shape.cvpn:
            return CVPN(encoding, shape)
        network = (PairNetwork if encoding.pairs else ValueNetwork)(encoding, shape)
        if shape.policy:
            network.guide = PolicyNetwork(encoding, shape)
    return network


def _revive(game: Game, shape: NetworkSettings, weights: dict[str, torch.Tensor]) -> Network:
    """A pickled network, with its own builder."""
    encoding = Encoding(Builder(game), joint=shape.joint, pairs=shape.pairs)
    network = make_network(encoding, shape, seed=0)
    network.load_state_dict(weights)
    return network
