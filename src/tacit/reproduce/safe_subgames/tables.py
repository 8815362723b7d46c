"""Safe and nested subgame solving, Tables 3 to 5, for small games.

Weak blueprints are made in several ways over several seeds, and improved by every method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np

from tacit.games import load_game
from tacit.games.leduc import RAISE
from tacit.report.experiment import Progress, check_names, option
from tacit.report.table import Row, Table, table, table_of
from tacit.reproduce.row_store import Reproduction, RowStore
from tacit.reproduce.safe_subgames.holdem_off_tree import answers
from tacit.solvers.best_response import Evaluation, evaluate
from tacit.subgame.abstraction import (
    Keep,
    frontier,
    random_groups,
    random_removal,
    solve_abstraction,
)
from tacit.subgame.blueprint import Blueprint, BlueprintValues, SubgameRoot
from tacit.subgame.methods import METHODS, SolveBudget, find_method, solve_roots
from tacit.tree import PublicState, PublicTree, build_tree
from tacit.tree.playing import sample_world

Weakness = Literal["few iterations", "merged infostates", "missing actions"]
WEAKNESSES: tuple[Weakness, ...] = ("few iterations", "merged infostates", "missing actions")
DEPTHS = {"leduc": 2, "liars-dice-1x3": 2, "liars-dice-1x4": 2, "pursuit-glasses": 2}
"""How many moves below the root the subgames stand."""
GAMES = ("leduc", "liars-dice-1x3", "pursuit-glasses")
OFF_TREE = "off-tree"
OFF_TREE_GAME, OFF_TREE_KNOWN = "leduc-raises-1-2-4", (1, 4)
"""The game with bets that its blueprint does not know, and the sizes that it does."""
OFF_TREE_ITERATIONS = 100
BLUEPRINT = "blueprint"
SOLVER_ERROR = 2e-3
"""What a solver that has not converged may leave, in the units of these games."""


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
    """The roots of all subgames at a depth that the player reaches with the blueprint."""
    values = BlueprintValues(blueprint, player)
    places = frontier(blueprint.tree, depth)
    return [values.at(place) for place in places if values.reaches(place)]


def solved_by(
    blueprint: Blueprint, views: Sequence[Sequence[SubgameRoot]], method: str, budget: SolveBudget
) -> float:
    """The exploitability after both players have solved all their `views` again.

    Methods that need the opponent's range skip subgames that the opponent never reaches.
    """
    tree, written = blueprint.tree, blueprint.policy
    ranged = find_method(method).kind in ("given", "mixed")
    for own in views:
        if ranged:
            own = [view for view in own if np.any(view.weights * view.reach[view.opponent])]
        if own:
            written = solve_roots(tree, own, method, budget).written_into(tree, written)
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
    """A row for the blueprints and for each method, from what `blueprint_worths` says of each.

    exploitability: the mean; worst_rise: the largest increase over a blueprint's exploitability;
    raised: how many blueprints increased by more than `SOLVER_ERROR`.
    """
    before = np.array([worth[BLUEPRINT] for worth in worths])
    rows = []
    for method in worths[0]:
        after = np.array([worth[method] for worth in worths])
        row = {"method": method, "exploitability": float(after.mean())}
        row |= {"worst_rise": max(after - before), "raised": sum(after - before > SOLVER_ERROR)}
        rows.append(row)
    return rows


def knows_sizes(sizes: Sequence[int]) -> Keep:
    """The abstraction of `leduc-raises-…` that has raises of these multiples only."""

    def knows(state: PublicState, label: str) -> bool:
        world: Any = sample_world(state)
        action = state.expansion.actions[state.expansion.labels.index(label)]
        return world.action_size(action) is None or world.sizes[action - RAISE] in sizes

    return knows


def off_tree_answers(
    methods: Sequence[str] = ("unsafe", "resolve", "maxmargin", "reach-maxmargin", "continual"),
) -> dict[str, Callable[[], Evaluation]]:
    """Leduc with unknown raises: by the name of an answer, a function that measures it."""
    tree = build_tree(load_game(OFF_TREE_GAME))
    known = knows_sizes(OFF_TREE_KNOWN)

    @cache
    def blueprint() -> Blueprint:
        return Blueprint.of(solve_abstraction(tree, iterations=2000, keep=known, algorithm="dcfr"))

    budget = SolveBudget(iterations=OFF_TREE_ITERATIONS)
    return answers(blueprint, known, methods=methods, budget=budget)


@dataclass(frozen=True, kw_only=True)
class SafeTables(Reproduction):
    """Safe subgame solving (Tables 3 to 5), on small games: exploitability by method.

    For each game, weak blueprints of three kinds; all subgames a few moves below the root are
    solved again for both players. `off-tree` is Leduc with raises that the blueprint does not know:
    translation against nested solving, by 100 iterations. All tables take about twenty minutes on
    one core.

    Columns: game, blueprint (its weakness, or the answer off the tree), seed, iterations,
    exploitability (by method; off the tree one number), seconds.
    """

    games: tuple[str, ...] = option(
        (*GAMES, OFF_TREE), f"Some of {', '.join((*DEPTHS, OFF_TREE))}, separated by commas."
    )
    seeds: int = option(32, "Blueprints of each kind.", least=1)
    iterations: int = option(2000, "Iterations of each subgame's solve.", least=1)

    key = ("game", "blueprint", "seed", "iterations")
    quick: ClassVar = {"seeds": 1, "iterations": 200}

    def __post_init__(self) -> None:
        check_names(self.games, (*DEPTHS, OFF_TREE), "table for")

    def add_rows(self, store: RowStore, progress: Progress) -> None:
        """A row for each weak blueprint of each game, and for each answer off the tree."""
        for name in self.games:
            tasks: dict[tuple[str, int], Callable[[], Any]]
            if name == OFF_TREE:
                game, iterations, kind = OFF_TREE_GAME, OFF_TREE_ITERATIONS, "answers"
                tasks = {(answer, 0): measure for answer, measure in off_tree_answers().items()}
            else:
                game, iterations, kind = name, self.iterations, "blueprints"
                measure = partial(
                    blueprint_worths,
                    build_tree(load_game(game)),
                    budget=SolveBudget(iterations=iterations, double=True),
                )
                keys = product(WEAKNESSES, range(self.seeds))
                tasks = {key: partial(measure, *key) for key in keys}
            for number, (key, task) in enumerate(tasks.items()):
                progress.stage(f"{name}, {len(tasks)} {kind}", number / len(tasks))
                head = dict(zip(self.key, (game, *key, iterations), strict=True))
                store.add(head, partial(_row, task))

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """A table for each game."""
        made = []
        for name in self.games:
            game = OFF_TREE_GAME if name == OFF_TREE else name
            own = [row for row in rows if row["game"] == game]
            made.append(off_tree_table(own) if name == OFF_TREE else self._table(game, own))
        return made

    def _table(self, game: str, rows: Sequence[Row]) -> Table:
        """Means by the blueprints' weakness, and the largest increase over all of them."""
        made = method_table(rows)
        seeds = "1 seed" if self.seeds == 1 else f"{self.seeds} seeds"
        made.title = f"{game}: exploitability by the blueprint's weakness, {seeds} each"
        made.note = (
            f"{self.iterations:,} iterations of predictive CFR+ for each subgame. Raised: of "
            f"{len(rows)} blueprints those more exploitable than before by over {SOLVER_ERROR:g}."
        )
        return made


def _row(measure: Callable[[], dict[str, float] | Evaluation]) -> Row:
    found = measure()
    return {"exploitability": found if isinstance(found, dict) else found.exploitability}


def method_table(rows: Sequence[Row]) -> Table:
    """One game's rows: methods down, weaknesses across, then increases over the blueprint."""
    kinds = list(dict.fromkeys(row["blueprint"] for row in rows))
    columns = [
        summary([row["exploitability"] for row in rows if row["blueprint"] == kind])
        for kind in kinds
    ]
    made = table("method", *kinds, "worst rise", "raised")
    for lines in zip(*columns, strict=True):
        worst = round(max(row["worst_rise"] for row in lines), 4) + 0.0  # no -0.0000
        means = (f"{row['exploitability']:.4f}" for row in lines)
        raised = sum(row["raised"] for row in lines)
        made.add_row(lines[0]["method"], *means, f"{worst:+.4f}", f"{raised}")
    return made


def off_tree_table(rows: Sequence[Row]) -> Table:
    """Answers to unknown raises and their exploitability."""
    known = " and ".join(map(str, OFF_TREE_KNOWN))
    title = f"{OFF_TREE_GAME}: exploitability, the blueprint knows raises of {known} units"
    columns = {"answer": "{blueprint}", "exploitability": "{exploitability:.4f}"}
    return table_of(rows, columns, title=title)
