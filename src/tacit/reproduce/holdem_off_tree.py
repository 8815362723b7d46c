"""Safe and nested subgame solving, section 6 and Table 2, on a hold'em spot of one street."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import ClassVar

import numpy as np

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import TURN, BettingRules
from tacit.games.holdem.cards import parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.report.experiment import Progress, option
from tacit.report.table import Row, Table, table_of
from tacit.reproduce.off_tree import answers
from tacit.reproduce.row_store import Reproduction, RowStore
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.engine import Solver
from tacit.subgame.blueprint import Blueprint
from tacit.subgame.methods import SolveBudget
from tacit.tree import PublicState
from tacit.tree.cards.builder import build_spot

BOARD = "3s7hTdKs"
BETS = "50%,75%,100%/a"
UNKNOWN = (0.75,)
"""Bets, in pots, that the blueprint does not have."""
METHODS = ("unsafe", "resolve", "maxmargin", "reach-maxmargin")
TOLERANCE = 0.01


@dataclass(frozen=True)
class OffTreeRow:
    """An answer to unknown bets: exploitability and both best responses' values, in mbb/h."""

    answer: str
    exploitability_mbb: float
    best_response_mbb: tuple[float, float]


def turn_spot(*, committed: int = 500, stack: int = 3_000) -> Spot:
    """Turn hold'em on one turn: the last betting of the hand, all hands in both ranges."""
    return Spot(
        board=parse_board(BOARD),
        rules=BettingRules(
            stacks=(stack, stack), first_street=TURN, last_street=TURN, committed=committed
        ),
        ranges=(parse_range("random"), parse_range("random")),
        bets=BetSettings.parse(BETS),
        name=f"turn hold'em on {BOARD}",
    )


def off_tree_answers(
    spot: Spot,
    *,
    unknown: Sequence[float] = UNKNOWN,
    blueprint_iterations: int = 1_000,
    budget: SolveBudget | None = None,
    methods: Sequence[str] = METHODS,
) -> dict[str, Callable[[], OffTreeRow]]:
    """By name: a function that computes the row of that answer."""
    budget = budget or SolveBudget(algorithm="dcfr", iterations=300)
    tree = build_spot(spot)

    def known(state: PublicState, label: str) -> bool:
        expansion = state.expand()
        size = state.action_size(expansion.actions[expansion.labels.index(label)])
        return size is None or all(abs(size - barred) > TOLERANCE for barred in unknown)

    restricted = tree.restricted(known)
    if restricted.arrays.legal.all():
        raise GameError(f"{spot.name} has no bets of {list(unknown)} pots that could be left out")

    @cache
    def blueprint() -> Blueprint:
        solver = Solver(restricted, find_algorithm("dcfr"))
        solver.run(blueprint_iterations)
        return Blueprint(tree, solver.average_policy(), solver.policy.astype(np.float64))

    measures = answers(blueprint, known, methods=methods, budget=budget)
    scale = 1000 / spot.rules.big_blind

    def row(name: str) -> OffTreeRow:
        first, second = measures[name]().best_response
        return OffTreeRow(name, scale * (first + second) / 2, (scale * first, scale * second))

    return {name: partial(row, name) for name in measures}


@dataclass(frozen=True, kw_only=True)
class HoldemOffTree(Reproduction):
    """Bets that a blueprint of a turn spot does not know: translation against nested solving.

    Columns: answer, blueprint_iterations, iterations, exploitability_mbb, best_response_mbb (of
    both players), seconds.
    """

    iterations: int = option(300, "Iterations of each subgame's solve.", least=1)
    blueprint_iterations: int = option(1_000, "Iterations of the blueprint.", least=1)

    key = ("answer", "blueprint_iterations", "iterations")
    quick: ClassVar = {"iterations": 20, "blueprint_iterations": 200}

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each answer."""
        found = off_tree_answers(
            turn_spot(),
            blueprint_iterations=self.blueprint_iterations,
            budget=SolveBudget(algorithm="dcfr", iterations=self.iterations),
        )
        for number, (answer, compute) in enumerate(found.items()):
            progress.stage(f"{len(found)} answers", number / len(found))
            head = {
                "answer": answer,
                "blueprint_iterations": self.blueprint_iterations,
                "iterations": self.iterations,
            }
            store.add(head, partial(_row, compute))

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Answers and their exploitability."""
        spot = turn_spot()
        missing = ", ".join(f"{100 * size:g}%" for size in UNKNOWN)
        columns = {"answer": "{answer}", "exploitability": "{exploitability_mbb:,.2f}"}
        return [
            table_of(
                rows,
                columns,
                title=f"{spot.name}, bets/raises {BETS}: exploitability in mbb/h",
                note=f"The blueprint does not have bets of {missing}; pot {spot.pot:,}, the hand "
                "ends with this street's betting.",
            )
        ]


def _row(compute: Callable[[], OffTreeRow]) -> Row:
    return asdict(compute())
