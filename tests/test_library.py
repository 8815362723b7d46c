"""`import tacit` is enough: every name, with games that the package has never seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.games.kuhn import Kuhn
from tacit.learn.settings import Settings
from tacit.learn.trainer import Run, TrainedNetwork
from tacit.solvers import Evaluation, Solution, exploitability
from tacit.solvers.leaves import Zero
from tacit.solvers.oracle import Oracle, PBSOracle
from tacit.solvers.spot import SpotSolution
from tacit.tree import Builder
from tacit.tree.cards.builder import CardBuilder

SMALL = {
    "table_size": 8, "iterations": 8, "steps": 2, "rounds": 1, "hidden": (8,), "depth": 1,
    "play_iterations": 8, "evaluate_every": 2, "evaluate_playthroughs": 2,
}  # fmt: skip
RIVER = tacit.Spot.of("Td9d6hQc2s", ranges=("AA,76s", "JJ"), pot=200, behind=400, bets="60%")
TURN = tacit.Spot.of("Td9d6hQc", ranges=("AA,76s", "JJ"), pot=200, behind=400, bets="60%")


class Mine(Kuhn):
    name = "mine"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "mine"
    return tacit.train(Mine(), epochs=2, out=folder, workers=0, settings=SMALL)


def test_every_name_is_there_and_no_other() -> None:
    for name in tacit.__all__:
        assert getattr(tacit, name).__doc__
    assert set(tacit.__all__) <= set(dir(tacit))
    with pytest.raises(AttributeError, match="no attribute 'solve_game'"):
        tacit.solve_game  # noqa: B018


def test_importing_tacit_imports_nothing_large() -> None:
    script = (
        "import sys, tacit; tacit.__version__\n"
        "assert not {'numpy', 'numba', 'torch', 'scipy', 'click'} & set(sys.modules)\n"
        "tacit.Game\n"
        "assert not {'numba', 'torch', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_page_runs_from_standard_input_with_worker_processes(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "library.md").read_text()
    game = page.split("```python\n")[1].split("```")[0]
    rules = "\n".join(line[4:] for line in game.splitlines() if line)
    script = f"""
{rules}
game = Auction()
tacit.check_game(game)
solution = tacit.solve(game, target=1e-3)
run = tacit.train(game, epochs=2, out="runs/mine", workers=2, settings={SMALL!r})
worth = tacit.evaluate(run, playthroughs=300, workers=2)
match = tacit.play_match(game, tacit.agents.search(run), tacit.agents.uniform(game), games=200)
print(solution.exploitability < 1e-3, run.epoch, worth.exploitability > 0, match.games)
"""
    done = subprocess.run(
        [sys.executable, "-"], input=script, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.split() == ["True", "2", "True", "200"], done.stderr
    assert (tmp_path / "runs" / "mine" / "network.pt").exists()


def test_games_are_solved_by_name_and_as_objects() -> None:
    named, given = (tacit.solve(game, iterations=50) for game in ("kuhn", Kuhn()))
    assert np.array_equal(named.policy, given.policy)
    assert tacit.solve(Mine(), algorithm="lp").value == pytest.approx(-1 / 18, abs=1e-9)
    doubled = tacit.solve("kuhn", iterations=5, precision="double", algorithm="dcfr")
    assert (doubled.precision, doubled.algorithm, doubled.iterations) == ("double", "dcfr", 5)
    with pytest.raises(tacit.GameError, match="more than"):
        tacit.solve("leduc", max_bytes=1000)
    with pytest.raises(TypeError, match="percent"):
        tacit.solve("kuhn", percent=1.0)  # type: ignore[call-overload]


def test_spots_are_solved_to_a_share_of_the_pot() -> None:
    solution = tacit.solve(RIVER, percent=0.5, threads=1)
    assert isinstance(solution, SpotSolution)
    assert solution.percent_of_pot <= 0.5
    assert tacit.solve(RIVER, iterations=3, storage=16, algorithm="cfr+").storage == 16
    assert tacit.evaluate(solution).exploitability == pytest.approx(solution.exploitability)
    locked = tacit.solve(RIVER, iterations=64, locks={"": {"k": 1.0}})
    assert tacit.evaluate(locked).exploitability == pytest.approx(locked.exploitability)


def test_solutions_spots_runs_and_networks_are_told_apart_by_their_files(
    run: Run, tmp_path: Path
) -> None:
    solution = tacit.solve(Mine(), iterations=20)
    kept: dict[str, Any] = {"a": solution, "b": tacit.solve(TURN, iterations=3), "c": run}
    for name, what in kept.items():
        tacit.save(what, tmp_path / name)
    loaded = {name: tacit.load(tmp_path / name, game=Mine()) for name in kept}
    assert [type(what) for what in loaded.values()] == [Solution, SpotSolution, TrainedNetwork]
    assert isinstance(tacit.load(run.folder, game=Mine()), Run)
    assert isinstance(tacit.load("kuhn"), TrainedNetwork)
    assert np.array_equal(loaded["a"].policy, solution.policy)
    assert np.array_equal(loaded["b"].policy, kept["b"].policy)
    for name in ("settings", "epoch", "examples", "seconds"):
        assert getattr(loaded["c"], name) == getattr(run, name)
    tacit.save(loaded["c"], tmp_path / "again")
    figures = [
        tacit.evaluate(what, playthroughs=4, workers=0, game=Mine())
        for what in (run, run.folder, tmp_path / "c", str(tmp_path / "again"), loaded["c"])
    ]
    assert len(set(figures)) == 1
    shorter = tacit.evaluate(run, iterations=2, playthroughs=4, workers=0)
    assert shorter not in figures


def test_what_cannot_be_loaded_or_evaluated_is_told(run: Run, tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "none", "there is no file"),
        (tmp_path, "holds no run"),
        (__file__, "is not a solution of tacit"),
        (run.folder, "one of 'mine'; give its game"),
        (run.folder / "network.pt", "one of 'mine'; give its game"),
    ):
        with pytest.raises(tacit.GameError, match=message):
            tacit.load(path)
    from tacit.formats.spot_solution import save_spot_solution

    save_spot_solution(tacit.solve(TURN, iterations=3), tmp_path / "small", small=True)
    with pytest.raises(tacit.GameError, match="without rivers"):
        tacit.evaluate(tmp_path / "small")


def test_solutions_are_evaluated_from_the_rules() -> None:
    solution = tacit.solve("kuhn", target=1e-3)
    worth = tacit.evaluate(solution)
    assert isinstance(worth, Evaluation)
    assert worth.exploitability == pytest.approx(solution.exploitability, abs=1e-12)
    assert worth.exploitability == exploitability(solution.tree, solution.policy)


def test_a_run_takes_settings_whole_or_in_part_and_resumes(run: Run, tmp_path: Path) -> None:
    assert run.epoch == 2
    assert run.settings.self_play.table_size == 8
    with pytest.raises(tacit.GameError, match="holds a run already"):
        tacit.train(Mine(), out=run.folder, settings=SMALL)
    with pytest.raises(tacit.GameError, match="begun with epochs=2, not 3"):
        tacit.train(Mine(), epochs=3, out=run.folder, settings=SMALL, resume=True)
    told: list[int] = []
    whole = Settings().replace(**SMALL)
    again = tacit.train(
        "kuhn", epochs=1, seed=7, out=tmp_path / "whole", settings=whole, workers=0,
        each=lambda progress: told.append(progress.epoch),
    )  # fmt: skip
    assert told == [1]
    assert (again.settings.seed, again.settings.game) == (7, "kuhn")
    stopped = tacit.train("kuhn", out=tmp_path / "short", settings=SMALL, seconds=0, workers=0)
    assert stopped.epoch == 0


def test_search_to_the_end_of_the_game_finds_the_equilibrium() -> None:
    found = tacit.search("kuhn", iterations=2000)
    assert found.actions == ("pass", "bet")
    assert found.policy.shape == (2, 3)
    root = found.pbs.state
    assert found.values[0] @ (root.compatibility.sum(axis=1)) == pytest.approx(-1 / 18, abs=1e-3)
    assert found.values[1] @ (root.compatibility.sum(axis=0)) == pytest.approx(1 / 18, abs=1e-3)
    assert found.policy_at("Q")["bet"] == pytest.approx(0, abs=0.02)
    below = tacit.search(Mine(), at=found.after["bet"], iterations=2000)
    assert below.policy_at("K")["bet"] == pytest.approx(1, abs=1e-3)
    assert below.policy_at("J")["bet"] == pytest.approx(0, abs=1e-3)
    assert below.pbs.path == (1,)
    assert below.after["bet"].path == (1, 1)
    with pytest.raises(tacit.GameError, match="no infostate 'A' here; there are: "):
        found.policy_at("A")


def test_beliefs_after_a_move_follow_bayes_rule() -> None:
    found = tacit.search("leduc", Zero(), iterations=10, depth=1)
    for number, label in enumerate(found.actions):
        share = found.policy[number] / found.policy[number].sum()
        assert found.after[label].beliefs[0] == pytest.approx(share, abs=1e-5)
        assert found.after[label].beliefs[1].sum() == pytest.approx(1)


def test_search_goes_on_where_chance_moves() -> None:
    builder = Builder(tacit.load_game("leduc"))
    state = builder.at("check check")
    found = tacit.search("leduc", at=tacit.PBS(state, (np.ones(3), np.ones(3))), iterations=4)
    assert found.actions == ()
    assert found.policy.size == 0
    assert len(found.after) == 3
    with pytest.raises(tacit.GameError, match="no infostate"):
        found.policy_at("K")


def test_search_takes_runs_networks_and_evaluators(run: Run) -> None:
    whole = tacit.search("kuhn", iterations=500)
    oracle = Oracle(Builder(Kuhn()), iterations=500)
    near = tacit.search("kuhn", oracle, iterations=500, depth=1, mode="cfr-avg-sound")
    assert near.values[0] == pytest.approx(whole.values[0], abs=0.03)
    network: Any = tacit.load(run.folder / "network.pt", game=Mine())
    results = [tacit.search(Mine(), source) for source in (run, network, run.folder)]
    for found in results:
        assert np.array_equal(found.policy, results[0].policy)
    for game in ("kuhn", RIVER):
        with pytest.raises(tacit.GameError, match="was trained on mine, not on "):
            tacit.search(game, run)
    with pytest.raises(tacit.GameError, match="one of kuhn, not of mine"):
        tacit.search(Mine(), "kuhn")
    other = tacit.search(Mine(), run, iterations=30, algorithm="flop")
    assert not np.array_equal(other.policy, results[0].policy)


def test_search_takes_spots() -> None:
    whole = tacit.solve(TURN, percent=0.1)
    oracle = PBSOracle(CardBuilder(), iterations=60)
    found = tacit.search(TURN, oracle, stop="round", iterations=60, mode="cfr-avg")
    assert found.actions == ("k", "r220")
    weights = found.pbs.beliefs[0] * found.pbs.state.compatible_reach(0, found.pbs.beliefs[1])
    bets = float(found.policy[1] @ weights / weights.sum())
    assert bets == pytest.approx(whole.view().frequencies()["r220"], abs=0.1)


def test_agents_of_every_kind_meet(run: Run) -> None:
    solution = tacit.solve(Mine(), target=1e-3)
    solved = tacit.agents.policy(solution)
    for agent in (
        tacit.agents.search(run),
        tacit.agents.search(run.folder, game=Mine(), iterations=1),
        tacit.agents.search("kuhn"),
        tacit.agents.uniform("kuhn"),
    ):
        found = tacit.play_match("kuhn", solved, agent, games=400)
        assert found.mean > -3 * found.error
