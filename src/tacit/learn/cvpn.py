"""Counterfactual value-and-policy networks (Student of Games, Figure 6).

One network answers a PBS with the values of both players' infostates and a policy for each
infostate of the mover. Its body is an MLP, or a residual network where the game's encoder gives
planes. An answer is a row [values + policies]: the values as `Encoding.output_columns` has them, in
the encoding's `units`; then logarithms of the weights of actions, by policy output and infostate.

A target has the same layout, with probabilities in place of weights, and NaN where there is none:
values of infostates that a game has not visited, policies where chance moves, illegal actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import smooth_l1_loss

from tacit.learn.encoding import Encoding
from tacit.learn.network import ValueNetwork, inference
from tacit.learn.replay import Examples
from tacit.learn.settings import NetworkSettings, OptimizerSettings
from tacit.tree import PLAYERS, PublicState

Array = NDArray[Any]


class Answer(NamedTuple):
    """Expected values [n, values] in the game's own units, and weights of actions [n, policies]."""

    values: NDArray[np.float32]
    policies: NDArray[np.float32]


class CVPN(ValueNetwork):
    """A network that answers values and policies."""

    def __init__(self, encoding: Encoding, shape: NetworkSettings) -> None:
        actions = len(encoding.actions)
        super().__init__(encoding, shape, encoding.outputs + actions * encoding.width)
        self.actions = actions

    def answer(self, inputs: NDArray[np.float32]) -> Answer:
        """Values and weights of actions for rows [n, inputs], in one pass.

        The largest weight of each infostate is one.
        """
        with inference():
            rows = torch.from_numpy(inputs)
            answer = self.body(rows)
            values = answer[:, : self.encoding.outputs] * self.encoding.units(rows)
            logits = self._by_action(answer)
            weights = (logits - logits.amax(dim=1, keepdim=True)).exp()
            return Answer(values.numpy(), weights.reshape(len(inputs), -1).numpy())

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Expected values in the game's own units."""
        return self.answer(inputs).values

    def _by_action(self, answer: torch.Tensor) -> torch.Tensor:
        """[n, actions, width] the part of answers or targets with policies."""
        policies = answer[:, self.encoding.outputs :]
        return policies.reshape(len(answer), self.actions, self.encoding.width)

    def target(
        self, state: PublicState, values: tuple[Array, Array], policy: Array | None
    ) -> NDArray[np.float32]:
        """[outputs] a target: values [K_0] and [K_1], and the mover's policy [A, K], if any."""
        target = np.full(self.outputs, np.nan, dtype=np.float32)
        for player in PLAYERS:
            target[self.output_columns(state, player)] = values[player]
        if policy is not None:
            expansion = state.expansion
            columns = self.encoding.outputs + self.action_columns(state, expansion)
            target[columns] = np.where(expansion.legal, policy, np.nan)
        return target

    def losses(
        self, batches: dict[str, Examples], learning: OptimizerSettings
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The weighted sum of both losses, and that of values."""
        value, policy = self.parts_of_loss(batches["values"], learning)
        return learning.value_weight * value + learning.policy_weight * policy, value

    def parts_of_loss(
        self, examples: Examples, learning: OptimizerSettings
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The Huber loss of values in the encoding's units, and the cross-entropy of policies.

        Each is the mean over the infostates that have a target.
        """
        rows, targets = torch.from_numpy(examples.rows), torch.from_numpy(examples.values)
        answer, width = self.body(rows), self.encoding.outputs
        wanted = targets[:, :width] / self.encoding.units(rows)
        known = ~wanted.isnan()
        errors = smooth_l1_loss(
            answer[:, :width], wanted.nan_to_num(), beta=learning.huber, reduction="none"
        )
        value = (errors * known).sum() / known.sum().clamp(min=1)
        policy = self._by_action(targets)
        legal = ~policy.isnan()
        logits = self._by_action(answer).masked_fill(~legal, -1e9).log_softmax(dim=1)
        entropy = -(policy.nan_to_num() * logits * legal).sum()
        return value, entropy / legal.any(dim=1).sum().clamp(min=1)

    def augmented(self, examples: Examples, random: np.random.Generator) -> Examples:
        """The examples, each under a random symmetry of the game."""
        symmetries = self.encoding.symmetries
        if len(symmetries) == 1:
            return examples
        first = self.encoding.first_belief - self.encoding.public_features
        features = slice(first, self.encoding.first_belief)
        rows, targets = examples.rows.copy(), examples.values.copy()
        policies = targets[:, self.encoding.outputs :].reshape(len(rows), self.actions, -1)
        which = random.integers(len(symmetries), size=len(rows))
        for number, symmetry in enumerate(symmetries):
            chosen = np.flatnonzero(which == number)
            rows[chosen, features] = rows[chosen, features][:, symmetry.features]
            policies[chosen] = policies[chosen][:, symmetry.outputs]
        return Examples(rows, targets)
