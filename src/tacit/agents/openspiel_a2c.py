"""OpenSpiel's A2C as an agent in Leduc: `open_spiel.python.pytorch.policy_gradient`.

It learns by playing against itself before the first game, with its default settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tacit.agents.openspiel import LeducAgent
from tacit.games import GameError
from tacit.tree import PLAYERS, Builder


class A2CAgent(LeducAgent):
    """A pair of learners, one a seat, after `episodes` games against each other.

    The same seed gives the same players.
    """

    title = "A2C"

    def __init__(self, builder: Builder, episodes: int, *, seed: int = 0) -> None:
        super().__init__(builder)
        try:
            from open_spiel.python import rl_environment
            from open_spiel.python.pytorch.policy_gradient import PolicyGradient
        except ImportError as error:
            raise GameError(
                f"OpenSpiel's A2C cannot be imported: {error}; install tacit[openspiel]"
            ) from None
        self._environment = rl_environment
        with _seeded(seed):
            chance = rl_environment.ChanceEventSampler(seed=seed)
            environment = rl_environment.Environment(self.game, chance_event_sampler=chance)
            inputs = environment.observation_spec()["info_state"][0]
            actions = environment.action_spec()["num_actions"]
            self.learners = [
                PolicyGradient(player, inputs, actions, loss_str="a2c") for player in PLAYERS
            ]
            for _ in range(episodes):
                _play(environment, self.learners)

    def ask(self, world: Any, mover: int, seed: int) -> list[tuple[int, float]]:
        """The probabilities of the learner in that seat."""
        legal = [world.legal_actions(player) for player in PLAYERS]
        seen = [world.information_state_tensor(player) for player in PLAYERS]
        step = self._environment.TimeStep(
            observations={"info_state": seen, "legal_actions": legal, "current_player": mover},
            rewards=None,
            discounts=None,
            step_type=self._environment.StepType.MID,
        )
        probabilities = self.learners[mover].step(step, is_evaluation=True).probs
        return [(action, float(probabilities[action])) for action in legal[mover]]


def _play(environment: Any, learners: list[Any]) -> None:
    """One game from which both learn."""
    step = environment.reset()
    while not step.last():
        moved = learners[step.observations["current_player"]].step(step)
        step = environment.step([moved.action])
    for learner in learners:
        learner.step(step)


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """NumPy's and PyTorch's own generators, which the learners use, as a seed says."""
    import torch

    before = np.random.get_state()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        np.random.seed(seed)
        try:
            yield
        finally:
            np.random.set_state(before)
