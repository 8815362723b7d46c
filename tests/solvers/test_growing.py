"""Growing-tree CFR: how the tree grows, and what it converges to."""

import numpy as np
import pytest

from tacit.games import GameError, load_game
from tacit.solvers import Solver, exploitability
from tacit.solvers.growing import GrowingSearch, GrowingSettings
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle, PBSOracle
from tacit.tree import LEAF, TERMINAL, Builder, build_tree
from tacit.tree.pbs import PBS, first_pbs


def search(name, evaluator=None, *, seed=0, questions=0, roots=1, **settings):
    builder = Builder(load_game(name))
    return GrowingSearch(
        builder,
        [first_pbs(builder.root)] * roots,
        Zero() if evaluator is None else evaluator(builder),
        GrowingSettings(**settings),
        random=np.random.default_rng(seed),
        questions=questions,
    ).run()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"simulations": 0}, "at least one simulation, not 0"),
        ({"expansions": 0}, "more than 0, not 0"),
        ({"expansions": float("nan")}, "more than 0, not nan"),
        ({"exploration": -1}, "at least 0, not -1"),
        ({"share": 1.5}, "from 0 to 1, not 1.5"),
        ({"temperature": 0}, "more than 0, not 0"),
        ({"algorithm": "flop"}, "flop has no regrets"),
        ({"algorithm": "crf"}, "unknown algorithm 'crf'"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(GameError, match=message) as error:
        GrowingSettings(**settings)
    assert "\n" not in str(error.value)


def test_a_finished_game_is_refused():
    builder = Builder(load_game("tic-tac-toe"))
    over = builder.at("a1 b1 a2 b2 a3")
    ones = np.ones(1), np.ones(1)
    with pytest.raises(GameError, match="the game is over"):
        GrowingSearch(
            builder, [PBS(over, ones)], Zero(), GrowingSettings(), random=np.random.default_rng()
        )


@pytest.mark.parametrize(
    ("simulations", "expansions", "iterations"), [(10, 1, 10), (10, 4, 3), (3, 0.1, 30)]
)
def test_the_two_phases_alternate(simulations, expansions, iterations):
    found = search("connect-four", simulations=simulations, expansions=expansions)
    assert found.solver.iteration == iterations
    assert found.tree.nodes <= 8 + simulations


def test_one_child_is_added_at_a_time_where_nothing_is_hidden():
    found = search("connect-four", simulations=40)
    arrays = found.tree.arrays
    assert arrays.edge_count[0] == 7
    added = arrays.edge_count[1:][arrays.action_count[1:] > 0]
    assert added.min() == 1
    assert added.max() < 7
    assert found.tree.nodes == 8 + 40


def test_all_children_are_added_where_something_is_hidden():
    found = search("leduc", simulations=40)
    for node in range(found.tree.nodes):
        if found.tree.arrays.player[node] != LEAF:
            whole = found.tree.state(node).expansion
            assert found.tree.arrays.edge_count[node] == len(whole.transitions)


def test_a_state_without_hidden_information_is_evaluated_once():
    found = search("tic-tac-toe", simulations=200)
    below_root = found.tree.arrays.player[1:] != TERMINAL
    latest = int(below_root[-1])  # added by the last simulation, after which nothing is asked
    assert found.leaves.asked == below_root.sum() - latest


def test_a_tree_that_is_complete_is_solved_as_by_the_engine():
    """After the tree has stopped to grow, searching is iterating the same solver."""
    found = search("kuhn", simulations=60)
    assert len(found.tree.leaves) == 0
    tree = build_tree(load_game("kuhn"), fold=False)
    solver = Solver(tree, GrowingSettings().minimiser, leaves=Zero())
    found.update(2000)
    solver.run(2000)
    assert exploitability(found.tree, found.solver.average_policy()) < 3e-3
    assert found.values(0) @ np.ones(3) / 3 == pytest.approx(-1 / 18, abs=2e-3)
    assert solver.root_values(0)[0] @ np.ones(3) / 3 == pytest.approx(-1 / 18, abs=2e-3)


@pytest.mark.parametrize("evaluator", [Oracle, PBSOracle])
def test_values_with_an_oracle_are_those_of_the_game(evaluator):
    found = search("leduc", evaluator, simulations=60, expansions=0.5)
    values = [found.values(player) for player in (0, 1)]
    assert values[0].mean() == pytest.approx(-0.0856, abs=0.03)
    assert values[0].mean() == pytest.approx(-values[1].mean(), abs=0.05)
    assert found.cfvs(0) == pytest.approx(
        values[0] * found.tree.state(0).compatible_reach(0, np.ones(3))
    )


def test_enough_simulations_find_that_tic_tac_toe_is_a_draw():
    found = search("tic-tac-toe", simulations=3000, expansions=10)
    assert abs(found.values(0)[0]) < 0.05


def test_a_winning_move_is_found():
    builder = Builder(load_game("tic-tac-toe"))
    state = builder.at("a1 b1 a2 b2")
    pbs = PBS(state, (np.ones(1), np.ones(1)))
    found = GrowingSearch(
        builder, [pbs], Zero(), GrowingSettings(simulations=50), random=np.random.default_rng(0)
    ).run()
    best = found.tree.labels(0)[int(found.policy()[:, 0].argmax())]
    assert best == "a3"
    assert found.policy().max() > 0.9
    assert found.values(0)[0] > 0.9


def test_the_same_seed_gives_the_same_search():
    first, second, other = (search("leduc", seed=seed, simulations=50) for seed in (1, 1, 2))
    assert np.array_equal(first.solver.sums, second.solver.sums)
    assert np.array_equal(first.stats.visits, second.stats.visits)
    assert not np.array_equal(first.stats.visits[:20], other.stats.visits[:20])


def test_a_forest_searches_every_root():
    found = search("leduc", roots=3, simulations=30)
    assert len(found.focus) == 3
    for root in range(3):
        assert found.policy(root).sum(axis=0) == pytest.approx(np.ones(3))


def test_questions_are_where_the_evaluator_was_asked():
    found = search("leduc", simulations=30, questions=20)
    builder = Builder(load_game("leduc"))
    questions = found.questions()
    assert len(questions) == 20
    for pbs in questions:
        state = builder.root
        for number in pbs.path:
            state = state.expansion.child(number)
        assert state.key == pbs.state.key
        for beliefs in pbs.beliefs:
            assert beliefs.sum() == pytest.approx(1)


def test_questions_in_a_game_that_grows_move_by_move_have_their_paths():
    found = search("connect-four", simulations=60, questions=30)
    root = Builder(load_game("connect-four")).root
    for pbs in found.questions():
        state = root
        for number in pbs.path:
            state = state.expansion.child(number)
        assert state.key == pbs.state.key


def test_visits_are_counted_at_every_infostate_of_a_simulation():
    found = search("leduc", simulations=100)
    assert found.tree.block(found.stats.visits, 0).sum() == 100
    assert not found.stats.pending.any()


@pytest.mark.parametrize("algorithm", ["cfr", "linear-cfr", "dcfr", "pcfr+"])
@pytest.mark.parametrize("alternating", [False, True])
def test_other_algorithms_can_be_selected(algorithm, alternating):
    found = search("kuhn", simulations=400, algorithm=algorithm, alternating=alternating)
    assert exploitability(found.tree, found.solver.average_policy()) < 0.05
    assert found.values(0).mean() == pytest.approx(-1 / 18, abs=0.05)


class Proposing:
    """Values of zero and a policy that prefers the actions with large numbers."""

    inputs, guide = 0, None

    def __init__(self, builder):
        self.zero, self.rows = Zero(), []
        self.describe, self.input_columns = self.zero.describe, self.zero.input_columns
        self.output_columns, self.values = self.zero.output_columns, self.zero.values

    def action_columns(self, state, expansion):
        return np.repeat(np.array(expansion.actions)[:, None], state.counts[state.mover], axis=1)

    def answer(self, inputs):
        self.rows.append(len(inputs))
        policies = np.tile(np.arange(1, 10, dtype=np.float32), (len(inputs), 1))
        return self.values(inputs), policies


def test_priors_are_the_evaluators_policies():
    found = search("connect-four", Proposing, simulations=20, temperature=2)
    weights = np.arange(1, 8) ** 0.5
    assert found.tree.block(found.stats.priors, 0)[:, 0, 0] == pytest.approx(
        weights / weights.sum()
    )
    for node in range(1, found.tree.nodes):
        if found.tree.arrays.edge_count[node] == 1:
            assert found.tree.labels(node) == ("7",)


def test_new_states_of_an_expansion_phase_are_asked_together():
    builder = Builder(load_game("connect-four"))
    evaluator = Proposing(builder)
    settings = GrowingSettings(simulations=20, expansions=10)
    roots = [first_pbs(builder.root)] * 2
    found = GrowingSearch(builder, roots, evaluator, settings, random=np.random.default_rng(0))
    found.run()
    assert evaluator.rows[:2] == [2, 14]  # the roots, for their priors, and their children
    assert len(evaluator.rows) == 3
    assert 8 < evaluator.rows[2] <= 20


def test_golden_trees():
    """What seed 0 grows, move by move; a change here is a change of the algorithm."""
    found = search("tic-tac-toe", simulations=8)
    paths = [found.path(node) for node in range(found.tree.nodes)]
    assert paths[:10] == [(), *((number,) for number in range(9))]
    assert paths[10:] == [
        (0, 0), (1, 0), (2, 0), (4, 0), (3, 0), (3, 0, 0), (6, 0), (4, 0, 0)
    ]  # fmt: skip
    assert found.tree.block(found.stats.visits, 0).ravel().tolist() == [1, 1, 1, 2, 2, 0, 1, 0, 0]
    found = search("kuhn", simulations=6)
    paths = [found.path(node) for node in range(found.tree.nodes)]
    assert paths == [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    "name", ["coin-toss", "liars-dice-1x4", "pursuit-glasses", "rock-paper-scissors", "go-5x5"]
)
def test_every_kind_of_game_is_searched_by_the_same_code(name):
    """Hidden moves, private observations, chance and open games."""
    found = search(name, simulations=40, expansions=2)
    policy = found.policy()
    assert policy.sum(axis=0) == pytest.approx(np.ones(policy.shape[1]))
    assert found.tree.block(found.stats.visits, 0).sum() == 40
    bounds = np.abs(found.values(0)).max(), np.abs(found.values(1)).max()
    assert np.all(np.isfinite(bounds))
