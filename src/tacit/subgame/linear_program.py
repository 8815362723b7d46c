"""Small subgames solved again exactly, by one linear program each.

The player's realisation plan x starts with her reach at the root. The program's duals v say what
each infostate of the opponent at the root leaves the player when she plays her best from there:
v[s] = -CBV'(s) * weight(s). What a method wants of them is its objective:

- unsafe: the sum of v, weighed by the opponent's reach;
- resolve: the sum of the negative parts of v + alternative * weight;
- maxmargin: the least of (v + alternative * weight) / weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack, vstack

from tacit.games import GameError
from tacit.solvers.engine import normalise
from tacit.solvers.linear_program import Flow, payoff_matrix
from tacit.subgame.blueprint import SubgameRoot
from tacit.subgame.methods import (
    Method,
    SolveBudget,
    SubgameResult,
    check_alternatives,
    find_method,
    gadget_of,
    payoff_bounds,
)
from tacit.tree import PublicTree, build_forest

Vector = NDArray[np.float64]


def solve_view_exactly(
    whole: PublicTree,
    view: SubgameRoot,
    method: Method | str,
    budget: SolveBudget | None = None,
    *,
    tree: PublicTree | None = None,
) -> SubgameResult:
    """Solve one subgame again; its policy plays uniformly where it does not matter.

    `tree`: the subgame, if it is not to be all that follows in the game.
    """
    budget = budget or SolveBudget()
    method = find_method(method) if isinstance(method, str) else method
    if method.kind not in ("given", "resolve", "maxmargin"):
        raise GameError(
            f"{method.name} is no linear program; solve it by an algorithm such as "
            f"{budget.algorithm}"
        )
    check_alternatives(view, *payoff_bounds(whole, view.opponent))
    gadget, offered = gadget_of(view, method, budget)
    tree = tree or build_forest(whole.builder, [view.state])
    mine = Flow(tree, view.player, view.reach[view.player])
    other = Flow(tree, view.opponent)
    payoff = payoff_matrix(tree, (mine, other) if view.player == 0 else (other, mine))
    if view.player == 1:
        payoff = csr_array(-payoff.T)
    rows = np.flatnonzero(gadget.possible)
    weights = gadget.weights[rows]
    alternatives = np.where(gadget.possible, offered, 0.0)[rows] * weights
    duals = _duals(mine, other)
    if method.kind == "given":
        plan = _optimum(mine, other, payoff, dual_worth=gadget.previous)
    elif method.kind == "maxmargin":
        # margin * weight - v <= alternative * weight, for one margin.
        limits = hstack([-duals[rows], csr_array(weights[:, None])], format="csr")
        plan = _optimum(mine, other, payoff, limits=limits, most=alternatives, worth=np.ones(1))
    else:
        # lost - v <= alternative * weight and lost <= 0, one an infostate.
        each = csr_array(coo_array((np.ones(len(rows)), (np.arange(len(rows)),) * 2)))
        limits = hstack([-duals[rows], each], format="csr")
        plan = _optimum(
            mine, other, payoff, limits=limits, most=alternatives, worth=np.ones(len(rows)),
            highest=0.0,
        )  # fmt: skip
    sums = np.zeros(tree.sizes.slots)
    mine.write(plan, sums)
    return SubgameResult([view], method, tree, normalise(tree, sums), [offered], [gadget.previous])


def _duals(mine: Flow, other: Flow) -> csr_array:
    """[roots of the opponent, my variables + her constraints]: picks v at her root infostates."""
    numbers = np.arange(other.roots)
    shape = (other.roots, mine.variables + other.constraint.shape[0])
    return csr_array(
        coo_array((np.ones(other.roots), (numbers, mine.variables + numbers)), shape=shape)
    )


def _optimum(
    mine: Flow,
    other: Flow,
    payoff: csr_array,
    *,
    dual_worth: Vector | None = None,
    limits: csr_array | None = None,
    most: Vector | None = None,
    worth: Vector | None = None,
    highest: float | None = None,
) -> Vector:
    """My plan [variables] that maximises dual_worth @ v[roots] + worth @ z.

    z are further variables, at most `highest`, with limits @ (plan, v, z) <= most.
    """
    free, more = other.constraint.shape[0], 0 if worth is None else len(worth)
    gain = np.zeros(mine.variables + free + more)
    if dual_worth is not None:
        gain[mine.variables : mine.variables + other.roots] = dual_worth
    if worth is not None:
        gain[mine.variables + free :] = worth
    bounds: Any = [(0, None)] * mine.variables + [(None, None)] * free + [(None, highest)] * more
    upper = hstack(
        [-payoff.T, other.constraint.T, csr_array((other.variables, more))], format="csr"
    )
    right = np.zeros(other.variables)
    if limits is not None and most is not None:
        upper, right = vstack([upper, limits], format="csr"), np.concatenate([right, most])
    result = linprog(
        -gain,
        A_ub=upper,
        b_ub=right,
        A_eq=hstack([mine.constraint, csr_array((len(mine.right), free + more))], format="csr"),
        b_eq=np.array(mine.right),
        bounds=bounds,
        method="highs",
    )
    if not result.success:
        raise GameError(f"the linear program is not solved: {result.message}")
    plan: Vector = result.x[: mine.variables]
    return plan
