"""Value and policy networks: an MLP with GELU and LayerNorm (ReBeL, section 7 and appendix E).

A policy network predicts the result of a search, to warm start it (section 5.3). A row is a PBS,
encoded as for the values of the acting player. The answer holds a weight for each action of the
game and each infostate of that player; those of an infostate's legal actions become a distribution.
Where the game's encoder gives planes, residual blocks come before the MLP.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import pad, relu, smooth_l1_loss

from tacit.games import Game, GameError
from tacit.learn.encoding import Encoding
from tacit.learn.replay import Examples, Replay
from tacit.learn.settings import NetworkSettings, OptimizerSettings
from tacit.solvers.leaves import Guide
from tacit.tree import Builder, PublicState
from tacit.tree.public_state import Expansion

SCALE = 254
"""The byte for a probability of one in a policy network's targets."""
ABSENT = 255
"""The byte without a target: illegal actions, and infostates that the search never reached."""

HEAD_PLANES = 4
"""The planes that the residual blocks pass on."""
ROWS_AT_ONCE = 2048
"""How many rows a network answers at once, so that its layers' outputs stay in the cache."""


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
        return self.joined(self.channels(rows), rows)

    def channels(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to what the residual blocks answer, [n, channels, height, width]."""
        planes = rows[:, self.first : self.last].reshape(-1, *self.shape)
        return cast(torch.Tensor, self.blocks[:-2](planes))

    def joined(self, channels: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """[n, outputs] few planes of the channels, and the other columns of the rows."""
        rest = rows[:, : self.first], rows[:, self.last :]
        return torch.cat([self.blocks[-2:](channels).flatten(1), *rest], dim=1)


class CellPolicy(nn.Module):
    """Adds to the answer of a body, for each cell of the board, a logit from that cell's channels.

    body: begins with `ResidualPlanes`; first: the column of the first cell's logit. One weight
    serves all cells, so what is learnt at one point holds at the others.
    """

    def __init__(self, body: nn.Sequential, first: int, outputs: int, channels: int) -> None:
        super().__init__()
        self.body = body
        self.logits = nn.Conv2d(channels, 1, 1)
        residual = cast(ResidualPlanes, body[0])
        cells = residual.shape[1] * residual.shape[2]
        self.padding = first, outputs - first - cells

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """[n, inputs] to [n, outputs]."""
        residual = cast(ResidualPlanes, self.body[0])
        channels = residual.channels(rows)
        answer = self.body[1:](residual.joined(channels, rows))
        return cast(torch.Tensor, answer + pad(self.logits(channels).flatten(1), self.padding))


def layers(encoding: Encoding, outputs: int, shape: NetworkSettings) -> nn.Module:
    """Residual blocks if the features are planes; an MLP; a linear layer initialised to zero.

    The MLP has Linear, LayerNorm and GELU for each hidden width. With `cell_policy` the last
    outputs are those of policies, the cells of the board first.
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
    body = nn.Sequential(*stack, last)
    if not shape.cell_policy:
        return body
    if not (shape.cvpn and encoding.cell_actions):
        raise GameError(
            f"cell_policy is for Student of Games where actions are cells of a board, not for "
            f"{encoding.builder.game.name}; set cell_policy=false"
        )
    return CellPolicy(body, outputs - len(encoding.actions), outputs, shape.channels)


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

    def action_columns(
        self, state: PublicState, expansion: Expansion | None = None
    ) -> NDArray[np.int32]:
        """[A, K] the columns of policies with the mover's actions."""
        outputs = self.encoding.action_outputs(state, expansion or state.expansion)
        columns = outputs[:, None] * self.encoding.width + self.encoding.places(state, state.mover)
        return columns.astype(np.int32)


class PolicyNetwork(EncodedNetwork):
    """A network that proposes policies for the encoding's `actions`.

    Answers are logarithms of weights. A column is action * width + infostate, in the encoding's
    order of private keys.
    """

    def __init__(self, encoding: Encoding, shape: NetworkSettings) -> None:
        super().__init__(encoding, len(encoding.actions) * encoding.width, shape)
        self.actions = encoding.actions

    def policies(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, outputs] weights; the largest of each infostate is one."""
        with inference():
            answer = self.body(torch.from_numpy(inputs))
            answer = answer.reshape(len(inputs), len(self.actions), self.encoding.width)
            weights = (answer - answer.amax(dim=1, keepdim=True)).exp()
            return cast(NDArray[np.float32], weights.reshape(len(inputs), -1).numpy())

    def loss(self, examples: Examples) -> torch.Tensor:
        """The mean squared error of the probabilities that have a target."""
        shape = (len(examples.rows), len(self.actions), self.encoding.width)
        stored = torch.from_numpy(examples.values).reshape(shape)
        known = stored != ABSENT
        logits = self(torch.from_numpy(examples.rows)).reshape(shape)
        guess = logits.masked_fill(~known, -1e9).softmax(dim=1)
        error = (guess - stored.float() / SCALE) ** 2
        return cast(torch.Tensor, (error * known).sum() / known.sum().clamp(min=1))


def quantise(policy: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    """Probabilities as bytes, to the nearest 1/254."""
    return cast(NDArray[np.uint8], np.rint(policy * SCALE).astype(np.uint8))


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
        self.guide = PolicyNetwork(encoding, shape) if shape.policy else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.encoding.builder.game, self.shape, self.state_dict())

    def _answer(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """[n, inputs] to [n, outputs], in the game's own units."""
        with inference():
            parts = torch.split(torch.from_numpy(inputs), ROWS_AT_ONCE)
            answer = [self.body(rows) * self.encoding.units(rows) for rows in parts]
            return cast(NDArray[np.float32], torch.cat(answer).numpy())

    def replays(self, capacity: int) -> dict[str, Replay]:
        """New buffers for the examples that it learns from, by their kind."""
        replays = {"values": Replay(capacity, self.inputs, self.outputs)}
        if isinstance(self.guide, PolicyNetwork):
            shape = self.guide.inputs, self.guide.outputs
            replays["policies"] = Replay(capacity, *shape, np.uint8)
        return replays

    def augmented(self, examples: Examples, random: np.random.Generator) -> Examples:
        """The examples as they are learnt from: as they are."""
        return examples

    def losses(
        self, batches: dict[str, Examples], learning: OptimizerSettings
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss that is minimised, and that of values alone, in the encoding's units.

        That of values is the pointwise Huber loss. The policy network shares no parameters.
        """
        rows, values = batches["values"]
        target = torch.from_numpy((values / self.encoding.units(rows)).astype(np.float32))
        inputs = torch.from_numpy(rows)
        errors = smooth_l1_loss(self(inputs), target, beta=learning.huber, reduction="none")
        loss = (errors * self.encoding.weights(inputs)).mean()
        if isinstance(self.guide, PolicyNetwork):
            return loss + self.guide.loss(batches["policies"]), loss
        return loss, loss


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


def make_network(builder: Builder, shape: NetworkSettings, *, seed: int) -> Network:
    """A new network on `builder`'s public states, initialised by the seed."""
    from tacit.learn.cvpn import CVPN

    encoding = Encoding(builder, joint=shape.joint, pairs=shape.pairs)
    kind = CVPN if shape.cvpn else PairNetwork if shape.pairs else ValueNetwork
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return kind(encoding, shape)


def _revive(game: Game, shape: NetworkSettings, weights: dict[str, torch.Tensor]) -> Network:
    """A pickled network, with its own builder."""
    network = make_network(Builder(game), shape, seed=0)
    network.load_state_dict(weights)
    return network


def copy_weights(network: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of a network's weights."""
    return {name: weight.detach().clone() for name, weight in network.state_dict().items()}
