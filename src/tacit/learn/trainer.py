"""Training: epochs of self-play and gradient steps, in a folder from which a run resumes.

A run's folder holds `settings.json`, `checkpoint.pt` (all that resuming needs), `network.pt` (the
weights alone), `log.jsonl` (one line for each epoch) and TensorBoard's files.

Self-play runs one epoch ahead: during the gradient steps of epoch e the examples of epoch e + 1 are
played, with the weights from before those steps. So no core idles. As the lag is always one epoch,
the result is the same for any number of workers and interruptions.
"""

from __future__ import annotations

import copy
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import smooth_l1_loss

from tacit.archive import open_archive, reading, write_archive
from tacit.cluster import Batch, Session, executor_of
from tacit.files import write_text
from tacit.games import Game, GameError, load_game
from tacit.learn.encoding import Encoding
from tacit.learn.examples import Examples
from tacit.learn.network import Network, make_network
from tacit.learn.player import PlayerSetup, TableResult, TableTask, copy_weights
from tacit.learn.policy_network import PolicyNetwork
from tacit.learn.presets import PRESETS, find_preset, presets_of, settings_for
from tacit.learn.replay import Replay
from tacit.learn.settings import Settings
from tacit.learn.shipped import find_network
from tacit.tree import Builder
from tacit.tree.pbs import PortablePBS, first_pbs

VERSION = 2
SAVE_SECONDS = 60.0
NOT_LEARNT = ("seed", "play_iterations", "evaluate_every", "evaluate_playthroughs")
"""Settings that a command line states otherwise, or that do not change the network."""

Measure = Callable[[Network], float]
"""Measures the exploitability of a network's search."""


@dataclass(frozen=True)
class Progress:
    """One epoch: its number, time since the start of the run, examples so far, loss and speed.

    `exploitability` is that of the network's search where it was measured after this epoch.
    """

    epoch: int
    seconds: float
    examples: int
    loss: float
    examples_per_second: float
    exploitability: float | None = None


class Run:
    """A training run in a folder, new or resumed."""

    def __init__(self, folder: Path, settings: Settings, game: Game) -> None:
        self.folder = folder
        self.settings = settings
        self.game = game
        shape, learning = settings.network, settings.optimizer
        self.encoding = Encoding(Builder(game), joint=shape.joint, pairs=shape.pairs)
        if settings.self_play.random_beliefs and self.encoding.states is None:
            raise GameError(f"{game.name} has too many public states; set random_beliefs=false")
        self.network = make_network(self.encoding, shape, seed=settings.seed)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=learning.learning_rate, fused=True
        )
        self.replay = Replay(learning.buffer, self.encoding.inputs, self.encoding.outputs)
        self.policies: Replay | None = None
        if isinstance(self.network.guide, PolicyNetwork):
            guide = self.network.guide
            self.policies = Replay(learning.buffer, guide.inputs, guide.outputs, np.uint8)
        self.epoch = 0
        self.examples = 0
        self.seconds = 0.0
        self.lagging = copy_weights(self.network)
        """The weights with which the next epoch's examples are played."""
        first = first_pbs(self.encoding.builder.root).portable()
        table = (first,) * settings.self_play.table_size
        self.positions: list[tuple[PortablePBS, ...]] = [table] * settings.self_play.tables
        """The positions from which they are played."""

    @classmethod
    def create(cls, folder: Path, settings: Settings, game: Game | None = None) -> Run:
        """A new run; refuses a folder that holds another."""
        if (folder / "settings.json").exists():
            raise GameError(f"{folder} holds a run already; resume it, or name another folder")
        if not str(folder).isprintable():
            raise GameError(f"{str(folder)!r} cannot be a run's folder: it is not a plain text")
        run = cls(folder, settings, _game_of(settings, game))
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "settings.json", settings.to_json())
        return run

    @classmethod
    def open(cls, folder: Path, game: Game | None = None) -> Run:
        """A run as it was when it was last saved; give `game` if it is not in the registry."""
        settings = read_settings(folder)
        run = cls(folder, settings, _game_of(settings, game))
        path = folder / "checkpoint.pt"
        if path.exists():
            with reading(path, "a checkpoint of this run"):
                run._restore(_load(path))
        return run

    def train(
        self,
        *,
        workers: int,
        each: Callable[[Progress], None] | None = None,
        seconds: float | None = None,
        measure: Measure | None = None,
    ) -> None:
        """Run the epochs that are left, or for this long; an interrupt saves and goes through.

        Self-play has `workers` processes, or this one if there are 0. `measure` finds the
        network's exploitability every `evaluate_every` epochs and after the last.
        """
        if self.epoch >= self.settings.epochs:
            return self.save()
        from torch.utils.tensorboard import SummaryWriter  # slow to import, and only used here

        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the batches are small, and the workers want the other cores
        board = SummaryWriter(self.folder / "tensorboard")
        begun = saved = time.monotonic()
        before = self.seconds
        session = executor_of(workers).open(PlayerSetup(self.game, self.settings))
        try:
            playing = self._play(session)
            while self.epoch < self.settings.epochs:
                if seconds is not None and time.monotonic() - begun >= seconds:
                    break
                began, made = time.monotonic(), self.examples
                loss, playing = self._one_epoch(session, playing)
                now = time.monotonic()
                speed = (self.examples - made) / (now - began)
                self.seconds = before + now - begun
                worth = measure(self.network) if measure and self._evaluating() else None
                progress = Progress(self.epoch, self.seconds, self.examples, loss, speed, worth)
                with (self.folder / "log.jsonl").open("a") as log:
                    log.write(json.dumps(progress.__dict__) + "\n")
                for name in ("loss", "examples", "examples_per_second"):
                    board.add_scalar(name, getattr(progress, name), self.epoch)
                if worth is not None:
                    board.add_scalar("exploitability", worth, self.epoch)
                if each is not None:
                    each(progress)
                if time.monotonic() - saved > SAVE_SECONDS:
                    self.save()
                    saved = time.monotonic()
        finally:
            session.close()
            board.close()
            torch.set_num_threads(threads)
            self.save()
        return None

    def _evaluating(self) -> bool:
        every = self.settings.evaluation.evaluate_every
        return every > 0 and (self.epoch % every == 0 or self.epoch == self.settings.epochs)

    def _play(self, session: Session[TableTask, TableResult]) -> Batch[TableResult]:
        """Submit the tables of the next epoch."""
        return session.submit(
            [
                TableTask(self.epoch, number, positions, self.lagging)
                for number, positions in enumerate(self.positions)
            ]
        )

    def _one_epoch(
        self, session: Session[TableTask, TableResult], playing: Batch[TableResult]
    ) -> tuple[float, Batch[TableResult]]:
        """The loss, and the batch of the next epoch; if interrupted, nothing changes."""
        tables = playing.results()
        before = self._mark(tables)
        try:
            self.lagging = copy_weights(self.network)
            self._collect(tables)
            if self.epoch < self.settings.epochs:
                playing = self._play(session)
            return self._learn(), playing
        except BaseException:
            self._return_to(before)
            raise

    def _collect(self, tables: list[TableResult]) -> None:
        """Store the results of an epoch's tables."""
        for table in tables:
            self.replay.add(table.examples)
            if self.policies is not None and table.policies is not None:
                self.policies.add(table.policies)
            self.examples += len(table.examples.rows) * (2 if self.encoding.joint else 1)
        self.positions = [table.positions for table in tables]
        self.epoch += 1
        if self.epoch == self.settings.optimizer.drop_after:
            self.replay.drop_half()
            if self.policies is not None:
                self.policies.drop_half()

    def _mark(self, tables: list[TableResult]) -> dict[str, Any]:
        """What `_return_to` needs to undo an epoch with these tables."""
        policies = sum(len(t.policies.rows) for t in tables if t.policies is not None)
        return {
            "network": copy_weights(self.network),
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "replay": self.replay.mark(sum(len(t.examples.rows) for t in tables)),
            "policies": self.policies.mark(policies) if self.policies is not None else None,
            "counts": (self.epoch, self.examples, self.positions, self.lagging),
        }

    def _return_to(self, mark: dict[str, Any]) -> None:
        self.network.load_state_dict(mark["network"])
        self.optimizer.load_state_dict(mark["optimizer"])
        self.replay.return_to(mark["replay"])
        if self.policies is not None:
            self.policies.return_to(mark["policies"])
        self.epoch, self.examples, self.positions, self.lagging = mark["counts"]

    def _learn(self) -> float:
        learning, seed = self.settings.optimizer, self.settings.seed
        rate = learning.learning_rate * 0.5 ** (self.epoch // learning.halve_every)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        random = np.random.default_rng([seed, self.epoch, self.settings.self_play.tables])
        total = 0.0
        for _ in range(learning.steps):
            examples = self.replay.sample(learning.batch, random)
            policies = None
            if self.policies is not None:
                policies = self.policies.sample(learning.batch, random)
            total += self._step(examples, policies)
        return total / learning.steps

    def _step(self, examples: Examples, policies: Examples | None) -> float:
        """One gradient step: pointwise Huber loss, in units of the largest payoff; returns it.

        The policy network learns in the same step; the networks share no parameters.
        """
        rows = torch.from_numpy(examples.rows)
        answer = self.network(rows)
        units = self.encoding.units(examples.rows)
        target = torch.from_numpy((examples.values / units).astype(np.float32))
        huber = self.settings.optimizer.huber
        errors = smooth_l1_loss(answer, target, beta=huber, reduction="none")
        loss: torch.Tensor = (errors * self.encoding.weights(rows)).mean()
        whole = loss
        if policies is not None:
            assert isinstance(self.network.guide, PolicyNetwork)
            whole = loss + self.network.guide.loss(policies)
        if not torch.isfinite(whole):
            raise GameError(
                f"the loss is {whole.item()} in epoch {self.epoch}; the last good state is kept in "
                f"{self.folder}; train again with a smaller learning_rate"
            )
        self.optimizer.zero_grad()
        whole.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(loss.detach())

    def save(self) -> None:
        """Write the checkpoint and the weights atomically."""
        state = {
            "version": VERSION,
            "settings": self.settings.to_json(),
            "network": self.network.state_dict(),
            "lagging": self.lagging,
            "optimizer": self.optimizer.state_dict(),
            "replay": _to_torch(self.replay),
            "epoch": self.epoch,
            "examples": self.examples,
            "seconds": self.seconds,
            "positions": [
                [(place.path, *map(torch.from_numpy, place.beliefs)) for place in table]
                for table in self.positions
            ],
        }
        if self.policies is not None:
            state["policies"] = _to_torch(self.policies)
        write_archive(self.folder / "checkpoint.pt", lambda file: torch.save(state, file))
        save_network(self.folder / "network.pt", *self.trained)

    @property
    def trained(self) -> TrainedNetwork:
        """The network as it is now."""
        origin = Origin(self.settings, self.epoch, self.examples, self.seconds)
        return TrainedNetwork(self.network, origin)

    def _restore(self, state: dict[str, Any]) -> None:
        if state.get("version") != VERSION:
            raise GameError(f"{self.folder} was made by another version; train it anew")
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.lagging = state["lagging"]
        _from_torch(self.replay, state["replay"])
        if self.policies is not None:
            _from_torch(self.policies, state["policies"])
        self.epoch, self.examples = state["epoch"], state["examples"]
        self.seconds = state["seconds"]
        self.positions = [
            tuple(PortablePBS(tuple(path), (b0.numpy(), b1.numpy())) for path, b0, b1 in table)
            for table in state["positions"]
        ]


def default_settings(game: Game) -> Settings:
    """The preset of a game, or settings by its size."""
    if game.name in PRESETS:
        return PRESETS[game.name]
    return settings_for(Encoding(Builder(game), joint=True))


def default_folder(name: str) -> Path:
    """Where the run of a preset or game is kept if nothing else is said."""
    return Path("runs") / re.sub(r"[^\w.-]+", "-", name).strip("-")


def default_workers() -> int:
    """One worker for each core."""
    return os.cpu_count() or 1


def check_resume(run: Run, settings: Settings) -> None:
    """Refuse to resume a run with other settings than its own."""
    if changed := run.settings.differences(settings):
        name, (kept, given) = next(iter(changed.items()))
        raise GameError(
            f"{run.folder} was begun with {name}={kept}, not {given}; resume it as it is, or begin "
            "another run"
        )


def _game_of(settings: Settings, game: Game | None) -> Game:
    if game is None:
        try:
            return load_game(settings.game)
        except GameError as error:
            raise GameError(
                f"the run is one of {settings.game!r}; give its game ({error})"
            ) from None
    if game.name != settings.game:
        raise GameError(f"the run is one of {settings.game}, not of {game.name}")
    return game


def _to_torch(replay: Replay) -> dict[str, Any]:
    """A buffer's state as a checkpoint can hold it."""
    return {
        name: torch.from_numpy(kept) if isinstance(kept, np.ndarray) else kept
        for name, kept in replay.state().items()
    }


def _from_torch(replay: Replay, state: dict[str, Any]) -> None:
    replay.restore(
        {
            name: kept.numpy() if isinstance(kept, torch.Tensor) else kept
            for name, kept in state.items()
        }
    )


def read_settings(folder: Path) -> Settings:
    """The settings of the run in `folder`."""
    path = folder / "settings.json"
    if not path.is_file():
        raise GameError(f"{folder} holds no run: {path} is missing")
    with reading(path, "a run's settings"):
        return Settings.from_json(path.read_text())


def read_log(folder: Path) -> list[Progress]:
    """The progress of the run in `folder` by epoch; a truncated line is left out."""
    entries: dict[int, Progress] = {}
    path = folder / "log.jsonl"
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            entry = Progress(**json.loads(line))
        except (json.JSONDecodeError, TypeError):
            continue
        entries[entry.epoch] = entry
    return [entries[epoch] for epoch in sorted(entries)]


@dataclass(frozen=True)
class Origin:
    """The settings of a network, and the effort of its training."""

    settings: Settings
    epoch: int
    examples: int
    seconds: float

    @property
    def command(self) -> str:
        """The command that trains the network again, from the nearest preset of its game."""
        if self.settings.game not in PRESETS:
            return f"tacit train {self.settings.game} --seed {self.settings.seed}"
        changes = {name: self._changes(name) for name in presets_of(self.settings.game)}
        nearest = min(changes, key=lambda name: len(changes[name]))
        seed = f"tacit train {nearest} --seed {self.settings.seed}"
        return " ".join([seed, *(f"--set {change}" for change in changes[nearest])])

    def _changes(self, preset: str) -> list[str]:
        """How the settings differ from those of a preset."""
        found = []
        for name, (value, _) in self.settings.differences(find_preset(preset)).items():
            if name not in NOT_LEARNT:
                text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
                found.append(f"{name}={text}")
        return found


class TrainedNetwork(NamedTuple):
    """A network and where it comes from, as a network file holds them."""

    network: Network
    origin: Origin

    @property
    def settings(self) -> Settings:
        """The settings that made it."""
        return self.origin.settings

    @property
    def game(self) -> Game:
        """The game that it was trained on."""
        return self.network.encoding.builder.game


def trained(
    source: Run | TrainedNetwork | str | Path, *, game: Game | None = None
) -> TrainedNetwork:
    """The network of a run, or in a file or folder, or the one that comes with tacit for a game.

    Give `game` for a file of one that is not in the registry.
    """
    if isinstance(source, TrainedNetwork):
        return source
    return (
        source.trained if isinstance(source, Run) else load_network(find_network(source), game=game)
    )


def save_network(path: Path, network: Network, origin: Origin) -> None:
    """The weights alone, with what made them."""
    state = {
        "version": VERSION,
        "settings": origin.settings.to_json(),
        "epoch": origin.epoch,
        "examples": origin.examples,
        "seconds": origin.seconds,
        "network": network.state_dict(),
    }
    write_archive(path, lambda file: torch.save(state, file))


def load_network(
    path: Path, builder: Builder | None = None, *, game: Game | None = None
) -> TrainedNetwork:
    """The network in a file or a run's folder; its encoding is on `builder`'s trees.

    Without a builder it is on trees of its own; then give `game` if it is not in the registry.
    """
    state = _load_state(path)
    origin = _origin(state, path)
    settings = origin.settings
    if builder is None:
        builder = Builder(_game_of(settings, game))
    elif builder.game.name != settings.game:
        raise GameError(f"{path} was trained on {settings.game}, not on {builder.game.name}")
    shape = settings.network
    encoding = Encoding(builder, joint=shape.joint, pairs=shape.pairs)
    network = make_network(encoding, shape, seed=settings.seed)
    with reading(path, "a network"):
        network.load_state_dict(state["network"])
    return TrainedNetwork(network, origin)


def load_origin(path: Path) -> Origin:
    """What made the network in a file or a run's folder."""
    return _origin(_load_state(path), path)


def _origin(state: dict[str, Any], path: Path) -> Origin:
    with reading(path, "a network"):
        settings = Settings.from_json(state["settings"])
        epoch, examples = int(state["epoch"]), int(state["examples"])
        return Origin(settings, epoch, examples, float(state["seconds"]))


def _load_state(path: Path) -> dict[str, Any]:
    if path.is_dir():
        path = path / "network.pt"
    state = _load(path)
    if not isinstance(state, dict) or state.get("version") != VERSION:
        raise GameError(f"{path} is not a network of this version")
    return state


def _load(path: Path) -> Any:
    what = "a network or checkpoint"
    with open_archive(path, what) as file:
        try:
            return torch.load(file, weights_only=True)
        except Exception:  # its messages advise to load the file unsafely
            raise GameError(f"{path} is not {what}, or is damaged") from None
