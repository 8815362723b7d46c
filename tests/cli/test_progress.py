"""Progress bars: the share of a solve that is finished, and stages."""

from __future__ import annotations

import pytest

from tacit.cli import progress
from tacit.cli.progress import Bar, BuildProgress, StageProgress, StepProgress, share_done, sharing
from tacit.solvers import Checkpoint, Limits
from tacit.steps import EVERY, counted, listening


def falling(power, count):
    return [Checkpoint(2**k, 0.1 * 2**k, (2.0**k) ** -power, 0.0) for k in range(count)]


def test_the_first_limit_counts():
    limits = Limits(iterations=1000, seconds=10.0)
    assert share_done(limits, [], 500, 1.0) == 0.5
    assert share_done(limits, [], 500, 8.0) == 0.8
    assert share_done(limits, [], 2000, 1.0) == 1.0


def test_only_time_counts_when_only_time_is_given():
    assert share_done(Limits(seconds=10.0), [], 10**9, 5.0) == 0.5


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_target_is_extrapolated_as_a_power_of_the_iterations(power):
    history = falling(power, 7)  # at iteration 64
    target = 256.0**-power
    assert share_done(Limits(target=target), history, 64, 6.4) == pytest.approx(64 / 256)


def test_a_target_that_is_met_is_the_end():
    assert share_done(Limits(target=0.5), falling(1.0, 3), 4, 0.4) == 1.0


def test_no_estimate_without_progress():
    flat = [Checkpoint(n, 0.0, 1.0, 0.0) for n in (1, 2, 4)]
    assert share_done(Limits(target=0.1), flat, 4, 0.4) == pytest.approx(4 / 1_000_000)


def test_stages_follow_each_other_on_the_bar() -> None:
    with StageProgress("flop-holdem", visible=False) as bar:
        for stage in ("the tree", "the blueprint"):
            for share in (0.0, 0.5):
                bar.stage(stage, share)
        task = bar.tasks[0]
        assert task.description == "flop-holdem: the blueprint"
        assert task.completed == 0.5


def test_a_share_of_work_moves_a_bar_until_it_ends():
    with sharing("choosing bet sizes") as on_share:
        [bar] = Bar.active
        assert bar.tasks[0].description == "choosing bet sizes"
        on_share(0.25)
        assert bar.tasks[0].percentage == 25
    assert not Bar.active


@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_building_shows_a_bar_only_where_it_takes_long(patience, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    with BuildProgress(visible=True) as building:
        for share in (0.25, 0.5):
            building.on_share(share)
        assert building.live.is_started == (patience == 0.0)
        assert building.tasks[0].completed == 0.5
    assert not building.live.is_started


def test_a_step_of_the_library_is_counted_where_it_takes_long(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    shown = StepProgress()
    with listening(shown):
        with counted("building: {:,} states") as count:
            for number in range(2 * EVERY + 1):
                count(number)
            assert shown.shown is not None
            assert shown.shown.tasks[0].description == f"building: {2 * EVERY:,} states"
        assert shown.shown is None
        with StageProgress("a bar", visible=True), counted("building: {:,} states") as count:
            for number in range(2 * EVERY + 1):
                count(number)
            assert shown.shown is None  # one bar at a time
    assert not Bar.active


def test_names_on_a_bar_are_not_markup():
    with Bar("{task.fields[state]}", visible=False) as bar:
        bar.add_task("x[bold].npz", state="[/b]")
        assert [str(cell) for cell in bar.make_tasks_table(bar.tasks).columns[0].cells] == [
            "x[bold].npz"
        ]
        assert [str(cell) for cell in bar.make_tasks_table(bar.tasks).columns[2].cells] == ["[/b]"]
