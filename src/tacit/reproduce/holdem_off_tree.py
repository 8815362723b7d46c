"""Bets that a blueprint of a hold'em spot does not know: translation against nested solving.

Safe and nested subgame solving, section 6 and Table 2, on a spot of one street. The blueprint is
solved without some sizes of bets; both players may still make them, and the exploitability of what
answers them is measured in the game that has them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.games import GameError
from tacit.games.holdem.bet_sizes import BetSettings
from tacit.games.holdem.betting import TURN, BettingRules
from tacit.games.holdem.cards import parse_board
from tacit.games.holdem.ranges import parse_range
from tacit.games.holdem.spot import Spot
from tacit.solve.algorithms import find_algorithm
from tacit.solve.best_response import evaluate
from tacit.solve.engine import Solver
from tacit.subgame.blueprint import Blueprint, with_player
from tacit.subgame.methods import SolveBudget
from tacit.subgame.nested import Form, Nesting, nested_policy
from tacit.subgame.translation import KINDS, Kind, translated_policy
from tacit.tree import PublicState
from tacit.tree.cards.builder import build_spot

Array = NDArray[Any]
Answer = Callable[[int], Array]
"""The policy [slots] of a player."""

BOARD = "3s7hTdKs"
BETS = "50%,75%,100%/a"
UNKNOWN = (0.75,)
"""Bets, in pots, that the blueprint does not have."""
METHODS = ("unsafe", "resolve", "maxmargin", "reach-maxmargin")
FORMS: tuple[Form, ...] = ("inexpensive", "full")
ANSWERS = 1 + len(KINDS) + len(METHODS) * len(FORMS)
"""How many rows there are: the blueprint as it is, translations and nested solving."""
TOLERANCE = 0.01


@dataclass(frozen=True)
class OffTreeRow:
    """How unknown bets are answered: exploitability and both best responses, in mbb/h."""

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


def off_tree_rows(
    spot: Spot,
    *,
    unknown: Sequence[float] = UNKNOWN,
    blueprint_iterations: int = 1_000,
    budget: SolveBudget | None = None,
    methods: Sequence[str] = METHODS,
    on_row: Callable[[OffTreeRow], None] | None = None,
) -> list[OffTreeRow]:
    """The blueprint as it is, both translations, and nested solving by each method and form."""
    budget = budget or SolveBudget(algorithm="dcfr", iterations=300)
    tree = build_spot(spot)

    def known(state: PublicState, label: str) -> bool:
        expansion = state.expand()
        size = state.action_size(expansion.actions[expansion.labels.index(label)])
        return size is None or all(abs(size - barred) > TOLERANCE for barred in unknown)

    restricted = tree.restricted(known)
    if restricted.arrays.legal.all():
        raise GameError(f"{spot.name} has no bets of {list(unknown)} pots that could be left out")
    solver = Solver(restricted, find_algorithm("dcfr"))
    solver.run(blueprint_iterations)
    blueprint = Blueprint(tree, solver.average_policy(), solver.policy.astype(np.float64))

    def translated(kind: Kind) -> Answer:
        return lambda player: translated_policy(blueprint, known, player, kind)

    def nested(method: str, form: Form) -> Answer:
        return lambda player: nested_policy(
            blueprint,
            Nesting(player=player, known=known, method=method, budget=budget, form=form),
        )

    answers: dict[str, Answer] = {
        "blueprint, uniform where it does not know": lambda player: blueprint.policy,
        **{f"translation, {kind}": translated(kind) for kind in KINDS},
        **{f"nested {m}, {form}": nested(m, form) for m in methods for form in FORMS},
    }
    scale = 1000 / spot.rules.big_blind
    rows = []
    for name, answer in answers.items():
        written = blueprint.policy
        for player in (0, 1):
            written = with_player(tree, written, answer(player), player)
        first, second = evaluate(tree, written).best_response
        rows.append(OffTreeRow(name, scale * (first + second) / 2, (scale * first, scale * second)))
        if on_row is not None:
            on_row(rows[-1])
    return rows
