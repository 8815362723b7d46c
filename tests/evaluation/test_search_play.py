"""What search plays, written out over the whole game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit import agents
from tacit.evaluation import search_play
from tacit.evaluation.match import play_match
from tacit.evaluation.search_play import (
    Form,
    least_exploitability,
    measure_of_search,
    measure_search,
    played_plans,
    played_policy,
    search_exploitability,
    search_policy,
    whole_tree,
)
from tacit.games import GameError, load_game
from tacit.learn.settings import SearchSettings, Settings
from tacit.learn.trainer import Run
from tacit.solvers import Solver, evaluate, find_algorithm, normalise
from tacit.solvers.depth_limited import Mode
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle
from tacit.tree import Builder, build_forest


@pytest.mark.parametrize("form", ["exact", "unsafe"])
@pytest.mark.parametrize("algorithm", ["linear-cfr", "dcfr", "flop"])
@pytest.mark.parametrize("game", ["kuhn", "liars-dice-1x3", "rock-paper-scissors"])
def test_a_search_to_the_end_plays_its_average_policy(
    game: str, algorithm: str, form: Form
) -> None:
    builder = Builder(load_game(game))
    tree = build_forest(builder, [builder.root])
    settings = SearchSettings(algorithm=algorithm, iterations=300, depth=99)
    worth = search_exploitability(
        tree, Zero(), settings, playthroughs=1, random=np.random.default_rng(0), form=form
    )
    solver = Solver(tree, find_algorithm(algorithm))
    solver.run(300)
    solved = evaluate(tree, solver.average_policy())
    assert worth.exploitability < 2 * solved.exploitability + 1e-3
    assert worth.value == pytest.approx(solved.value, abs=0.02)


def test_the_sampled_form_plays_single_iterations() -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    settings = SearchSettings(algorithm="fp", iterations=20, depth=99)
    sums = search_policy(
        tree, Zero(), settings, playthroughs=1, random=np.random.default_rng(0), form="sampled"
    )
    # A best response of fictitious play is pure, and so is one sampled iteration of it.
    assert set(np.round(sums, 6).tolist()) <= {0.0, 1.0}


@pytest.mark.parametrize(
    ("algorithm", "mode", "most"),
    [
        ("linear-cfr", "cfr-d", 0.1),
        ("linear-cfr", "cfr-avg-sound", 0.1),
        ("flop", "cfr-avg-sound", 0.1),
        ("soft-flop", "cfr-avg-sound", 0.1),
    ],
)
def test_unsafe_search_loses_to_a_prepared_opponent_and_sampling_does_not(
    algorithm: str, mode: Mode, most: float
) -> None:
    builder = Builder(load_game("rock-paper-scissors"))
    tree = build_forest(builder, [builder.root])
    settings = SearchSettings(algorithm=algorithm, mode=mode, iterations=128, depth=1)
    found = {}
    forms: dict[Form, int] = {"unsafe": 1, "exact": 128}
    for form, playthroughs in forms.items():
        found[form] = search_exploitability(
            tree,
            Oracle(builder, iterations=60),
            settings,
            playthroughs=playthroughs,
            random=np.random.default_rng(0),
            form=form,
        ).exploitability
    assert found["unsafe"] > 0.4
    assert found["exact"] < most


@pytest.mark.parametrize("mode", ["cfr-d", "cfr-avg"])
@pytest.mark.parametrize("algorithm", ["linear-cfr", "flop"])
def test_searches_to_the_end_of_the_round_play_the_whole_game(algorithm: str, mode: Mode) -> None:
    builder = Builder(load_game("leduc"))
    tree = build_forest(builder, [builder.root])
    settings = SearchSettings(algorithm=algorithm, mode=mode, iterations=32, stop="round")
    worth = search_exploitability(
        tree,
        Oracle(builder, iterations=40),
        settings,
        playthroughs=16,
        random=np.random.default_rng(0),
    )
    assert worth.exploitability < 0.4
    assert evaluate(tree, tree.uniform_policy()).exploitability > 2


def test_sums_of_several_calls_add_up() -> None:
    builder = Builder(load_game("kuhn"))
    tree = build_forest(builder, [builder.root])
    settings = SearchSettings(iterations=10, depth=1)
    oracle = Oracle(builder, iterations=20)
    parts = [
        search_policy(tree, oracle, settings, playthroughs=2, random=np.random.default_rng(seed))
        for seed in (1, 2)
    ]
    policy = normalise(tree, parts[0] + parts[1])
    for node in np.flatnonzero(tree.arrays.action_count > 0).tolist():
        assert tree.block(policy, node).sum(axis=0) == pytest.approx(1)


def test_fictitious_play_that_meets_the_latest_answer_is_not_sound() -> None:
    builder = Builder(load_game("rock-paper-scissors"))
    tree = build_forest(builder, [builder.root])
    settings = SearchSettings(algorithm="flop", mode="cfr-d", iterations=512, depth=1)
    sums = search_policy(
        tree,
        Oracle(builder, iterations=60),
        settings,
        playthroughs=512,
        random=np.random.default_rng(0),
    )
    policy = normalise(tree, sums)
    assert evaluate(tree, policy).exploitability > 0.2
    first, second = (
        tree.block(policy, node).ravel()
        for node in np.flatnonzero(tree.arrays.action_count > 0).tolist()
    )
    # What beats the second player's answer is what the first plays, as often as it is answered.
    rock, paper, scissors = first
    assert second == pytest.approx([paper, scissors, rock], abs=0.05)


def test_beliefs_tremble_as_much_as_is_said() -> None:
    beliefs = (np.array([0.0, 0.5, 0.5]), np.ones(1000))
    still = SearchSettings()
    assert still.shaken(beliefs, np.random.default_rng(0)) is beliefs
    first, second = SearchSettings(tremble=0.1).shaken(beliefs, np.random.default_rng(0))
    assert first[0] == 0
    assert np.log(second).std() == pytest.approx(0.1, rel=0.1)


SMALL = Settings().replace(
    game="kuhn", depth=1, iterations=8, play_iterations=8, hidden=(8,), table_size=8,
    evaluate_playthroughs=4,
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run", SMALL)


def test_the_figure_does_not_depend_on_the_workers(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_play, "PORTION", 2)
    told: list[int] = []
    figures = [
        evaluate(*played_policy(run, playthroughs=5, seed=1, workers=workers, each=told.append))
        for workers in (0, 1, 2)
    ]
    assert figures[0] == figures[1] == figures[2]
    assert sorted(told)[-3:] == [5, 5, 5]
    assert len(played_plans(run, playthroughs=5, workers=0)[1]) == 3
    assert tacit.evaluate(run, playthroughs=5, seed=1, workers=0) == figures[0]
    other = replace(SMALL.play, iterations=2)
    shorter = evaluate(*played_policy(run, search=other, playthroughs=5, seed=1, workers=0))
    assert shorter == tacit.evaluate(run, iterations=2, playthroughs=5, seed=1, workers=0)


def test_a_response_to_one_half_wins_no_more_against_the_other(run: Run) -> None:
    told: list[int] = []
    found = measure_search(run, playthroughs=4, seeds=(1, 2), workers=0, each=told.append)
    assert told == [4, 8]
    assert found.at_least is not None
    assert found.at_least <= found.pooled
    assert len(found.exploitability) == 2
    alone = measure_search(run, playthroughs=4, seeds=(2,), workers=0)
    assert alone.exploitability == (alone.pooled,) == found.exploitability[1:]
    assert alone.at_least is None
    tree, plans = played_plans(run, playthroughs=4, seed=1, workers=0)
    known = evaluate(tree, normalise(tree, plans[0].copy()))
    # Against the half that it knows, a best response wins all there is to win.
    assert least_exploitability(tree, [plans[0], plans[0]]) == pytest.approx(known.exploitability)


def test_a_run_is_measured_while_it_trains(run: Run) -> None:
    assert 0 < measure_of_search(run)(run.network) < 2


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(GameError, match="tacit evaluate --matches"):
        whole_tree(load_game("liars-dice-2x5"))


def test_agents_of_a_run_and_of_a_game_meet(run: Run) -> None:
    game = run.game
    found = play_match(game, agents.search(run), agents.uniform(game), games=20, seed=1)
    again = play_match(game, agents.search(run), agents.uniform(game), games=20, seed=1)
    assert found == again
    assert abs(found.mean) <= 2
    quick = agents.search(run, iterations=1)
    assert play_match(game, quick, agents.uniform(game), games=20).games == 20
