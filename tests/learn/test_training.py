"""Training runs: the same whoever plays, gone on from as if never stopped, and safe from harm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tacit.learn.workers import Player, Task, Workers, dump_weights, make_network

from tacit.evaluate.search_play import search_exploitability
from tacit.games import GameError, load
from tacit.learn.self_play import Examples, play_round, start
from tacit.learn.settings import Settings
from tacit.learn.trainer import Run, load_network, load_origin, read_log, read_settings
from tacit.tree import Builder, build_forest

SMALL = Settings(
    game="liars-dice-1x2",
    tables=3,
    table_size=8,
    rounds=2,
    iterations=12,
    hidden=(16, 16),
    steps=4,
    batch=32,
    epochs=4,
    buffer=400,
    drop_after=3,
)


def tasks(player: Player) -> list[Task]:
    positions = (start(player.encoding),) * SMALL.table_size
    return [Task(0, table, positions) for table in range(SMALL.tables)]


def weights_of(run: Run) -> torch.Tensor:
    return torch.cat([parameter.detach().ravel() for parameter in run.network.parameters()])


def test_the_first_epoch_does_not_depend_on_the_workers() -> None:
    player = Player(SMALL)
    weights = dump_weights(player.network)
    pool = Workers(SMALL, 2)
    try:
        outcomes = pool.play(tasks(player), weights)
    finally:
        pool.close()
    for task, outcome in zip(tasks(player), outcomes, strict=True):
        here = player.play(task, weights)
        assert np.array_equal(here.examples.rows, outcome.examples.rows)
        assert np.array_equal(here.examples.values, outcome.examples.values)
        assert [p.state for p in here.positions] == [p.state for p in outcome.positions]


def test_the_start_of_the_game_is_solved_once_a_round_for_all() -> None:
    player = Player(SMALL)
    first = start(player.encoding)
    random = np.random.default_rng(0)
    positions = [first] * 8
    for _ in range(6):
        here = sum(place.state != first.state for place in positions)
        found = play_round(player.encoding, player.network, positions, SMALL.search, random)
        assert len(found.examples.rows) == 1 + here
        positions = found.positions
    assert here > 0


def test_beliefs_that_rule_each_other_out_are_left() -> None:
    """In Kuhn both may be sure of the same card where one of them explores."""
    settings = replace(SMALL, game="kuhn", depth=1, table_size=64, rounds=12)
    player = Player(settings)
    outcome = player.play(Task(0, 0, (start(player.encoding),) * 64), dump_weights(player.network))
    for place in outcome.positions:
        joint = player.encoding.states[place.state].compatibility
        assert place.beliefs[0] @ joint @ place.beliefs[1] > 0


def test_the_log_tells_the_exploitability_and_a_line_cut_short_is_left_out(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", replace(SMALL, judge_every=2))
    run.train(workers=1, measure=lambda network: 0.5)
    with (run.folder / "log.jsonl").open("a") as log:
        log.write('{"epoch": 9')
    assert [entry.exploitability for entry in read_log(run.folder)] == [None, 0.5, None, 0.5]
    origin = load_origin(run.folder)
    assert (origin.epoch, origin.examples) == (4, run.examples)


def test_a_killed_worker_is_replaced_and_nothing_is_lost() -> None:
    player = Player(SMALL)
    weights = dump_weights(player.network)
    pool = Workers(SMALL, 1)
    try:
        first = pool.play(tasks(player), weights)
        for victim in list(pool.processes()):
            os.kill(victim, signal.SIGKILL)
        again = pool.play(tasks(player), weights)
    finally:
        pool.close()
    for before, after in zip(first, again, strict=True):
        assert np.array_equal(before.examples.values, after.examples.values)


def test_workers_end_when_the_run_that_made_them_is_killed() -> None:
    script = (
        "import os, signal\n"
        "from tacit.learn.settings import Settings\n"
        "from tacit.learn.workers import Workers\n"
        "if __name__ == '__main__':\n"
        "    pool = Workers(Settings(game='kuhn', hidden=(8,)), 1)\n"
        "    print(pool._pool.submit(os.getpid).result(), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    worker = int(made.stdout)
    for _ in range(100):
        if not Path(f"/proc/{worker}").exists():
            return
        time.sleep(0.2)
    os.kill(worker, signal.SIGKILL)
    raise AssertionError("the worker stayed")


def test_an_interrupted_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole = Run.create(tmp_path / "whole", SMALL)
    whole.train(workers=1)
    parts = Run.create(tmp_path / "parts", SMALL)

    def stop(progress: object) -> None:
        if parts.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.train(workers=1, each=stop)
    resumed = Run.open(tmp_path / "parts")
    assert resumed.epoch == 2
    resumed.train(workers=1)
    assert resumed.epoch == whole.epoch == SMALL.epochs
    assert torch.equal(weights_of(resumed), weights_of(whole))
    assert len((tmp_path / "parts" / "log.jsonl").read_text().splitlines()) == SMALL.epochs
    network, settings = load_network(tmp_path / "parts")
    assert settings == SMALL
    assert torch.equal(network.body[1].weight, whole.network.body[1].weight)


def test_bad_runs_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="holds no run"):
        read_settings(tmp_path)
    folder = tmp_path / "run"
    run = Run.create(folder, SMALL)
    run.save()
    with pytest.raises(GameError, match="holds a run already"):
        Run.create(folder, SMALL)
    with pytest.raises(GameError, match="was trained on liars-dice-1x2, not on kuhn"):
        load_network(folder, Builder(load("kuhn")))
    content = (folder / "checkpoint.pt").read_bytes()
    (folder / "checkpoint.pt").write_bytes(content[: len(content) // 2])
    with pytest.raises(GameError, match="damaged"):
        Run.open(folder)
    (folder / "network.pt").write_bytes(b"not a network")
    with pytest.raises(GameError, match="damaged"):
        load_network(folder)


def test_a_loss_that_is_not_a_number_stops_the_run_and_keeps_the_last_state(
    tmp_path: Path,
) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    shape = (SMALL.buffer, run.encoding.inputs), (SMALL.buffer, run.encoding.outputs)
    run.replay.add(Examples(*(np.full(s, np.nan, dtype=np.float32) for s in shape)))
    before = weights_of(run).clone()
    with pytest.raises(GameError, match="the loss is nan"):
        run.train(workers=1)
    assert torch.equal(weights_of(Run.open(tmp_path / "run")), before)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    run.save()
    kept = (tmp_path / "run" / "checkpoint.pt").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(GameError, match="No space left"):
        run.save()
    assert (tmp_path / "run" / "checkpoint.pt").read_bytes() == kept


def test_settings_are_read_from_text_and_unknown_ones_refused() -> None:
    changed = SMALL.changed({"hidden": "32x8", "joint": "false", "mode": "cfr-avg", "explore": "0"})
    assert changed.hidden == (32, 8)
    assert not changed.joint
    assert changed.search.mode == "cfr-avg"
    assert Settings.from_json(changed.to_json()) == changed
    with pytest.raises(GameError, match="did you mean 'iterations'"):
        SMALL.changed({"iteration": "3"})
    with pytest.raises(GameError, match="is not a whole number"):
        SMALL.changed({"iterations": "many"})
    with pytest.raises(GameError, match="choice of"):
        SMALL.changed({"mode": "cfr-x"})


@pytest.mark.parametrize("game", ["kuhn", "leduc", "pursuit-glasses", "rock-paper-scissors"])
@pytest.mark.parametrize("kind", ["joint", "single", "pairs", "pairs-fp"])
def test_self_play_goes_through_every_kind_of_game(game: str, kind: str) -> None:
    settings = Settings(game=game, joint=kind == "joint", iterations=6, hidden=(8,), depth=1)
    if kind.startswith("pairs"):
        algorithm = "flop" if kind == "pairs-fp" else "dcfr"
        settings = replace(
            settings, pairs=True, mode="cfr-avg-sound", algorithm=algorithm, tremble=0.1
        )
    player = Player(settings)
    positions = [start(player.encoding)] * 16
    random = np.random.default_rng(1)
    visited = set()
    for _ in range(12):
        examples, positions, _ = play_round(
            player.encoding, player.network, positions, settings.search, random
        )
        assert np.isfinite(examples.values).all()
        assert np.abs(examples.values).max() <= player.encoding.largest_payoff * 1.001
        visited |= {position.state for position in positions}
        for position in positions:
            for beliefs in position.beliefs:
                assert beliefs.min() >= 0
                assert beliefs.max() > 0
    assert visited - {start(player.encoding).state}


def test_pairs_learn_what_hands_are_worth_against_each_other(tmp_path: Path) -> None:
    settings = Settings(
        game="kuhn", pairs=True, mode="cfr-avg-sound", algorithm="dcfr", iterations=32, depth=1,
        tremble=0.05, huber=1.0, hidden=(32, 32), table_size=32, tables=1, epochs=12, steps=60,
        halve_every=4,
    )  # fmt: skip
    run = Run.create(tmp_path / "run", settings)
    run.train(workers=1)
    builder = run.encoding.builder
    worth = search_exploitability(
        build_forest(builder, [builder.root]),
        run.network,
        settings.search,
        playthroughs=128,
        random=np.random.default_rng(0),
    )
    assert worth.exploitability < 0.06
    assert worth.value == pytest.approx(-1 / 18, abs=0.02)


def test_the_network_starts_from_the_seed() -> None:
    encoding = Player(SMALL).encoding
    first, second = (make_network(SMALL, encoding) for _ in range(2))
    assert torch.equal(first.body[1].weight, second.body[1].weight)
