"""Tables in the form of the safe subgame solving paper's 3 to 5, for small games.

Weak blueprints are made in several ways over several seeds; all their subgames at one depth are
solved again for both players by every method, and the exploitability of the whole is measured in
the game as it is. A second table is of bets that the blueprint does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.games import load
from tacit.games.leduc import RAISE
from tacit.solve.abstraction import (
    Keep,
    frontier,
    random_groups,
    random_removal,
    solve_abstraction,
)
from tacit.solve.blueprint import Blueprint, Survey, View, with_player
from tacit.solve.evaluation import evaluate
from tacit.solve.nested import Nesting, nested_policy
from tacit.solve.subgame import METHODS, Effort, find_method, solve_views
from tacit.solve.translation import KINDS, translated_policy
from tacit.tree import PublicState, PublicTree, build_tree

Array = NDArray[Any]
Weakness = Literal["few iterations", "merged infostates", "missing actions"]
WEAKNESSES: tuple[Weakness, ...] = ("few iterations", "merged infostates", "missing actions")
DEPTHS = {"leduc": 2, "liars-dice-1x3": 2, "liars-dice-1x4": 2, "pursuit-glasses": 2}
"""How many moves below the root the subgames stand."""
OFF_TREE_GAME, OFF_TREE_KNOWN = "leduc-raises-1-2-4", (1, 4)
"""The game with bets that its blueprint does not know, and the sizes that it does."""
BLUEPRINT = "blueprint"


@dataclass(frozen=True)
class Row:
    """A method's line: exploitability, mean over the blueprints, and the most that it rose by."""

    method: str
    exploitability: float
    worst_rise: float


def weak_blueprint(tree: PublicTree, weakness: Weakness, seed: int) -> Blueprint:
    """A blueprint by 2 + seed iterations, or by 50 with merged infostates or missing actions."""
    random = np.random.default_rng([seed, WEAKNESSES.index(weakness)])
    groups = random_groups(tree, 2, random) if weakness == "merged infostates" else None
    keep = random_removal(tree, 0.3, random) if weakness == "missing actions" else None
    iterations = 2 + seed if weakness == "few iterations" else 50
    return Blueprint.of(
        solve_abstraction(tree, iterations=iterations, groups=groups, keep=keep, seed=seed)
    )


def views_of(blueprint: Blueprint, player: int, depth: int) -> list[View]:
    """What a player sees in all subgames at a depth to which the blueprint leads him."""
    survey = Survey(blueprint, player)
    return [survey.at(place) for place in frontier(blueprint.tree, depth) if survey.comes_to(place)]


def solved_by(
    blueprint: Blueprint, views: Sequence[Sequence[View]], method: str, effort: Effort
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
            written = solve_views(tree, solvable, method, effort).written_into(tree, written)
    return evaluate(tree, written).exploitability


def safe_table(
    game: str,
    weakness: Weakness,
    *,
    seeds: int = 3,
    methods: Sequence[str] = tuple(METHODS),
    effort: Effort | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Row]:
    """The blueprints' row and one for each method."""
    effort = effort or Effort(iterations=500, double=True)
    tree = build_tree(load(game))
    found: dict[str, list[float]] = {BLUEPRINT: [], **{name: [] for name in methods}}
    for seed in range(seeds):
        blueprint = weak_blueprint(tree, weakness, seed)
        views = [views_of(blueprint, player, DEPTHS[game]) for player in (0, 1)]
        found[BLUEPRINT].append(evaluate(tree, blueprint.policy).exploitability)
        for method in methods:
            found[method].append(solved_by(blueprint, views, method, effort))
        if tell is not None:
            tell(f"{game}, {weakness}: blueprint {seed + 1} of {seeds}")
    before = np.array(found[BLUEPRINT])
    return [
        Row(name, float(np.mean(values)), float(np.max(np.array(values) - before)))
        for name, values in found.items()
    ]


def knows_sizes(sizes: Sequence[int]) -> Keep:
    """The abstraction of `leduc-raises-…` that has raises of these multiples only."""

    def knows(state: PublicState, label: str) -> bool:
        world: Any = state.sample
        number = state.expansion.labels.index(label)
        action = state.expansion.actions[number]
        if world.action_size(action) is None:
            return True
        return world.sizes[action - RAISE] in sizes

    return knows


def off_tree_table(
    *,
    methods: Sequence[str] = ("unsafe", "resolve", "maxmargin", "reach-maxmargin", "continual"),
    effort: Effort | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Row]:
    """Leduc with unknown raises: both translations, then nested solving in both forms."""
    effort = effort or Effort(iterations=100)
    tree = build_tree(load(OFF_TREE_GAME))
    known = knows_sizes(OFF_TREE_KNOWN)
    blueprint = Blueprint.of(solve_abstraction(tree, iterations=2000, keep=known, algorithm="dcfr"))
    policies: dict[str, Callable[[int], Array]] = {
        f"translation, {kind}": lambda player, kind=kind: translated_policy(  # type: ignore[misc]
            blueprint, known, player, kind
        )
        for kind in KINDS
    }
    for method in methods:
        for form in ("inexpensive", "full"):
            policies[f"nested {method}, {form}"] = lambda player, method=method, form=form: (  # type: ignore[misc]
                nested_policy(
                    blueprint,
                    Nesting(player=player, known=known, method=method, effort=effort, form=form),
                )
            )
    base = evaluate(tree, blueprint.policy).exploitability
    rows = [Row(f"{BLUEPRINT}, uniform where it does not know", base, 0.0)]
    for name, make in policies.items():
        written = blueprint.policy
        for player in (0, 1):
            written = with_player(tree, written, make(player), player)
        worth = evaluate(tree, written).exploitability
        rows.append(Row(name, worth, worth - base))
        if tell is not None:
            tell(name)
    return rows
