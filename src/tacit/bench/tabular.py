"""Milliseconds per iteration of CFR+, here and in OpenSpiel's C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tacit.bench.measurement import in_new_process, seconds_per_call
from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row

ALGORITHM = "cfr+"
ROUNDS = 5
SECONDS = 0.2
"""How long one measurement lasts at least."""
BATCH = 16
GAMES = {
    "leduc": "leduc_poker",
    "liars-dice-1x4": "liars_dice(numdice=1,dice_sides=4)",
    "liars-dice-1x5": "liars_dice(numdice=1,dice_sides=5)",
    "liars-dice-1x6": "liars_dice(numdice=1,dice_sides=6)",
    "liars-dice-2x3": "liars_dice(numdice=2,dice_sides=3)",
}
"""By name: the same game in OpenSpiel."""


@dataclass(frozen=True, kw_only=True)
class Tabular(Experiment):
    """Milliseconds per iteration of CFR+, one core, here and in OpenSpiel's C++.

    The two are measured in turn and the fastest of several measurements counts. Memory is the peak
    of a process that builds the tree and solves it, beyond the interpreter and libraries.

    Columns: game, algorithm, ours_ms_per_iteration, openspiel_ms_per_iteration, ratio, infostates,
    openspiel_infostates, peak_memory_mb; None where OpenSpiel is not installed.
    """

    games: tuple[str, ...] = option(tuple(GAMES), "Games, separated by commas.")

    title = "CFR+, milliseconds per iteration, one core"
    columns: ClassVar = {
        "game": "{game}",
        "tacit ms": "{ours_ms_per_iteration:.4f}",
        "OpenSpiel ms": "{openspiel_ms_per_iteration:.2f}",
        "ratio": "{ratio:.0f}",
        "infostates": "{infostates:,}",
        "OpenSpiel's": "{openspiel_infostates:,}",
        "peak": "{peak_memory_mb:.1f} MB",
    }

    def __post_init__(self) -> None:
        check_names(self.games, GAMES, "tabular benchmark")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each game."""
        try:
            import pyspiel
        except ImportError:
            pyspiel = None
            progress.warn(
                "OpenSpiel is not installed, so there is nothing to compare with; install it with: "
                "pip install 'tacit[openspiel]'"
            )
        return [_row(name, pyspiel) for name in self.games]


def _row(name: str, pyspiel: Any) -> Row:
    """One game's row: both solvers in turn, round by round."""
    from tacit.games import load_game
    from tacit.report.game_sizes import count_infostates
    from tacit.solvers import Solver, find_algorithm
    from tacit.tree import build_tree

    tree = build_tree(load_game(name))
    ours = Solver(tree, find_algorithm(ALGORITHM))
    theirs = pyspiel.CFRPlusSolver(pyspiel.load_game(GAMES[name])) if pyspiel else None
    ours.run(BATCH)
    own, other = [], []
    for _ in range(ROUNDS):
        own.append(seconds_per_call(lambda: ours.run(BATCH), at_least=SECONDS) / BATCH)
        if theirs is not None:
            other.append(seconds_per_call(theirs.evaluate_and_update_policy, at_least=SECONDS))
    infostates = theirs and len(theirs.tabular_average_policy().policy_table())
    return {
        "game": name,
        "algorithm": ALGORITHM,
        "ours_ms_per_iteration": 1e3 * min(own),
        "openspiel_ms_per_iteration": 1e3 * min(other) if other else None,
        "ratio": min(other) / min(own) if other else None,
        "infostates": count_infostates(tree.game_builder.root),
        "openspiel_infostates": infostates,
        "peak_memory_mb": float(in_new_process("tacit.bench.measurement", name)),
    }
