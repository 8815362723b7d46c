"""`tacit train rl-cfr-…`."""

from __future__ import annotations

import pytest

from support.commands import call, fails

TINY = [f"--set={change}" for change in (
    "epochs=1", "episodes=1", "proposals=1", "iterations=3", "steps=2", "batch=4",
    "validate_every=1", "validation=2",
)]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs") / "run"


def test_a_run_reports_its_rewards_and_is_not_overwritten(folder):
    words = ("train", "rl-cfr-preflop43", "--workers=0", f"--out={folder}", *TINY)
    plot = folder.parent / "curve.png"
    code, out, errors = call(*words, f"--plot={plot}")
    assert code == 0, errors
    assert "gain over the base" in out
    assert plot.exists()
    assert "holds a run already" in fails(*words)
    assert "was begun with epochs=1, not 5" in fails(
        "train", "rl-cfr-preflop43", "--resume", f"--out={folder}", "--set=epochs=5"
    )


def test_an_unknown_preset_names_the_nearest():
    assert "did you mean 'rl-cfr-river'?" in fails("train", "rl-cfr-rive", "--workers=0")


def test_a_plot_needs_measurements(tmp_path):
    words = ("train", "rl-cfr-river", f"--out={tmp_path / 'r'}", "--set=validate_every=0")
    assert "set validate_every above 0" in fails(*words, f"--plot={tmp_path / 'p.png'}")
