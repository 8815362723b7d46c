"""RL-CFR's rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import call
from tacit.evaluation.turn_sizes import deep_share, measure_plan
from tacit.games import GameError
from tacit.learn.rl_cfr.rewards import Solves
from tacit.learn.rl_cfr.training import PRESETS, TrainedActor, make_learner
from tacit.reproduce import rl_cfr
from tacit.reproduce.rl_cfr import RLCFR


@pytest.fixture
def small(monkeypatch):
    """Blocks of two rivers, and short solves for --bets auto."""
    monkeypatch.setattr("tacit.evaluation.river_sizes.BLOCK", 2)
    monkeypatch.setattr(rl_cfr, "AUTO_ITERATIONS", 20)


def test_rows_of_rivers_stand_beside_the_papers_and_are_kept(small, tmp_path):
    out = tmp_path / "rows.json"
    experiment = RLCFR(experiments=("rivers", "auto"), rivers=20, spots=2)
    object.__setattr__(experiment, "rivers", 2)
    first = experiment.rows(out=out)
    assert [(row["experiment"], row["measure"]) for row in first] == [
        ("rivers", "exploitability, mbb/h"),
        ("rivers", "value, mbb/h"),
        ("auto", "least gain, % of pot"),
    ]
    assert (first[0]["paper_base"], first[0]["paper_ours"]) == (20, 17)
    assert first[0]["difference"] == pytest.approx(first[0]["ours"] - first[0]["base"])
    assert experiment.rows(out=out) == first, "finished rows are not computed again"
    blocks = json.loads((tmp_path / "rows-blocks.json").read_text())
    assert {row["method"] for row in blocks} == {"base", "ours"}
    assert experiment.tables(first)


def test_refined_rivers_stand_beside_the_methods_of_the_comparisons(small, tmp_path):
    out = tmp_path / "rows.json"
    experiment = RLCFR(experiments=("comparisons", "rivers-refined"), compared=20)
    object.__setattr__(experiment, "compared", 2)
    rows = experiment.rows(out=out)
    assert [row["experiment"] for row in rows[8::2]] == [
        "rivers, refined",
        "MUL-ACTION, ours refined",
        "FINE-GRAIN, ours refined",
    ]
    beside = {row["experiment"]: row["base"] for row in rows[::2]}
    assert beside["MUL-ACTION, ours refined"] == beside["MUL-ACTION, 3 x time"]
    assert beside["FINE-GRAIN, ours refined"] == beside["FINE-GRAIN, ours 6 sizes"]
    assert len({row["ours"] for row in rows[8::2]}) == 1
    blocks = json.loads((tmp_path / "rows-blocks.json").read_text())
    assert [row["method"] for row in blocks].count("MUL-ACTION, 3 x time") == 1


def test_rivers_of_the_papers_learner_are_named_after_it(small, tmp_path):
    experiment = RLCFR(experiments=("rivers",), rivers=20)
    object.__setattr__(experiment, "rivers", 2)
    object.__setattr__(
        experiment, "runs", (untrained("river", tmp_path, {"learner": "actor-critic"}),)
    )
    assert {row["experiment"] for row in experiment.rows()} == {"rivers, actor-critic, 0 epochs"}


def untrained(problem: str, folder: Path, changes: dict[str, str] | None = None) -> str:
    settings = PRESETS[f"rl-cfr-{problem}"].changed(changes or {})
    path = folder / f"{problem}.pt"
    TrainedActor(make_learner(settings), settings).save_actor(path)
    return str(path)


def test_preflop43_is_measured_with_the_papers_solves_and_with_converged_ones(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("tacit.evaluation.preflop43_sizes.CONVERGED", Solves(20))
    runs = (untrained("preflop43", tmp_path),)
    rows = RLCFR(experiments=("preflop43",), deals=2, runs=runs).rows()
    measures = [
        "reward, mbb an action",
        "reward of all sizes, mbb an action",
        "exploitability, mbb/h",
        "head to head, mbb/h",
    ]
    assert [row["measure"] for row in rows] == measures * 3
    assert [row["experiment"] for row in rows[::4]] == [
        "preflop43",
        "preflop43, refined",
        "preflop43, converged",
    ]
    assert [row["paper_base"] for row in rows[2::4]] == [23, 23, None]
    assert rows[2]["base"] > 0
    assert rows[0]["count"] >= 2
    assert rows[4]["ours"] >= 0, "a refined choice is worth no less than the base"


def test_turns_are_measured_by_the_actor_alone_and_refined(tmp_path, monkeypatch):
    monkeypatch.setattr("tacit.evaluation.turn_sizes.HANDS", 6)
    monkeypatch.setattr("tacit.evaluation.turn_sizes.measure_plan", quick_plan)
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.TURN_ITERATIONS", 5)
    monkeypatch.setattr("tacit.learn.rl_cfr.refinement.ERROR_SHARE", 0)
    runs, out = (untrained("turn", tmp_path),), tmp_path / "rows.json"
    experiments = ("turns", "turns-actor", "turns-all", "turns-converged")
    experiment = RLCFR(experiments=experiments, turns=3, deep=2, converged=2, runs=runs)
    rows = experiment.rows(out=out)
    assert [row["experiment"] for row in rows[::2]] == [
        "turns, refined",
        "turns, actor alone",
        "deep turns, refined",
        "all turns, refined",
        "turns, refined, 800 iterations",
        "deep turns, refined, 800 iterations",
    ]
    assert [row["measure"] for row in rows] == ["exploitability, mbb/h", "value, mbb/h"] * 6
    for usual, deep, both in zip(rows[:2], rows[4:6], rows[6:8], strict=True):
        share = deep_share()
        assert both["count"] == 5
        for name in ("base", "ours", "difference"):
            assert both[name] == pytest.approx((1 - share) * usual[name] + share * deep[name])
        assert 0 < both["error"] < usual["error"] + deep["error"]
    assert rows[0]["base"] == rows[2]["base"] > 0
    assert rows[4]["difference"] == 0, "turns with more than twelve pots behind keep the base"
    assert rows[10]["base"] < rows[4]["base"], "more iterations lose less"
    again = RLCFR(
        experiments=("turns-converged",), converged=2, turn_iterations=250, runs=runs
    ).rows(out=out)
    assert again[2]["base"] == pytest.approx(rows[4]["base"]), "the same turns and iterations"
    assert all(row["training"].startswith("tacit train rl-cfr-turn --seed 0") for row in rows)
    blocks = json.loads((tmp_path / "rows-blocks.json").read_text())
    measured = [(row["method"], row["block"]) for row in blocks if "value" in row]
    base = ("player 1, 250 iterations, (0.5, 1.0, 2.0), (0.5, 1.0, 2.0)", 0)
    assert measured.count(base) == 1, "the base is measured once on each turn"


def test_flops_are_measured_refined_and_by_the_actor_alone(tmp_path, monkeypatch):
    gains = [{"refined": [0.5, 0.1], "actor alone": [0.4, -0.6]}] * 2
    monkeypatch.setattr("tacit.evaluation.flop_sizes.flop_choices", lambda chooser, flop: {})
    monkeypatch.setattr("tacit.evaluation.flop_sizes.flop_gains", lambda *_: gains.pop())
    rows = RLCFR(experiments=("flops",), flops=2).rows(out=tmp_path / "rows.json")
    assert [row["experiment"] for row in rows] == ["flops, refined", "flops, actor alone"]
    assert [row["ours"] for row in rows] == pytest.approx([0.3, -0.1])
    again = RLCFR(experiments=("flops",), flops=2).rows(out=tmp_path / "rows.json")
    assert again == rows, "finished flops are kept"


def quick_plan(decision, plan, player, iterations):
    return measure_plan(decision, plan, player, iterations // 50)


def test_rivers_come_in_whole_blocks():
    with pytest.raises(GameError, match="blocks of 20"):
        RLCFR(rivers=30)
    code, _, errors = call("reproduce", "rl-cfr", "--experiments=river")
    assert code == 1
    assert "no experiment 'river'" in errors
