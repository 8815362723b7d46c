"""Agents play whole games by the rules, and search plays what its policy says."""

from __future__ import annotations

import numpy as np
import pytest

from support.worlds import WorldGame
from tacit.agents.agent import PolicyAgent
from tacit.agents.search_agent import SearchAgent
from tacit.evaluation.match import play_match
from tacit.games import CHANCE, TERMINAL, load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers import evaluate
from tacit.solvers.oracle import Oracle
from tacit.tree import Builder, build_forest

GAMES = ["kuhn", "leduc", "rock-paper-scissors", "coin-toss", "pursuit-glasses", "liars-dice-1x3"]


@pytest.mark.parametrize("name", GAMES)
def test_positions_follow_the_rules(name: str) -> None:
    builder = Builder(load_game(name))
    random = np.random.default_rng(0)
    for _ in range(20):
        position = WorldGame.start(builder, random)
        while position.world.player != TERMINAL:
            assert position.state.mover == position.world.player
            if position.world.player == CHANCE:
                action = position.chance_action(random)
            else:
                action = int(random.choice(np.asarray(position.world.actions())))
                mover = position.world.player
                legal = position.state.expansion.legal[:, position.infostate(mover)]
                assert [
                    a for a, ok in zip(position.state.expansion.actions, legal, strict=True) if ok
                ] == sorted(position.world.actions())
            _, position = position.after(action, random)
        assert position.state.mover == TERMINAL


@pytest.mark.parametrize("name", ["kuhn", "leduc", "pursuit-glasses"])
def test_a_match_between_policies_has_the_value_of_the_policies(name: str) -> None:
    builder = Builder(load_game(name))
    tree = build_forest(builder, [builder.root])
    uniform = tree.uniform_policy()
    expected = evaluate(tree, uniform).value
    agent = PolicyAgent(tree, uniform)
    found = play_match(builder, agent, agent, games=3000, seed=7)
    assert abs(found.seats[0] - expected) < 6 * found.error + 1e-12
    assert abs(found.seats[1] + expected) < 6 * found.error + 1e-12


def test_search_agents_meet_in_both_seats_and_again_with_the_same_seed() -> None:
    builder = Builder(load_game("kuhn"))
    settings = SearchSettings(iterations=20, depth=1)
    oracle = Oracle(builder, iterations=50)
    first, second = (SearchAgent(builder, oracle, settings, safe=safe) for safe in (True, False))
    once = play_match(builder, first, second, games=12, seed=3)
    again = play_match(builder, first, second, games=12, seed=3)
    assert once == again
    assert once.games == 12
