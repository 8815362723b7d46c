"""Depth-limited solving: what its modes ask of the leaves, and how it starts warm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.games import GameError, load_game
from tacit.learn.settings import SearchSettings
from tacit.solvers import (
    FictitiousPlay,
    Minimiser,
    RegretMatching,
    Solver,
    evaluate,
    find_algorithm,
)
from tacit.solvers.depth_limited import Mode, imitate, response_regrets
from tacit.solvers.engine import Workspace
from tacit.solvers.leaves import Guide, Rows, Zero
from tacit.solvers.oracle import Oracle
from tacit.subgame.methods import matching_places
from tacit.tree import CHANCE, LEAF, Builder, PublicState, PublicTree, build_forest
from tacit.tree.builder import before_chance
from tacit.tree.kernels.passes import BEST, ascend, descend

Array = NDArray[Any]


class Fixed(Oracle):
    """Values below leaves by one policy for all beliefs: the uniform one."""

    def solve(self, states: Any, beliefs: Any) -> tuple[PublicTree, Array]:
        forest = build_forest(self.builder, states)
        return forest, forest.uniform_policy()

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        answers = np.zeros((len(inputs), sum(self._widths)), dtype=np.float32)
        pairs = self.pair_values(inputs)
        for number, (state, (first, second)) in enumerate(
            zip(*self._read(inputs), strict=True)  # type: ignore[arg-type]
        ):
            for player in (0, 1):
                likely = state.compatibility * (first[:, None] if player else second)
                payoffs = likely * pairs[number, self.pair_columns(state)]
                mean = payoffs.sum(axis=1 - player) / likely.sum(axis=1 - player).clip(1e-30)
                columns = self.output_columns(state, player)
                answers[number, columns] = -mean if player else mean
        return answers


def searched(mode: Mode, algorithm: str, *, alternating: bool = True) -> Solver:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root], depth=2)
    if algorithm == "soft-fp":
        # Not soft FLOP, whose optimism counts the latest beliefs twice in the sound form alone.
        minimiser: Minimiser = FictitiousPlay(
            name="soft-fp", about="", gamma=1, softness=4, alternating=alternating
        )
    else:
        minimiser = find_algorithm(algorithm, alternating=alternating)
    ones = [(np.ones(builder.root.counts[0]), np.ones(builder.root.counts[1]))]
    search = Solver(tree, minimiser, leaves=Fixed(builder), beliefs=ones, mode=mode)
    search.run(12)
    return search


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("algorithm", ["cfr", "linear-cfr", "dcfr", "flop", "linear-fp", "soft-fp"])
@pytest.mark.parametrize("mode", ["cfr-avg", "cfr-avg-sound"])
def test_where_play_below_the_leaves_is_fixed_all_modes_are_one(
    mode: Mode, algorithm: str, alternating: bool
) -> None:
    plain = searched("cfr-d", algorithm, alternating=alternating)
    other = searched(mode, algorithm, alternating=alternating)
    assert other.average_policy() == pytest.approx(plain.average_policy(), abs=2e-3)
    assert other.root_values(0)[0] == pytest.approx(plain.root_values(0)[0], abs=2e-3)


def test_modes_differ_where_play_follows_the_beliefs() -> None:
    builder = Builder(load_game("leduc"))
    policies = []
    for mode in ("cfr-d", "cfr-avg", "cfr-avg-sound"):
        settings = SearchSettings(algorithm="linear-cfr", mode=mode, iterations=8)  # type: ignore[arg-type]
        tree = settings.forest(builder, [builder.root])
        search = settings.begin(tree, Oracle(builder, iterations=40), ones(builder))
        search.run(8)
        policies.append(search.average_policy())
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert np.abs(policies[first] - policies[second]).max() > 0.01


def ones(builder: Builder) -> list[tuple[Array, Array]]:
    return [(np.ones(builder.root.counts[0]), np.ones(builder.root.counts[1]))]


def test_beliefs_are_of_the_current_policy_in_cfr_d_and_of_the_average_otherwise() -> None:
    builder = Builder(load_game("liars-dice-1x3"))
    for algorithm, mode in (
        ("linear-cfr", "cfr-d"),
        ("linear-cfr", "cfr-avg"),
        ("flop", "cfr-d"),
    ):
        settings = SearchSettings(algorithm=algorithm, mode=mode, iterations=7)  # type: ignore[arg-type]
        tree = settings.forest(builder, [builder.root])
        search = settings.begin(tree, Zero(), ones(builder))
        search.run(7)
        average = [reach.copy() for reach in search.average_reach()]
        is_average = all(
            np.allclose(found, mean)
            for found, mean in zip(search.believed_reach(), average, strict=True)
        )
        assert is_average == ((algorithm, mode) != ("linear-cfr", "cfr-d"))


def test_the_sound_form_needs_an_evaluator_for_pairs() -> None:
    builder = Builder(load_game("kuhn"))
    settings = SearchSettings(mode="cfr-avg-sound")
    with pytest.raises(GameError, match="values for pairs of infostates"):
        settings.begin(settings.forest(builder, [builder.root]), Zero(), ones(builder))


@pytest.mark.parametrize("remember", [True, False])
@pytest.mark.parametrize("depth", [2, 99])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "liars-dice-1x3"])
def test_pairs_at_the_root_add_up_to_the_value_of_what_is_played(
    game: str, depth: int, remember: bool
) -> None:
    builder = Builder(load_game(game))
    settings = SearchSettings(mode="cfr-avg-sound", iterations=20, depth=depth)
    search = settings.begin(settings.forest(builder, [builder.root]), Fixed(builder), ones(builder))

    def each(iteration: int) -> None:
        if remember:
            search.remember(search.minimiser.weight(iteration))

    search.run(20, each=each)
    (pairs,) = search.root_pairs()
    whole = build_forest(builder, [builder.root])
    policy = whole.uniform_policy()
    tree = search.tree
    for place, here in matching_places(tree, tree.roots[0], whole, whole.roots[0]):
        if search.tree.arrays.player[place.node] < CHANCE:
            played = search.tree.block(search.average_policy(), place.node)[:, place.copy]
            whole.block(policy, here.node)[:, here.copy] = played
    likely = builder.root.compatibility
    mean = (likely * pairs).sum() / likely.sum()
    assert mean == pytest.approx(evaluate(whole, policy).value, abs=1e-5)


def test_pairs_are_the_mean_over_what_iterations_met_at_their_time() -> None:
    builder = Builder(load_game("rock-paper-scissors"))
    oracle = Oracle(builder, iterations=30)
    settings = SearchSettings(algorithm="flop", mode="cfr-avg-sound", iterations=40, depth=1)
    search = settings.begin(settings.forest(builder, [builder.root]), oracle, ones(builder))
    met: list[np.ndarray] = []
    played: list[np.ndarray] = []

    def each(iteration: int) -> None:
        search.remember(search.minimiser.weight(iteration))
        (leaf,) = search.tree.leaves
        columns = oracle.pair_columns(search.tree.state(int(leaf)))[:, 0]
        met.append(search.limited.leaves.outputs[0, columns])
        played.append(search.tree.block(search.policy, 0)[:, 0, 0].copy())

    search.run(40, each=each)
    assert np.ptp(met, axis=0).max() > 1  # What is played below jumps.
    shares = settings.weights()
    average = shares @ np.array(played)
    expected = shares @ [
        (average + own) @ answers / 2 for own, answers in zip(played, met, strict=True)
    ]
    (pairs,) = search.root_pairs()
    assert pairs.shape == (1, 1)
    assert pairs[0, 0] == pytest.approx(expected, abs=1e-5)


def test_a_round_ends_where_chance_moves() -> None:
    builder = Builder(load_game("leduc"))
    settings = SearchSettings(stop="round")
    tree = settings.forest(builder, [builder.root])
    leaves = [tree.state(int(node)) for node in tree.leaves]
    assert leaves
    assert all(before_chance(state) for state in leaves)
    # The next round, from the chance event to the end of the game, has no leaf.
    below = settings.forest(builder, leaves)
    assert not np.any(below.arrays.player == LEAF)


class Remembering(Oracle):
    """A guide that has seen a search: at a PBS it proposes what that played at the nearest one."""

    def __init__(self, search: Solver) -> None:
        super().__init__(search.tree.builder)
        tree, reach = search.tree, search.average_reach()
        self.rows, self.answers = [], []
        for player in (0, 1):
            nodes = np.flatnonzero(tree.arrays.player == player).astype(np.int32)
            found = Rows(tree, nodes, self)
            self.rows.append(found.gather(player, reach).copy())
            here = iter(found.row.tolist())
            for node in nodes.tolist():
                for policy in tree.block(search.averaged, node).transpose(1, 0, 2):
                    if next(here) >= 0:
                        self.answers.append(np.resize(policy.ravel(), 64))

    def action_columns(self, state: PublicState) -> NDArray[np.int32]:
        shape = state.expansion.legal.shape
        return np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)

    def policies(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        known = np.concatenate(self.rows)
        gaps = np.abs(inputs[:, None] - known)
        gaps[:, :, 0] *= 1e3  # another public state is never near
        return np.array(self.answers)[gaps.sum(axis=2).argmin(axis=1)]


def whole_search(game: str, algorithm: str, *, known: int = 0) -> Solver:
    """A search of a whole game; warm, if another one is `known` for so many iterations."""
    builder = Builder(load_game(game))
    tree = build_forest(builder, [builder.root])
    evaluator = Zero()
    if known:
        other = Solver(tree, find_algorithm("dcfr"), leaves=evaluator, beliefs=ones(builder))
        other.run(known)
        guide: Guide = Remembering(other)
        evaluator.guide = guide
    minimiser = find_algorithm(algorithm)
    warm_start = 15 if known else 0
    return Solver(tree, minimiser, leaves=evaluator, beliefs=ones(builder), warm_start=warm_start)


@pytest.mark.parametrize("algorithm", ["linear-cfr", "dcfr", "flop"])
@pytest.mark.parametrize("game", ["leduc", "rock-paper-scissors", "liars-dice-1x3"])
def test_a_warm_start_has_played_what_the_guide_proposes(game: str, algorithm: str) -> None:
    search = whole_search(game, algorithm, known=200)
    proposed = search.policy.copy()
    uniform = evaluate(search.tree, search.tree.uniform_policy()).exploitability
    assert evaluate(search.tree, proposed.astype(np.float64)).exploitability < uniform / 10
    calls: list[int] = []
    search.run(15, each=calls.append)
    assert calls == list(range(1, 16))
    assert np.array_equal(search.policy, proposed)
    assert search.limited.total_weight == sum(search.minimiser.weight(t) for t in range(1, 16))
    found = evaluate(search.tree, search.average_policy())
    assert found.value == pytest.approx(
        evaluate(search.tree, proposed.astype(float)).value, abs=1e-4
    )
    assert float(np.mean(search.root_values(0)[0])) == pytest.approx(found.value, abs=0.02)
    search.run(1)
    assert not np.array_equal(search.policy, proposed)


@pytest.mark.parametrize("algorithm", ["linear-cfr", "dcfr", "flop"])
def test_a_warm_start_from_a_good_policy_needs_fewer_iterations(algorithm: str) -> None:
    def needed(search: Solver) -> int:
        search.run(15)
        while evaluate(search.tree, search.average_policy()).exploitability > 0.05:
            search.run(5)
        return search.iteration

    cold = needed(whole_search("leduc", algorithm))
    warm = needed(whole_search("leduc", algorithm, known=40))
    assert warm < 0.7 * cold, (warm, cold)


def test_a_warm_start_needs_a_guide_and_iterations_to_spare() -> None:
    builder = Builder(load_game("kuhn"))
    settings = SearchSettings(warm_start=15)
    with pytest.raises(GameError, match="needs a policy network"):
        settings.begin(settings.forest(builder, [builder.root]), Zero(), ones(builder))
    with pytest.raises(GameError, match="leaves none of 15 to search"):
        SearchSettings(warm_start=15, iterations=15)


@pytest.mark.parametrize("algorithm", ["flop", "soft-flop", "dcfr"])
def test_fictitious_play_does_not_tell_apart_what_is_within_its_blur(algorithm: str) -> None:
    builder = Builder(load_game("liars-dice-1x3"))
    found = {}
    for blur in (0.0, 0.1):
        settings = SearchSettings(algorithm=algorithm, iterations=100, depth=99, blur=blur)
        tree = settings.forest(builder, [builder.root])
        search = settings.begin(tree, Zero(), ones(builder))
        search.run(100)
        found[blur] = search.average_policy()
        minimiser = find_algorithm(algorithm)
        if isinstance(minimiser, FictitiousPlay):
            minimiser = replace(minimiser, blur=blur)
        solver = Solver(tree, minimiser)
        solver.run(100)
        whole = evaluate(tree, solver.average_policy()).best_response
        assert evaluate(tree, found[blur]).best_response == pytest.approx(whole, abs=1e-4)
    moved = np.abs(found[0.0] - found[0.1]).max()
    assert (moved == 0) if algorithm == "dcfr" else (moved > 0.05)


@pytest.mark.parametrize("blur", [-1.0, np.nan, np.inf])
def test_a_blur_that_is_none_is_refused(blur: float) -> None:
    with pytest.raises(GameError, match=f"blur must be at least 0, not {blur:g}"):
        SearchSettings(blur=blur)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pursuit-glasses"])
def test_regrets_are_gains_over_the_policy_before_a_best_response(game: str) -> None:
    builder = Builder(load_game(game))
    tree = build_forest(builder, [builder.root], fold=False)
    random = np.random.default_rng(0)
    policy = tree.uniform_policy()
    policy *= random.uniform(0.1, 1, len(policy))
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        block = tree.block(policy, node)
        block /= block.sum(axis=0)
    policy = policy.astype(np.float32)
    work = Workspace(tree, None, np.float32)
    regrets = np.zeros_like(policy)
    none = np.float32(0)
    for player in (0, 1):
        for p in (0, 1):
            descend(tree.arrays, p, policy, work.reach[p], policy, none)
        response_regrets(tree, player, policy, work, regrets)
        step = np.zeros(4, dtype=np.float32)
        ascend(tree.arrays, work.vectors[0], player, BEST, step, policy, regrets)
        for node in np.flatnonzero(tree.arrays.player == player).tolist():
            if not tree.arrays.simple[node]:
                continue
            edges = tree.edges(node)
            below = np.array(
                [
                    tree.vectors(
                        work.values[player], player, int(tree.arrays.edge_child[edge]), values=True
                    )
                    for edge in edges
                ]
            )
            chosen = tree.block(policy, node)
            expected = below - (chosen * below).sum(axis=0)
            assert tree.block(regrets, node) == pytest.approx(expected, abs=1e-5)
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        legal = tree.state(node).expansion.legal
        assert not np.any(tree.block(regrets, node)[:, 0][~legal])


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear-cfr", "dcfr"])
def test_so_many_iterations_are_imitated(algorithm: str) -> None:
    minimiser = find_algorithm(algorithm)
    assert isinstance(minimiser, RegretMatching)
    once = np.array([0.5, -0.25, 0.0, 2.0], dtype=np.float32)
    slow = np.zeros_like(once)
    for iteration in range(1, 16):
        step = minimiser.step(iteration)
        slow *= np.where(slow > 0, step.positive, step.negative)
        slow = np.maximum(slow + once, step.floor)
    found = once.copy()
    imitate(minimiser, found, 15)
    assert found == pytest.approx(slow, rel=1e-5)
    if algorithm == "cfr":
        assert found == pytest.approx(15 * once)
