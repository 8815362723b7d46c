"""The agent that plays by a blueprint and nested solving, in every game here."""

from __future__ import annotations

import numpy as np
import pytest

from support.subgames import tree_of
from tacit.agents.agent import PolicyAgent
from tacit.agents.nested_agent import NestedAgent
from tacit.evaluation.match import play_match
from tacit.games import families
from tacit.reproduce.safe_subgames.tables import knows_sizes
from tacit.subgame.abstraction import solve_abstraction
from tacit.subgame.blueprint import Blueprint
from tacit.subgame.methods import SolveBudget
from tacit.subgame.nested import Nesting
from tacit.tree import Builder

GAMES = [
    name
    for family in families()
    for name in family.examples[:1]
    if family.countable
    if name not in ("tic-tac-toe", "leduc-raises-1-2-4") and not name.startswith("preflop43")
]


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_games_to_their_end_and_the_same_again(game: str) -> None:
    tree = tree_of(game)
    blueprint = Blueprint.of(solve_abstraction(tree, iterations=10))
    nesting = Nesting(player=0, always=True, budget=SolveBudget(iterations=10))
    results = [
        play_match(
            tree.builder,
            NestedAgent(blueprint, nesting),
            PolicyAgent(tree, tree.uniform_policy()),
            games=6,
            seed=1,
        )
        for _ in range(2)
    ]
    assert results[0] == results[1]
    assert np.isfinite(results[0].mean)


def test_it_answers_bets_that_its_blueprint_does_not_know() -> None:
    tree = tree_of("leduc-raises-1-2-4")
    assert isinstance(tree.builder, Builder)
    known = knows_sizes((1, 4))
    blueprint = Blueprint.of(solve_abstraction(tree, iterations=300, keep=known, algorithm="dcfr"))
    only_two = tree.restricted(knows_sizes((2,))).uniform_policy()
    agent = NestedAgent(
        blueprint, Nesting(player=0, known=known, budget=SolveBudget(iterations=20))
    )
    result = play_match(tree.builder, agent, PolicyAgent(tree, only_two), games=200, seed=0)
    assert result.mean > 0
