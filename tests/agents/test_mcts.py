"""Our MCTS: it finds wins and draws, uses priors, and keeps the tree below the move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tacit.agents.agent import RuleAgent
from tacit.agents.mcts import MCTSAgent, MCTSSettings, Playouts, answers
from tacit.agents.simple import uniform
from tacit.evaluation.match import play_match
from tacit.games import GameError, load_game
from tacit.solvers.leaves import Zero
from tacit.tree import Builder
from tacit.tree.open import OpenState
from tacit.tree.pbs import PBS

TIC_TAC_TOE = Builder(load_game("tic-tac-toe"))


def after(builder: Builder, notation: str) -> OpenState:
    return OpenState(builder.game.replay(notation))


def agent_after(notation: str, **settings: Any) -> tuple[MCTSAgent, Any]:
    """An agent and its memory after some moves."""
    agent = MCTSAgent(TIC_TAC_TOE, settings.pop("evaluator", Zero()), MCTSSettings(**settings))
    [memory] = agent.begin([0], np.random.default_rng(0))
    for label in notation.split():
        [memory] = agent.after([memory], [memory.node.state.expansion.labels.index(label)])
    return agent, memory


@pytest.mark.parametrize(
    ("notation", "best"),
    [
        ("a1 a2 b1 b2", "c1"),
        ("a1 b2 b1", "c1"),
        ("a1 c3 b2 a3", "b3"),
    ],
)
def test_it_wins_at_once_and_stops_a_win(notation: str, best: str) -> None:
    state = after(TIC_TAC_TOE, notation)
    agent, memory = agent_after(notation, simulations=400)
    [policy] = agent.policies([memory])
    assert state.expansion.labels[int(policy[:, 0].argmax())] == best
    assert policy.shape == (len(state.expansion.actions), 1)
    assert policy.sum() == 1


class _Priors:
    """Values zero, and all weight on the last action."""

    def values(self, pbss: Sequence[PBS]) -> list[tuple[Any, Any]]:
        return [(np.zeros(1), np.zeros(1)) for _ in pbss]

    def policies(self, pbss: Sequence[PBS]) -> list[Any]:
        weights = [np.zeros((len(pbs.state.expansion.actions), 1)) for pbs in pbss]
        for block in weights:
            block[-1] = 3
        return weights


def test_priors_decide_where_values_are_equal() -> None:
    agent, memory = agent_after("", simulations=20, evaluator=_Priors())
    [policy] = agent.policies([memory])
    assert policy[:, 0].argmax() == 8


def test_noise_at_the_root_leads_to_other_moves() -> None:
    visits = []
    for noise in (0.0, 0.9):
        agent, memory = agent_after("", simulations=20, noise=noise, opening=1, evaluator=_Priors())
        visits.append(agent.policies([memory])[0][:, 0])
    assert (visits[0] > 0).sum() == 1
    assert (visits[1] > 0).sum() > 1


def test_the_opening_is_drawn_by_visits_and_later_moves_are_the_most_visited() -> None:
    agent = MCTSAgent(TIC_TAC_TOE, Playouts(), MCTSSettings(simulations=50, opening=1))
    memories = agent.begin([0], np.random.default_rng(0))
    [first] = agent.policies(memories)
    assert (first > 0).sum() > 1
    assert agent.policies(memories)[0] is first
    later = agent.after(memories, [int(first.argmax())])
    assert later[0].node.visits.sum() > 0
    assert set(np.unique(agent.policies(later)[0]).tolist()) <= {0, 1, 0.5}


def test_it_holds_a_draw_against_itself_and_beats_random_play() -> None:
    strong = MCTSAgent(TIC_TAC_TOE, Playouts(), MCTSSettings(simulations=600))
    found = play_match(TIC_TAC_TOE, strong, RuleAgent(TIC_TAC_TOE, uniform), games=20)
    assert found.mean > 0.7
    assert play_match(TIC_TAC_TOE, strong, strong, games=2).mean == 0


def test_a_network_answers_values_and_priors() -> None:
    """One row per state: the value of player 0, and weights of the legal actions in order."""

    class Network:
        inputs, guide = 1, None

        def describe(self, state: OpenState, player: int) -> Any:
            return np.array([len(state.sample.actions())])

        def input_columns(self, state: OpenState, player: int) -> Any:
            return np.array([-1])

        def output_columns(self, state: OpenState, player: int) -> Any:
            return np.array([player])

        def action_columns(self, state: OpenState, expansion: Any) -> Any:
            return np.array(expansion.actions)[:, None]

        def values(self, inputs: Any) -> Any:
            return self.answer(inputs)[0]

        def answer(self, inputs: Any) -> Any:
            return np.hstack([inputs, -inputs]), np.tile(np.arange(9.0), (len(inputs), 1))

    states = [after(TIC_TAC_TOE, ""), after(TIC_TAC_TOE, "a3")]
    network: Any = Network()
    (first, _), (second, priors) = answers(network, states)
    assert (first, second) == (9, 8)
    assert priors.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(GameError, match="hides something"):
        MCTSAgent(Builder(load_game("kuhn")), Playouts(), MCTSSettings())
    with pytest.raises(GameError, match="at least one simulation"):
        MCTSSettings(simulations=0)
    with pytest.raises(GameError, match="from 0 to 1"):
        MCTSSettings(noise=2)
