"""AIVAT: unbiased for any value function, and without variance for an exact one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support.small_games import RING
from tacit.agents.agent import PolicyAgent
from tacit.evaluation.aivat import (
    AivatGame,
    EvaluatorValues,
    PolicyValues,
    Reach,
    taken_action,
)
from tacit.evaluation.match import play_match
from tacit.games import CHANCE, TERMINAL, Game, GameError, load_game
from tacit.games.pursuit import Pursuit
from tacit.learn.shipped import shipped
from tacit.learn.trainer import load_network
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.tree import PLAYERS, Builder, Place, PublicTree, build_forest
from tacit.tree.playing import payoff
from tacit.tree.public_state import Pair, PublicState

Array = NDArray[Any]
Step = tuple[int, Pair, int | None]
"""A transition, the infostates after it, and the mover's action."""


class RandomValues(PolicyValues):
    """Numbers that have nothing to do with the game."""

    def value(self, memory: Place, reach: Reach) -> float:
        seen = [number for each in reach for number in np.flatnonzero(each).tolist()]
        return float(np.random.default_rng((*memory, *seen)).normal())


def random_policy(tree: PublicTree, seed: int) -> Array:
    random = np.random.default_rng(seed)
    policy = tree.uniform_policy()
    for node in np.flatnonzero(tree.arrays.player < 2).tolist():
        block = tree.block(policy, node)
        block[:] = block * random.exponential(size=block.shape)
        block /= block.sum(axis=0)
    return policy


def lines(tree: PublicTree, policy: Array) -> Iterator[tuple[float, Pair, list[Step]]]:
    """Every line of play with its probability: the deal, and the moves."""
    root = tree.roots[0]
    chances = tree.state(root.node).compatibility / tree.state(root.node).compatibility.sum()
    for pair in zip(*map(np.ndarray.tolist, np.nonzero(chances)), strict=True):
        for chance, steps in _below(tree, policy, root, pair):
            yield chances[pair] * chance, pair, steps


def _below(
    tree: PublicTree, policy: Array, place: Place, pair: Pair
) -> Iterator[tuple[float, list[Step]]]:
    state = tree.state(place.node)
    if state.mover == TERMINAL:
        yield 1.0, []
        return
    options: list[tuple[int | None, float]] = [(None, 1.0)]
    if state.mover != CHANCE:
        column = tree.block(policy, place.node)[:, place.copy, pair[state.mover]]
        options = [(action, float(chance)) for action, chance in enumerate(column) if chance > 0]
    for action, chance in options:
        outcomes = _outcomes(state, pair, action)
        total = sum(weight for _, _, weight in outcomes)
        for transition, after, weight in outcomes:
            child = tree.child(place, transition)
            for rest, steps in _below(tree, policy, child, after):
                yield chance * weight / total * rest, [(transition, after, action), *steps]


def _outcomes(state: PublicState, pair: Pair, action: int | None) -> list[tuple[int, Pair, float]]:
    """The transitions and infostates that may follow, with their chance weights."""
    found = []
    for number, transition in enumerate(state.expansion.transitions):
        source = list(pair)
        if action is not None:
            source[state.mover] += action * state.counts[state.mover]
        targets = [
            transition.targets[p][transition.sources[p] == source[p]].tolist() for p in PLAYERS
        ]
        for after in ((i, j) for i in targets[0] for j in targets[1]):
            weight = transition.factor * float(transition.child.compatibility[after])
            if weight > 0:
                found.append((number, after, weight))
    return found


def estimates(
    tree: PublicTree, policy: Array, values: PolicyValues, known: tuple[int, ...]
) -> NDArray[np.float64]:
    """[lines, 3] the probability, AIVAT's estimate and the payoff of every line of play."""
    rows = []
    for chance, dealt, steps in lines(tree, policy):
        game = AivatGame(tree.state(tree.roots[0].node), dealt, values, known=known)
        place, pair = tree.roots[0], dealt
        for transition, after, action in steps:
            state = tree.state(place.node)
            given = None
            if action is not None and state.mover in known:
                given = tree.block(policy, place.node)[:, place.copy]
            elif action is not None:
                given = taken_action(state, pair[state.mover], action)
            game.move(transition, after, given)
            place, pair = tree.child(place, transition), after
        rows.append((chance, game.estimate(), payoff(game.state, pair)))
    return np.array(rows)


def games() -> list[Game]:
    return [load_game("kuhn"), load_game("liars-dice-1x2"), Pursuit(RING)]


@pytest.mark.parametrize("known", [(0, 1), (0,), (1,), ()])
@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_it_is_unbiased_for_any_value_function(game: Game, known: tuple[int, ...]) -> None:
    builder = Builder(game)
    tree = build_forest(builder, [builder.root])
    policy = random_policy(tree, 1)
    rows = estimates(tree, policy, RandomValues(tree, policy), known)
    assert rows[:, 0].sum() == pytest.approx(1, abs=1e-12)
    exact = evaluate(tree, policy).value
    assert rows[:, 0] @ rows[:, 2] == pytest.approx(exact, abs=1e-9)
    assert rows[:, 0] @ rows[:, 1] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("known", [(0, 1), (0,), (1,)])
@pytest.mark.parametrize("kind", [RandomValues, PolicyValues])
def test_it_is_unbiased_in_leduc(known: tuple[int, ...], kind: type[PolicyValues]) -> None:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root])
    policy = random_policy(tree, 1)
    values = kind(tree, random_policy(tree, 2))
    rows = estimates(tree, policy, values, known)
    exact = evaluate(tree, policy).value
    assert rows[:, 0] @ rows[:, 1] == pytest.approx(exact, abs=1e-9)


def test_exact_values_leave_no_variance() -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    policy = random_policy(tree, 3)
    rows = estimates(tree, policy, PolicyValues(tree, policy), (0, 1))
    assert rows[:, 1] == pytest.approx(np.full(len(rows), evaluate(tree, policy).value), abs=1e-9)
    one_sided = estimates(tree, policy, PolicyValues(tree, policy), (0,))
    assert (
        0 < np.cov(one_sided[:, 1], aweights=rows[:, 0]) < np.cov(rows[:, 2], aweights=rows[:, 0])
    )


def test_values_of_a_network_reduce_the_variance() -> None:
    builder = Builder(load_game("liars-dice-1x4"))
    tree = build_forest(builder, [builder.root])
    solver = Solver(tree, find_algorithm("dcfr"))
    solver.run(50)
    agent = PolicyAgent(tree, solver.average_policy())
    network = load_network(shipped()["liars-dice-1x4"], builder).network
    deviation = {}
    for name, evaluator in {"none": Zero(), "network": network}.items():
        values = EvaluatorValues(builder, evaluator)
        found = play_match(builder, agent, agent, games=200, seed=0, aivat=values)
        assert found.aivat is not None
        deviation |= {"plain": found.deviation, name: found.aivat.deviation}
    assert deviation["network"] < deviation["none"] / 2 < deviation["plain"] / 2


def test_an_evaluator_of_pbss_is_asked_too() -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    solver = Solver(tree, find_algorithm("dcfr"))
    solver.run(50)
    agent = PolicyAgent(tree, solver.average_policy())
    values = EvaluatorValues(builder, Oracle(builder, iterations=50))
    found = play_match(builder, agent, agent, games=100, seed=0, aivat=values)
    assert found.aivat is not None
    assert found.aivat.deviation < found.deviation / 4


def test_in_leduc_the_deviation_falls_to_a_tenth() -> None:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root])
    solver = Solver(tree, find_algorithm("dcfr"))
    solver.run(30)
    rough = solver.average_policy()
    solver.run(300)
    policies = solver.average_policy(), rough
    agents = [PolicyAgent(tree, policy) for policy in policies]
    values = PolicyValues(tree, policies[0])
    found = play_match(builder, *agents, games=1000, seed=0, aivat=values)
    assert found.aivat is not None
    assert found.aivat.deviation < found.deviation / 10
    assert found.aivat.error < found.error / 10
    assert abs(found.mean - found.aivat.mean) < 4 * found.error


def test_a_match_with_estimates_is_resumed(tmp_path: Path) -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    agent, values = (
        PolicyAgent(tree, random_policy(tree, 5)),
        PolicyValues(tree, random_policy(tree, 6)),
    )

    def play(count: int, record: Path | None = tmp_path / "match.json") -> Any:
        options: dict[str, Any] = {"games": count, "seed": 1, "at_once": 2, "record": record}
        return play_match(builder, agent, agent, aivat=values, **options)

    play(4)
    assert play(10) == play(10, None)
    with pytest.raises(GameError, match="record of another match"):
        play_match(builder, agent, agent, games=4, seed=1, record=tmp_path / "match.json")


def test_a_game_that_goes_on_has_no_estimate() -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    game = AivatGame(builder.root, (0, 1), PolicyValues(tree, tree.uniform_policy()))
    with pytest.raises(GameError, match="not over"):
        game.estimate()
