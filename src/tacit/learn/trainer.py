"""Training: epochs of self-play and gradient steps, kept in a folder that can be gone on from.

A run's folder holds `settings.json`, `checkpoint.pt` (everything that going on needs),
`network.pt` (the weights alone), `log.jsonl` (one line an epoch) and TensorBoard's files.
"""

from __future__ import annotations

import dataclasses
import json
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import smooth_l1_loss

from tacit.files import write_atomically, write_text
from tacit.games import GameError, load
from tacit.learn.examples import Examples
from tacit.learn.network import Network
from tacit.learn.policy_network import PolicyNetwork
from tacit.learn.presets import find_preset, presets_of
from tacit.learn.replay import Replay
from tacit.learn.self_play import Position, start
from tacit.learn.settings import Settings
from tacit.learn.workers import Task, Workers, dump_weights, make_network
from tacit.tree import Builder

VERSION = 1
SAVE_SECONDS = 60.0
NOT_LEARNT = ("seed", "play_iterations", "judge_every", "judge_playthroughs")
"""Settings that a command line states otherwise, or that do not change the network."""


@dataclass(frozen=True)
class Progress:
    """One epoch: its number, time since the run began, examples made, the loss, the speed.

    `exploitability` is that of the network's search where it was measured after this epoch.
    """

    epoch: int
    seconds: float
    examples: int
    loss: float
    examples_per_second: float
    exploitability: float | None = None


class Run:
    """A training run in a folder; made new, or opened again where it stopped."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings
        self.encoding = settings.encoding(Builder(load(settings.game)))
        self.network = make_network(settings, self.encoding)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=settings.learning_rate, fused=True
        )
        self.replay = Replay(settings.buffer, self.encoding.inputs, self.encoding.outputs)
        self.policies: Replay | None = None
        if isinstance(self.network.guide, PolicyNetwork):
            guide = self.network.guide
            self.policies = Replay(settings.buffer, guide.inputs, guide.outputs, np.uint8)
        self.epoch = 0
        self.examples = 0
        self.seconds = 0.0
        first = start(self.encoding)
        self.positions: list[tuple[Position, ...]] = [
            (first,) * settings.table_size for _ in range(settings.tables)
        ]

    @classmethod
    def create(cls, folder: Path, settings: Settings) -> Run:
        """A new run; refuses a folder that holds another."""
        if (folder / "settings.json").exists():
            raise GameError(f"{folder} holds a run already; go on with --resume, or name another")
        folder.mkdir(parents=True, exist_ok=True)
        run = cls(folder, settings)
        write_text(folder / "settings.json", settings.to_json())
        return run

    @classmethod
    def open(cls, folder: Path) -> Run:
        """A run as it was when it was last saved."""
        run = cls(folder, read_settings(folder))
        path = folder / "checkpoint.pt"
        if path.exists():
            run._restore(_load(path))
        return run

    def train(
        self,
        *,
        workers: int,
        each: Callable[[Progress], None] | None = None,
        seconds: float | None = None,
        measure: Callable[[Network], float] | None = None,
    ) -> None:
        """Run the epochs that are left, or for this long; an interrupt saves and goes through.

        `measure` finds the network's exploitability every `judge_every` epochs and after the last.
        """
        from torch.utils.tensorboard import SummaryWriter  # slow to import, and only used here

        torch.set_num_threads(1)  # the batches are small, and the workers want the other cores
        pool = Workers(self.settings, workers)
        board = SummaryWriter(self.folder / "tensorboard")
        begun = saved = time.monotonic()
        before = self.seconds
        try:
            while self.epoch < self.settings.epochs:
                if seconds is not None and time.monotonic() - begun >= seconds:
                    break
                loss, speed = self._one_epoch(pool)
                self.seconds = before + time.monotonic() - begun
                worth = measure(self.network) if measure is not None and self._judging() else None
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
            pool.close()
            board.close()
            self.save()

    def _judging(self) -> bool:
        every = self.settings.judge_every
        return every > 0 and (self.epoch % every == 0 or self.epoch == self.settings.epochs)

    def _one_epoch(self, pool: Workers) -> tuple[float, float]:
        """The loss and the examples a second. Nothing changes before all tables have played."""
        settings = self.settings
        began = time.monotonic()
        tasks = [
            Task(self.epoch, number, positions) for number, positions in enumerate(self.positions)
        ]
        outcomes = pool.play(tasks, dump_weights(self.network))
        made = sum(len(o.examples.rows) for o in outcomes) * (2 if self.encoding.joint else 1)
        for outcome in outcomes:
            self.replay.add(outcome.examples)
            if self.policies is not None and outcome.policies is not None:
                self.policies.add(outcome.policies)
        self.positions = [outcome.positions for outcome in outcomes]
        self.epoch += 1
        self.examples += made
        if self.epoch == settings.drop_after:
            self.replay.drop_half()
            if self.policies is not None:
                self.policies.drop_half()
        return self._learn(), made / (time.monotonic() - began)

    def _learn(self) -> float:
        settings = self.settings
        rate = settings.learning_rate * 0.5 ** (self.epoch // settings.halve_every)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        random = np.random.default_rng([settings.seed, self.epoch, settings.tables])
        total = 0.0
        for _ in range(settings.steps):
            examples = self.replay.sample(settings.batch, random)
            policies = None
            if self.policies is not None:
                policies = self.policies.sample(settings.batch, random)
            total += self._step(examples, policies)
        return total / settings.steps

    def _step(self, examples: Examples, policies: Examples | None) -> float:
        """One gradient step: pointwise Huber loss, in units of the largest payoff; returns it.

        The policy network learns beside; they share no parameter, so neither disturbs the other.
        """
        rows = torch.from_numpy(examples.rows)
        answer = self.network(rows)
        units = self.encoding.units(examples.rows)
        target = torch.from_numpy((examples.values / units).astype(np.float32))
        errors = smooth_l1_loss(answer, target, beta=self.settings.huber, reduction="none")
        loss: torch.Tensor = (errors * self.encoding.weights(rows)).mean()
        whole = loss
        if policies is not None:
            assert isinstance(self.network.guide, PolicyNetwork)
            whole = loss + self.network.guide.loss(policies)
        if not torch.isfinite(whole):
            raise GameError(
                f"the loss is {whole.item()} in epoch {self.epoch}; the last good state is kept in "
                f"{self.folder}; go on with a smaller learning_rate"
            )
        self.optimizer.zero_grad()
        whole.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(loss.detach())

    def save(self) -> None:
        """Write the checkpoint and the weights, each aside and then renamed."""
        if not all(torch.isfinite(p).all() for p in self.network.parameters()):
            return
        state = {
            "version": VERSION,
            "settings": self.settings.to_json(),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "replay": _to_torch(self.replay),
            "epoch": self.epoch,
            "examples": self.examples,
            "seconds": self.seconds,
            "positions": [
                [(place.state, *map(torch.from_numpy, place.beliefs)) for place in table]
                for table in self.positions
            ],
        }
        if self.policies is not None:
            state["policies"] = _to_torch(self.policies)
        write_atomically(self.folder / "checkpoint.pt", lambda file: torch.save(state, file))
        origin = Origin(self.settings, self.epoch, self.examples, self.seconds)
        save_network(self.folder / "network.pt", self.network, origin)

    def _restore(self, state: dict[str, Any]) -> None:
        if state.get("version") != VERSION:
            raise GameError(f"{self.folder} was made by another version; train it anew")
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        _from_torch(self.replay, state["replay"])
        if self.policies is not None:
            _from_torch(self.policies, state["policies"])
        self.epoch, self.examples = state["epoch"], state["examples"]
        self.seconds = state["seconds"]
        self.positions = [
            tuple(Position(number, (b0.numpy(), b1.numpy())) for number, b0, b1 in table)
            for table in state["positions"]
        ]


def _to_torch(replay: Replay) -> dict[str, Any]:
    """A buffer's state in what a checkpoint can hold."""
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
    try:
        return Settings.from_json(path.read_text())
    except FileNotFoundError:
        raise GameError(f"{folder} holds no run: {path} is missing") from None
    except (json.JSONDecodeError, TypeError, KeyError) as error:
        raise GameError(f"{path} is damaged: {error}") from None


def read_log(folder: Path) -> list[Progress]:
    """What the run in `folder` told after each epoch; a line cut short is left out."""
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
    """Where a network comes from: its settings, and what the training took."""

    settings: Settings
    epoch: int
    examples: int
    seconds: float

    @property
    def command(self) -> str:
        """The command that makes the network again, told from the nearest preset of its game."""
        changes = {name: self._changes(name) for name in presets_of(self.settings.game)}
        nearest = min(changes, key=lambda name: len(changes[name]))
        seed = f"tacit train {nearest} --seed {self.settings.seed}"
        return " ".join([seed, *(f"--set {change}" for change in changes[nearest])])

    def _changes(self, preset: str) -> list[str]:
        """How the settings differ from those of a preset."""
        before = dataclasses.asdict(find_preset(preset))
        found = []
        for name, value in dataclasses.asdict(self.settings).items():
            if name not in NOT_LEARNT and value != before[name]:
                text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
                found.append(f"{name}={text}")
        return found


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
    write_atomically(path, lambda file: torch.save(state, file))


def load_network(path: Path, builder: Builder | None = None) -> tuple[Network, Settings]:
    """A trained network and the settings that made it; its encoding is on `builder`'s trees."""
    state = _load_state(path)
    settings = Settings.from_json(state["settings"])
    if builder is None:
        builder = Builder(load(settings.game))
    elif builder.game.name != settings.game:
        raise GameError(f"{path} was trained on {settings.game}, not on {builder.game.name}")
    network = make_network(settings, settings.encoding(builder))
    network.load_state_dict(state["network"])
    return network, settings


def load_origin(path: Path) -> Origin:
    """What made the network in a file or a run's folder."""
    state = _load_state(path)
    settings = Settings.from_json(state["settings"])
    return Origin(settings, state["epoch"], state["examples"], state["seconds"])


def _load_state(path: Path) -> dict[str, Any]:
    if path.is_dir():
        path = path / "network.pt"
    state = _load(path)
    if not isinstance(state, dict) or state.get("version") != VERSION:
        raise GameError(f"{path} is not a network of this version")
    return state


def _load(path: Path) -> Any:
    try:
        return torch.load(path, weights_only=True)
    except FileNotFoundError:
        raise GameError(f"{path} does not exist") from None
    except (RuntimeError, EOFError, pickle.UnpicklingError, OSError, ValueError) as error:
        raise GameError(f"{path} is damaged or not a checkpoint: {error}") from None
