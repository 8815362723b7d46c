"""Tables in the form of the safe subgame solving paper's 3 to 5, for small games.

Weak blueprints are made in several ways over several seeds; all their subgames at one depth are
solved again for both players by every method, and the exploitability of the whole is measured in
the game as it is. A second table is of bets that the blueprint does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import load_game
from tacit.games.leduc import RAISE
from tacit.solve.best_response import evaluate
from tacit.subgame.abstraction import (
    Keep,
    frontier,
    random_groups,
    random_removal,
    solve_abstraction,
)
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot, with_player
from tacit.subgame.methods import METHODS, SolveBudget, find_method, solve_roots
from tacit.subgame.nested import Form, Nesting, nested_policy
from tacit.subgame.translation import KINDS, Kind, translated_policy
from tacit.tree import PublicState, PublicTree, build_tree
from tacit.tree.worlds import sample_world

Array = NDArray[Any]
Weakness = Literal["few iterations", "merged infostates", "missing actions"]
WEAKNESSES: tuple[Weakness, ...] = ("few iterations", "merged infostates", "missing actions")
DEPTHS = {"leduc": 2, "liars-dice-1x3": 2, "liars-dice-1x4": 2, "pursuit-glasses": 2}
"""How many moves below the root the subgames stand."""
OFF_TREE_GAME, OFF_TREE_KNOWN = "leduc-raises-1-2-4", (1, 4)
"""The game with bets that its blueprint does not know, and the sizes that it does."""
OFF_TREE_ITERATIONS = 100
BLUEPRINT = "blueprint"
FORMS: tuple[Form, ...] = ("inexpensive", "full")
SOLVER_ERROR = 2e-3
"""What a solver that has not come to its end may leave, in the units of these games."""


@dataclass(frozen=True)
class Row:
    """A method's line over several blueprints.

    exploitability: the mean; worst_rise: the most that a blueprint's rose by; raised: how many rose
    by more than `SOLVER_ERROR`; blueprints: of how many.
    """

    method: str
    exploitability: float
    worst_rise: float
    raised: int
    blueprints: int


def weak_blueprint(tree: PublicTree, weakness: Weakness, seed: int) -> Blueprint:
    """A blueprint by 2 + seed iterations, or by 50 with merged infostates or missing actions."""
    random = np.random.default_rng([seed, WEAKNESSES.index(weakness)])
    groups = random_groups(tree, 2, random) if weakness == "merged infostates" else None
    keep = random_removal(tree, 0.3, random) if weakness == "missing actions" else None
    iterations = 2 + seed if weakness == "few iterations" else 50
    return Blueprint.of(
        solve_abstraction(tree, iterations=iterations, groups=groups, keep=keep, seed=seed)
    )


def views_of(blueprint: Blueprint, player: int, depth: int) -> list[SubgameRoot]:
    """What a player sees in all subgames at a depth to which the blueprint leads him."""
    blueprint_values = BlueprintValues(blueprint, player)
    return [
        blueprint_values.at(place)
        for place in frontier(blueprint.tree, depth)
        if blueprint_values.comes_to(place)
    ]


def solved_by(
    blueprint: Blueprint, views: Sequence[Sequence[SubgameRoot]], method: str, budget: SolveBudget
) -> float:
    """The exploitability when each player has solved all of his `views` again.

    Where the blueprint never leads the opponent, methods that need her range leave it as it is.
    """
    tree, written = blueprint.tree, blueprint.policy
    ranged = find_method(method).kind in ("given", "mixed")
    for own in views:
        solvable = [
            view for view in own if not ranged or np.any(view.weights * view.reach[view.opponent])
        ]
        if solvable:
            written = solve_roots(tree, solvable, method, budget).written_into(tree, written)
    return evaluate(tree, written).exploitability


def blueprint_worths(
    tree: PublicTree,
    weakness: Weakness,
    seed: int,
    *,
    methods: Sequence[str] = tuple(METHODS),
    budget: SolveBudget,
) -> dict[str, float]:
    """The exploitability of one weak blueprint, and after each method; `tree` is of `DEPTHS`."""
    blueprint = weak_blueprint(tree, weakness, seed)
    views = [views_of(blueprint, player, DEPTHS[tree.game.name]) for player in (0, 1)]
    worths = {BLUEPRINT: evaluate(tree, blueprint.policy).exploitability}
    return worths | {method: solved_by(blueprint, views, method, budget) for method in methods}


def summary(worths: Sequence[Mapping[str, float]]) -> list[Row]:
    """A row for the blueprints and for each method, from what `blueprint_worths` says of each."""
    before = np.array([worth[BLUEPRINT] for worth in worths])
    rows = []
    for name in worths[0]:
        after = np.array([worth[name] for worth in worths])
        rise = after - before
        raised = int(np.sum(rise > SOLVER_ERROR))
        rows.append(Row(name, float(after.mean()), float(rise.max()), raised, len(worths)))
    return rows


def safe_table(
    game: str,
    weakness: Weakness,
    *,
    seeds: int = 3,
    methods: Sequence[str] = tuple(METHODS),
    budget: SolveBudget | None = None,
) -> list[Row]:
    """The blueprints' row and one for each method."""
    budget = budget or SolveBudget(iterations=500, double=True)
    tree = build_tree(load_game(game))
    return summary(
        [
            blueprint_worths(tree, weakness, seed, methods=methods, budget=budget)
            for seed in range(seeds)
        ]
    )


def knows_sizes(sizes: Sequence[int]) -> Keep:
    """The abstraction of `leduc-raises-…` that has raises of these multiples only."""

    def knows(state: PublicState, label: str) -> bool:
        world: Any = sample_world(state)
        number = state.expansion.labels.index(label)
        action = state.expansion.actions[number]
        if world.action_size(action) is None:
            return True
        return world.sizes[action - RAISE] in sizes

    return knows


OffTreeAnswers = dict[str, Callable[[], float]]
"""By the name of an answer to unknown raises: what measures its exploitability."""


def off_tree_answers(
    *,
    methods: Sequence[str] = ("unsafe", "resolve", "maxmargin", "reach-maxmargin", "continual"),
    budget: SolveBudget | None = None,
) -> OffTreeAnswers:
    """Leduc with unknown raises: both translations, then nested solving in both forms."""
    budget = budget or SolveBudget(iterations=OFF_TREE_ITERATIONS)
    tree = build_tree(load_game(OFF_TREE_GAME))
    known = knows_sizes(OFF_TREE_KNOWN)

    @cache
    def blueprint() -> Blueprint:
        return Blueprint.of(solve_abstraction(tree, iterations=2000, keep=known, algorithm="dcfr"))

    def as_it_is(player: int) -> Array:
        return blueprint().policy

    def translated(kind: Kind) -> Callable[[int], Array]:
        return lambda player: translated_policy(blueprint(), known, player, kind)

    def nested(method: str, form: Form) -> Callable[[int], Array]:
        return lambda player: nested_policy(
            blueprint(),
            Nesting(player=player, known=known, method=method, budget=budget, form=form),
        )

    policies: dict[str, Callable[[int], Array]] = {
        f"{BLUEPRINT}, uniform where it does not know": as_it_is,
        **{f"translation, {kind}": translated(kind) for kind in KINDS},
        **{f"nested {m}, {form}": nested(m, form) for m in methods for form in FORMS},
    }

    def worth(policy: Callable[[int], Array]) -> float:
        written = blueprint().policy
        for player in (0, 1):
            written = with_player(tree, written, policy(player), player)
        return evaluate(tree, written).exploitability

    return {name: partial(worth, policy) for name, policy in policies.items()}
