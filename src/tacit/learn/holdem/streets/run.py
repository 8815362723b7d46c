"""Training of the networks before the turn card and before the flop, in rounds of chunks.

A run's folder holds its settings, a file for each chunk of examples, and the network after each
round. Chunks are tasks of an executor, each with a seed of its own, so that the same examples come
from any number of workers. The first round searches with equity at the leaves, later rounds with
the network of the round before. Before the turn card the first round solves turns exactly, one card
of each PBS; later rounds value PBSs by the network of the round before over all cards, and what the
one card said before it is dropped. Before the flop it is the same with flops, which are searched to
the turn card and then sampled. A run resumes with the first chunk that its folder lacks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Literal

import numpy as np

from tacit.archive import read_text, reading
from tacit.cluster import Executor, executor_of
from tacit.files import write_text
from tacit.games import GameError
from tacit.learn.holdem.equity_evaluator import EquityEvaluator
from tacit.learn.holdem.examples import Examples, join
from tacit.learn.holdem.fitting import FitSettings, fit
from tacit.learn.holdem.knots import SCALARS, Situation
from tacit.learn.holdem.network import (
    KnotEvaluator,
    KnotNetwork,
    Origin,
    find_network,
    load_evaluator,
)
from tacit.learn.holdem.streets.positions import StreetSettings
from tacit.learn.holdem.streets.targets import (
    ChunkSettings,
    StreetEvaluators,
    averaged_examples,
    averaged_flop_examples,
    flop_examples,
    turn_examples,
)
from tacit.solvers.leaves import PBSEvaluator
from tacit.suggest import unknown

SETTINGS, NETWORK = "settings.json", "network.npz"
WHAT = "the settings of a run of hold'em streets"
CHANGEABLE = ("rounds", "chunks", "later_chunks", "steps", "seed")
Street = Literal["flop", "preflop"]
Each = Callable[[int, int], None]
"""Called after each chunk with the number of finished chunks and of all."""


@dataclass(frozen=True, kw_only=True)
class StreetRunSettings:
    """A run: which network, from how many chunks in how many rounds.

    street: whose end the network is for. flop_network: before the flop, the network at the leaves
    of flop searches. begin_with: a network whose weights training starts from, "" for none.
    """

    street: Street
    rounds: int = 1
    chunks: int = 24
    """In the first round."""
    later_chunks: int = 12
    """In each later round."""
    hidden: tuple[int, ...] = (128, 128, 128)
    fitting: FitSettings = field(
        default_factory=lambda: FitSettings(steps=400, last_steps=400, batch=128)
    )
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    flop_network: str = ""
    begin_with: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.street not in ("flop", "preflop"):
            raise GameError(f"street is {self.street!r}; expected flop or preflop")
        if min(self.rounds, self.chunks, self.later_chunks) < 1:
            raise GameError(f"{self.rounds} rounds of {self.chunks} chunks; expected 1 or more")

    @property
    def total(self) -> int:
        """The number of chunks of all rounds."""
        return self.numbers(self.rounds - 1).stop

    def numbers(self, number: int) -> range:
        """The numbers of the chunks of a round."""
        if number == 0:
            return range(self.chunks)
        first = self.chunks + (number - 1) * self.later_chunks
        return range(first, first + self.later_chunks)

    def changed(self, changes: Mapping[str, str]) -> StreetRunSettings:
        """With other rounds, chunks, gradient steps or seed, given as text."""
        numbers: dict[str, int] = {}
        fitting = self.fitting
        for name, text in changes.items():
            if name not in CHANGEABLE:
                raise GameError(unknown("setting", name, CHANGEABLE))
            if not text.isdecimal():
                raise GameError(f"setting {name} must be a whole number, not {text!r}")
            if name == "steps":
                fitting = replace(fitting, last_steps=int(text))
            else:
                numbers[name] = int(text)
        return replace(self, fitting=fitting, **numbers)  # type: ignore[arg-type]


PRESETS: dict[str, StreetRunSettings] = {
    "holdem-flop": StreetRunSettings(
        street="flop",
        rounds=2,
        fitting=FitSettings(steps=400, last_steps=1000, batch=128),
    ),
    "holdem-preflop": StreetRunSettings(
        street="preflop",
        rounds=2,
        chunks=8,
        later_chunks=6,
        fitting=FitSettings(steps=400, last_steps=1500, batch=128),
        chunk=ChunkSettings(positions=StreetSettings(flop_iterations=40)),
        flop_network="holdem-flop",
        begin_with="holdem-flop",
    ),
}
"""The runs whose networks come with the package."""


def find_street_preset(name: str) -> StreetRunSettings:
    """The settings of that name; GameError names the nearest one if there is none."""
    if name not in PRESETS:
        raise GameError(unknown("run of a street", name, PRESETS))
    return PRESETS[name]


@dataclass(frozen=True)
class ChunkTask:
    """A chunk in plain data: its number, and the file of the network of the round before."""

    number: int
    network: str | None


def chunk_worker(settings: StreetRunSettings) -> Callable[[ChunkTask], Examples]:
    """The function that makes chunks; called once in each process."""
    equity = EquityEvaluator()

    def make(task: ChunkTask) -> Examples:
        own: PBSEvaluator = load_evaluator(task.network) if task.network else equity
        random = np.random.default_rng([settings.seed, task.number])
        if settings.street == "flop":
            make_chunk = averaged_examples if task.network else turn_examples
            return make_chunk(settings.chunk, StreetEvaluators(equity, own), random)
        flop = load_evaluator(settings.flop_network) if settings.flop_network else equity
        make_chunk = averaged_flop_examples if task.network else flop_examples
        return make_chunk(settings.chunk, StreetEvaluators(own, flop), random)

    return make


@dataclass(frozen=True)
class StreetRun:
    """A run in its folder."""

    folder: Path
    settings: StreetRunSettings

    @classmethod
    def create(cls, folder: Path, settings: StreetRunSettings) -> StreetRun:
        """A new run; GameError if the folder holds one."""
        if (folder / SETTINGS).exists():
            raise GameError(f"{folder} holds a run already; resume it or name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / SETTINGS, json.dumps(asdict(settings)))
        return cls(folder, settings)

    @classmethod
    def resume(cls, folder: Path, settings: StreetRunSettings) -> StreetRun:
        """The run in a folder; GameError if its settings are others."""
        with reading(folder / SETTINGS, WHAT):
            kept = json.loads(read_text(folder / SETTINGS, WHAT))
        if kept != json.loads(json.dumps(asdict(settings))):
            raise GameError(f"{folder} holds a run with other settings; name another folder")
        return cls(folder, settings)

    def train(
        self, *, workers: int = 0, each: Each | None = None, executor: Executor | None = None
    ) -> KnotEvaluator:
        """Make the chunks that are missing and fit the network of every round.

        An `executor` takes the place of `workers` processes; its machines must see this folder.
        """
        settings, begun = self.settings, perf_counter()
        total = settings.total
        with (executor or executor_of(workers)).open(partial(chunk_worker, settings)) as session:
            for number in range(settings.rounds):
                before = str(self._network(number - 1).resolve()) if number else None
                numbers = settings.numbers(number)
                missing = [n for n in numbers if not self._chunk(n).exists()]
                batch = session.submit([ChunkTask(n, before) for n in missing])
                for place, examples in batch.done:
                    examples.save(self._chunk(missing[place]))
                    if each is not None:
                        each(sum(self._chunk(n).exists() for n in range(total)), total)
                if not self._network(number).exists():
                    self._fit(number, perf_counter() - begun)
        evaluator = KnotEvaluator.load(self._network(settings.rounds - 1))
        evaluator.save(self.folder / NETWORK)
        return evaluator

    def _fit(self, number: int, seconds: float) -> None:
        """Fit the network of a round to all chunks so far."""
        settings = self.settings
        chunks = settings.numbers(number).stop
        examples = join([Examples.load(self._chunk(n)) for n in range(chunks)])
        situations = (
            (Situation.BEFORE_TURN, Situation.TURN)
            if settings.street == "flop"
            else (Situation.BEFORE_FLOP, Situation.FLOP)
        )
        if number:
            first = sum(len(Examples.load(self._chunk(n))) for n in range(settings.chunks))
            at = examples.rows[:, SCALARS + situations[0]] > 0
            at[first:] = False
            examples = examples.at(np.flatnonzero(~at))
        network = KnotNetwork(settings.hidden, seed=settings.seed)
        if settings.begin_with:
            network = KnotEvaluator.load(find_network(settings.begin_with)).network
        last = number == settings.rounds - 1
        steps = settings.fitting.last_steps if last else settings.fitting.steps
        fit(network, examples, settings.fitting, seed=settings.seed, steps=steps)
        preset = PRESETS[f"holdem-{settings.street}"]
        given = _changeable(settings)
        usual = _changeable(preset)
        changes = [f" --set {name}={n}" for name, n in given.items() if n != usual[name]]
        command = f"tacit train holdem-{settings.street} --seed {settings.seed}{''.join(changes)}"
        origin = Origin(
            command=command, seed=settings.seed, examples=len(examples), seconds=seconds
        )
        KnotEvaluator(network, situations, origin).save(self._network(number))

    def _chunk(self, number: int) -> Path:
        return self.folder / f"chunk-{number:04}.npz"

    def _network(self, number: int) -> Path:
        return self.folder / f"round-{number}.npz"


def _changeable(settings: StreetRunSettings) -> dict[str, int]:
    """The settings that `changed` changes, without the seed."""
    return {
        "rounds": settings.rounds,
        "chunks": settings.chunks,
        "later_chunks": settings.later_chunks,
        "steps": settings.fitting.last_steps,
    }
