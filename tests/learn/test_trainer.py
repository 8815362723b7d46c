"""Training runs: the same whoever plays, gone on from as if never stopped, and safe from harm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import tacit
from tacit.evaluation.search_play import search_exploitability
from tacit.files import FolderLock
from tacit.games import GameError, load_game
from tacit.games.kuhn import Kuhn
from tacit.learn.network import make_network
from tacit.learn.replay import Examples
from tacit.learn.settings import Settings
from tacit.learn.trainer import (
    Run,
    check_resume,
    load_network,
    read_log,
    read_settings,
)
from tacit.tree import Builder, build_forest

SMALL = Settings().replace(
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


def weights_of(run: Run) -> torch.Tensor:
    return torch.cat([parameter.detach().ravel() for parameter in run.network.parameters()])


def test_the_log_tells_the_exploitability_and_a_line_cut_short_is_left_out(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", SMALL.replace(evaluate_every=2))
    run.train(workers=1, measure=lambda network: 0.5)
    with (run.folder / "log.jsonl").open("a") as log:
        log.write('{"epoch": 9')
    assert [entry.exploitability for entry in read_log(run.folder)] == [None, 0.5, None, 0.5]
    found = load_network(run.folder)
    assert (found.epoch, found.examples) == (4, run.examples)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_does_not_depend_on_the_workers(tmp_path: Path, workers: int) -> None:
    runs = []
    for number in (1, workers):
        run = Run.create(tmp_path / f"{number}", SMALL)
        run.train(workers=number)
        runs.append(weights_of(run))
    assert torch.equal(*runs)


def test_examples_are_played_with_the_weights_of_the_epoch_before_last(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", SMALL.replace(epochs=3))
    first = {name: weight.clone() for name, weight in run.network.state_dict().items()}
    after: list[dict[str, torch.Tensor]] = []

    def keep(progress: object) -> None:
        lagging = after[-1] if after else first
        assert all(torch.equal(run.lagging[name], lagging[name]) for name in first)
        after.append({name: weight.clone() for name, weight in run.network.state_dict().items()})

    run.train(workers=0, each=keep)
    assert len(after) == 3
    assert not torch.equal(after[0]["body.1.weight"], first["body.1.weight"])


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
    found = load_network(tmp_path / "parts")
    assert found.settings == SMALL
    assert torch.equal(found.network.body[1].weight, whole.network.body[1].weight)


def test_an_interrupt_in_the_middle_of_an_epoch_takes_the_epoch_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Run.create(tmp_path / "whole", SMALL)
    whole.train(workers=0)
    parts = Run.create(tmp_path / "parts", SMALL)
    step, steps = Run._step, list[int]()

    def interrupted(self: Run, *examples: object) -> float:
        steps.append(self.epoch)
        if len(steps) == 11:
            raise KeyboardInterrupt
        return step(self, *examples)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        parts.train(workers=0)
    resumed = Run.open(tmp_path / "parts")
    assert resumed.epoch == 2
    resumed.train(workers=0)
    assert torch.equal(weights_of(resumed), weights_of(whole))
    assert resumed.examples == whole.examples


def test_resuming_with_other_settings_is_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    check_resume(run, SMALL)
    with pytest.raises(GameError, match="begun with seed=0, not 3"):
        check_resume(run, SMALL.replace(seed=3))
    with pytest.raises(GameError, match="begun with steps=4, not 5"):
        tacit.train("liars-dice-1x2", out=run.folder, settings=SMALL.replace(steps=5), resume=True)


def test_a_refused_setting_leaves_nothing_behind(tmp_path: Path) -> None:
    unlisted = SMALL.replace(game="tic-tac-toe", random_beliefs=True)
    with pytest.raises(GameError, match="random_beliefs=false"):
        Run.create(tmp_path / "run", unlisted)
    with pytest.raises(GameError, match="train with pairs=false"):
        Run.create(tmp_path / "run", SMALL.replace(game="liars-dice-4x6", pairs=True))
    assert not (tmp_path / "run").exists()


class NamedKuhn(Kuhn):
    """Kuhn poker under a name that is not in the registry."""

    name = "my-kuhn"


def test_a_game_of_ones_own_is_trained_and_has_to_be_given_again(tmp_path: Path) -> None:
    small = {"table_size": 8, "iterations": 8, "steps": 2, "rounds": 1, "hidden": (8,)}
    settings = Settings().replace(**small, game="my-kuhn", depth=1, epochs=1)
    run = tacit.train(NamedKuhn(), settings=settings, epochs=2, out=tmp_path / "run", workers=1)
    assert run.epoch == 2
    with pytest.raises(GameError, match=r"one of 'my-kuhn'; give its game \(unknown game"):
        Run.open(tmp_path / "run")
    again = Run.open(tmp_path / "run", NamedKuhn())
    assert torch.equal(weights_of(again), weights_of(run))
    with pytest.raises(GameError, match="one of my-kuhn, not of kuhn"):
        Run.open(tmp_path / "run", load_game("kuhn"))
    found = load_network(tmp_path / "run", game=NamedKuhn())
    assert torch.equal(found.network.body[1].weight, run.network.body[1].weight)


def test_a_game_from_standard_input_is_trained_in_processes(tmp_path: Path) -> None:
    script = (
        "import tacit\n"
        "from tacit.games.kuhn import Kuhn\n"
        "from tacit.learn.settings import Settings\n"
        "class Mine(Kuhn):\n"
        "    name = 'mine'\n"
        "small = dict(table_size=8, iterations=8, steps=2, rounds=1, hidden=(8,), depth=1)\n"
        "settings = Settings().replace(game='mine', epochs=2, **small)\n"
        f"run = tacit.train(Mine(), settings=settings, out={str(tmp_path / 'run')!r}, workers=1)\n"
        "print(run.epoch)\n"
    )
    made = subprocess.run(
        [sys.executable, "-"], input=script, capture_output=True, text=True, check=False
    )
    assert made.stdout.strip() == "2", made.stderr


def test_bad_runs_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="holds no run"):
        read_settings(tmp_path)
    folder = tmp_path / "run"
    run = Run.create(folder, SMALL)
    run.save()
    with pytest.raises(GameError, match="holds a run already"):
        Run.create(folder, SMALL)
    with pytest.raises(GameError, match="was trained on liars-dice-1x2, not on kuhn"):
        load_network(folder, Builder(load_game("kuhn")))
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
    buffer = SMALL.optimizer.buffer
    shape = (buffer, run.encoding.inputs), (buffer, run.encoding.outputs)
    run.replays["values"].add(Examples(*(np.full(s, np.nan, dtype=np.float32) for s in shape)))
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


def test_pairs_learn_what_hands_are_worth_against_each_other(tmp_path: Path) -> None:
    settings = Settings().replace(
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


def test_the_network_starts_from_the_seed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    first, second = (make_network(run.encoding.builder, SMALL.network, seed=n) for n in (0, 1))
    assert torch.equal(first.body[1].weight, run.network.body[1].weight)
    assert not torch.equal(first.body[1].weight, second.body[1].weight)


def test_a_second_run_in_one_folder_is_told_who_holds_it(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    lock = FolderLock(run.folder)
    with pytest.raises(GameError, match=f"is in use by process {os.getpid()}"):
        run.train(workers=0)
    lock.release()
    run.train(workers=0)
    assert run.epoch == SMALL.epochs


def test_settings_that_were_changed_behind_the_run_are_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    run.save()
    Run.open(run.folder)
    (run.folder / "settings.json").write_text(SMALL.replace(steps=5).to_json())
    with pytest.raises(GameError, match="it says steps=5, but the run was begun with steps=4"):
        Run.open(run.folder)


@pytest.mark.parametrize("name", ["network.pt", "checkpoint.pt"])
def test_damage_anywhere_is_one_line_without_advice_to_load_unsafely(
    tmp_path: Path, name: str
) -> None:
    run = Run.create(tmp_path / "run", SMALL)
    run.save()
    path = run.folder / name
    whole = path.read_bytes()
    for place in np.linspace(0, len(whole) - 1, 20, dtype=int).tolist():
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(GameError, match="damaged") as caught:
            (load_network if name == "network.pt" else Run.open)(run.folder)
        assert "weights_only" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_damaged_lines_of_the_log_are_left_out(tmp_path: Path) -> None:
    lines = (b"\xff", b"[]", b'{"epoch": []}', b'{"epoch": 1}', b"[" * 100_000)
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(lines))
    assert read_log(tmp_path) == []
