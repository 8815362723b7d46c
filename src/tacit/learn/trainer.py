"""Training: epochs of self-play and gradient steps, in a folder from which a run resumes.

A run's folder holds `settings.json`, `checkpoint.pt` (all that resuming needs), `network.pt` (the
weights alone), `network-EPOCH.pt` (earlier ones, by `keep_every`), `log.jsonl` (one line for each
epoch) and TensorBoard's files.

Self-play runs one epoch ahead: during the gradient steps of epoch e the examples of epoch e + 1 are
played, with the weights from before those steps. So no core idles. As the lag is always one epoch,
the result is the same for any number of workers and interruptions.
"""

from __future__ import annotations

import copy
import os
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tacit.archive import ArchiveError, open_archive, reading, write_archive
from tacit.cluster import Batch, Executor, Session, executor_of
from tacit.files import FolderLock
from tacit.games import Game, GameError, load_game
from tacit.learn.network import Network, copy_weights, make_network
from tacit.learn.presets import PRESETS, find_preset, presets_of
from tacit.learn.run_folder import begin_run, check_same, kept_settings, log_epoch, read_epochs
from tacit.learn.self_play import SelfPlay, TableResult, TableTask
from tacit.learn.settings import Method, Settings
from tacit.learn.shipped import find_network
from tacit.learn.sound_self_play import SoundSelfPlay
from tacit.tree import Builder
from tacit.tree.pbs import PortablePBS, first_pbs

VERSION = 2
"""Of network files."""
CHECKPOINT_VERSION = 4
SAVE_SECONDS = 60.0
NOT_LEARNT = (
    "seed", "play_iterations", "play_simulations", "evaluate_every", "evaluate_playthroughs",
    "keep_every", "play_greedy",
)  # fmt: skip
"""Settings that a command line states otherwise, or that do not change the network."""

SELF_PLAY: dict[Method, Callable[[Game, Settings], Callable[[TableTask], TableResult]]] = {
    "rebel": SelfPlay,
    "student-of-games": SoundSelfPlay,
}
"""By method, what plays the tables of an epoch. Sound self-play ends its games in one epoch."""
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


@dataclass(eq=False)
class TrainedNetwork:
    """A network, the settings that made it, and the effort of its training."""

    network: Network
    settings: Settings
    epoch: int = 0
    examples: int = 0
    seconds: float = 0.0

    @property
    def game(self) -> Game:
        """The game that it was trained on."""
        return self.network.encoding.builder.game

    @property
    def command(self) -> str:
        """The command that trains the network again, from the nearest preset of its game."""
        settings = self.settings
        if not set(presets_of(settings.game)) & set(PRESETS):
            return f"tacit train {settings.game} --seed {settings.seed}"
        changes: dict[str, list[str]] = {}
        for preset in presets_of(settings.game):
            changes[preset] = []
            for name, (value, _) in settings.differences(find_preset(preset)).items():
                text = ",".join(map(str, value)) if isinstance(value, tuple) else value
                if name not in NOT_LEARNT:
                    changes[preset].append(f"--set {name}={text}")
        nearest = min(changes, key=lambda preset: len(changes[preset]))
        return " ".join([f"tacit train {nearest} --seed {settings.seed}", *changes[nearest]])

    def save_network(self, path: Path) -> None:
        """Write the weights alone, with what made them."""
        state = {
            "version": VERSION,
            "settings": self.settings.to_json(),
            "epoch": self.epoch,
            "examples": self.examples,
            "seconds": self.seconds,
            "network": self.network.state_dict(),
        }
        write_archive(path, lambda file: torch.save(state, file))


class Run(TrainedNetwork):
    """A training run in a folder, new or resumed."""

    def __init__(self, folder: Path, settings: Settings, game: Game) -> None:
        super().__init__(
            make_network(Builder(game), settings.network, seed=settings.seed), settings
        )
        self.folder = folder
        self.encoding = self.network.encoding
        learning = settings.optimizer
        if settings.self_play.random_beliefs and self.encoding.states is None:
            raise GameError(f"{game.name} has too many public states; set random_beliefs=false")
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=learning.learning_rate, fused=True
        )
        self.replays = self.network.replays(learning.buffer)
        self.lagging = copy_weights(self.network)
        """The weights with which the next epoch's examples are played."""
        first = first_pbs(self.encoding.builder.root).portable()
        carried = settings.self_play.table_size if settings.method == "rebel" else 0
        table = (first,) * carried
        self.positions: list[tuple[PortablePBS, ...]] = [table] * settings.self_play.tables
        """The positions from which they are played."""

    @classmethod
    def create(cls, folder: Path, settings: Settings, game: Game | None = None) -> Run:
        """A new run; refuses a folder that holds another."""
        if not str(folder).isprintable():
            raise GameError(f"{str(folder)!r} cannot be a run's folder: it is not a plain text")
        run = cls(folder, settings, _game_of(settings, game))
        begin_run(folder, settings)
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
        executor: Executor | None = None,
    ) -> None:
        """Run the epochs that are left, or for this long; an interrupt saves and goes through.

        Self-play has `workers` processes, or this one if there are 0; an `executor` takes their
        place. The result is the same. `measure` finds the
        network's exploitability every `evaluate_every` epochs and after the last.
        """
        if self.epoch >= self.settings.epochs:
            return self.save()
        from torch.utils.tensorboard import SummaryWriter  # slow to import, and only used here

        lock = FolderLock(self.folder)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the batches are small, and the workers want the other cores
        board = SummaryWriter(self.folder / "tensorboard")
        begun = saved = time.monotonic()
        before = self.seconds
        play = SELF_PLAY[self.settings.method]
        session = (executor or executor_of(workers)).open(partial(play, self.game, self.settings))
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
                log_epoch(self.folder, asdict(progress))
                for name in ("loss", "examples", "examples_per_second", "exploitability"):
                    if getattr(progress, name) is not None:
                        board.add_scalar(name, getattr(progress, name), self.epoch)
                keep = self.settings.evaluation.keep_every
                if keep and self.epoch % keep == 0:
                    self.save_network(self.folder / f"network-{self.epoch}.pt")
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
            lock.release()
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
        weights = copy_weights(self.network)
        optimizer = copy.deepcopy(self.optimizer.state_dict())
        counts = self.epoch, self.examples, self.positions, self.lagging
        undo = [
            replay.mark(sum(len(table.examples[kind].rows) for table in tables))
            for kind, replay in self.replays.items()
        ]
        try:
            self.lagging = weights
            self._collect(tables)
            if self.epoch < self.settings.epochs:
                playing = self._play(session)
            return self._learn(), playing
        except BaseException:
            self.network.load_state_dict(weights)
            self.optimizer.load_state_dict(optimizer)
            self.epoch, self.examples, self.positions, self.lagging = counts
            for take_back in undo:
                take_back()
            raise

    def _collect(self, tables: list[TableResult]) -> None:
        """Store the results of an epoch's tables."""
        for table in tables:
            for kind, examples in table.examples.items():
                self.replays[kind].add(examples)
            self.examples += len(table.examples["values"].rows) * (2 if self.encoding.joint else 1)
        self.positions = [table.positions for table in tables]
        self.epoch += 1
        if self.epoch == self.settings.optimizer.drop_after:
            for replay in self.replays.values():
                replay.drop_half()

    def _learn(self) -> float:
        """The gradient steps of an epoch; the mean loss of the values."""
        learning, seed = self.settings.optimizer, self.settings.seed
        rate = learning.learning_rate * 0.5 ** (self.epoch // learning.halve_every)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        random = np.random.default_rng([seed, self.epoch, self.settings.self_play.tables])
        if not all(len(replay) for replay in self.replays.values()):
            return 0.0
        return sum(self._step(random) for _ in range(learning.steps)) / learning.steps

    def _step(self, random: np.random.Generator) -> float:
        """One gradient step; the loss of the values."""
        learning = self.settings.optimizer
        batches = {
            kind: self.network.augmented(replay.sample(learning.batch, random), random)
            for kind, replay in self.replays.items()
        }
        whole, of_values = self.network.losses(batches, learning)
        if not torch.isfinite(whole):
            raise GameError(
                f"the loss is {whole.item()} in epoch {self.epoch}; the last good state is kept in "
                f"{self.folder}; train again with a smaller learning_rate"
            )
        self.optimizer.zero_grad()
        whole.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(of_values.detach())

    def save(self) -> None:
        """Write the checkpoint and the weights atomically."""
        state = {
            "version": CHECKPOINT_VERSION,
            "settings": self.settings.to_json(),
            "network": self.network.state_dict(),
            "lagging": self.lagging,
            "optimizer": self.optimizer.state_dict(),
            "replays": {kind: replay.state() for kind, replay in self.replays.items()},
            "epoch": self.epoch,
            "examples": self.examples,
            "seconds": self.seconds,
            "positions": [
                [(place.path, *map(torch.from_numpy, place.beliefs)) for place in table]
                for table in self.positions
            ],
        }
        write_archive(self.folder / "checkpoint.pt", lambda file: torch.save(state, file))
        self.save_network(self.folder / "network.pt")

    def _restore(self, state: dict[str, Any]) -> None:
        if state.get("version") != CHECKPOINT_VERSION:
            raise GameError(f"{self.folder} was made by another version; train it anew")
        if differ := Settings.from_json(state["settings"]).differences(self.settings):
            name, (begun, now) = next(iter(differ.items()))
            raise ArchiveError(
                f"{self.folder / 'settings.json'} was changed: it says {name}={now!r}, but the run "
                f"was begun with {name}={begun!r}; put that back"
            )
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        for kind, replay in self.replays.items():
            replay.restore(state["replays"][kind])
        self.lagging, self.epoch = state["lagging"], state["epoch"]
        self.examples, self.seconds = state["examples"], state["seconds"]
        self.positions = [
            tuple(PortablePBS(tuple(path), (b0.numpy(), b1.numpy())) for path, b0, b1 in table)
            for table in state["positions"]
        ]


def default_folder(name: str) -> Path:
    """Where the run of a preset or game is kept if nothing else is said."""
    return Path("runs") / re.sub(r"[^\w.-]+", "-", name).strip("-")


def default_workers() -> int:
    """One worker for each core."""
    return os.cpu_count() or 1


def check_resume(run: Run, settings: Settings) -> None:
    """Refuse to resume a run with other settings than its own."""
    check_same(run.folder, run.settings, settings)


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


def read_settings(folder: Path) -> Settings:
    """The settings of the run in `folder`."""
    return kept_settings(folder, Settings)


def read_log(folder: Path) -> list[Progress]:
    """The progress of the run in `folder` by epoch; a damaged line is left out."""
    return read_epochs(folder, Progress)


def trained(source: TrainedNetwork | str | Path, *, game: Game | None = None) -> TrainedNetwork:
    """The network of a run, or in a file or folder, or the one that comes with tacit for a game.

    Give `game` for a file of one that is not in the registry.
    """
    if isinstance(source, TrainedNetwork):
        return source
    return load_network(find_network(source), game=game)


def load_network(
    path: Path, builder: Builder | None = None, *, game: Game | None = None
) -> TrainedNetwork:
    """The network in a file or a run's folder; its encoding is on `builder`'s trees.

    Without a builder it is on trees of its own; then give `game` if it is not in the registry.
    """
    path = path / "network.pt" if path.is_dir() else path
    state = _load(path)
    if not isinstance(state, dict) or state.get("version") != VERSION:
        raise GameError(f"{path} is not a network of this version")
    with reading(path, "a network"):
        settings = Settings.from_json(state["settings"])
        effort = int(state["epoch"]), int(state["examples"]), float(state["seconds"])
    if builder is None:
        builder = Builder(_game_of(settings, game))
    elif builder.game.name != settings.game:
        raise GameError(f"{path} was trained on {settings.game}, not on {builder.game.name}")
    network = make_network(builder, settings.network, seed=settings.seed)
    with reading(path, "a network"):
        network.load_state_dict(state["network"])
    return TrainedNetwork(network, settings, *effort)


def _load(path: Path) -> Any:
    what = "a network or checkpoint"
    with open_archive(path, what) as file:
        try:
            return torch.load(file, weights_only=True)
        except MemoryError:
            raise
        except Exception:  # its messages advise to load the file unsafely
            raise GameError(f"{path} is not {what}, or is damaged") from None
