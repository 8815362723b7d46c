"""Training of action choosers: epochs of episodes and gradient steps, in a folder that resumes.

A run's folder holds `settings.json`, `checkpoint.pt` (all that resuming needs), `actor.pt` (what a
chooser needs) and `log.jsonl` (one line for each epoch). Rewards are exact and do not age, so all
examples are kept and learnt from until the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch

from tacit.archive import ArchiveError, open_archive, reading, write_archive
from tacit.cluster import Executor, executor_of
from tacit.files import FolderLock
from tacit.games import GameError
from tacit.learn.checked_settings import Grouped, number
from tacit.learn.rl_cfr.episodes import PROBLEMS, Examples, Problem
from tacit.learn.rl_cfr.learners import LEARNERS, Kind, Learner
from tacit.learn.rl_cfr.rewards import Solves
from tacit.learn.run_folder import begin_run, kept_settings, log_epoch, read_epochs

VERSION = 1
ACTORS = Path(__file__).parent / "actors"
PREFIX = "rl-cfr-"
"""What `tacit train` calls a problem: this and its name."""
VALIDATION_SEED = 1_000_003
"""Validation states are drawn with this seed in every run, apart from those of training."""


@dataclass(frozen=True, kw_only=True)
class ActorSettings(Grouped):
    """A training run. An epoch is `episodes` episodes, then gradient steps."""

    problem: Literal["river", "turn", "preflop43"] = "river"
    """What sizes are learnt for."""
    learner: Kind = "bandit"
    """How they are learnt."""
    seed: int = number(0)
    """The seed of all random numbers."""
    epochs: int = number(60)
    """Number of epochs of the run."""
    episodes: int = number(12, least=1)
    """Number of episodes of an epoch."""
    proposals: int = number(5, least=1)
    """Number of sets that are solved at each decision, besides the base's."""
    iterations: int = number(120, least=1)
    """Of each solve; the paper has 250, but more decisions are worth more than exact ones."""
    alternating: bool = True
    """Whether the players' updates alternate; the paper's are simultaneous."""
    steps: int = number(150, least=1)
    """Number of Adam steps of an epoch."""
    batch: int = number(512, least=1)
    """Number of examples of a step."""
    learning_rate: float = number(1e-3, above=0, most=1)
    """The initial learning rate; it falls linearly."""
    begin_with: Literal["", "river"] = ""
    """The shipped chooser whose weights training starts from, if any."""
    validate_every: int = number(10)
    """Number of epochs between measurements of the mean reward; 0: never."""
    validation: int = number(64, least=2)
    """Number of decisions of a measurement."""

    @property
    def solves(self) -> Solves:
        """How each decision is solved."""
        return Solves(self.iterations, self.alternating)


PRESETS = {
    f"{PREFIX}river": ActorSettings(),
    f"{PREFIX}preflop43": ActorSettings(
        problem="preflop43",
        epochs=20,
        episodes=16,
        proposals=8,
        iterations=250,
        alternating=False,
        validation=16,
    ),
    f"{PREFIX}turn": ActorSettings(
        problem="turn",
        epochs=10,
        episodes=20,
        iterations=80,
        learning_rate=5e-4,
        begin_with="river",
        validate_every=5,
        validation=10,
    ),
}


class ActorProgress(NamedTuple):
    """One epoch: seconds and examples so far, loss, mean reward of proposals and of choices.

    Rewards are in percent of the pot; `choice` and its standard `error` are None where they were
    not measured.
    """

    epoch: int
    seconds: float
    examples: int
    loss: float
    proposed: float
    choice: float | None = None
    error: float | None = None


@dataclass(eq=False)
class TrainedActor:
    """A learner, the settings that made it, and the effort of its training."""

    learner: Learner
    settings: ActorSettings
    epoch: int = 0
    examples: int = 0
    seconds: float = 0.0

    @property
    def problem(self) -> Problem:
        """What sizes it learnt for."""
        return PROBLEMS[self.settings.problem]

    @property
    def command(self) -> str:
        """The command that trains it again."""
        preset = PRESETS[PREFIX + self.settings.problem]
        changes = [
            f"--set {name}={value}"
            for name, (value, _) in self.settings.differences(preset).items()
            if name != "seed"
        ]
        return " ".join(
            [f"tacit train {PREFIX}{self.settings.problem} --seed {self.settings.seed}", *changes]
        )

    def save_actor(self, path: Path) -> None:
        """Write what a chooser needs."""
        state = {
            "version": VERSION,
            "settings": self.settings.to_json(),
            "epoch": self.epoch,
            "examples": self.examples,
            "seconds": self.seconds,
            "learner": self.learner.state_dict(),
        }
        write_archive(path, lambda file: torch.save(state, file))


def load_actor(path: Path) -> TrainedActor:
    """The actor in a file or a run's folder."""
    path = path / "actor.pt" if path.is_dir() else path
    what = "a trained chooser of sizes"
    with reading(path, what), open_archive(path, what) as file:
        state = torch.load(file, weights_only=True)
        if state.get("version") != VERSION or "learner" not in state:
            raise ArchiveError(f"{path} is not {what} of this version; train it again")
        settings = ActorSettings.from_json(state["settings"])
        learner = make_learner(settings)
        learner.load_state_dict(state["learner"])
    return TrainedActor(learner, settings, state["epoch"], state["examples"], state["seconds"])


def make_learner(settings: ActorSettings) -> Learner:
    """An untrained learner."""
    problem = PROBLEMS[settings.problem]
    kind = LEARNERS[settings.learner]
    return kind(problem.features, problem.grid, problem.sizes, settings.seed)


def shipped_actor(problem: str) -> Path:
    """The file of the trained chooser in the package."""
    return ACTORS / f"{PREFIX}{problem}.pt"


@dataclass(frozen=True)
class EpisodeTask:
    """An episode to play: its epoch and number, and the learner's weights."""

    epoch: int
    number: int
    weights: dict[str, torch.Tensor]


def episodes_of(settings: ActorSettings) -> Callable[[EpisodeTask], Examples]:
    """What plays episodes in a process."""
    torch.set_num_threads(1)
    learner = make_learner(settings)

    def play(task: EpisodeTask) -> Examples:
        learner.load_state_dict(task.weights)
        random = np.random.default_rng([settings.seed, task.epoch, task.number])
        episode = PROBLEMS[settings.problem].episode
        return episode(learner, random, settings.proposals, settings.solves)

    return play


class ActorRun(TrainedActor):
    """A training run in a folder, new or resumed."""

    def __init__(self, folder: Path, settings: ActorSettings) -> None:
        super().__init__(make_learner(settings), settings)
        if settings.begin_with:
            begun = load_actor(shipped_actor(settings.begin_with))
            if begun.settings.learner != settings.learner:
                raise GameError(
                    f"begin_with={settings.begin_with} needs learner={begun.settings.learner}"
                )
            self.learner.load_state_dict(begun.learner.state_dict())
        self.folder = folder
        self.data: list[Examples] = []
        self.optimizer = torch.optim.Adam(
            self.learner.parameters(), lr=settings.learning_rate, fused=True
        )

    @classmethod
    def create(cls, folder: Path, settings: ActorSettings) -> ActorRun:
        """A new run; refuses a folder that holds another."""
        run = cls(folder, settings)
        begin_run(folder, settings)
        return run

    @classmethod
    def open(cls, folder: Path) -> ActorRun:
        """A run as it was when it was last saved."""
        run, path = cls(folder, kept_settings(folder, ActorSettings)), folder / "checkpoint.pt"
        if path.exists():
            what = "a checkpoint of this run"
            with reading(path, what), open_archive(path, what) as file:
                run._restore(torch.load(file, weights_only=True))
        return run

    def train(
        self,
        *,
        workers: int = 0,
        each: Callable[[ActorProgress], None] | None = None,
        seconds: float | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Run the epochs that are left, or for this long; each is saved at its end.

        An `executor` takes the place of `workers` processes.
        """
        begun, before = time.monotonic(), self.seconds
        set_up = partial(episodes_of, self.settings)
        lock = FolderLock(self.folder)
        try:
            with (executor or executor_of(workers)).open(set_up) as session:
                states = self._validation()
                while self.epoch < self.settings.epochs:
                    if seconds is not None and time.monotonic() - begun >= seconds:
                        break
                    weights = {k: v.clone() for k, v in self.learner.state_dict().items()}
                    tasks = [
                        EpisodeTask(self.epoch, number, weights)
                        for number in range(self.settings.episodes)
                    ]
                    new = Examples.joined(session.submit(tasks).results())
                    self.data.append(new)
                    self.examples += len(new.rewards)
                    self.epoch += 1
                    loss = self._learn()
                    self.seconds = before + time.monotonic() - begun
                    measured = self._measure(states) if self._measuring() else (None, None)
                    proposed = 100 * float(new.rewards.mean())
                    progress = ActorProgress(
                        self.epoch, self.seconds, self.examples, loss, proposed, *measured
                    )
                    log_epoch(self.folder, progress._asdict())
                    self.save()
                    if each is not None:
                        each(progress)
        finally:
            lock.release()

    def _measuring(self) -> bool:
        every = self.settings.validate_every
        return every > 0 and (self.epoch % every == 0 or self.epoch == self.settings.epochs)

    def _validation(self) -> list[Any]:
        random = np.random.default_rng(VALIDATION_SEED)
        count = self.settings.validation if self.settings.validate_every else 0
        return self.problem.decisions(count, random)

    def _measure(self, states: list[Any]) -> tuple[float, float]:
        """The mean reward of the learner's choices at these states, and its error."""
        chosen = [self.learner.choose(self.problem.point(state)) for state in states]
        gains = [
            100 * self.problem.reward(state, sizes, self.settings.solves)
            for state, sizes in zip(states, chosen, strict=True)
        ]
        return float(np.mean(gains)), float(np.std(gains, ddof=1) / np.sqrt(len(gains)))

    def _learn(self) -> float:
        """The gradient steps of an epoch; the mean loss."""
        features, rows, rewards = map(torch.from_numpy, Examples.joined(self.data))
        random = np.random.default_rng([self.settings.seed, self.epoch, self.settings.episodes])
        rate = self.settings.learning_rate * max(0.05, 1 - self.epoch / (self.settings.epochs + 1))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        total = 0.0
        for _ in range(self.settings.steps):
            batch = torch.from_numpy(random.integers(len(rewards), size=self.settings.batch))
            loss = self.learner.losses(features[batch], rows[batch], rewards[batch])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach())
        return total / self.settings.steps

    def save(self) -> None:
        """Write the checkpoint and the actor atomically."""
        state = {
            "version": VERSION,
            "learner": self.learner.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "data": [torch.from_numpy(each) for each in Examples.joined(self.data)]
            if self.data
            else [],
            "epoch": self.epoch,
            "examples": self.examples,
            "seconds": self.seconds,
        }
        write_archive(self.folder / "checkpoint.pt", lambda file: torch.save(state, file))
        self.save_actor(self.folder / "actor.pt")

    def _restore(self, state: dict[str, Any]) -> None:
        if state.get("version") != VERSION:
            raise GameError(f"{self.folder} was made by another version; train it anew")
        self.learner.load_state_dict(state["learner"])
        self.optimizer.load_state_dict(state["optimizer"])
        if state["data"]:
            self.data = [Examples(*(each.numpy() for each in state["data"]))]
        self.epoch, self.examples = state["epoch"], state["examples"]
        self.seconds = state["seconds"]


def read_actor_log(folder: Path) -> list[ActorProgress]:
    """The progress of the run in `folder` by epoch; a damaged line is left out."""
    return read_epochs(folder, ActorProgress)
