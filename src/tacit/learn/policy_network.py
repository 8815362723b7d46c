"""Policy networks: they predict the result of a search, to warm start it (ReBeL, section 5.3).

A policy network is an MLP like the value network (appendix E). A row is a PBS, encoded as for the
values of the acting player. The answer holds a weight for each action of the game and each
infostate of that player. The weights of an infostate's legal actions become a distribution, and the
loss is the mean squared error of its probabilities.

Targets are the average policies of a search at every decision in its subgames, as bytes: a
probability p is stored as the integer nearest to 254 p; 255 marks entries without a target: illegal
actions, and infostates that the search never reached.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from tacit.learn.encoding import Encoding
from tacit.learn.examples import Examples, join
from tacit.learn.network import EncodedNetwork, inference
from tacit.learn.settings import NetworkSettings
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Rows
from tacit.tree import PLAYERS, PublicState

SCALE = 254
"""The byte for a probability of one."""
ABSENT = 255
"""The byte for an entry without a target."""


class PolicyNetwork(EncodedNetwork):
    """A network that proposes policies for the encoding's `actions`.

    Answers are logarithms of weights. A column is action * width + infostate, in the encoding's
    order of private keys.
    """

    def __init__(self, encoding: Encoding, shape: NetworkSettings) -> None:
        super().__init__(encoding, len(encoding.actions) * encoding.width, shape)
        self.actions = encoding.actions

    def action_columns(self, state: PublicState) -> NDArray[np.int32]:
        """[A, K] the columns of an answer with the mover's policy."""
        outputs = self.encoding.action_outputs(state, state.expansion)
        columns = outputs[:, None] * self.encoding.width + self.encoding.places(state, state.mover)
        return columns.astype(np.int32)

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


def collect_policies(network: PolicyNetwork, search: Solver) -> Examples:
    """The average policy and its beliefs at every decision in the subgames of a search."""
    tree = search.tree
    reach = search.average_reach()
    average = search.averaged
    parts = []
    for player in PLAYERS:
        nodes = np.flatnonzero(tree.arrays.player == player).astype(np.int32)
        rows = Rows(tree, nodes, network)
        inputs = rows.gather(player, reach)
        targets = np.full((len(inputs), network.outputs), ABSENT, dtype=np.uint8)
        first = 0
        for node, state in zip(nodes.tolist(), rows.states, strict=True):
            block = tree.block(average, node)
            here = rows.row[first : first + block.shape[1]]
            first += block.shape[1]
            used = np.flatnonzero(here >= 0)
            reached = tree.block(search.sums, node).sum(axis=0) > 0
            learnt = state.expansion.legal[:, None] & reached
            stored = np.where(learnt, quantise(block), ABSENT)[:, used]
            targets[here[used][:, None, None], network.action_columns(state)] = stored.transpose(
                1, 0, 2
            )
        useful = (targets != ABSENT).any(axis=1)
        parts.append(Examples(inputs[useful], targets[useful]))
    return join(parts)
