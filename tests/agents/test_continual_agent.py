"""The agent of continual re-solving in matches."""

import numpy as np
import pytest

from tacit.agents.agent import RuleAgent
from tacit.agents.continual_agent import ContinualAgent
from tacit.agents.simple import uniform
from tacit.evaluation.match import play_match
from tacit.games import load_game
from tacit.solvers.growing import GrowingSettings
from tacit.solvers.leaves import Zero
from tacit.tree import Builder


@pytest.mark.parametrize(
    "name", ["kuhn", "rock-paper-scissors", "tic-tac-toe", "leduc", "pursuit-glasses"]
)
def test_it_plays_whole_games(name):
    builder = Builder(load_game(name))
    agent = ContinualAgent(builder, Zero(), GrowingSettings(simulations=20))
    result = play_match(builder, agent, RuleAgent(builder, uniform), games=20)
    assert result.games == 20
    assert agent.searches > 0


def test_it_beats_a_uniform_opponent_in_tic_tac_toe():
    builder = Builder(load_game("tic-tac-toe"))
    agent = ContinualAgent(builder, Zero(), GrowingSettings(simulations=200, expansions=10))
    result = play_match(builder, agent, RuleAgent(builder, uniform), games=40)
    assert result.mean > 0.6


def test_games_at_the_same_position_share_a_search():
    builder = Builder(load_game("kuhn"))
    agent = ContinualAgent(builder, Zero(), GrowingSettings(simulations=5))
    memories = agent.begin([0] * 10, np.random.default_rng(0))
    assert len(agent.policies(memories)) == 10
    assert agent.searches == 1


def test_without_safety_it_searches_at_the_opponents_moves_too():
    builder = Builder(load_game("rock-paper-scissors"))
    counts = []
    for safe in (True, False):
        agent = ContinualAgent(builder, Zero(), GrowingSettings(simulations=5), safe=safe)
        after = agent.after(agent.begin([1], np.random.default_rng(0)), [0])
        agent.policies(after)
        counts.append(agent.searches)
    assert counts == [1, 2]


def test_its_model_plays_without_its_random_numbers():
    builder = Builder(load_game("leduc"))
    agent = ContinualAgent(builder, Zero(), GrowingSettings(simulations=10))
    policies = [
        agent.model().policies(agent.model().begin([0], np.random.default_rng(3)))[0]
        for _ in range(2)
    ]
    assert np.array_equal(*policies)
