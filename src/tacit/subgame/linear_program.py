"""Small subgames solved again exactly, by one linear program each.

The player's realisation plan x starts with its reach at the root. The program's duals v are the
player's values against the opponent's best response, for each infostate s of the opponent at the
root: v[s] = -CBV'(s) * weight(s). A method is an objective on them:

- unsafe: the sum of v, weighted by the opponent's reach;
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


def solve_root_exactly(
    whole: PublicTree,
    root: SubgameRoot,
    method: Method | str,
    budget: SolveBudget | None = None,
    *,
    tree: PublicTree | None = None,
) -> SubgameResult:
    """Solve one subgame again; infostates that are not reached play uniformly.

    `tree`: the subgame, by default all of the game below the root.
    """
    budget = budget or SolveBudget()
    method = find_method(method) if isinstance(method, str) else method
    if method.kind not in ("given", "resolve", "maxmargin"):
        raise GameError(
            f"{method.name} is no linear program; solve it by an algorithm such as "
            f"{budget.algorithm}"
        )
    check_alternatives(root, *payoff_bounds(whole, root.opponent))
    gadget, offered = gadget_of(root, method, budget)
    tree = tree or build_forest(whole.builder, [root.state])
    mine = Flow(tree, root.player, root.reach[root.player])
    other = Flow(tree, root.opponent)
    payoff = payoff_matrix(tree, (mine, other) if root.player == 0 else (other, mine))
    if root.player == 1:
        payoff = csr_array(-payoff.T)
    rows = np.flatnonzero(gadget.possible)
    weights = gadget.weights[rows]
    alternatives = np.where(gadget.possible, offered, 0.0)[rows] * weights
    duals = _duals(mine, other)
    if method.kind == "given":
        plan = _optimum(mine, other, payoff, dual_gain=gadget.previous)
    elif method.kind == "maxmargin":
        # margin * weight - v <= alternative * weight, for one margin.
        limits = hstack([-duals[rows], csr_array(weights[:, None])], format="csr")
        plan = _optimum(
            mine, other, payoff, limits=limits, most=alternatives, extra_gain=np.ones(1)
        )
    else:
        # lost - v <= alternative * weight and lost <= 0, one an infostate.
        each = csr_array(coo_array((np.ones(len(rows)), (np.arange(len(rows)),) * 2)))
        limits = hstack([-duals[rows], each], format="csr")
        plan = _optimum(
            mine, other, payoff, limits=limits, most=alternatives, extra_gain=np.ones(len(rows)),
            highest=0.0,
        )  # fmt: skip
    sums = np.zeros(tree.sizes.slots)
    mine.write(plan, sums)
    return SubgameResult([root], method, tree, normalise(tree, sums), [offered], [gadget.previous])


def _duals(mine: Flow, other: Flow) -> csr_array:
    """[roots of `other`, variables of `mine` + constraints of `other`]: selects v at the roots."""
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
    dual_gain: Vector | None = None,
    limits: csr_array | None = None,
    most: Vector | None = None,
    extra_gain: Vector | None = None,
    highest: float | None = None,
) -> Vector:
    """The plan [variables of `mine`] that maximises dual_gain @ v[roots] + extra_gain @ z.

    z are further variables, at most `highest`, with limits @ (plan, v, z) <= most.
    """
    free, more = other.constraint.shape[0], 0 if extra_gain is None else len(extra_gain)
    gain = np.zeros(mine.variables + free + more)
    if dual_gain is not None:
        gain[mine.variables : mine.variables + other.roots] = dual_gain
    if extra_gain is not None:
        gain[mine.variables + free :] = extra_gain
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
