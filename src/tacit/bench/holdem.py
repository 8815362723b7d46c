"""How fast hold'em is solved: `python -m tacit.bench.holdem NAME` prints one row.

A small spot is solved first, so that interpreter, libraries and compiled kernels count neither in
the seconds nor in the memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.bench.measurement import in_new_process, peak, restarted_peak, seconds_per_call
from tacit.report.experiment import SILENT, Experiment, Progress, check_names, option
from tacit.report.table import Row, Table

EVALUATOR = "evaluator"
SETTINGS = {"river": ("river-bench", 0.1, 1, 5), "turn": ("turn-bench", 0.5, 2, 1)}
"""By name: the example, the target in percent of the pot, threads, and the number of solves."""
SMALL_BOARDS = {"river": "2c7dJhQs3h", "turn": "2c7dJhQs"}
BATCH = {"river": 50, "turn": 3}
BOARDS, HANDS, ROUNDS = 2_000, 1_000_000, 5


@dataclass(frozen=True, kw_only=True)
class Holdem(Experiment):
    """Seconds to a target on a river and a turn of hold'em, and hands ranked per second.

    The river is solved by one thread to 0.1 % of the pot, the turn by two to 0.5 %. Each runs in a
    process of its own; memory is its peak beyond the interpreter and libraries.

    Columns of a spot: spot, ms_per_iteration, seconds_to_target, iterations,
    exploitability_percent_of_pot, target_percent_of_pot, threads, peak_memory_mb. Columns of the
    evaluator: spot, hands_per_second (all hands of a board at once), single_hands_per_second,
    threads.
    """

    spots: tuple[str, ...] = option((*SETTINGS, EVALUATOR), "Rows, separated by commas.")

    title = "Discounted CFR to 0.1 % of the pot (river) and 0.5 % (turn)"
    columns: ClassVar = {
        "spot": "{spot}",
        "threads": "{threads}",
        "ms per iteration": "{ms_per_iteration:.3f}",
        "seconds": "{seconds_to_target:.2f}",
        "iterations": "{iterations:,}",
        "% of pot": "{exploitability_percent_of_pot:.3f}",
        "peak": "{peak_memory_mb:,.0f} MB",
    }

    def __post_init__(self) -> None:
        check_names(self.spots, (*SETTINGS, EVALUATOR), "hold'em benchmark")

    def rows(self, progress: Progress = SILENT) -> list[Row]:
        """A row for each name, measured in a process of its own."""
        return [json.loads(in_new_process("tacit.bench.holdem", name)) for name in self.spots]

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """The spots, and the evaluator in the note."""
        (made,) = super().tables([row for row in rows if row["spot"] != EVALUATOR])
        for row in rows:
            if row["spot"] == EVALUATOR:
                made.note = (
                    f"Evaluator: {row['hands_per_second'] / 1e6:,.0f} million hands per second "
                    "with all hands of a board at once, "
                    f"{row['single_hands_per_second'] / 1e6:,.0f} million one by one."
                )
        return [made]


def measure_spot(name: str) -> Row:
    """Solve a spot to its target; the fastest of several solves counts."""
    from tacit.formats.spot_file import load_spot_file
    from tacit.games.holdem.spot import Spot
    from tacit.solvers import Solver, find_algorithm
    from tacit.solvers.spot import SpotLimits, solve_spot
    from tacit.tree.cards.builder import build_spot

    example, percent, threads, rounds = SETTINGS[name]
    small = Spot.of(
        SMALL_BOARDS[name], ranges=("AcAd,9s8s", "KsKd,Tc8c"), pot=100, behind=100, bets="a"
    )
    solve_spot(small, SpotLimits(iterations=2), threads=threads)
    before = restarted_peak()
    spot = load_spot_file(example).spot()
    tree = build_spot(spot)
    solutions = [
        solve_spot(spot, SpotLimits(percent=percent), threads=threads, tree=tree)
        for _ in range(rounds)
    ]
    memory = peak() - before
    best = min(solutions, key=lambda solution: solution.seconds)
    solver = Solver(tree, find_algorithm("dcfr"), threads=threads)
    solver.run(1)
    return {
        "spot": example,
        "ms_per_iteration": 1e3 * _fastest(lambda: solver.run(BATCH[name])) / BATCH[name],
        "seconds_to_target": best.seconds,
        "iterations": best.iterations,
        "exploitability_percent_of_pot": best.percent_of_pot,
        "target_percent_of_pot": percent,
        "threads": threads,
        "peak_memory_mb": memory,
    }


def measure_evaluator() -> Row:
    """Hands ranked per second, one thread: all hands of a board at once, and one by one."""
    from tacit.games.holdem.hand_rank import rank_boards, rank_cards

    random = np.random.default_rng(0)
    dealt = np.argsort(random.random((BOARDS, 52)), axis=1).astype(np.int8)
    boards = dealt[:, :5]
    hands = np.tile(dealt[:, :7], (HANDS // BOARDS, 1))
    live = int((rank_boards(boards) >= 0).sum())
    rank_cards(hands[:10])
    return {
        "spot": EVALUATOR,
        "hands_per_second": live / _fastest(lambda: rank_boards(boards)),
        "single_hands_per_second": len(hands) / _fastest(lambda: rank_cards(hands)),
        "threads": 1,
    }


def _fastest(call: Callable[[], object]) -> float:
    """The seconds of the fastest of several calls."""
    return min(seconds_per_call(call) for _ in range(ROUNDS))


if __name__ == "__main__":
    asked = sys.argv[1]
    print(json.dumps(measure_evaluator() if asked == EVALUATOR else measure_spot(asked)))
