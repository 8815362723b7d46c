"""Runs: epochs, resuming, and what their folder holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.games import GameError
from tacit.learn.holdem.examples import Examples, load_pbss
from tacit.learn.holdem.network import KnotEvaluator, load_evaluator
from tacit.learn.holdem.settings import HoldemSettings
from tacit.learn.holdem.targets import average_by_network
from tacit.learn.holdem.training import EpochProgress, HoldemRun, read_progress

SMALL = HoldemSettings().replace(
    epochs=5, games=2, searches=1, late_searches=1, positions=4, solved=3, iterations=6,
    hidden=(16,), bets=(1.0,), raises=(1.0,), steps=10, last_steps=20, batch=16,
    **{"target.iterations": 5},
)  # fmt: skip


def test_a_run_learns_and_its_network_is_loaded(tmp_path: Path) -> None:
    run = HoldemRun.create(tmp_path / "run", SMALL)
    stages: set[str] = set()
    run.train(workers=0, stage=lambda name, share: stages.add(name))
    log = read_progress(run.folder)
    assert [entry.epoch for entry in log] == [1, 2, 3, 4, 5]
    # Two boards, two examples each of three solved PBSs and of four before the card.
    assert log[0].examples == 28
    assert log[2].examples > log[1].examples > 28
    # Values that are made anew are not counted again.
    assert run.examples == log[4].examples > log[3].examples == log[2].examples
    assert all(entry.error > 0 for entry in log)
    assert stages == {"boards"}  # too few steps to be reported
    evaluator = load_evaluator(run.folder)
    assert evaluator.origin.examples == run.examples
    assert evaluator.origin.command.startswith("tacit train holdem-turn --seed 0 --set epochs=5")
    assert "--set bets=1.0" in evaluator.origin.command


def test_an_interrupted_run_resumes_to_the_same_network(tmp_path: Path) -> None:
    whole = HoldemRun.create(tmp_path / "whole", SMALL)
    whole.train(workers=0)
    HoldemRun.create(tmp_path / "parts", SMALL)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    first = HoldemRun.open(tmp_path / "parts")
    with pytest.raises(KeyboardInterrupt):
        first.train(workers=0, each=stop)
    second = HoldemRun.open(tmp_path / "parts")
    assert second.epoch == 1
    second.train(workers=1)
    for one, two in zip(
        whole.network.weights().values(), second.network.weights().values(), strict=True
    ):
        assert np.array_equal(one, two)
    assert second.examples == whole.examples


def test_the_last_searches_are_solved_and_all_pbss_are_valued_anew(tmp_path: Path) -> None:
    run = HoldemRun.create(tmp_path / "run", SMALL)
    networks: list[KnotEvaluator] = []

    def keep(progress: EpochProgress) -> None:
        networks.append(KnotEvaluator.load(run.folder / "network.npz"))

    run.train(workers=0, each=keep)
    kept = [load_pbss(run.folder / f"before-{epoch}.npz") for epoch in (0, 1, 2)]
    assert len(Examples.load(run.folder / "solved-2.npz")) == 2 * len(kept[2])
    assert not (run.folder / "averaged-2.npz").exists()
    assert not (run.folder / "solved-3.npz").exists()
    late = [Examples.load(run.folder / f"{kind}-4.npz") for kind in ("solved", "averaged")]
    assert len(late[0]) == len(late[1]) > 0
    found = Examples.load(run.folder / "averaged-3.npz")
    once = sum(map(len, kept))
    assert len(found) == 2 * (once + SMALL.play.variants * len(kept[2]))
    # The first board's values by the network of 16 bits that was kept after the third epoch.
    first = kept[0].at(kept[0].by_board()[kept[0].boards[0]])
    again = average_by_network(networks[2], first)
    for row in range(2 * len(first)):
        number, player = divmod(row, 2)
        order = np.argsort(again.positions.equity[number, player])
        known = np.interp(
            found.equity[row],
            again.positions.equity[number, player, order],
            again.shares[number, player, order],
        )
        assert np.abs(known - found.target[row]).mean() < 0.02


def test_a_limit_of_time_ends_before_the_next_epoch(tmp_path: Path) -> None:
    run = HoldemRun.create(tmp_path / "run", SMALL)
    run.train(workers=0, seconds=0)
    assert run.epoch == 0


def test_wrong_folders_and_changes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="holds no run"):
        HoldemRun.open(tmp_path)
    HoldemRun.create(tmp_path / "run", SMALL)
    with pytest.raises(GameError, match="holds a run already"):
        HoldemRun.create(tmp_path / "run", SMALL)
    with pytest.raises(GameError, match="begun with epochs=5, not 6"):
        HoldemRun.open(tmp_path / "run", {"epochs": "6"})


def test_damaged_lines_of_the_log_are_left_out(tmp_path: Path) -> None:
    line = '{"epoch": 1, "seconds": 1, "examples": 2, "loss": 0.1, "error": 0.2}'
    (tmp_path / "log.jsonl").write_text(f"nonsense\n{line}\n[1]\n")
    assert [entry.epoch for entry in read_progress(tmp_path)] == [1]
