"""Agents that play many games at once."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.agents.batch import PolicyBatch, StateBatch, call_when_unlikely, uniform
from tacit.games import GameError, load
from tacit.tree import Builder, Place, build_forest


def test_a_policy_is_followed_down_the_tree() -> None:
    builder = Builder(load("leduc"))
    tree = build_forest(builder, [builder.root])
    policy = np.arange(tree.sizes.slots, dtype=np.float64)
    agent = PolicyBatch(tree, policy)
    [memory] = agent.begin([0], np.random.default_rng(0))
    place = Place(*tree.roots[0])
    for number in (1, 2, 1):
        assert np.array_equal(
            agent.policies([memory])[0], tree.block(policy, place.node)[:, place.copy]
        )
        [memory] = agent.after([memory], [number])
        place = tree.children(place)[number][1]


def test_random_play_is_uniform_over_legal_actions() -> None:
    builder = Builder(load("leduc"))
    agent = StateBatch(builder, uniform)
    [memory] = agent.begin([0], np.random.default_rng(0))
    [policy] = agent.policies([memory])
    assert policy == pytest.approx(1 / len(policy))


def test_the_heuristic_makes_the_likeliest_claim() -> None:
    space = Builder(load("liars-dice-1x4")).space
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
    builder = Builder(load("kuhn"))
    agent = StateBatch(builder, call_when_unlikely)
    with pytest.raises(GameError, match="kuhn has no bids"):
        agent.policies(agent.begin([0], np.random.default_rng(0)))
