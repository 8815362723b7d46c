"""OpenSpiel's MCTS and IS-MCTS play our games by a map of actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.agents.agent import PolicyAgent
from tacit.agents.openspiel import ISMCTSAgent, OpenSpielMCTS, openspiel_version, theirs
from tacit.evaluation.match import play_match
from tacit.games import TERMINAL, GameError, load_game
from tacit.tree import Builder, build_forest
from tacit.tree.public_state import PublicState

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "go-5x5", "go-7x7-komi-9"])
def test_actions_have_the_same_names(name: str) -> None:
    game = load_game(name)
    state: Any = game.initial()
    other = openspiel_version(game).new_initial_state()
    random = np.random.default_rng(0)
    while state.player != TERMINAL:
        actions = state.actions()
        assert {theirs(game, action) for action in actions} <= set(other.legal_actions())
        if name.startswith("go"):
            for action in actions:
                label = other.action_to_string(theirs(game, action)).split()[-1]
                assert label.upper() == state.label(action).upper()
        action = int(random.choice(actions))
        state = state.child(action)
        other.apply_action(theirs(game, action))
    assert other.returns()[0] == state.payoff()


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "go-5x5"])
def test_mcts_beats_random_play(name: str) -> None:
    builder = Builder(load_game(name))
    found = play_match(builder, OpenSpielMCTS(builder, 50), "uniform", games=10)
    assert found.mean > 0.4


def test_mcts_plays_the_same_with_the_same_seed() -> None:
    builder = Builder(load_game("tic-tac-toe"))
    agent = OpenSpielMCTS(builder, 30)
    results = [play_match(builder, agent, "uniform", games=20, seed=s) for s in (1, 1)]
    assert results[0] == results[1]


def test_is_mcts_has_a_policy_for_every_card_and_beats_random_play() -> None:
    builder = Builder(load_game("leduc"))
    agent = ISMCTSAgent(builder, 100)
    random = np.random.default_rng(0)
    seen = 0
    for _ in range(10):
        [memory] = agent.begin([0], random)
        while memory[0].mover != TERMINAL:
            state: PublicState = memory[0]
            if state.mover < 2:
                [policy] = agent.policies([memory])
                assert policy.shape == (len(state.expansion.actions), state.counts[state.mover])
                assert policy.sum(axis=0) == pytest.approx(1)
                seen += 1
            number = int(random.integers(len(state.expansion.transitions)))
            [memory] = agent.after([memory], [number])
    assert seen > 20
    tree = build_forest(builder, [builder.root])
    weak = PolicyAgent(tree, tree.uniform_policy())
    found = play_match(builder, agent, weak, games=400)
    assert found.mean > 2 * found.error


def test_games_that_openspiel_does_not_play_are_refused() -> None:
    with pytest.raises(GameError, match="not kuhn"):
        OpenSpielMCTS(Builder(load_game("kuhn")), 10)
    with pytest.raises(GameError, match="IS-MCTS plays leduc here, not kuhn"):
        ISMCTSAgent(Builder(load_game("kuhn")), 10)
    with pytest.raises(GameError, match="at least one simulation"):
        OpenSpielMCTS(Builder(load_game("tic-tac-toe")), 0)
