"""Runs: chunks in files, resumed where they stopped, the same from any worker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tacit.games import GameError
from tacit.learn.holdem.examples import Examples
from tacit.learn.holdem.fitting import FitSettings
from tacit.learn.holdem.knots import SCALARS, Situation
from tacit.learn.holdem.network import load_evaluator
from tacit.learn.holdem.streets.positions import StreetSettings
from tacit.learn.holdem.streets.run import (
    Street,
    StreetRun,
    StreetRunSettings,
    find_street_preset,
)
from tacit.learn.holdem.streets.targets import ChunkSettings
from tacit.learn.holdem.targets import TargetSettings

TINY = StreetRunSettings(
    street="preflop",
    rounds=2,
    chunks=1,
    hidden=(8,),
    later_chunks=1,
    fitting=FitSettings(steps=3, last_steps=3, batch=4),
    chunk=ChunkSettings(
        positions=StreetSettings(
            least_stack=2000, most_stack=2000, preflop_iterations=3, flop_iterations=3
        ),
        targets=TargetSettings(iterations=2, cards=1),
        flops=1,
        leaves=1,
        averaged=2,
        deals=2,
    ),
)


def test_a_run_is_resumed_with_the_chunk_that_is_missing(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    done: list[tuple[int, int]] = []
    network = StreetRun.create(whole, TINY).train(each=lambda a, b: done.append((a, b)))
    assert done == [(1, 2), (2, 2)]
    assert network.situations == {Situation.BEFORE_FLOP, Situation.FLOP}
    assert network.origin.command == (
        "tacit train holdem-preflop --seed 0 --set chunks=1 --set later_chunks=1 --set steps=3"
    )
    StreetRun.create(parts, TINY).train()
    for name in ("chunk-0001.npz", "round-1.npz", "network.npz"):
        (parts / name).unlink()
    StreetRun.resume(parts, TINY).train()
    first, second = (Examples.load(each / "chunk-0001.npz") for each in (whole, parts))
    assert np.array_equal(first.target, second.target)
    one, two = (load_evaluator(each) for each in (whole, parts))
    rows = first.rows.astype(np.float32)
    assert np.array_equal(one.network.curves(rows), two.network.curves(rows))


@pytest.mark.parametrize(
    ("street", "situation", "after"),
    [("flop", Situation.BEFORE_TURN, 0), ("preflop", Situation.BEFORE_FLOP, 2)],
)
def test_later_rounds_average_over_cards(
    tmp_path: Path, street: Street, situation: Situation, after: int
) -> None:
    settings = replace(TINY, street=street)
    network = StreetRun.create(tmp_path, settings).train()
    first, second = (Examples.load(tmp_path / f"chunk-000{n}.npz") for n in (0, 1))
    before = SCALARS + situation
    assert (second.rows[:4, before] == 1).all()  # two PBSs for two players
    assert len(second) == 4 + after  # and both players of a flop that was searched
    noisy = int((first.rows[:, before] == 1).sum())
    assert noisy > 0
    # What one card said before it is dropped.
    assert network.origin.examples == len(first) - noisy + len(second)


def test_folders_and_settings_are_checked(tmp_path: Path) -> None:
    StreetRun.create(tmp_path, TINY)
    with pytest.raises(GameError, match="holds a run already"):
        StreetRun.create(tmp_path, TINY)
    with pytest.raises(GameError, match="other settings"):
        StreetRun.resume(tmp_path, replace(TINY, seed=1))
    assert StreetRun.resume(tmp_path, TINY).settings == TINY


def test_settings_are_changed_by_text() -> None:
    preset = find_street_preset("holdem-flop")
    assert preset.changed({"chunks": "3", "steps": "7"}).fitting.last_steps == 7
    assert preset.changed({"chunks": "3", "seed": "5"}).seed == 5
    for changes, error in (({"chunk": "3"}, "chunks"), ({"chunks": "x"}, "whole number")):
        with pytest.raises(GameError, match=error):
            preset.changed(changes)
    with pytest.raises(GameError, match="holdem-flop"):
        find_street_preset("holdem-flopp")
    with pytest.raises(GameError, match="expected flop or preflop"):
        replace(TINY, street="turn")  # type: ignore[arg-type]
