"""Trees of hold'em that grow: the same game as one that is laid out at once, in any order."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.games import GameError
from tacit.games.holdem.spot import Spot
from tacit.solvers import Solver, evaluate, find_algorithm
from tacit.solvers.gadgets import Resolve, RootGadgets
from tacit.solvers.growing import GrowingSearch, GrowingSettings
from tacit.solvers.leaves import Zero
from tacit.tree import LEAF, build_forest
from tacit.tree.cards.builder import CardBuilder
from tacit.tree.cards.states import CardState
from tacit.tree.pbs import PBS

RANGES = "QQ+,AhKh,9h8h,7s6s", "TT,KdQd,AcKc,5c4c"


def spot(board: str = "Td9d6hQc2s", bets: str = "50%,a") -> Spot:
    return Spot.of(board, ranges=RANGES, pot=200, behind=300, bets=bets)


def grown(state: CardState, *, seed: int = 0):
    """The whole tree, grown some leaves at a time in a random order."""
    random = np.random.default_rng(seed)
    tree = build_forest(CardBuilder(), [state], depth=1, stop=lambda _: True, fold=False)
    while len(tree.leaves):
        count = int(random.integers(1, len(tree.leaves) + 1))
        tree.expand(random.choice(tree.leaves, count, replace=False).tolist(), stop=lambda _: True)
    return tree


@pytest.mark.parametrize("board", ["Td9d6hQc2s", "Td9d6hQc"])
def test_a_grown_tree_has_the_solution_of_one_laid_out_at_once(board: str) -> None:
    state = CardState.of(spot(board))
    trees = build_forest(CardBuilder(), [state]), grown(state)
    assert trees[0].public_states == trees[1].public_states
    found = []
    for tree in trees:
        solver = Solver(tree, find_algorithm("dcfr"), storage=64)
        solver.run(50)
        result = evaluate(tree, solver.average_policy())
        root = tree.block(solver.average_policy(), tree.roots[0].node)
        found.append((result.exploitability, result.value, root))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-6)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-6)
    assert found[0][2] == pytest.approx(found[1][2], abs=1e-9)


@pytest.mark.parametrize("gadget", [False, True])
def test_a_solver_with_leaves_and_a_gadget_goes_on_in_a_grown_tree(gadget: bool) -> None:
    state = CardState.of(spot("Td9d6hQc"))
    tree = build_forest(CardBuilder(), [state], depth=1, stop=lambda _: True, fold=False)
    beliefs = state.beliefs()
    root = None
    if gadget:
        weights = beliefs[1] * state.compatible_reach(1, beliefs[0])
        root = RootGadgets(1, [Resolve(weights / weights.sum(), np.zeros(state.counts[1]))])
    solver = Solver(tree, find_algorithm("cfr+"), leaves=Zero(), root=root)
    while len(tree.leaves):
        solver.run(2)
        before = solver.sums.copy()
        tree.expand(tree.leaves[: 1 + len(tree.leaves) // 2].tolist(), stop=lambda _: True)
        solver.run(0)
        assert np.array_equal(solver.sums[: len(before)], before)
    first = evaluate(tree, solver.average_policy()).exploitability
    solver.run(300)
    assert evaluate(tree, solver.average_policy()).exploitability < (50 if gadget else first / 5)


def test_leaves_of_cards_read_their_own_outputs_after_growth() -> None:
    """An evaluator of rows that answers the number of the public state, asked anew and grown."""

    class Numbered(Zero):
        def __init__(self) -> None:
            self.histories: dict[str, int] = {}

        def output_columns(self, state, player):
            number = self.histories.setdefault(state.history, len(self.histories))
            return np.full(state.counts[player], number, dtype=np.int32)

        def values(self, inputs):
            return np.tile(np.arange(1000, dtype=np.float32), (len(inputs), 1))

    state, evaluator = CardState.of(spot()), Numbered()
    tree = build_forest(CardBuilder(), [state], depth=1, fold=False)
    solver = Solver(tree, find_algorithm("cfr+"), leaves=evaluator)
    for _ in range(4):
        solver.run(1)
        if not len(tree.leaves):
            break
        for node in tree.leaves.tolist():
            # Player 1's values were computed with player 0's reach as it is now.
            reach = tree.vectors(solver.work.reach[0], 0, node, values=False)[0]
            values = tree.vectors(solver.work.values[1], 1, node, values=True)[0]
            number = evaluator.histories[tree.state(node).history]
            weight = tree.state(node).compatible_reach(1, reach)
            assert values == pytest.approx(number * weight, rel=1e-4)
        tree.expand(tree.leaves[:1].tolist())


def test_growing_tree_cfr_in_hold_em() -> None:
    """GT-CFR on a river reaches the whole tree, and its policy there is nearly unexploitable."""
    state = CardState.of(spot(bets="100%"))
    whole = build_forest(CardBuilder(), [state])
    settings = GrowingSettings(simulations=600, expansions=1)
    beliefs = state.beliefs()
    search = GrowingSearch(
        CardBuilder(), [PBS(state, beliefs)], Zero(), settings, random=np.random.default_rng(0)
    ).run()
    assert search.tree.public_states == whole.public_states
    assert not (search.tree.arrays.player == LEAF).any()
    worth = evaluate(search.tree, search.solver.average_policy()).exploitability
    assert worth < 0.02 * 200
    solver = Solver(whole, find_algorithm("dcfr"))
    solver.run(2000)
    value = evaluate(whole, solver.average_policy()).value
    assert evaluate(search.tree, search.solver.average_policy()).value == pytest.approx(
        value, abs=0.03 * 200
    )


def test_what_cannot_grow_is_refused() -> None:
    state = CardState.of(spot())
    tree = build_forest(CardBuilder(), [state], depth=1)
    with pytest.raises(GameError, match="without fold"):
        tree.expand(tree.leaves.tolist())
    tree = build_forest(CardBuilder(), [state], depth=1, fold=False)
    with pytest.raises(GameError, match="node 0 is not a leaf"):
        tree.expand([0])
    many = CardState.of(Spot.of("Td9d6hQc2s", pot=200, behind=300, bets="100%"))
    with pytest.raises(GameError, match="1081 x 1081"):
        GrowingSearch(
            CardBuilder(), [PBS(many, many.beliefs())], Zero(), GrowingSettings(),
            random=np.random.default_rng(0),
        )  # fmt: skip
    with pytest.raises(GameError, match="more than the 10 kB allowed"):
        build_forest(CardBuilder(max_bytes=10_000), [CardState.of(spot("Td9d6hQc"))], fold=False)
