"""Many searches at once play what single ones would."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.agents.search_agent import SearchAgent, _sampled_plan
from tacit.games import load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers import find_algorithm
from tacit.solvers.engine import Solver
from tacit.solvers.leaves import Zero
from tacit.tree import CHANCE, LEAF, PLAYERS, TERMINAL, Builder, Place, build_forest
from tacit.tree.pbs import PBS, first_pbs, normalised


@pytest.mark.parametrize("name", ["leduc", "liars-dice-1x3", "rock-paper-scissors"])
def test_each_root_keeps_the_iteration_it_sampled(name: str) -> None:
    builder = Builder(load_game(name))
    first = builder.root
    states = [first, first.expansion.transitions[0].child, first]
    when = np.array([3, 8, 5])
    beliefs = [(np.ones(s.counts[0]), np.ones(s.counts[1])) for s in states]
    forest = build_forest(builder, states, depth=2)
    algorithm = find_algorithm("dcfr")
    plan = _sampled_plan(Solver(forest, algorithm, leaves=Zero(), beliefs=beliefs), when)
    for number, state in enumerate(states):
        tree = build_forest(builder, [state], depth=2)
        alone = Solver(tree, algorithm, leaves=Zero(), beliefs=[beliefs[number]])
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


class _Single:
    """One game of the same search, one subgame at a time."""

    def __init__(self, builder: Builder, settings: SearchSettings) -> None:
        self.builder = builder
        self.settings = settings
        self._search(first_pbs(builder.root))

    def _search(self, pbs: PBS) -> None:
        self.tree = self.settings.forest(self.builder, [pbs.state])
        search = self.settings.begin(self.tree, Zero(), [pbs.beliefs])
        search.run(self.settings.iterations)
        self.place = Place(*self.tree.roots[0])
        self.policy, self.reach = search.average_policy(), search.average_reach()

    def chosen(self) -> NDArray[np.float64]:
        return self.tree.block(self.policy, self.place.node)[:, self.place.copy]

    def observe(self, transition: int) -> None:
        self.place = self.tree.child(self.place, transition)
        node, copy = self.place
        if self.tree.arrays.player[node] == LEAF:
            first, second = (
                normalised(self.tree.vectors(self.reach[p], p, node, values=False)[copy])
                for p in PLAYERS
            )
            self._search(PBS(self.tree.state(node), (first, second)))


def test_without_luck_games_side_by_side_play_as_one_alone() -> None:
    builder = Builder(load_game("leduc"))
    settings = SearchSettings(iterations=20, depth=1)
    agent = SearchAgent(builder, Zero(), settings, safe=False)
    random = np.random.default_rng(5)
    memories = agent.begin([0, 1, 0], random)
    singles = [_Single(builder, settings) for _ in memories]
    states = [builder.root] * 3
    while any(state.mover != TERMINAL for state in states):
        for game, state in enumerate(states):
            if state.mover == TERMINAL:
                continue
            if state.mover != CHANCE:
                [found] = agent.policies([memories[game]])
                assert found == pytest.approx(singles[game].chosen(), abs=1e-6)
            number = int(random.integers(len(state.expansion.transitions)))
            states[game] = state.expansion.transitions[number].child
            if states[game].mover != TERMINAL:
                singles[game].observe(number)
                [memories[game]] = agent.after([memories[game]], [number])


def test_games_at_the_same_point_share_a_search() -> None:
    builder = Builder(load_game("liars-dice-1x3"))
    settings = SearchSettings(iterations=8, depth=1)
    sampling = SearchAgent(builder, Zero(), settings)
    memories = sampling.begin([0] * 500, np.random.default_rng(0))
    policies = sampling.policies(memories)
    assert sampling.searches == 8
    average = SearchAgent(builder, Zero(), settings, safe=False)
    twins = average.begin([0] * 500, np.random.default_rng(0))
    [expected, *_] = average.policies(twins)
    assert average.searches == 1
    # The mean over sampled iterations is the average policy (all reaches are one at the root).
    assert np.mean(policies, axis=0) == pytest.approx(expected, abs=0.08)
    average.policies(average.after(twins, [0] * 250 + [1] * 250))
    assert average.searches == 3
