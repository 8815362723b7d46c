"""How fast hold'em is solved, for `tacit bench holdem`: `python -m tacit.bench.holdem NAME`.

A small spot is solved first, so that interpreter, libraries and compiled kernels count neither in
the seconds nor in the memory.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from tacit.bench.peak_memory import peak, restarted_peak
from tacit.formats.spot_file import load_spot_file
from tacit.games.holdem.hand_rank import rank_boards, rank_cards
from tacit.games.holdem.spot import Spot
from tacit.solve import Solver, find_algorithm
from tacit.solve.spot import SpotLimits, solve_spot
from tacit.tree.cards.builder import build_spot

EVALUATOR = "evaluator"
SETTINGS = {"river": ("river-bench", 0.1, 1, 5), "turn": ("turn-bench", 0.5, 2, 1)}
"""By name: the example, the target in percent of the pot, threads, and how often it is solved."""
SMALL_BOARDS = {"river": "2c7dJhQs3h", "turn": "2c7dJhQs"}
BATCH = {"river": 50, "turn": 3}
BOARDS, HANDS, ROUNDS = 2_000, 1_000_000, 5


def measure(name: str) -> dict[str, Any]:
    """One row of the benchmark."""
    return measure_evaluator() if name == EVALUATOR else measure_spot(name)


def measure_spot(name: str) -> dict[str, Any]:
    """Solve a spot to its target; the fastest of several solves counts."""
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
    paces = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        solver.run(BATCH[name])
        paces.append((time.perf_counter() - start) / BATCH[name])
    return {
        "spot": example,
        "ms_per_iteration": 1e3 * min(paces),
        "seconds_to_target": best.seconds,
        "iterations": best.iterations,
        "exploitability_percent_of_pot": best.percent_of_pot,
        "target_percent_of_pot": percent,
        "threads": threads,
        "peak_memory_mb": memory,
    }


def measure_evaluator() -> dict[str, Any]:
    """Hands ranked a second, one thread: all hands of a board at once, and hands one by one."""
    random = np.random.default_rng(0)
    dealt = np.argsort(random.random((BOARDS, 52)), axis=1).astype(np.int8)
    boards = dealt[:, :5]
    hands = np.tile(dealt[:, :7], (HANDS // BOARDS, 1))
    live = int((rank_boards(boards) >= 0).sum())
    rank_cards(hands[:10])
    pace = {"boards": 0.0, "hands": 0.0}
    for _ in range(ROUNDS):
        start = time.perf_counter()
        rank_boards(boards)
        middle = time.perf_counter()
        rank_cards(hands)
        end = time.perf_counter()
        pace["boards"] = max(pace["boards"], live / (middle - start))
        pace["hands"] = max(pace["hands"], len(hands) / (end - middle))
    return {
        "spot": EVALUATOR,
        "hands_per_second": pace["boards"],
        "single_hands_per_second": pace["hands"],
        "threads": 1,
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
