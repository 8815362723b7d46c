"""Solve subgames of a blueprint again: by CFR, by depth-limited CFR, or exactly."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.games import GameError
from tacit.solvers import LINEAR_PROGRAM
from tacit.subgame.blueprint import BlueprintValues
from tacit.subgame.linear_program import solve_root_exactly
from tacit.subgame.methods import SolveBudget, SubgameResult, solve_subgames, solve_to_the_end
from tacit.tree import Place


def improve(
    blueprint: BlueprintValues, places: Sequence[Place], method: str, budget: SolveBudget
) -> list[SubgameResult]:
    """Solve the subgames at `places` again, as `budget` says."""
    if not places:
        raise GameError("the blueprint reaches none of these subgames; name another with --at")
    if budget.algorithm == LINEAR_PROGRAM:
        if budget.depth is not None:
            raise GameError("a linear program solves to the end; leave --depth out, or choose CFR")
        return [
            solve_root_exactly(blueprint.tree, blueprint.at(place), method, budget)
            for place in places
        ]
    if budget.depth is None:
        return [solve_subgames(blueprint, places, method, budget)]
    roots = [blueprint.at(place) for place in places]
    return solve_to_the_end(blueprint.tree, roots, method, budget)
