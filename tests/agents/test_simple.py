"""Plain opponents."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.agent import RuleAgent
from tacit.agents.simple import baselines, call_when_unlikely
from tacit.games import GameError, load_game
from tacit.tree import Builder


def test_the_heuristic_makes_the_likeliest_claim() -> None:
    space = Builder(load_game("liars-dice-1x4"))
    # With a one nothing is surer than 1x1; a four is wild, so every bid of one die is true: the
    # lowest is taken.
    opening = call_when_unlikely(space.root)
    labels = space.root.expansion.labels
    dice = [roll[0] for roll in space.root.privates[0]]  # type: ignore[index]
    chosen = {die: labels[row] for die, row in zip(dice, opening.argmax(axis=0), strict=True)}
    assert chosen == {1: "1x1", 2: "1x2", 3: "1x3", 4: "1x1"}
    # 2x4 needs a four from both: who has none knows that it is false; who has one gives it 1/4.
    late = call_when_unlikely(space.at(["1x1", "2x4"]))
    assert np.array_equal(late, np.ones((1, 4)))
    facing = space.at(["1x3"])
    answer = call_when_unlikely(facing)
    words = [facing.expansion.labels[row] for row in answer.argmax(axis=0)]
    # With a one: 1x3 is true with 1/2, 1x4 with 1/4, 2x1 with 1/2. A bid wins the tie with liar.
    assert words[dice.index(1)] == "2x1"
    assert words[dice.index(4)] == "1x4"


def test_the_heuristic_knows_no_other_game() -> None:
    builder = Builder(load_game("kuhn"))
    agent = RuleAgent(builder, call_when_unlikely)
    with pytest.raises(GameError, match="has no bids"):
        agent.policies(agent.begin([0], np.random.default_rng(0)))


def test_a_game_has_the_opponents_that_can_play_it() -> None:
    assert set(baselines(Builder(load_game("leduc")))) == {"uniform"}
    assert set(baselines(Builder(load_game("liars-dice-1x3")))) == {"uniform", "call-when-unlikely"}
