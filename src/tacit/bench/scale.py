"""What training at the scale of ReBeL's paper would cost here, by measured rates of self-play."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from tacit.bench.rebel import REFERENCE, examples_per_second, self_play_settings
from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row


class Training(NamedTuple):
    """A training of the paper: its epochs, and the examples of each (appendix E)."""

    epochs: int
    examples: int


TURN, HOLDEM = "turn-endgame-holdem", "holdem"
PAPER = {
    **dict.fromkeys(REFERENCE, Training(1_000, 25_600)),
    TURN: Training(300, 2_560_000),
    HOLDEM: Training(1_750, 2_560_000),
}
"""By game. Data came from 60 CPU threads for Liar's Dice, and from 90 machines of 8 GPUs for
hold'em."""


@dataclass(frozen=True, kw_only=True)
class Scale(Experiment):
    """The processor time of as many training examples as ReBeL's paper used.

    An example is the values of one player's infostates at one PBS. Rates are those of self-play on
    one core, in seconds of the processor, so that other programs do not disturb them. For Liar's
    Dice both with ReBeL's settings (1,024 updates of one player, depth 2) and with those of our
    presets for CFR-D. For turn endgame hold'em with those of `holdem-turn`: PBSs before the river
    card from searches of turns. For hold'em with those of `holdem-flop`: PBSs before the turn card
    from searches of flops. Values are those after the card, solved to the end of the game.
    Gradient steps are left out: they run meanwhile, on one machine.

    Columns: game, settings ("rebel" or "own"), examples (the paper's), examples_per_second (of one
    core), core_hours, hours (on `cores` cores), cores.
    """

    games: tuple[str, ...] = option(tuple(PAPER), "Games, separated by commas.")
    seconds: float = option(20.0, "Seconds of each measurement.", least=0.1)
    cores: int = option(64, "For which the hours are stated.", least=1)

    title = "ReBeL's number of examples, on {cores} cores"
    columns: ClassVar = {
        "game": "{game}",
        "settings": "{settings}",
        "examples": "{examples:,}",
        "examples/s of a core": "{examples_per_second:.1f}",
        "core hours": "{core_hours:,.0f}",
        "hours": "{hours:,.1f}",
    }
    text_columns = 2

    def __post_init__(self) -> None:
        check_names(self.games, PAPER, "training of ReBeL's in")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each game and each of its settings."""
        rows: list[Row] = []
        for number, game in enumerate(self.games):
            progress.stage("games", number / len(self.games))
            for settings, rate in self._rates(game):
                training = PAPER[game]
                examples = training.epochs * training.examples
                hours = examples / rate / 3600
                rows.append(
                    {
                        "game": game,
                        "settings": settings,
                        "examples": examples,
                        "examples_per_second": rate,
                        "core_hours": hours,
                        "hours": hours / self.cores,
                        "cores": self.cores,
                    }
                )
        return rows

    def _rates(self, game: str) -> Iterator[tuple[str, float]]:
        """The examples per second of a core, by the settings of self-play."""
        if game in (TURN, HOLDEM):
            yield "own", holdem_examples_per_second(game, self.seconds)
            return
        for name, settings in self_play_settings(game, tables=1).items():
            yield (
                name,
                examples_per_second(
                    settings, workers=0, seconds=self.seconds, clock=time.process_time
                ),
            )


def holdem_examples_per_second(game: str, seconds: float) -> float:
    """Examples per second of the processor, from whole tasks of self-play."""
    task = _turn_task() if game == TURN else _flop_task()
    task(0)  # let it load the kernels
    made, number, began = 0, 1, time.process_time()
    while number == 1 or time.process_time() - began < seconds:
        made += task(number)
        number += 1
    return made / (time.process_time() - began)


def _turn_task() -> Callable[[int], int]:
    """What plays a board with an untrained network, and counts its examples."""
    from tacit.learn.holdem.self_play import BoardPlay, BoardTask
    from tacit.learn.presets import HOLDEM

    settings = HOLDEM["holdem-turn"]
    play, epoch = BoardPlay(settings), settings.play.random_epochs
    weights = play.evaluator.network.weights()

    def task(number: int) -> int:
        result = play(BoardTask(epoch, number, weights))
        return sum(len(part) for part in (result.solved, result.averaged) if part is not None)

    return task


def _flop_task() -> Callable[[int], int]:
    """What makes a chunk with equity at the leaves, and counts its examples."""
    from tacit.learn.holdem.streets.run import ChunkTask, chunk_worker, find_street_preset

    work = chunk_worker(find_street_preset("holdem-flop"))
    return lambda number: len(work(ChunkTask(number, None)))
