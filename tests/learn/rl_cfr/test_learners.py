"""The bandit and the paper's actor-critic."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tacit.learn.rl_cfr.learners import LEARNERS, ActorCritic, Bandit, Point
from tacit.learn.rl_cfr.sizes import HOLDEM, membership

USABLE = np.array([True] * 10 + [False] * 5)
POINT = Point(np.linspace(-1, 1, 6, dtype=np.float32), USABLE, 1.75)


@pytest.mark.parametrize("kind", LEARNERS)
def test_proposals_are_sets_of_the_grid_and_depend_on_the_seed_alone(kind):
    learner = LEARNERS[kind](6, HOLDEM, 3, seed=1)
    one, two = (learner.propose(POINT, np.random.default_rng(3), 4) for _ in range(2))
    assert [each.chosen for each in one] == [each.chosen for each in two]
    assert len(one) == 4
    for chosen, _ in one:
        assert list(chosen) == sorted(set(chosen))
        assert all(0 <= place < 15 for place in chosen)


def test_a_bandit_learns_which_size_pays():
    """The reward is 1 % of the pot for the size at place 3, nothing for others."""
    bandit = Bandit(6, HOLDEM, 3, seed=0)
    random = np.random.default_rng(0)
    sets = [p.chosen for _ in range(40) for p in bandit.propose(POINT, random, 6)]
    rows = torch.from_numpy(membership(sets, USABLE))
    rewards = torch.tensor([0.01 if 3 in chosen else 0.0 for chosen in sets])
    features = torch.from_numpy(POINT.features).expand(len(sets), -1)
    optimizer = torch.optim.Adam(bandit.parameters(), lr=1e-2)
    for _ in range(150):
        loss = bandit.losses(features, rows, rewards)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert 3 in bandit.choose(POINT)
    assert bandit.predict(POINT, [(3,), (5,)]) == pytest.approx([0.01, 0.0], abs=0.003)
    assert bandit.predict(POINT, [(3, 12)])[0] == bandit.predict(POINT, [(3,)])[0], "12 is all-in"


def test_a_critic_that_expects_a_loss_gives_the_base():
    actor = ActorCritic(6, HOLDEM, 3, seed=0)
    last = actor.critic[-1]
    torch.nn.init.zeros_(last.weight)
    torch.nn.init.constant_(last.bias, -1.0)
    assert actor.choose(POINT) == HOLDEM.base
    torch.nn.init.constant_(last.bias, 1.0)
    assert actor.choose(POINT) != HOLDEM.base


def test_the_actors_loss_does_not_move_the_critic():
    actor = ActorCritic(6, HOLDEM, 3, seed=0)
    features = torch.from_numpy(POINT.features)[None]
    row = torch.zeros(1, 6)
    with torch.no_grad():
        exact = actor.critic(torch.cat([features, row], dim=1))[:, 0] / 100
    actor.losses(features, row, exact).backward()
    assert all(not p.grad.any() for p in actor.critic.parameters())
    assert any(p.grad.any() for p in actor.actor.parameters())
