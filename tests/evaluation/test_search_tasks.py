"""Exploitability of search in portions, the same for any number of workers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tacit
from tacit import agents
from tacit.evaluation import search_tasks
from tacit.evaluation.match import play_match
from tacit.evaluation.search_tasks import measure_of, played_policy, whole_tree
from tacit.games import GameError, load_game
from tacit.learn.settings import Settings
from tacit.learn.trainer import Run
from tacit.solvers import evaluate

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
    monkeypatch.setattr(search_tasks, "PORTION", 2)
    told: list[int] = []
    figures = [
        evaluate(*played_policy(run, playthroughs=5, seed=1, workers=workers, each=told.append))
        for workers in (0, 1, 2)
    ]
    assert figures[0] == figures[1] == figures[2]
    assert sorted(told)[-3:] == [5, 5, 5]
    assert tacit.evaluate(run, playthroughs=5, seed=1, workers=0) == figures[0]
    other = replace(SMALL.play, iterations=2)
    shorter = evaluate(*played_policy(run, search=other, playthroughs=5, seed=1, workers=0))
    assert shorter == tacit.evaluate(run, iterations=2, playthroughs=5, seed=1, workers=0)


def test_a_run_is_measured_while_it_trains(run: Run) -> None:
    assert 0 < measure_of(run)(run.network) < 2


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
