"""The two learners of sizes: a contextual bandit with exact rewards, and the paper's actor-critic.

The reward of a decision comes at once, so nothing has to be learnt about later states. The *bandit*
predicts the reward of every set of the grid and takes the best; it learns from the exact rewards of
several sets at each decision, solved as one forest. The *actor-critic* (section 5) answers with a
vector (x, y), where size i is 2.5 (x_i + 1) pots if y_i >= 0; it learns from one noisy answer at a
time, and falls back to the base where its critic expects a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from tacit.learn.rl_cfr.sizes import MOST_SIZES, Grid, Sizes, membership, usable_sets

Kind = Literal["bandit", "actor-critic"]
HIDDEN = (128, 96)
SCALE = 100.0
"""Networks predict rewards in percent of the pot."""
HUBER = 0.2
"""The error above which the loss of predictions is linear, in percent of the pot."""
MEMBERS = 4
"""The number of networks of a bandit."""
NOISE = 0.15
"""The standard deviation of the noise on an actor's answers."""

Array = NDArray[np.float32]


class Point(NamedTuple):
    """What a learner sees of a decision.

    features: [F]; usable: [grid] the sizes that differ in effect there; all_in: in pots.
    """

    features: Array
    usable: NDArray[np.bool_]
    all_in: float


class Proposal(NamedTuple):
    """A set whose reward is wanted, and the row [A] by which the learner remembers it."""

    chosen: Sizes
    row: Array


def perceptron(inputs: int, outputs: int, seed: int) -> nn.Sequential:
    """Layers of `HIDDEN` widths with ReLU."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        widths = (inputs, *HIDDEN)
        layers: list[nn.Module] = []
        for width, following in zip(widths, HIDDEN, strict=False):
            layers += [nn.Linear(width, following), nn.ReLU()]
        return nn.Sequential(*layers, nn.Linear(HIDDEN[-1], outputs))


class Bandit(nn.Module):
    """Predicts the reward of any set of the grid.

    The best of many predictions is the one whose error is largest, so the prediction is the mean of
    several networks that differ in their first weights.
    """

    kind: Kind = "bandit"

    def __init__(self, features: int, grid: Grid, sizes: int, seed: int = 0) -> None:
        super().__init__()
        self.grid = grid
        self.sizes = sizes
        self.rewards = nn.ModuleList(
            perceptron(features + len(grid.pots), 1, MEMBERS * seed + member)
            for member in range(MEMBERS)
        )

    @torch.inference_mode()
    def predict(self, point: Point, sets: Sequence[Sizes]) -> Array:
        """[sets] predicted rewards in pots."""
        rows = membership(sets, point.usable)
        features = np.broadcast_to(point.features, (len(rows), len(point.features)))
        inputs = torch.from_numpy(np.concatenate([features, rows], axis=1))
        predicted: Array = (self._members(inputs).mean(dim=0) / SCALE).numpy()
        return predicted

    def _members(self, inputs: torch.Tensor) -> torch.Tensor:
        """[members, n] the predictions of each network in percent of the pot."""
        return torch.stack([member(inputs)[:, 0] for member in self.rewards])

    def best(self, point: Point, most: int, count: int = 1) -> list[Sizes]:
        """The `count` best sets of at most `most` usable sizes, best first."""
        return self.best_on_average([point], most, count)

    def best_on_average(self, points: Sequence[Point], most: int, count: int = 1) -> list[Sizes]:
        """The sets with the largest mean prediction over several points, best first."""
        usable = np.any([point.usable for point in points], axis=0)
        sets = usable_sets(usable, most)
        predicted = np.mean([self.predict(point, sets) for point in points], axis=0)
        order = np.argsort(-predicted, kind="stable")[:count]
        return [sets[place] for place in order]

    def choose(self, point: Point, most: int | None = None) -> Sizes:
        """The best set, or the base where no gain on it is expected."""
        [best] = self.best(point, most or self.sizes)
        expected, base = self.predict(point, [best, self.grid.base])
        return best if expected >= base else self.grid.base

    def propose(self, point: Point, random: np.random.Generator, count: int) -> list[Proposal]:
        """Sets to try: the best of a few sizes, changes of it, and random ones."""
        usable = np.flatnonzero(point.usable).tolist()
        sets = self.best(point, self.sizes) + self.best(point, int(random.integers(1, MOST_SIZES)))
        while len(sets) < count and usable:
            if len(sets) % 2:
                drawn = int(random.integers(1, MOST_SIZES + 1))
                taken = random.choice(usable, min(drawn, len(usable)), replace=False)
            else:
                kept = [size for size in sets[0] if random.random() < 0.6]
                taken = np.array([*kept, random.choice(usable)])
            sets.append(tuple(sorted({int(size) for size in taken})))
        rows = membership(sets[:count], point.usable)
        return [Proposal(chosen, row) for chosen, row in zip(sets, rows, strict=False)]

    def losses(self, features: torch.Tensor, rows: torch.Tensor, rewards: torch.Tensor) -> Any:
        """The loss of predictions."""
        predicted = self._members(torch.cat([features, rows], dim=1))
        targets = (SCALE * rewards).expand_as(predicted)
        return MEMBERS * functional.huber_loss(predicted, targets, delta=HUBER)


class ActorCritic(nn.Module):
    """The paper's action network and critic network."""

    kind: Kind = "actor-critic"

    def __init__(self, features: int, grid: Grid, sizes: int, seed: int = 0) -> None:
        super().__init__()
        self.grid = grid
        self.sizes = sizes
        self.actor = perceptron(features, 2 * sizes, seed)
        self.critic = perceptron(features + 2 * sizes, 1, seed + 1)

    def act(self, features: torch.Tensor) -> torch.Tensor:
        """[n, 2 K] the answers, each in [-1, 1]."""
        return torch.tanh(self.actor(features))

    @torch.inference_mode()
    def choose(self, point: Point) -> Sizes:
        """The actor's set, or the base where the critic expects a loss."""
        features = torch.from_numpy(point.features)[None]
        row = self.act(features)
        expected = float(self.critic(torch.cat([features, row], dim=1)))
        if expected < 0:
            return self.grid.base
        return self.grid.answered(row[0].numpy(), point.all_in)

    @torch.inference_mode()
    def propose(self, point: Point, random: np.random.Generator, count: int) -> list[Proposal]:
        """The actor's answer with noise, `count` times."""
        answer = self.act(torch.from_numpy(point.features)[None])[0].numpy()
        noisy = answer + NOISE * random.standard_normal((count, len(answer)))
        rows = np.clip(noisy, -1, 1).astype(np.float32)
        return [Proposal(self.grid.answered(row, point.all_in), row) for row in rows]

    def losses(self, features: torch.Tensor, rows: torch.Tensor, rewards: torch.Tensor) -> Any:
        """The sum of equations 3 and 4; the actor's loss does not move the critic."""
        predicted = self.critic(torch.cat([features, rows], dim=1))[:, 0]
        critic = functional.mse_loss(predicted, SCALE * rewards)
        for parameter in self.critic.parameters():
            parameter.requires_grad_(False)
        expected = self.critic(torch.cat([features, self.act(features)], dim=1))
        for parameter in self.critic.parameters():
            parameter.requires_grad_(True)
        return critic - expected.mean()


Learner = Bandit | ActorCritic
LEARNERS: dict[str, type[Bandit] | type[ActorCritic]] = {
    "bandit": Bandit,
    "actor-critic": ActorCritic,
}
