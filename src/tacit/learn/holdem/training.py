"""Training runs of hold'em: epochs of boards and gradient steps, in a folder that is resumed.

The last three epochs play no games. First new boards are searched, cards are dealt at every leaf of
the searches, and these PBSs are solved: games seldom come to most leaves, but what a bet is worth
depends on all of them. The network learns from all that was solved. Then it knows most about PBSs
after the card, so all PBSs before the card that were met, and variants of the leaves, are valued
anew by it, and it learns from these values. At last new boards are searched with this network, for
longer, and the leaves are solved, and valued by it: a search goes where the network errs, the
further the longer it is, so the network learns what it answers wrong there.

A run's folder holds `settings.json`, `weights.npz` (32 bits, and how far the run is), the examples
and the PBSs before the card of each epoch, `network.npz` (16 bits, for use) and `log.jsonl`. All
randomness follows from the seed, the epoch and the number of the board, so the result does not
depend on the number of workers or on interruptions. Adam starts anew in each epoch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tacit.archive import read_arrays, reading, write_arrays
from tacit.cluster import Executor, Session, executor_of
from tacit.files import FolderLock
from tacit.learn.holdem.examples import Examples, join, load_pbss, save_pbss
from tacit.learn.holdem.fitting import fit, mean_error
from tacit.learn.holdem.network import KnotEvaluator, KnotNetwork, Origin
from tacit.learn.holdem.self_play import (
    BoardPlay,
    BoardResult,
    BoardTask,
    Weights,
    situations,
)
from tacit.learn.holdem.settings import HoldemSettings
from tacit.learn.run_folder import begin_run, check_same, kept_settings, log_epoch, read_epochs

SOLVED, AVERAGED, BEFORE = "solved", "averaged", "before"
"""What an epoch gives, as in `BoardResult`."""
LATE = 4
"""How often the gradient steps of the last epoch count the leaves of its searches."""


@dataclass(frozen=True)
class EpochProgress:
    """One epoch: its number, seconds since the run's start, examples so far, and the loss.

    `error`: the network's mean absolute error on the solved examples of this epoch before it learnt
    from them, in shares of the pot; in the first epoch that of equity alone. In the last two epochs
    it is the error before the card, against the mean of the network's answers after it.
    """

    epoch: int
    seconds: float
    examples: int
    loss: float
    error: float


class HoldemRun:
    """A training run in a folder, new or resumed.

    epoch: the number of finished epochs; examples: how many they gave.
    """

    def __init__(self, folder: Path, settings: HoldemSettings) -> None:
        self.folder = folder
        self.settings = settings
        self.network = KnotNetwork(settings.hidden, seed=settings.seed)
        self.epoch = self.examples = 0
        self.seconds = 0.0

    @classmethod
    def create(cls, folder: Path, settings: HoldemSettings) -> HoldemRun:
        """A new run; refuses a folder that holds another."""
        begin_run(folder, settings)
        return cls(folder, settings)

    @classmethod
    def open(cls, folder: Path, changes: Mapping[str, str] | None = None) -> HoldemRun:
        """A run as it was after its last epoch; `changes` of its settings are refused."""
        settings = kept_settings(folder, HoldemSettings)
        check_same(folder, settings, settings.changed(changes or {}))
        run = cls(folder, settings)
        if (folder / "weights.npz").exists():
            run._restore(folder / "weights.npz")
        return run

    @property
    def command(self) -> str:
        """The command that trains the network again."""
        from tacit.learn.presets import HOLDEM

        begun = HOLDEM.get(self.settings.name, HoldemSettings(name=self.settings.name))
        words = [f"tacit train {self.settings.name} --seed {self.settings.seed}"]
        for name, (value, _) in self.settings.differences(begun).items():
            text = ",".join(map(str, value)) if isinstance(value, tuple) else value
            if name != "seed":
                words.append(f"--set {name}={text}")
        return " ".join(words)

    @property
    def evaluator(self) -> KnotEvaluator:
        """The network so far, for searches."""
        origin = Origin(
            command=self.command,
            seed=self.settings.seed,
            examples=self.examples,
            seconds=round(self.seconds, 1),
        )
        return KnotEvaluator(self.network, situations(self.settings), origin)

    def train(
        self,
        *,
        workers: int,
        each: Callable[[EpochProgress], None] | None = None,
        stage: Callable[[str, float], None] | None = None,
        seconds: float | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Run the epochs that are left, or begin none after so many seconds.

        Boards are played by `workers` processes, or this one if there are 0; an `executor` takes
        their place. An interrupted epoch is begun anew by the next run. `stage` is told what is
        being done and how much of it is done.
        """
        lock = FolderLock(self.folder)
        begun, before = time.monotonic(), self.seconds
        told = stage or (lambda name, share: None)
        session = (executor or executor_of(workers)).open(partial(BoardPlay, self.settings))
        try:
            while self.epoch < self.settings.epochs:
                if seconds is not None and time.monotonic() - begun >= seconds:
                    break
                error = self._collect(self._play(session, told))
                loss = self._learn(told)
                self.epoch += 1
                self.seconds = before + time.monotonic() - begun
                self.save()
                progress = EpochProgress(self.epoch, self.seconds, self.examples, loss, error)
                log_epoch(self.folder, asdict(progress))
                if each is not None:
                    each(progress)
        finally:
            session.close()
            lock.release()

    @property
    def _left(self) -> int:
        """Number of epochs after this one."""
        return self.settings.epochs - self.epoch - 1

    def _play(
        self,
        session: Session[BoardTask, BoardResult],
        told: Callable[[str, float], None],
    ) -> list[BoardResult]:
        """The boards of this epoch."""
        play, left = self.settings.play, self._left
        weights = self.network.weights() if self.epoch else None
        tasks: list[BoardTask] = []
        if left != 1:
            count = {2: play.searches, 0: play.late_searches}.get(left, play.games)
            for number in range(count):
                task = BoardTask(self.epoch, number, weights, leaves=left == 2, late=left == 0)
                tasks.append(task)
        else:
            for epoch in range(self.epoch):
                before = load_pbss(self._path(BEFORE, epoch))
                variants = play.variants if epoch == self.epoch - 1 else 0
                for numbers in before.by_board().values():
                    again = before.at(numbers)
                    tasks.append(BoardTask(self.epoch, len(tasks), weights, again, variants))
        count, finished = len(tasks), 0

        def each(number: int, result: BoardResult) -> None:
            nonlocal finished
            finished += 1
            told("boards", finished / count)

        return session.submit(tasks).results(each)

    def _collect(self, results: list[BoardResult]) -> float:
        """Keep the examples of the boards of this epoch; the network's error, see `EpochProgress`.

        Examples of values that were made anew take the place of others, so they are not counted.
        """
        parts = {
            SOLVED: [result.solved for result in results if result.solved is not None],
            AVERAGED: [result.averaged for result in results if result.averaged is not None],
        }
        for kind, examples in parts.items():
            if examples:
                join(examples).save(self._path(kind, self.epoch))
        if self._left <= 1:
            self.examples += 0 if self._left else sum(map(len, parts[SOLVED] + parts[AVERAGED]))
            return mean_error(self.network, join(parts[AVERAGED]))
        before = [result.before for result in results if result.before is not None]
        save_pbss(self._path(BEFORE, self.epoch), before)
        self.examples += sum(map(len, parts[SOLVED])) + 2 * sum(map(len, before))
        return mean_error(self.network, join(parts[SOLVED]))

    def _path(self, kind: str, epoch: int) -> Path:
        return self.folder / f"{kind}-{epoch}.npz"

    def _learn(self, told: Callable[[str, float], None]) -> float:
        """Gradient steps on the examples that are in use; the loss."""
        left = self._left
        first = max(0, self.epoch + 1 - self.settings.play.window)
        if left <= 2:
            first = self.settings.epochs - 2
        paths = [self._path(SOLVED, epoch) for epoch in range(self.epoch + 1)]
        paths += [self._path(AVERAGED, epoch) for epoch in range(first, self.epoch + 1)]
        paths += [self._path(AVERAGED, self.epoch)] * (LATE - 1 if left == 0 else 0)
        parts = [Examples.load(path) for path in paths if path.exists()]
        # Values that are made anew are as good as the network that makes them.
        steps = self.settings.fit.last_steps if left <= 2 else self.settings.fit.steps
        return fit(
            self.network,
            join(parts),
            self.settings.fit,
            seed=int(np.random.SeedSequence([self.settings.seed, self.epoch]).generate_state(1)[0]),
            steps=steps,
            each=lambda step, loss: told("gradient steps", step / steps),
        )

    def save(self) -> None:
        """Write the weights, twice: to resume from, and for use."""
        counts = np.array([self.epoch, self.examples, self.seconds])
        write_arrays(self.folder / "weights.npz", {"counts": counts, **self.network.weights()})
        self.evaluator.save(self.folder / "network.npz")

    def _restore(self, path: Path) -> None:
        arrays: Weights = read_arrays(path, "the weights of a run")
        with reading(path, "the weights of a run"):
            epoch, examples, self.seconds = arrays.pop("counts").tolist()
            self.epoch, self.examples = int(epoch), int(examples)
            self.network.put_weights(arrays)


def read_progress(folder: Path) -> list[EpochProgress]:
    """The epochs of the run in `folder`; a damaged line is left out."""
    return read_epochs(folder, EpochProgress)
