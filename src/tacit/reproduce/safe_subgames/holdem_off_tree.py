"""Safe and nested subgame solving, section 6: answers to bets that a blueprint does not know.

The blueprint is solved without some bets; both players may still make them. Translation and nested
subgame solving are measured in the game that has all bets; here (Table 2) on a hold'em spot of one
street.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import TURN
from tacit.games.holdem.spot import Spot
from tacit.report.experiment import Progress, option
from tacit.report.table import Row, Table, table_of
from tacit.reproduce.row_store import Reproduction, RowStore
from tacit.reproduce.safe_subgames.deal_tables import spot_of_all_hands
from tacit.solvers.algorithms import find_algorithm
from tacit.solvers.best_response import Evaluation, evaluate
from tacit.solvers.engine import Solver
from tacit.subgame.abstraction import Keep
from tacit.subgame.blueprint import Blueprint, with_player
from tacit.subgame.methods import SolveBudget
from tacit.subgame.nested import Form, Nesting, nested_policy
from tacit.subgame.translation import KINDS, Kind, translated_policy
from tacit.tree import PublicState
from tacit.tree.cards.builder import build_spot

UNIFORM = "blueprint, uniform where it does not know"
FORMS: tuple[Form, ...] = ("inexpensive", "full")
BOARD = "3s7hTdKs"
BETS = "50%,75%,100%/a"
UNKNOWN = (0.75,)
"""Bets, in pots, that the blueprint does not have."""
METHODS = ("unsafe", "resolve", "maxmargin", "reach-maxmargin")
TOLERANCE = 0.01


def answers(
    blueprint: Callable[[], Blueprint], known: Keep, *, methods: Sequence[str], budget: SolveBudget
) -> dict[str, Callable[[], Evaluation]]:
    """By name: a function that measures the answer.

    The blueprint as it is, both translations, and nested solving by each method in both forms.
    `blueprint` is called when the first answer is measured.
    """

    def translated(kind: Kind, player: int) -> NDArray[Any]:
        return translated_policy(blueprint(), known, player, kind)

    def nested(method: str, form: Form, player: int) -> NDArray[Any]:
        nesting = Nesting(player=player, known=known, method=method, budget=budget, form=form)
        return nested_policy(blueprint(), nesting)

    def measure(policy: Callable[[int], NDArray[Any]]) -> Evaluation:
        tree, written = blueprint().tree, blueprint().policy
        for player in (0, 1):
            written = with_player(tree, written, policy(player), player)
        return evaluate(tree, written)

    return {
        UNIFORM: partial(measure, lambda player: blueprint().policy),
        **{f"translation, {kind}": partial(measure, partial(translated, kind)) for kind in KINDS},
        **{
            f"nested {method}, {form}": partial(measure, partial(nested, method, form))
            for method in methods
            for form in FORMS
        },
    }


def turn_spot() -> Spot:
    """Turn hold'em on one turn: the last betting of the hand, all hands in both ranges."""
    return spot_of_all_hands(
        BOARD,
        (TURN, TURN),
        stack=3_000,
        committed=500,
        bets=BetSettings.parse(BETS),
        name=f"turn hold'em on {BOARD}",
    )


def off_tree_answers(
    spot: Spot,
    *,
    unknown: Sequence[float] = UNKNOWN,
    blueprint_iterations: int,
    budget: SolveBudget,
    methods: Sequence[str] = METHODS,
) -> dict[str, Callable[[], Row]]:
    """By name: a function that computes an answer's exploitability and best responses in mbb/h."""
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

    scale = 1000 / spot.rules.big_blind

    def row(measure: Callable[[], Evaluation]) -> Row:
        first, second = measure().best_response
        both = scale * first, scale * second
        return {"exploitability_mbb": scale * (first + second) / 2, "best_response_mbb": both}

    measures = answers(blueprint, known, methods=methods, budget=budget)
    return {name: partial(row, measure) for name, measure in measures.items()}


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
            budget = {
                "blueprint_iterations": self.blueprint_iterations,
                "iterations": self.iterations,
            }
            store.add({"answer": answer, **budget}, compute)

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Answers and their exploitability."""
        spot = turn_spot()
        missing = ", ".join(f"{100 * size:g}%" for size in UNKNOWN)
        columns = {"answer": "{answer}", "exploitability": "{exploitability_mbb:,.2f}"}
        title = f"{spot.name}, bets/raises {BETS}: exploitability in mbb/h"
        note = (
            f"The blueprint does not have bets of {missing}; pot {spot.pot:,}, the hand ends with "
            "this street's betting."
        )
        return [table_of(rows, columns, title=title, note=note)]
