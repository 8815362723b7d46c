"""Many searches at once play what single ones would."""

from __future__ import annotations

import numpy as np
import pytest
from tacit.agents.position import Position
from tacit.agents.search_batch import SearchBatch, _sampled_plan

from tacit.agents.search_agent import SearchAgent
from tacit.games import load
from tacit.learn.self_play import SearchSettings
from tacit.solve import find_algorithm
from tacit.solve.leaves import Zero
from tacit.solve.search import Search
from tacit.tree import PLAYERS, Builder, Place, build_forest


@pytest.mark.parametrize("name", ["leduc", "liars-dice-1x3", "rock-paper-scissors"])
def test_each_root_keeps_the_iteration_it_sampled(name: str) -> None:
    builder = Builder(load(name))
    first = builder.root
    states = [first, first.expansion.transitions[0].child, first]
    when = np.array([3, 8, 5])
    beliefs = [(np.ones(s.counts[0]), np.ones(s.counts[1])) for s in states]
    forest = build_forest(builder, states, depth=2)
    algorithm = find_algorithm("dcfr")
    plan = _sampled_plan(Search(forest, algorithm, Zero(), beliefs=beliefs), when)
    for number, state in enumerate(states):
        tree = build_forest(builder, [state], depth=2)
        alone = Search(tree, algorithm, Zero(), beliefs=[beliefs[number]])
        alone.run(int(when[number]))
        places = zip(
            forest.walk(Place(*forest.roots[number])), tree.walk(Place(*tree.roots[0])), strict=True
        )
        for (here, _), (there, _) in places:
            if tree.arrays.action_count[there.node]:
                assert forest.block(plan.policy, here.node)[:, here.copy] == pytest.approx(
                    tree.block(alone.policy, there.node)[:, there.copy], abs=1e-5
                )
            for p in PLAYERS:
                assert forest.vectors(plan.reach[p], p, here.node, values=False)[
                    here.copy
                ] == pytest.approx(
                    tree.vectors(alone.work.reach[p], p, there.node, values=False)[there.copy],
                    abs=1e-5,
                )


def test_without_luck_it_plays_as_the_single_agent() -> None:
    builder = Builder(load("leduc"))
    settings = SearchSettings(iterations=20, depth=1)
    single = SearchAgent(builder, Zero(), settings, safe=False)
    batch = SearchBatch(builder, Zero(), settings, safe=False)
    random = np.random.default_rng(5)
    for _ in range(3):
        single.begin(random)
        [memory] = batch.begin([0], random)
        position = Position.start(builder, random)
        while position.world.actions():
            if position.world.player < 2:
                assert single.tree is not None
                expected = single.tree.block(single.policy, single.place.node)[:, single.place.copy]
                assert batch.policies([memory])[0] == pytest.approx(expected, abs=1e-6)
                action = int(random.choice(np.asarray(position.world.actions())))
            else:
                action = position.chance_action(random)
            transition, position = position.after(action, random)
            single.observe(transition, position)
            [memory] = batch.after([memory], [transition])


def test_games_at_the_same_point_share_a_search() -> None:
    builder = Builder(load("liars-dice-1x3"))
    settings = SearchSettings(iterations=8, depth=1)
    sampling = SearchBatch(builder, Zero(), settings)
    memories = sampling.begin([0] * 500, np.random.default_rng(0))
    policies = sampling.policies(memories)
    assert sampling.searches == 8
    average = SearchBatch(builder, Zero(), settings, safe=False)
    twins = average.begin([0] * 500, np.random.default_rng(0))
    [expected, *_] = average.policies(twins)
    assert average.searches == 1
    # The mean over sampled iterations is the average policy (all reaches are one at the root).
    assert np.mean(policies, axis=0) == pytest.approx(expected, abs=0.08)
    average.policies(average.after(twins, [0] * 250 + [1] * 250))
    assert average.searches == 3
