"""Answers to bets that a blueprint does not know: translation, and nested subgame solving.

Safe and nested subgame solving, section 6. The blueprint is solved without some bets; both players
may still make them, and each answer is measured in the game that has all bets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from tacit.solvers.best_response import Evaluation, evaluate
from tacit.subgame.abstraction import Keep
from tacit.subgame.blueprint import Blueprint, with_player
from tacit.subgame.methods import SolveBudget
from tacit.subgame.nested import Form, Nesting, nested_policy
from tacit.subgame.translation import KINDS, Kind, translated_policy

PlayerPolicy = Callable[[int], NDArray[Any]]
"""By player: the policy [slots] with that player's answers."""
UNIFORM = "blueprint, uniform where it does not know"
FORMS: tuple[Form, ...] = ("inexpensive", "full")


def answers(
    blueprint: Callable[[], Blueprint],
    known: Keep,
    *,
    methods: Sequence[str],
    budget: SolveBudget,
) -> dict[str, Callable[[], Evaluation]]:
    """By name: a function that measures the answer.

    The blueprint as it is, both translations, and nested solving by each method in both forms.
    `blueprint` is called when the first answer is measured.
    """

    def translated(kind: Kind) -> PlayerPolicy:
        return lambda player: translated_policy(blueprint(), known, player, kind)

    def nested(method: str, form: Form) -> PlayerPolicy:
        return lambda player: nested_policy(
            blueprint(),
            Nesting(player=player, known=known, method=method, budget=budget, form=form),
        )

    policies: dict[str, PlayerPolicy] = {
        UNIFORM: lambda player: blueprint().policy,
        **{f"translation, {kind}": translated(kind) for kind in KINDS},
        **{f"nested {m}, {form}": nested(m, form) for m in methods for form in FORMS},
    }

    def measure(policy: PlayerPolicy) -> Evaluation:
        tree, written = blueprint().tree, blueprint().policy
        for player in (0, 1):
            written = with_player(tree, written, policy(player), player)
        return evaluate(tree, written)

    return {name: partial(measure, policy) for name, policy in policies.items()}
